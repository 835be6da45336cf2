# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers: values and gradients beside eager PyTorch's, and what the program is."""

import itertools

import pytest

from torch_package import DEVICE, mesh, torch, xs

nn = torch.nn

KINDS = {"lstm": nn.LSTM, "gru": nn.GRU, "tanh": nn.RNN, "relu": lambda *args, **kwargs: nn.RNN(*args, nonlinearity="relu", **kwargs)}
OPTIONS = [
    {}, {"num_layers": 2, "bidirectional": True, "batch_first": True}, {"bias": False}, {"num_layers": 3, "dropout": 1.0},
    {"proj_size": 3}, {"proj_size": 3, "num_layers": 2, "bidirectional": True, "bias": False}]
CASES = [(kind, options) for kind, options in itertools.product(KINDS, OPTIONS) if kind == "lstm" or "proj_size" not in options]


def states_of(kind, options, batch=8, width=6):
    count = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    h = torch.randn(count, batch, options.get("proj_size", width))
    return (h, torch.randn(count, batch, width)) if kind == "lstm" else (h,)


def loss_of(out, last):
    return sum((one * torch.linspace(-1, 2, one.numel(), device=one.device).reshape(one.shape)).sum()
               for one in (out, *(last if isinstance(last, tuple) else (last,))))


def run(device, layer, x, states, prepare=lambda x, layer: None):
    """Outputs, last states, and gradients of inputs, first states and weights."""
    layer.zero_grad()
    layer = layer.to(device)
    x, *states = [one.detach().to(device).requires_grad_() for one in (x, *states)]
    prepare(x, layer)
    out, last = layer(x, tuple(states) if len(states) > 1 else states[0])
    loss_of(out, last).backward()
    lasts = last if isinstance(last, tuple) else (last,)
    found = [out.detach(), *(one.detach() for one in lasts), x.grad, *(one.grad for one in states),
             *(one.grad for one in layer.parameters())]
    return [one.cpu().clone() for one in found]


def assert_alike(eager, ours):
    assert len(eager) == len(ours)
    for one, other in zip(eager, ours):
        assert one.shape == other.shape and torch.allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind,options", CASES, ids=str)
def test_values_and_gradients(kind, options):
    torch.manual_seed(0)
    layer, x, states = KINDS[kind](5, 6, **options), torch.randn(8, 8, 5), states_of(kind, options)
    eager = run("cpu", layer, x, states)
    assert_alike(eager, run(DEVICE, layer, x, states))
    assert "stablehlo.while" in xs.last_program()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("x_spec,weight_spec", [((None, "x", None), None), (("x", None, None), None), (None, ("y", None)),
                                                (None, (None, "y")), (("x", None, None), ("y", None))], ids=str)
def test_sharded(kind, x_spec, weight_spec):
    def prepare(x, layer):
        if x_spec is not None:
            xs.mark_sharding(x, mesh(), x_spec)
        for one in layer.parameters() if weight_spec is not None else ():
            if one.dim() == 2:
                xs.mark_sharding(one, mesh(), weight_spec)

    torch.manual_seed(0)
    options = {"batch_first": True, "bidirectional": True, "num_layers": 2}
    layer, x, states = KINDS[kind](8, 16, **options), torch.randn(8, 4, 8), states_of(kind, options, 8, 16)
    eager = run("cpu", layer, x, states)
    assert_alike(eager, run(DEVICE, layer, x, states, prepare))


def test_program_does_not_grow_with_time():
    layer, lines = nn.LSTM(4, 4).to(DEVICE), []
    for length in (4, 40):
        layer.zero_grad()
        layer(torch.randn(length, 2, 4).to(DEVICE))[0].sum().backward()
        xs.sync()
        lines.append(xs.last_program().count("\n"))
        assert xs.last_program().count("stablehlo.while") == 2
    assert lines[0] == lines[1]


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("kind", KINDS)
def test_without_gradients(kind, mode):
    torch.manual_seed(0)
    layer, x = KINDS[kind](4, 6, 2), torch.randn(5, 3, 4)
    with mode():
        expected, last = layer(x)
        out, ours = layer.to(DEVICE)(x.to(DEVICE))
        assert torch.allclose(out.cpu(), expected, atol=1e-5)
        for one, other in zip(last if kind == "lstm" else [last], ours if kind == "lstm" else [ours]):
            assert torch.allclose(other.cpu(), one, atol=1e-5)
    assert xs.last_program().count("stablehlo.while") == 2


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_of_gradients(kind):
    torch.manual_seed(0)
    layer, host, found = KINDS[kind](3, 4, bidirectional=True), torch.randn(4, 2, 3), []
    for device in ("cpu", DEVICE):
        layer.zero_grad()
        layer = layer.to(device)
        x = host.detach().to(device).requires_grad_()
        slope, = torch.autograd.grad(layer(x)[0].square().sum(), x, create_graph=True)
        (slope.square().sum() + slope.sum()).backward()
        found.append([one.grad.cpu().clone() for one in (x, *layer.parameters())])
    assert_alike(*found)


@pytest.mark.parametrize("kind", KINDS)
def test_one_time(kind):
    torch.manual_seed(0)
    options = {"num_layers": 2, "bidirectional": True}
    layer, x, states = KINDS[kind](5, 6, **options), torch.randn(1, 8, 5), states_of(kind, options)
    eager = run("cpu", layer, x, states)
    assert_alike(eager, run(DEVICE, layer, x, states))


def test_only_some_gradients():
    torch.manual_seed(0)
    layer, host, found = nn.LSTM(3, 4), torch.randn(4, 2, 3), []
    layer.weight_ih_l0.requires_grad_(False)
    for device in ("cpu", DEVICE):
        layer.zero_grad()
        layer = layer.to(device)
        layer(host.to(device))[1][1].sum().backward()
        assert layer.weight_ih_l0.grad is None
        found.append([one.grad.cpu().clone() for one in (layer.weight_hh_l0, layer.bias_ih_l0, layer.bias_hh_l0)])
    assert_alike(*found)


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_packed_sequences(kind):
    torch.manual_seed(0)
    layer, host, found = KINDS[kind](3, 4, bidirectional=True), torch.randn(5, 3, 3), []
    for device in ("cpu", DEVICE):
        layer.zero_grad()
        layer = layer.to(device)
        packed = nn.utils.rnn.pack_padded_sequence(host.to(device), torch.tensor([5, 4, 2]))
        out, _ = nn.utils.rnn.pad_packed_sequence(layer(packed)[0])
        out.square().sum().backward()
        found.append([out.detach().cpu().clone(), *(one.grad.cpu().clone() for one in layer.parameters())])
    assert_alike(*found)


def test_mixed_precision_and_half():
    torch.manual_seed(0)
    layer, x = nn.LSTM(4, 4), torch.randn(3, 2, 4)
    expected = layer(x)[0].detach()
    layer = layer.to(DEVICE)
    with torch.autocast("shardwise", dtype=torch.bfloat16):
        assert torch.allclose(layer(x.to(DEVICE))[0].detach().float().cpu(), expected, atol=0.05)
    out = layer.to(torch.bfloat16)(x.to(DEVICE, torch.bfloat16))[0]
    assert out.dtype == torch.bfloat16 and torch.allclose(out.detach().float().cpu(), expected, atol=0.05)


def test_wrong_shapes_are_refused():
    params = [torch.randn(16, 3), torch.randn(16, 4), torch.randn(16), torch.randn(16)]
    state = [torch.zeros(1, 2, 4).to(DEVICE), torch.zeros(1, 2, 4).to(DEVICE)]
    for bad in ([torch.randn(16, 5), *params[1:]], [params[0], torch.randn(12, 4), *params[2:]]):
        with pytest.raises(RuntimeError, match="must (have|match)"):
            torch.lstm(torch.randn(5, 2, 3).to(DEVICE), state, [one.to(DEVICE) for one in bad], True, 1, 0.0, False, False, False)
    for lengths, text in (([6, 1], "a length is 6, but the padded sequences have 5 times"), ([2, 3], "sorted"), ([2], "batch_size")):
        with pytest.raises(RuntimeError, match=text):
            nn.utils.rnn.pack_padded_sequence(torch.randn(5, 2, 3).to(DEVICE), torch.tensor(lengths))

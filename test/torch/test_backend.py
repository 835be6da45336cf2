# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's own tools ask of a device: states of random numbers, places in files, inference mode."""

import copy
import io
import math

import pytest

from torch_package import DEVICE, mesh, torch, xs

MESH = mesh((4, 2), ("data", "model"))
nn, F = torch.nn, torch.nn.functional


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_recomputed_dropout_drops_the_same(use_reentrant):
    """`torch.utils.checkpoint` computes the forward pass again: gradients are those of what was dropped the first time."""
    torch.manual_seed(0)
    layer = nn.Linear(32, 32).to(DEVICE)
    x = xs.mark_sharding(torch.randn(16, 32).to(DEVICE), MESH, ("data", None)).requires_grad_()
    y = torch.utils.checkpoint.checkpoint(lambda x: F.dropout(layer(x), 0.5), x, use_reentrant=use_reentrant)
    kept = (y != 0).float() * 2
    behind = torch.rand(16, 32, device=DEVICE)
    (y * 1.0).sum().backward()
    torch.testing.assert_close(x.grad.cpu(), (kept @ layer.weight).detach().cpu())
    # What is drawn behind it does not change what comes next.
    assert not torch.equal(behind.cpu(), torch.rand(16, 32, device=DEVICE).cpu())


def test_states_of_random_numbers():
    torch.manual_seed(3)
    assert torch.shardwise.initial_seed() == 3
    torch.rand(4, device=DEVICE)
    state = torch.shardwise.get_rng_state(DEVICE)
    first = torch.rand(4, device=DEVICE).cpu()
    with torch.random.fork_rng():
        torch.manual_seed(9)
        torch.rand(4, device=DEVICE)
    second = torch.rand(4, device=DEVICE).cpu()
    torch.shardwise.set_rng_state(state)
    assert torch.equal(first, torch.rand(4, device=DEVICE).cpu()) and torch.equal(second, torch.rand(4, device=DEVICE).cpu())
    with pytest.raises(RuntimeError, match="16 bytes on the CPU, as get_rng_state.. gives it; got"):
        torch.shardwise.set_rng_state(torch.zeros(4))


@pytest.mark.parametrize("place", [DEVICE, "shardwise", "shardwise:0", {"cpu": "shardwise"}])
def test_files_of_the_cpu_are_loaded_to_the_device(place):
    x = torch.arange(12.0).view(3, 4)
    file = io.BytesIO()
    torch.save({"x": x, "t": x.t(), "rows": x[1:], "half": x.bfloat16(), "empty": torch.empty(0, 2), "own": nn.Parameter(x)}, file)
    file.seek(0)
    loaded = torch.load(file, map_location=place)
    for name, expected in (("x", x), ("t", x.t()), ("rows", x[1:]), ("half", x.bfloat16()), ("empty", torch.empty(0, 2)), ("own", x)):
        assert loaded[name].device == DEVICE and torch.equal(loaded[name].detach().cpu(), expected)
    assert isinstance(loaded["own"], nn.Parameter) and loaded["own"].requires_grad
    file.seek(0)
    with pytest.raises(ValueError, match="there is no device 1"):
        torch.load(file, map_location="shardwise:1")


def test_views_in_inference_mode():
    """Those of tensors from outside, which count changes, and of tensors that were made inside."""

    def tried(device):
        x = torch.arange(12.0).view(3, 4).to(device)
        with torch.inference_mode():
            row, turned, first = x[1], x.t(), x.unbind(0)[0]
            row.add_(1)
            made = x * 2
            made[0] = 5
            made[1].mul_(2)
            flags = [one.is_inference() for one in (x, row, turned, first, x.detach(), made, made[1])]
            return flags, [one.cpu() for one in (x, row, turned, first, made)]

    (flags, values), (expected_flags, expected) = tried(DEVICE), tried("cpu")
    assert flags == expected_flags and all(map(torch.equal, values, expected))


MASKS = {
    "none": {}, "padding": {"src_key_padding_mask": torch.arange(12)[None] >= torch.tensor([5, 12, 7, 9])[:, None]},
    "no left-aligned padding": {"src_key_padding_mask": torch.arange(12)[None] < torch.tensor([5, 0, 7, 3])[:, None]},
    "causal": {"mask": nn.Transformer.generate_square_subsequent_mask(12)}}


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors", "ignore:enable_nested_tensor is True")
def test_encoders_that_do_not_train(mask, activation, norm_first):
    """PyTorch has one op for a layer then. Where it leaves padded positions out, they are zero there and something else here."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation=activation, norm_first=norm_first)
    host = nn.TransformerEncoder(layer, 2, nn.LayerNorm(32)).eval()
    model = copy.deepcopy(host).to(DEVICE)
    for one in model.layers:
        xs.mark_sharding(one.linear1.weight, MESH, ("model", None))
    x, before = torch.randn(4, 12, 32), dict(xs.fallback_counts())
    sharded = xs.mark_sharding(x.to(DEVICE), MESH, ("data", None, None))
    with torch.no_grad():
        expected, found = host(x, **MASKS[mask]), model(sharded, **{name: one.to(DEVICE) for name, one in MASKS[mask].items()}).cpu()
    if "padding" in mask:
        hidden = MASKS[mask]["src_key_padding_mask"][..., None]
        expected, found = expected.masked_fill(hidden, 0), found.masked_fill(hidden, 0)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert xs.fallback_counts() == before


@pytest.mark.parametrize("masks", [{}, {"key_padding_mask": torch.arange(12)[None] >= torch.tensor([5, 12, 0, 9])[:, None]},
                                   {"attn_mask": torch.arange(12)[:, None] < torch.arange(12)},
                                   {"attn_mask": torch.arange(16 * 144).view(16, 12, 12) % 3 == 0}], ids=["none", "keys", "pairs", "heads"])
@pytest.mark.parametrize("weights", [{}, {"need_weights": False}, {"average_attn_weights": False}], ids=["average", "none", "each"])
def test_attention_that_does_not_train(masks, weights):
    torch.manual_seed(0)
    host = nn.MultiheadAttention(32, 4, batch_first=True).eval()
    model, x = copy.deepcopy(host).to(DEVICE), torch.randn(4, 12, 32)
    before = dict(xs.fallback_counts())
    there = x.to(DEVICE)
    with torch.inference_mode():
        expected = host(x, x, x, **masks, **weights)
        found = model(there, there, there, **{name: one.to(DEVICE) for name, one in masks.items()}, **weights)
    for one, other in zip(expected, found, strict=True):
        if one is None:
            assert other is None
        else:
            torch.testing.assert_close(other.cpu(), one, rtol=1e-4, atol=1e-5, equal_nan=True)
    assert xs.fallback_counts() == before and math.isfinite(expected[0][0].sum())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers and wrappers of torch_xla's programs, mixed precision, recurrent layers, tables and explanations."""

import functools

import pytest
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy, transformer_auto_wrap_policy

from torch_package import DEVICE, mesh, torch, xs

nn, F = torch.nn, torch.nn.functional
FSDP = mesh((4, 2), ("fsdp", "model"))


def test_linear_without_flattening():
    torch.manual_seed(0)
    plain, patched = nn.Linear(6, 4), nn.Linear(6, 4)
    patched.load_state_dict(plain.state_dict())
    xs.apply_xla_patch_to_nn_linear(patched)
    assert type(patched) is xs.EinsumLinear and xs.apply_backward_optimization_barrier(patched) is patched
    host = torch.randn(8, 3, 6)
    for device in ("cpu", DEVICE):
        for one in (plain.to(device), patched.to(device)):
            one.zero_grad()
            one(host.to(device)).square().sum().backward()
        assert torch.allclose(plain(host.to(device)).cpu(), patched(host.to(device)).cpu(), atol=1e-5)
        assert torch.allclose(plain.weight.grad.cpu(), patched.weight.grad.cpu(), rtol=1e-4)
        assert torch.allclose(plain.bias.grad.cpu(), patched.bias.grad.cpu(), rtol=1e-4)


def test_fully_sharded_wrapper():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 8))
    host = torch.randn(8, 128)
    expected = model(host).detach()
    wrapped = xs.SpmdFullyShardedDataParallel(model, mesh=FSDP)
    assert xs.get_sharding_spec(model[0].weight) == str(FSDP.get_op_sharding((None, "fsdp")))
    out = wrapped(xs.mark_sharding(host.to(DEVICE), FSDP, ("fsdp", None)))
    assert xs.get_sharding_spec(out) == str(FSDP.get_op_sharding(("fsdp", None)))
    assert torch.allclose(out.detach().cpu(), expected, atol=1e-5) and wrapped[0] is model[0]
    every = xs.get_1d_mesh("fsdp")
    layer = xs.SpmdFullyShardedDataParallel(nn.Linear(128, 64).to(DEVICE), mesh=every)
    assert xs.get_sharding_spec(layer.module.weight) == "{devices=[1,8]0,1,2,3,4,5,6,7}"


def test_fully_sharded_policies():
    policies = [functools.partial(size_based_auto_wrap_policy, min_num_params=1000),
                functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={nn.Linear})]
    for policy in policies:
        model = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 8))
        wrapped = xs.SpmdFullyShardedDataParallel(model, mesh=FSDP, auto_wrap_policy=policy)
        assert isinstance(wrapped.module[0], xs.SpmdFullyShardedDataParallel)
        assert wrapped(torch.randn(8, 128).to(DEVICE)).shape == (8, 8)


def test_fully_sharded_refused():
    with pytest.raises(ValueError, match="no global mesh is set"):
        xs.SpmdFullyShardedDataParallel(nn.Linear(2, 2))
    with pytest.raises(ValueError, match="an axis called 'fsdp'"):
        xs.SpmdFullyShardedDataParallel(nn.Linear(2, 2), mesh=mesh())
    with pytest.raises(ValueError, match="no axis 'dcn'"):
        xs.SpmdFullyShardedDataParallel(nn.Linear(2, 2), mesh=FSDP, extra_data_axis="dcn")
    with pytest.raises(RuntimeError, match="has no forward"):
        xs.SpmdFullyShardedDataParallel(nn.ModuleList([nn.Linear(2, 2)]), mesh=FSDP)
    with pytest.raises(RuntimeError, match="wrapped already"):
        xs.SpmdFullyShardedDataParallel(xs.SpmdFullyShardedDataParallel(nn.Linear(4, 4), mesh=FSDP), mesh=FSDP)

    class Two(nn.Linear):
        def forward(self, x):
            return super().forward(x), 1

    with pytest.warns(UserWarning, match="only the first is sharded"):
        xs.SpmdFullyShardedDataParallel(Two(4, 4), mesh=FSDP)(torch.ones(8, 4).to(DEVICE))


def test_mixed_precision():
    layer, host = nn.Linear(8, 8), torch.randn(8, 8)
    expected = layer(host).detach()
    moved = layer.to(DEVICE)
    with torch.autocast("shardwise", dtype=torch.bfloat16):
        out = moved(host.to(DEVICE))
        assert out.dtype == torch.bfloat16 and F.layer_norm(out, (8,)).dtype == torch.float32
        loss = F.mse_loss(out, torch.zeros_like(out))
    loss.backward()
    assert moved.weight.grad.dtype == torch.float32
    assert torch.allclose(out.detach().float().cpu(), expected, atol=0.05)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_recurrent_layers(kind):
    results = []
    for device in ("cpu", DEVICE):
        torch.manual_seed(0)
        layer, x = kind(8, 12, 2, batch_first=True, bidirectional=True).to(device), torch.randn(8, 4, 8).to(device)
        if device == DEVICE:
            xs.mark_sharding(x, xs.get_1d_mesh("data"), ("data", None, None))
        out, _ = layer(x)
        out.square().sum().backward()
        results.append([out.detach().cpu()] + [one.grad.cpu() for one in layer.parameters()])
    for eager, ours in zip(*results):
        assert torch.allclose(eager, ours, rtol=1e-4, atol=1e-5)


def test_optimizer_that_reads_values():
    layer, x = nn.Linear(8, 8).to(DEVICE), torch.randn(8, 8).to(DEVICE)
    optimizer, counts = torch.optim.Adafactor(layer.parameters()), []
    for _ in range(4):
        optimizer.zero_grad()
        layer(x).square().sum().backward()
        optimizer.step()
        xs.sync()
        counts.append(xs.compile_count())
    assert counts[1] == counts[3]


def test_tables():
    pytest.importorskip("rich", reason="rich is not installed")
    for text, columns in (("{devices=[2,4]0,1,2,3,4,5,6,7}", 4), ("{devices=[4,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}", 4),
                          ("{replicated}", 1), ("{manual}", 1), ("{devices=[2,2,2]<=[8]}", 2)):
        assert len(xs.visualize_sharding(text, use_color=False).columns) == columns
    tensor = xs.mark_sharding(torch.ones(8, 8).to(DEVICE), mesh(), ("y", None))
    assert xs.visualize_tensor_sharding(tensor).row_count == 4
    assert xs.construct_v1_sharding_str(tensor) == tensor.sharding_spec
    with pytest.raises(ValueError, match="has no sharding yet"):
        xs.visualize_tensor_sharding(torch.ones(2).to(DEVICE))


def test_explanations():
    model = nn.Linear(16, 8, bias=False).to(DEVICE)
    xs.mark_sharding(model.weight, mesh(), (None, "y"))
    x = torch.randn(8, 16).to(DEVICE)
    xs.mark_sharding(x, mesh(), (None, "y"))
    out = model(x)
    told = xs.explain(model)
    assert told.tensors[0].name == "weight" and told.tensors[0].shard_shape == (8, 4) and told.tensors[0].annotated
    assert told.collectives[0].kind in ("all_reduce", "reduce_scatter") and told.received_bytes > 0
    assert told.transfers[0].received_bytes > 0 and told.transfers[0].origin
    assert "weight" in str(told) and "<table>" in told._repr_html_()
    assert "sdy.sharding" in xs.last_program() and xs.explain(out).tensors[0].sharding
    with pytest.raises(TypeError, match="the tensor is on cpu"):
        xs.explain(torch.ones(2))

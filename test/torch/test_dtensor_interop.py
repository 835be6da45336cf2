# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Meshes and placements of PyTorch become meshes and specs, and back."""

import pytest

from torch_package import DEVICE, mesh, torch, xs

from torch.distributed.device_mesh import DeviceMesh  # noqa: E402
from torch.distributed.tensor import Partial, Replicate, Shard  # noqa: E402
from torch.distributed.tensor.placement_types import _StridedShard  # noqa: E402


def device_mesh(*sizes, names=None, ids=None):
    return DeviceMesh("cpu", torch.tensor(ids or list(range(8))).view(sizes), mesh_dim_names=names, _init_backend=False,
                      _rank=0)


def marked(spec, over=None, shape=(8, 16)):
    return xs.mark_sharding(torch.randn(shape).to(DEVICE), over or mesh(), spec)


def test_meshes():
    converted = xs.convert_to_xla_mesh(device_mesh(2, 4, names=("x", "y"), ids=[7, 6, 5, 4, 3, 2, 1, 0]))
    assert converted.device_ids.tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    assert converted.mesh_shape == (2, 4) and converted.axis_names == ("x", "y")
    assert xs.convert_to_xla_mesh(device_mesh(8)).axis_names is None
    with pytest.raises(AssertionError, match="SHARDWISE_NUM_DEVICES=4"):
        xs.convert_to_xla_mesh(DeviceMesh("cpu", torch.arange(4), _init_backend=False, _rank=0))
    with pytest.raises(TypeError, match="DeviceMesh"):
        xs.convert_to_xla_mesh([0, 1])


@pytest.mark.parametrize("placements, spec", [
    ([Shard(0), Replicate()], (0, None)), ([Replicate(), Shard(1)], (None, 1)), ([Shard(1), Shard(0)], (1, 0)),
    ([Shard(-1), Replicate()], (None, 0)), ([Shard(0), Shard(0)], ((0, 1), None)),
    ([_StridedShard(0, split_factor=4), Shard(0)], ((1, 0), None)), ([Replicate(), Replicate()], (None, None)),
    (None, (None, None))])
def test_distributed_tensors(placements, spec):
    host = torch.randn(8, 16)
    sharded = xs.xla_distribute_tensor(host, device_mesh(2, 4), placements)
    assert isinstance(sharded, xs.XLAShardedTensor) and sharded.partition_spec == spec
    assert xs.get_sharding_spec(sharded) == str(mesh().get_op_sharding(spec))
    assert torch.equal(sharded.cpu(), host)
    wanted = placements or [Replicate(), Replicate()]
    assert list(sharded.placements) == [Shard(1) if one == Shard(-1) else one for one in wanted]


def test_placements_of_names_orders_and_strange_meshes():
    assert marked(("y", "x")).placements == (Shard(1), Shard(0))
    assert marked((("x", "y"), None)).placements == (Shard(0), Shard(0))
    assert marked((("y", "x"), None)).placements == (_StridedShard(0, split_factor=4), Shard(0))
    turned = mesh(ids=[7, 6, 5, 4, 3, 2, 1, 0])
    described = marked(("x", None), turned)._spec
    assert described.mesh.mesh.tolist() == [[7, 6, 5, 4], [3, 2, 1, 0]] and described.mesh.mesh_dim_names == ("x", "y")
    assert described.shape == (8, 16)
    tensor = marked(("x", "y"))
    assert tensor._spec is tensor._spec
    tensor.invalidate_spec_cache()
    assert tensor.placements == (Shard(0), Shard(1))
    with pytest.raises(ValueError, match="mark_sharding"):
        (tensor + 1).placements


def test_wrong_distributions():
    tensor = marked(("x", None))
    over = device_mesh(2, 4)
    with pytest.raises(AssertionError, match="clear_sharding"):
        xs.xla_distribute_tensor(tensor, over, [Shard(0), Replicate()])
    with pytest.raises(ValueError, match="Partial"):
        xs.xla_distribute_tensor(torch.ones(8, 8), over, [Partial(), Replicate()])
    with pytest.raises(ValueError, match="one for each|for each"):
        xs.xla_distribute_tensor(torch.ones(8, 8), over, [Shard(0)])
    with pytest.raises(IndexError, match="2 dimensions"):
        xs.xla_distribute_tensor(torch.ones(8, 8), over, [Shard(2), Replicate()])
    with pytest.raises(ValueError, match="split_factor"):
        xs.xla_distribute_tensor(torch.ones(8, 8), over, [_StridedShard(0, split_factor=3), Replicate()])


def test_redistribute():
    line = xs.Mesh(range(8), (8,), ("all",))
    tensor = marked((0, None), line)
    host = tensor.cpu()
    for over in (line, device_mesh(8)):
        moved = tensor.redistribute(over, [Shard(1)])
        assert moved.partition_spec == (None, 0) and "devices=[1,8]" in moved.sharding_spec
        # The source stays as it is.
        assert tensor.partition_spec == (0, None) and "devices=[8,1]" in tensor.sharding_spec
        assert torch.equal(moved.cpu(), host) and moved.placements == (Shard(1),)
        assert [shard.data.shape for shard in moved.local_shards] == [(8, 2)] * 8
    assert tensor.redistribute(line, [Replicate()], async_op=True).partition_spec == (None, None)
    assert tensor.redistribute(mesh(), [Replicate(), Shard(1)]).partition_spec == (None, 1)
    with pytest.raises(ValueError):
        tensor.redistribute(line, [Shard(0), Shard(1)])
    with pytest.raises(IndexError):
        tensor.redistribute(line, [Shard(5)])
    with pytest.raises(NotImplementedError, match="partial"):
        tensor.redistribute(line, [Partial()])
    wants = marked((0, None), line).requires_grad_()
    (wants.redistribute(line, [Shard(1)]) ** 2).sum().backward()
    assert torch.allclose(wants.grad.cpu(), 2 * wants.detach().cpu())


def test_distributed_modules():
    over = device_mesh(8)

    def shard(name, module, on):
        if isinstance(module, torch.nn.Linear):
            xs.xla_distribute_tensor(module.weight, on, [Shard(0)])

    model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 8))
    data = torch.randn(8, 4)
    with torch.no_grad():
        expected = model(data)
    seen = []
    xs.xla_distribute_module(
        model, over, shard,
        input_fn=lambda module, inputs, on: tuple(xs.xla_distribute_tensor(one, on, [Shard(0)]) for one in inputs),
        output_fn=lambda module, outputs, on: seen.append(type(outputs)) or outputs)
    assert "devices=[8,1]" in xs.get_sharding_spec(model[0].weight)
    assert torch.allclose(model(data).cpu(), expected, atol=1e-6) and seen == [xs.XLAShardedTensor]
    replicated = xs.xla_distribute_module(torch.nn.Linear(2, 2), over)
    assert xs.get_sharding_spec(replicated.weight) == "{replicated}"
    with pytest.warns(FutureWarning, match="2 arguments"):
        xs.xla_distribute_module(torch.nn.Linear(2, 2), over, input_fn=lambda inputs, on: inputs)
    with pytest.raises(ValueError, match="1 arguments"):
        xs.xla_distribute_module(torch.nn.Linear(2, 2), over, output_fn=lambda outputs: outputs)
    with pytest.raises(NotImplementedError, match="partition_fn"):
        xs.xla_distribute_module(torch.nn.Linear(2, 2), over, xs.auto_policy)

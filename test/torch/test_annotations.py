# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mark_sharding and what it does to tensors: states, shards, pieces, and what is refused."""

import copy
import pickle

import pytest

from torch_package import DEVICE, mesh, torch, xs

TILED = "{devices=[2,4]0,1,2,3,4,5,6,7}"
ROWS = "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"


def marked(value, spec=("x", "y")):
    return xs.mark_sharding(value.to(DEVICE), mesh(), spec)


def test_both_names_can_be_used():
    host = torch.randn(8, 8)
    plain = host.to(DEVICE)
    wrapped = xs.mark_sharding(plain, mesh(), ("x", "y"))
    assert isinstance(wrapped, xs.XLAShardedTensor) and not isinstance(plain, xs.XLAShardedTensor)
    assert xs.get_sharding_spec(plain) == wrapped.sharding_spec == TILED
    assert wrapped.sharding_type == xs.get_sharding_type(plain) == xs.ShardingType.TILED
    assert (wrapped.mesh_shape, wrapped.partition_spec) == ((2, 4), ("x", "y"))
    assert torch.equal(wrapped.cpu(), host) and torch.equal(plain.cpu(), host)
    assert torch.equal(wrapped.global_tensor.cpu(), host) and "XLAShardedTensor" in repr(wrapped)


def test_wrapper_in_ops():
    a, b = torch.randn(8, 8), torch.randn(8, 8)
    wrapped, plain = marked(a), b.to(DEVICE)
    total = wrapped + plain
    assert isinstance(total, xs.XLAShardedTensor) and total.mesh_shape is None and total.partition_spec is None
    assert torch.allclose(total.cpu(), a + b)
    layer = torch.nn.Linear(8, 4).to(DEVICE)
    assert isinstance(layer(wrapped), xs.XLAShardedTensor)
    xs.mark_sharding(layer.weight, mesh(), (None, "y"))
    assert not isinstance(layer(plain), xs.XLAShardedTensor)


def test_shards():
    host = torch.arange(56.0).reshape(8, 7)
    for spec, replicas in ((("x", "y"), [0] * 8), (("x", None), [0, 1, 2, 3] * 2), ((None, "y"), [0] * 4 + [1] * 4),
                           ((None, None), list(range(8)))):
        shards = marked(host, spec).local_shards
        assert [shard.replica_id for shard in shards] == replicas
        for shard in shards:
            part = host if shard.indices is Ellipsis else host[tuple(shard.indices)]
            assert torch.equal(part, shard.unpadded_data)
    padded = marked(host).local_shards[3]
    assert padded.data.shape == (4, 2) and padded.unpadded_data.shape == (4, 1)
    assert padded.data[0, 1] == 0 and padded.indices == [slice(0, 4, 1), slice(6, 7, 1)]


def test_load_local_shards():
    host = torch.randn(9, 4)
    tensor = marked(host, (("x", "y"), None))
    shards = tensor.local_shards
    for shard in shards:
        shard.unpadded_data = shard.unpadded_data * 2
    tensor.load_local_shards_(shards)
    assert torch.equal(tensor.cpu(), host * 2)
    with pytest.raises(RuntimeError, match="8 local devices"):
        tensor.load_local_shards_(shards[:4])
    shards[0].data = torch.zeros(1, 4)
    with pytest.raises(RuntimeError, match="has the shape .1, 4., expected .2, 4."):
        tensor.load_local_shards_(shards)
    with pytest.raises(RuntimeError, match="use copy_ instead"):
        marked(host, (None, None)).load_local_shards_(shards)
    with pytest.raises(RuntimeError, match="has no sharding; annotate it"):
        xs.XLAShardedTensor(host.to(DEVICE)).load_local_shards_(shards)


def test_states():
    tensor = torch.randn(8, 8).to(DEVICE)
    assert xs.get_sharding_spec(tensor) == "" and xs.get_sharding_type(tensor) is None
    xs.mark_sharding(tensor, mesh(), ("x", "y"))
    xs.mark_sharding(tensor, mesh(), ("x", "y"))
    with pytest.raises(RuntimeError, match="annotation must be cleared first"):
        xs.mark_sharding(tensor, mesh(), ("x", None))
    assert xs.get_sharding_spec(tensor) == TILED
    assert xs.clear_sharding(tensor) is tensor and xs.get_sharding_spec(tensor) == ""
    xs.mark_sharding(tensor, mesh(), ("x", None))
    xs.annotate_custom_sharding(tensor, mesh(), ("x", "y"))
    assert xs.get_sharding_spec(tensor) == TILED
    # What is not computed yet can be annotated again, the last one wins.
    result = tensor + 1
    xs.mark_sharding(result, mesh(), ("x", None))
    xs.mark_sharding(result, mesh(), ("x", "y"))
    xs.sync()
    assert xs.get_sharding_spec(result) == TILED
    assert xs.get_sharding_type(marked(torch.ones(2, 2), (None, None))) == xs.ShardingType.REPLICATED


def test_clearing_a_wrapped_tensor():
    wrapped = marked(torch.ones(8, 8))
    plain = xs.clear_sharding(wrapped)
    assert not isinstance(plain, xs.XLAShardedTensor) and torch.equal(plain.cpu(), torch.ones(8, 8))
    assert xs.get_sharding_spec(plain) == "" == wrapped.sharding_spec


def test_annotation_is_kept():
    host = torch.randn(8, 8)
    tensor = marked(host, ("x", None))
    for other in (tensor.clone(), copy.deepcopy(tensor)):
        assert xs.get_sharding_spec(other) == ROWS and torch.equal(other.cpu(), host)
    tensor.add_(1)
    tensor += 1
    xs.sync()
    assert tensor.sharding_spec == ROWS and torch.allclose(tensor.cpu(), host + 2)
    layer = torch.nn.Linear(8, 8).to(DEVICE)
    xs.mark_sharding(layer.weight, mesh(), ("x", None))
    optimizer = torch.optim.SGD(layer.parameters(), 0.1)
    for _ in range(3):
        optimizer.zero_grad()
        layer(tensor).sum().backward()
        optimizer.step()
        xs.sync()
        assert xs.get_sharding_spec(layer.weight) == ROWS


def test_results_tell_what_was_chosen():
    tensor = marked(torch.randn(8, 8), ("x", None))
    result = tensor.global_tensor * 2
    assert xs.get_sharding_spec(result) == ""
    xs.sync()
    assert xs.get_sharding_spec(result) == ROWS
    # Reading shards needs no waiting.
    assert len(xs.wrap_if_sharded(tensor * 3).local_shards) == 8


def test_wrong_use():
    with pytest.raises(RuntimeError, match="got one on cpu; move it first"):
        xs.mark_sharding(torch.ones(2), mesh(), (None,))
    for wrong in (None, "data", range(8)):
        with pytest.raises(TypeError, match="must be a shardwise.torch.Mesh, got .*; make one with Mesh"):
            xs.mark_sharding(torch.ones(2).to(DEVICE), wrong, (None,))
    with pytest.raises(TypeError, match="must be a shardwise.torch.Mesh, got int 3"):
        xs.set_global_mesh(3)
    with pytest.raises(AssertionError, match="length .1. must be equal"):
        xs.mark_sharding(torch.ones(2, 2).to(DEVICE), mesh(), (None,))
    with pytest.raises(RuntimeError, match="no sharding; annotate it"):
        xs.XLAShardedTensor(torch.ones(2).to(DEVICE)).local_shards
    with pytest.raises(TypeError, match="t.cpu"):
        torch.ones(2).to(DEVICE).__array__()


def test_gradients_through_annotations():
    host = torch.randn(8, 8)
    tensor = host.to(DEVICE).requires_grad_()
    hidden = xs.mark_sharding_with_gradients(tensor * 2, mesh(), ("x", None))
    assert xs.get_sharding_spec(hidden) == ROWS
    xs.mark_sharding(hidden.tanh(), mesh(), ("x", "y")).sum().backward()
    expected = 2 * (1 - (host * 2).tanh() ** 2)
    assert torch.allclose(tensor.grad.cpu(), expected, atol=1e-5)
    leaf = xs.mark_sharding(host.to(DEVICE), mesh(), ("x", "y")).requires_grad_()
    (leaf * 3).sum().backward()
    assert isinstance(leaf.grad, xs.XLAShardedTensor) and leaf.grad.shape == leaf.shape


def test_pieces():
    pieces = [torch.full((2, 2), float(i)) for i in range(8)]
    tensor = xs.global_tensor_from_cpu_shards(pieces, mesh().get_op_sharding(("x", "y")), (4, 7))
    assert xs.get_sharding_spec(tensor) == TILED and tensor.shape == (4, 7)
    assert tensor.cpu()[2].tolist() == [4, 4, 5, 5, 6, 6, 7]
    assert xs.global_tensor_from_cpu_shards(pieces, mesh().get_op_sharding(("x", "y"))).shape == (4, 8)
    with pytest.raises(RuntimeError, match="7 shards given, expected 8"):
        xs.global_tensor_from_cpu_shards(pieces[1:], mesh().get_op_sharding(("x", "y")))
    with pytest.raises(RuntimeError, match="has the shape .2, 2., expected"):
        xs.global_tensor_from_cpu_shards(pieces, mesh().get_op_sharding(("x", "y")), (4, 9))
    ones = [torch.ones(1) for _ in range(8)]
    for length in range(1, 9):
        assert xs.global_tensor_from_cpu_shards(ones, xs.get_1d_mesh().get_op_sharding((0,)), (length,)).sum().item() == length


def test_kinds_of_elements_and_pickles():
    for dtype in (torch.int64, torch.int32, torch.bfloat16, torch.float16, torch.float64, torch.bool, torch.uint8):
        host = torch.arange(16).reshape(4, 4).to(dtype)
        assert torch.equal(marked(host).cpu(), host)
        assert torch.equal(pickle.loads(pickle.dumps(host.to(DEVICE))).cpu(), host)
    assert marked(torch.tensor(3.5), ()).item() == 3.5
    assert torch.ones(2, 0, device=DEVICE).sum().item() == 0

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manual regions: shapes, round trips, collectives, and what is refused."""

import pytest

from torch_package import DEVICE, mesh, torch, xs

ALL = xs.get_1d_mesh("all")


def test_round_trip():
    host = torch.randn(8, 8)
    inside = xs.enable_manual_sharding(host.to(DEVICE), ("x", "y"), mesh=mesh())
    assert inside.shape == (4, 2) and inside.sharding_type == xs.ShardingType.MANUAL
    assert inside.sharding_spec == "{manual}"
    outside = xs.disable_manual_sharding(inside + 1, ("x", "y"), (8, 8), mesh=mesh())
    assert torch.allclose(outside.cpu(), host + 1) and outside.sharding_spec == "{devices=[2,4]0,1,2,3,4,5,6,7}"
    # A run between does not lose what the devices have.
    inside = inside * 2
    xs.sync()
    assert torch.allclose(xs.disable_manual_sharding(inside, ("x", "y"), (8, 8), mesh=mesh()).cpu(), host * 2)


def test_each_device_works_for_itself():
    host = torch.randn(8, 4)
    inside = xs.enable_manual_sharding(host.to(DEVICE), ("all", None), mesh=ALL)
    own = inside / inside.norm() @ torch.ones(4, 3).to(DEVICE)
    out = xs.disable_manual_sharding(own, ("all", None), (8, 3), mesh=ALL)
    assert torch.allclose(out.cpu(), host / host.norm(dim=1, keepdim=True) @ torch.ones(4, 3), atol=1e-6)


def test_collectives():
    inside = xs.enable_manual_sharding(torch.ones(8, 8).to(DEVICE), (None, None), mesh=ALL)
    part = xs.spmd_reduce_scatter("sum", inside, 1.0, 0, 8, [list(range(8))])
    assert part.shape == (1, 8)
    assert (xs.disable_manual_sharding(part, ("all", None), (8, 8), mesh=ALL).cpu() == 8).all()
    assert xs.spmd_reduce_scatter("sum", inside, 1.0, -1, 8).shape == (8, 1)
    whole = xs.spmd_all_reduce("sum", inside, 0.5)
    assert (xs.disable_manual_sharding(whole, (None, None), (8, 8), mesh=ALL).cpu() == 4).all()
    pairs = xs.spmd_all_reduce("sum", inside, 1.0, [[0, 1], [2, 3], [4, 5], [6, 7]])
    assert (xs.disable_manual_sharding(pairs, (None, None), (8, 8), mesh=ALL).cpu() == 2).all()


def test_lower_level():
    host = torch.randn(8, 8)
    tensor = xs.mark_sharding(host.to(DEVICE), ALL, (None, "all"))
    inside = xs.spmd_full_to_shard_shape(tensor)
    assert inside.shape == (8, 1)
    out = xs.spmd_shard_to_full_shape(inside, ALL.get_op_sharding((None, "all")), (8, 8), torch.float32)
    assert torch.equal(out.cpu(), host)
    copies = xs.spmd_full_to_shard_shape(xs.mark_sharding(host.to(DEVICE), ALL, (None, None)))
    assert copies.shape == (8, 8)


def test_refused():
    plain = torch.ones(8, 8).to(DEVICE)
    with pytest.raises(RuntimeError, match="has no sharding; annotate it"):
        xs.spmd_full_to_shard_shape(plain)
    with pytest.raises(RuntimeError, match="expected a tensor of a manual region"):
        xs.disable_manual_sharding(plain, (None, None), (8, 8), mesh=ALL)
    with pytest.raises(RuntimeError, match="only what is computed"):
        xs.mark_manual_sharding(plain)
    with pytest.raises(RuntimeError, match="no global mesh"):
        xs.enable_manual_sharding(plain, (None, None))
    with pytest.raises(ValueError, match="does not divide by 8"):
        xs.enable_manual_sharding(torch.ones(9).to(DEVICE), ("all",), mesh=ALL)
    inside = xs.enable_manual_sharding(plain, ("all", None), mesh=ALL)
    with pytest.raises(RuntimeError, match="leave the region"):
        inside.cpu()
    with pytest.raises(RuntimeError, match="leave the region"):
        inside.local_shards
    with pytest.raises(RuntimeError, match="devices have .1, 8. each"):
        xs.disable_manual_sharding(inside, (None, "all"), (8, 8), mesh=ALL)
    with pytest.raises(ValueError, match="expected 'sum'"):
        xs.spmd_all_reduce("max", inside)

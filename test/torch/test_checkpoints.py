# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints of sharded tensors: saved with one sharding, loaded with another."""

import itertools
import os
import signal

import pytest

from torch_package import DEVICE, mesh, torch, xs

import torch.distributed.checkpoint as dist_cp  # noqa: E402
from torch.distributed.checkpoint.api import CheckpointException  # noqa: E402
from torch.distributed.checkpoint.planner import WriteItemType  # noqa: E402

TURNED = xs.Mesh([0, 4, 1, 5, 2, 6, 3, 7], (4, 2), ("x", "y"))
KINDS = {
    "unsharded": None,
    "rows": lambda t: xs.mark_sharding(t, mesh(), ("x", None)),
    "both": lambda t: xs.mark_sharding(t, mesh(), ("x", "y")),
    "line": lambda t: xs.mark_sharding(t, mesh((8,), ("z",)), (None, "z")),
    "turned": lambda t: xs.mark_sharding(t, TURNED, ("y", "x")),
}


def state(kind, fill):
    """A nested dictionary; the first tensor has uneven sizes."""
    whole = fill(torch.arange(127.0 * 63).reshape(127, 63))
    tensor = whole.to(DEVICE)
    if KINDS[kind] is not None:
        tensor = KINDS[kind](tensor)
    return {"model": {"weight": tensor, "bias": fill(torch.ones(5)).to(DEVICE), "host": fill(torch.ones(3, 2))},
            "steps": [1, {"lr": fill(torch.tensor(0.5))}]}


def save(values, path):
    dist_cp.save(values, storage_writer=dist_cp.FileSystemWriter(path), planner=xs.SPMDSavePlanner(), no_dist=True)


def load(values, path, **options):
    dist_cp.load(values, storage_reader=dist_cp.FileSystemReader(path), planner=xs.SPMDLoadPlanner(**options), no_dist=True)


@pytest.mark.parametrize("before", KINDS)
def test_between_shardings(before, tmp_path):
    save(state(before, lambda t: t), tmp_path)
    for after in KINDS:
        other = state(after, torch.zeros_like)
        text = xs.get_sharding_spec(other["model"]["weight"])
        load(other, tmp_path)
        assert torch.equal(other["model"]["weight"].cpu(), torch.arange(127.0 * 63).reshape(127, 63))
        assert xs.get_sharding_spec(other["model"]["weight"]) == text
        assert torch.equal(other["model"]["bias"].cpu(), torch.ones(5)) and other["steps"][1]["lr"] == 0.5
        assert torch.equal(other["model"]["host"], torch.ones(3, 2))


def test_shards_moved_to_the_cpu_first(tmp_path):
    values = state("both", lambda t: t)
    held = xs.sharded_cpu_state_dict(values)
    assert isinstance(held["model"]["weight"], xs.CpuShards) and held["model"]["bias"].device.type == "cpu"
    assert held["model"]["weight"].global_shape == (127, 63) and held["steps"][0] == 1
    values["model"]["weight"].zero_()
    save(held, tmp_path)
    into = xs.sharded_cpu_state_dict(state("turned", torch.zeros_like))
    load(into, tmp_path)
    whole = torch.arange(127.0 * 63).reshape(127, 63)
    for shard in into["model"]["weight"].shards:
        assert torch.equal(shard.unpadded_data, whole[tuple(shard.indices)])


def save_planner(values):
    planner = xs.SPMDSavePlanner()
    planner.set_up_planner(values, is_coordinator=True)
    return planner


def test_plans():
    values = state("both", lambda t: t)
    planner = save_planner(values)
    assert list(planner.sharded_state_dict) == ["model.weight"]
    assert "model.bias" in planner.unsharded_state_dict and "model.weight" not in planner.unsharded_state_dict
    plan = planner.create_local_plan()
    items = [one for one in plan.items if one.type == WriteItemType.SHARD]
    assert len(items) == 8 and all(one.index.fqn == "model.weight" for one in items)
    sizes = [tuple(one.tensor_data.chunk.sizes) for one in items]
    assert sizes == [(64, 16)] * 3 + [(64, 15)] + [(63, 16)] * 3 + [(63, 15)]
    for one in items:
        rows, columns = one.index.offset
        assert planner.resolve_data(one)[0, 0] == rows * 63 + columns
    # What several devices hold is written once; what is only padding not at all.
    assert len([one for one in save_planner(state("rows", lambda t: t)).create_local_plan().items
                if one.type == WriteItemType.SHARD]) == 2
    short = {"t": xs.mark_sharding(torch.ones(5).to(DEVICE), mesh((8,), ("z",)), ("z",))}
    assert len(save_planner(short).create_local_plan().items) == 5
    _, metadata = planner.create_global_plan([plan])
    assert metadata.state_dict_metadata["model.weight"].size == (127, 63)
    # A reader gets what its own shards need of each chunk, and no more.
    loader = xs.SPMDLoadPlanner()
    loader.set_up_planner(state("line", torch.zeros_like), metadata, True)
    reads = [one for one in loader.create_local_plan().items if one.dest_index.fqn == "model.weight"]
    assert sum(one.lengths.numel() for one in reads) == 127 * 63 and len(reads) == 16


def test_a_tensor_is_written_when_all_is_there():
    planner = save_planner({"w": KINDS["both"](torch.arange(8.0 * 8).reshape(8, 8).to(DEVICE))})
    plan = planner.create_local_plan()
    _, metadata = planner.create_global_plan([plan])
    into = {"w": KINDS["both"](torch.zeros(8, 8).to(DEVICE))}
    loader = xs.SPMDLoadPlanner()
    loader.set_up_planner(into, metadata, True)
    reads = loader.create_local_plan().items
    for number, one in enumerate(reads):
        assert into["w"].abs().sum() == 0
        part = loader.resolve_tensor(one)
        part.fill_(number)
        loader.commit_tensor(one, part)
    assert into["w"].max() == len(reads) - 1
    with pytest.raises(AssertionError, match="overlap"):
        loader.commit_tensor(reads[0], part)


def test_what_does_not_fit(tmp_path):
    save({"w": torch.ones(4, 4)}, tmp_path)
    with pytest.raises(CheckpointException, match="Missing key"):
        load({"v": KINDS["both"](torch.ones(8, 8).to(DEVICE))}, tmp_path)
    kept = {"v": KINDS["both"](torch.ones(8, 8).to(DEVICE)), "w": torch.zeros(4, 4)}
    load(kept, tmp_path, allow_partial_load=True)
    assert kept["w"].sum() == 16 and kept["v"].sum() == 64
    with pytest.raises(CheckpointException, match="Size mismatch"):
        load({"w": KINDS["both"](torch.ones(8, 8).to(DEVICE))}, tmp_path)


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.AdamW])
def test_optimizers(kind, tmp_path):
    def trained(steps):
        torch.manual_seed(0)
        model = torch.nn.Linear(8, 8).to(DEVICE)
        xs.mark_sharding(model.weight, mesh(), ("x", "y"))
        optimizer = kind(model.parameters(), lr=0.1, **({"momentum": 0.9} if kind is torch.optim.SGD else {}))
        for step in range(steps):
            (model(torch.full((4, 8), 1.0 + step).to(DEVICE)) ** 2).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
        return model, optimizer

    model, optimizer = trained(2)
    save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path)
    other, primed = trained(0)
    xs.prime_optimizer(primed)
    buffers = [one for one in primed.state[other.weight].values() if isinstance(one, torch.Tensor) and one.dim()]
    assert buffers and all(xs.is_sharded_tensor(one) for one in buffers)
    values = {"model": other.state_dict(), "optimizer": primed.state_dict()}
    load(values, tmp_path)
    other.load_state_dict(values["model"])
    primed.load_state_dict(values["optimizer"])
    assert torch.equal(other.weight.cpu(), model.weight.cpu())
    for ours, theirs in zip(primed.state.values(), optimizer.state.values()):
        for name in theirs:
            mine, wanted = (torch.as_tensor(one[name]) if not isinstance(one[name], torch.Tensor) else one[name].cpu()
                            for one in (ours, theirs))
            assert torch.equal(mine, wanted), name


def test_manager(tmp_path):
    manager = xs.CheckpointManager(tmp_path / "runs", save_interval=10, max_to_keep=2, chkpt_on_preemption=False)
    values = state("both", lambda t: t)
    assert manager.save(10, values) and not manager.save(11, values) and manager.should_save(20)
    assert manager.save(7, values, force=True) and manager.all_steps() == [10, 7]
    assert manager.save_async(20, values) and not manager.save_async(21, values)
    values["model"]["weight"].zero_()
    manager.join()
    # The one saved first is gone, not the lowest step; another manager sees the same.
    assert manager.all_steps() == [7, 20]
    again = xs.CheckpointManager(tmp_path / "runs", 10, chkpt_on_preemption=False)
    assert again.all_steps() == [7, 20]
    into = state("turned", torch.zeros_like)
    again.restore(20, into)
    assert torch.equal(into["model"]["weight"].cpu(), torch.arange(127.0 * 63).reshape(127, 63))
    with pytest.raises(ValueError, match=r"there are \[7, 20\]"):
        again.restore(10, into)
    for wrong in itertools.starmap(dict, [[[("save_interval", 0)]], [[("save_interval", 1), ("max_pending_async", 0)]]]):
        with pytest.raises(ValueError, match="at least 1"):
            xs.CheckpointManager(tmp_path, **wrong)


def test_preemption(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    manager = xs.CheckpointManager(tmp_path, 100)
    assert not manager.reached_preemption(1) and not manager.should_save(1)
    os.kill(os.getpid(), signal.SIGTERM)
    assert manager.reached_preemption(2) and manager.save(2, {"a": torch.ones(1)})
    assert signal.getsignal(signal.SIGTERM) == before

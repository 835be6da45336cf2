# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches that are sharded on their way to the device."""

import threading

import pytest

from torch_package import DEVICE, mesh, torch, xs

ROWS = xs.ShardingSpec(mesh(), (("x", "y"), None))


def test_nested_data():
    data = {"a": [torch.arange(24.0).reshape(12, 2), "text"], "b": (torch.ones(3), torch.ones(2, 2, 2)), "c": 5}
    sent = xs.send_cpu_data_to_device(data, DEVICE, ROWS)
    assert sent["a"][1] == "text" and sent["c"] == 5 and isinstance(sent["b"], tuple)
    assert xs.get_sharding_spec(sent["a"][0]) == "{devices=[8,1]0,1,2,3,4,5,6,7}"
    assert torch.equal(sent["a"][0].cpu(), data["a"][0])
    # Of another rank, or without a sharding: replicated.
    assert [xs.get_sharding_spec(one) for one in sent["b"]] == ["{replicated}"] * 2
    alone = xs.send_cpu_data_to_device(torch.ones(8, 2), DEVICE)
    assert xs.get_sharding_spec(alone) == "{replicated}"
    assert xs.send_cpu_data_to_device(alone, DEVICE, ROWS) is alone


def test_shardings_by_key():
    batch = {"x": torch.ones(8, 4), "y": torch.ones(8)}
    by_key = {"x": ROWS, "y": None}
    sent = xs.send_cpu_data_to_device(batch, DEVICE, by_key)
    assert xs.get_sharding_type(sent["x"]) == xs.ShardingType.TILED
    assert xs.get_sharding_type(sent["y"]) == xs.ShardingType.REPLICATED
    with pytest.raises(ValueError, match="dictionary"):
        xs.send_cpu_data_to_device([torch.ones(8, 4)], DEVICE, by_key)
    with pytest.raises(KeyError, match="'y'"):
        xs.send_cpu_data_to_device(batch, DEVICE, {"x": ROWS})
    with pytest.raises(TypeError, match="ShardingSpec"):
        xs.send_cpu_data_to_device(batch, DEVICE, "x")


def test_minibatches():
    spec = xs.ShardingSpec(mesh(), (("x", "y"), None), minibatch=True)
    sent = xs.send_cpu_data_to_device(torch.arange(32.0).reshape(16, 2), DEVICE, spec)
    assert sent.local_shards[3].data.tolist() == [[12, 13], [14, 15]]
    with pytest.raises(RuntimeError, match="does not divide"):
        xs.send_cpu_data_to_device(torch.ones(9, 2), DEVICE, spec)


def test_loader():
    batches = [(torch.full((size, 2), float(size)), torch.arange(size)) for size in (16, 8, 5)]
    loader = xs.MpDeviceLoader(batches, DEVICE, ROWS)
    assert len(loader) == 3
    for _ in range(2):
        for (data, labels), (rows, numbers) in zip(loader, batches):
            assert data.shape == rows.shape and torch.equal(data.cpu(), rows)
            assert torch.equal(labels.cpu(), numbers) and xs.get_sharding_type(data) == xs.ShardingType.TILED
    assert [shard.data.shape for shard in data.local_shards] == [(1, 2)] * 8
    later = xs.MpDeviceLoader(batches, DEVICE, input_sharding=lambda: ROWS, loader_prefetch_size=1, device_prefetch_size=1)
    assert sum(1 for _ in later) == 3


def test_a_torch_loader_in_training():
    model = torch.nn.Linear(4, 1).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rows = torch.randn(32, 4)
    dataset = torch.utils.data.TensorDataset(rows, rows.sum(1, keepdim=True))
    losses = []
    for _ in range(3):
        for data, wanted in xs.MpDeviceLoader(torch.utils.data.DataLoader(dataset, batch_size=8), DEVICE, ROWS):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(data), wanted)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
    assert losses[-1].item() < losses[0].item()


def test_errors_and_leaving_early():
    def broken():
        yield torch.ones(8, 2)
        raise OSError("no such file: part 2")

    with pytest.raises(OSError, match="part 2"):
        for _ in xs.MpDeviceLoader(broken(), DEVICE, ROWS):
            pass
    with pytest.raises(ValueError, match="dictionary"):
        next(iter(xs.MpDeviceLoader([torch.ones(2)], DEVICE, {"x": ROWS})))
    endless = iter(lambda: torch.ones(8, 2), None)
    for _ in xs.MpDeviceLoader(endless, DEVICE, ROWS, loader_prefetch_size=2, device_prefetch_size=2):
        break
    assert not [one for one in threading.enumerate() if one.name == "shardwise-loader"]

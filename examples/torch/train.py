# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small classifier with data and tensor parallelism on eight virtual devices, and compares with eager PyTorch.

    PYTHONPATH=build/python .venv/bin/python examples/torch/train.py
"""

import numpy
import torch

import shardwise.torch as xs

STEPS = 20


def make_model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.LayerNorm(256), torch.nn.Linear(256, 10))


def train(device, mesh=None, explain=True):
    """Returns the losses. On a mesh tells how the model lies, unless `explain` is false."""
    model = make_model().to(device)
    if mesh is not None:
        xs.mark_sharding(model[0].weight, mesh, ("model", None))
        xs.mark_sharding(model[3].weight, mesh, (None, "model"))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    losses = []
    for step in range(STEPS):
        torch.manual_seed(step + 1)
        inputs, labels = torch.randn(64, 64), torch.randint(0, 10, (64,))
        inputs, labels = inputs.to(device), labels.to(device)
        if mesh is not None:
            xs.mark_sharding(inputs, mesh, ("data", None))
            xs.mark_sharding(labels, mesh, ("data",))
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    if mesh is not None and explain:
        print(xs.explain(model))
    return losses


def main():
    xs.use_spmd()
    count = xs.global_runtime_device_count()
    mesh = xs.Mesh(numpy.arange(count), (count // 2, 2) if count % 2 == 0 else (count, 1), ("data", "model"))
    eager, sharded = train("cpu"), train(xs.device(), mesh)
    worst = max(abs(a - b) / abs(a) for a, b in zip(eager, sharded))
    print(f"\nloss {sharded[0]:.4f} -> {sharded[-1]:.4f} in {STEPS} steps on {count} devices, "
          f"{xs.compile_count()} programs compiled, eager PyTorch within {worst:.1e}")
    assert worst < 1e-4


if __name__ == "__main__":
    main()

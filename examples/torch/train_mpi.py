# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The training of `train.py` with the devices in several processes:

    PYTHONPATH=build/python mpirun -n 4 .venv/bin/python examples/torch/train_mpi.py [LOSSES.json]

Every process runs this program, on the same data, and has two of the eight devices. Losses are known in all of them; the first
one prints. They are those of one process, without mpirun: sums are taken in the same order.
"""

import json
import pathlib
import sys

import numpy
import torch

import shardwise.torch as xs
from train import STEPS, train


def main():
    # Each process has its own cores; PyTorch only makes the data here.
    torch.set_num_threads(1)
    xs.use_spmd()
    count = xs.global_runtime_device_count()
    mesh = xs.Mesh(numpy.arange(count), (count // 2, 2) if count % 2 == 0 else (count, 1), ("data", "model"))
    losses = train(xs.device(), mesh, explain=False)
    index, processes = xs.mpi_processes()
    if index == 0:
        print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f} in {STEPS} steps on {count} devices in {processes} processes")
        if len(sys.argv) > 1:
            pathlib.Path(sys.argv[1]).write_text(json.dumps(losses))


if __name__ == "__main__":
    main()

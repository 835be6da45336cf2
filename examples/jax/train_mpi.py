# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A JAX training step with its devices in the processes of `mpirun`:

    PYTHONPATH=build/python mpirun -n 4 .venv/bin/python examples/jax/train_mpi.py [WEIGHTS.npz]

Every process runs this program, on the same data, and has two of the eight devices. Results are known in all of them; the first
one prints. They are those of one process, without mpirun, bit for bit: sums are taken in the same order.
"""

import sys

import jax
import jax.numpy as jnp
import numpy
from jax.sharding import AbstractMesh, PartitionSpec as P

import shardwise.jax

STEPS = 20
SHARDINGS = {"in": P(None, "model"), "out": P("model", None)}


def train(weights, x, y):
    def loss(weights):
        return jnp.mean((jnp.tanh(x @ weights["in"]) @ weights["out"] - y) ** 2)

    value, gradients = jax.value_and_grad(loss)(weights)
    return jax.tree.map(lambda w, g: w - 0.5 * g, weights, gradients), value


def main():
    # Devices of this mesh are Shardwise's: JAX needs to have none of them.
    mesh = AbstractMesh((4, 2), ("data", "model"))
    step = shardwise.jax.jit(train, mesh=mesh, in_shardings=(SHARDINGS, P("data"), P("data")), out_shardings=(SHARDINGS, None),
                             donate_argnums=0, engine="mpi")
    # Seeded: all processes have the same data.
    random = numpy.random.default_rng(0)
    x = random.normal(size=(64, 16)).astype("float32")
    y = numpy.sin(x @ random.normal(size=(16, 8)).astype("float32"))
    weights = {"in": random.normal(size=(16, 32)).astype("float32") * 0.1,
               "out": random.normal(size=(32, 8)).astype("float32") * 0.1}
    losses = []
    for _ in range(STEPS):
        weights, loss = step(weights, x, y)
        losses.append(float(loss))
    index, processes = shardwise.jax.mpi_processes()
    if index == 0:
        print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f} in {STEPS} steps on {mesh.size} devices in {processes} processes")
        if len(sys.argv) > 1:
            numpy.savez(sys.argv[1], losses=losses, **weights)


if __name__ == "__main__":
    main()

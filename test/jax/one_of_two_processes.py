# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One of two processes with 4 CPU devices each, which run a training step together.

    one_of_two_processes.py PACKAGE PORT NUMBER

Prints a line of JSON: the losses, and what the shards of this process add up to.
"""

import json
import sys

sys.path[:0] = [sys.argv[1]]

import jax  # noqa: E402

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 4)
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(f"127.0.0.1:{sys.argv[2]}", 2, int(sys.argv[3]), initialization_timeout=60)

import numpy  # noqa: E402
import shardwise.jax  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402
from training_step import SPECS, WEIGHTS, X, train  # noqa: E402


def main() -> None:
    # Neighbours along `model` are in different processes.
    devices = numpy.array(jax.devices()).reshape(2, 4).T.reshape(4, 2)
    mesh = Mesh(devices, ("data", "model"))
    shardings = jax.tree.map(lambda spec: NamedSharding(mesh, spec), SPECS)

    def place(array, sharding):
        return jax.make_array_from_callback(array.shape, sharding, lambda index: array[index])

    weights = jax.tree.map(place, WEIGHTS, shardings)
    x = place(X, NamedSharding(mesh, P("data")))
    step = shardwise.jax.jit(train, in_shardings=(shardings, NamedSharding(mesh, P("data"))),
                             out_shardings=(shardings, None), donate_argnums=0)
    losses = []
    for _ in range(20):
        weights, loss = step(weights, x)
        losses.append(float(loss))
    sums = {name: sum(float(numpy.asarray(shard.data).sum()) for shard in value.addressable_shards)
            for name, value in weights.items()}
    print(json.dumps({"losses": losses, "sums": sums}), flush=True)


if __name__ == "__main__":
    main()

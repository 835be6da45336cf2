# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program costs beside jax.jit's: bytes that the busiest device receives, counted in what XLA compiled, and time to
call a program that is known. benchmarks/jax has more programs."""

import statistics
import sys
import time

import numpy
import pytest
from conftest import ROOT
from devices import jax, mesh_of, shardwise

import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

sys.path += [str(ROOT / "benchmarks/jax"), str(ROOT / "benchmarks/partition")]

from hlo_received import busiest  # noqa: E402

MESH = mesh_of(x=8)
ROWS = NamedSharding(MESH, P("x"))
SHAPE = (64, 4)
MOVED = {
    "roll by one": lambda a, b: jnp.roll(a, 1, 0) + b,
    "roll by more than a block": lambda a, b: jnp.roll(a, 11, 0) + b,
    "shift": lambda a, b: a + jnp.pad(a, ((1, 0), (0, 0)))[:-1] * b,
    "two shifts": lambda a, b: jnp.roll(a, 3, 0) + jnp.pad(a, ((1, 0), (0, 0)))[:-1] * b,
    "concatenation": lambda a, b: jnp.concatenate([a, b], 0),
    "slice": lambda a, b: a[8:56] * 2,
    "reversal": lambda a, b: jnp.flip(a, 0) + b,
}


@pytest.mark.parametrize("what", MOVED)
def test_no_more_bytes_than_xla(what):
    options = {"in_shardings": (ROWS, ROWS), "out_shardings": ROWS}
    arrays = [jax.ShapeDtypeStruct(SHAPE, numpy.float32)] * 2
    ours, xlas = (busiest(jit(MOVED[what], **options).lower(*arrays).compile().as_text(), 8)
                  for jit in (shardwise.jax.jit, jax.jit))
    assert 0 < ours <= xlas


def test_a_known_program_is_called_as_fast():
    """In processor time of the calling thread; at most 50 us more."""
    def function(weights, x):
        return {name: weight * 2 for name, weight in weights.items()}, x + 1

    weights = {f"w{i}": numpy.ones((8, 8), "float32") for i in range(20)}
    shardings = ({name: NamedSharding(MESH, P(None, "x")) for name in weights}, ROWS)
    arguments = jax.device_put((weights, numpy.ones((8, 8), "float32")), shardings)
    for in_shardings in (shardings, None):
        callables = [jax.jit(function, in_shardings=in_shardings, out_shardings=shardings),
                     shardwise.jax.jit(function, mesh=MESH, in_shardings=in_shardings, out_shardings=shardings,
                                       verify="never")]
        seconds = [[], []]
        for number in range(150):
            for which in (0, 1) if number % 2 else (1, 0):
                start = time.thread_time()
                results = callables[which](*arguments)
                seconds[which].append(time.thread_time() - start)
                jax.block_until_ready(results)
        theirs, ours = (statistics.median(one[20:]) for one in seconds)
        assert ours - theirs < 50e-6

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions with random shardings through shardwise.jax.jit give what jax.jit gives on one device.

SHARDWISE_JAX_RANDOM=FROM:TO runs these seeds instead of the first 40.
"""

import os

import numpy
import pytest
from devices import jax, shardwise
from random_functions import case_of

_FROM, _TO = map(int, os.environ.get("SHARDWISE_JAX_RANDOM", "0:40").split(":"))


@pytest.mark.parametrize("seed", range(_FROM, _TO))
def test_values(seed):
    case = case_of(seed)
    expected = jax.jit(case.plain)(*case.arguments)
    step = shardwise.jax.jit(case.function, mesh=case.mesh, in_shardings=case.in_shardings, verify="never",
                             uneven="replicate")
    actual = step(*case.arguments)
    assert step.engine_used == "shardwise"
    for number, (left, right) in enumerate(zip(actual, expected, strict=True)):
        assert left.shape == right.shape and left.dtype == right.dtype
        scale = float(numpy.abs(right).max())
        assert numpy.allclose(left, right, rtol=1e-4, atol=1e-4 * max(scale, 1)), \
            f"result {number} of {', '.join(case.names)} on {dict(case.mesh.shape)}"

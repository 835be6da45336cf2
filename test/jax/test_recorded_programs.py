# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of examples/programs and test/programs/models through shardwise.jax.jit give jax.jit's values, and
results with the same shardings. SHARDWISE_JAX_PROGRAMS=all runs all of them."""

import os

import numpy
import pytest
from devices import jax, shardwise
from recorded_programs import PROGRAMS, case_of

SOME = ("mlp_train", "rnn_scan", "uneven_vocabulary", "manual_ring", "cholesky_solve")
CHOSEN = tuple(PROGRAMS) if os.environ.get("SHARDWISE_JAX_PROGRAMS") == "all" else SOME


@pytest.mark.parametrize("name", CHOSEN)
def test_values_and_shardings(name):
    case = case_of(name)
    tolerance = 2e-3 if "bf16" in name else 1e-5
    expected = jax.tree.leaves(jax.jit(case.function, **case.options)(*case.arguments))
    step = shardwise.jax.jit(case.function, verify="never", **case.options)
    for actual, wanted in zip(jax.tree.leaves(step(*case.arguments)), expected, strict=True):
        assert actual.dtype == wanted.dtype
        assert actual.sharding.is_equivalent_to(wanted.sharding, actual.ndim)
        left, right = (numpy.asarray(one).astype(numpy.complex128) for one in (actual, wanted))
        assert numpy.allclose(left, right, rtol=tolerance, atol=tolerance * numpy.abs(right).max(initial=0))
    assert step.engine_used == "shardwise"

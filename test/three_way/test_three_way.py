# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random StableHLO programs give the same values under the reference evaluator and the compiled
path, and under XLA where jaxlib is given; the tool that finds this out finds differences.

The environment variable SHARDWISE_THREE_WAY_PROGRAMS says how many programs run,
SHARDWISE_TEST_SEED of which seed, SHARDWISE_JAX_PYTHON which Python has jaxlib.
"""

import io
import os
import re

import numpy
import pytest

import three_way
from comparison import Evaluators, differing
from conftest import BUILD
from random_stablehlo import FAMILIES, generate
from random_stablehlo.tensors import TensorType, round_to_bf16
from shrinking import shrink

COUNT = int(os.environ.get("SHARDWISE_THREE_WAY_PROGRAMS", "200"))
SEED = int(os.environ.get("SHARDWISE_TEST_SEED", "1"))
XLA = os.environ.get("SHARDWISE_JAX_PYTHON")


@pytest.fixture
def evaluators(tmp_path):
    evaluators = Evaluators(BUILD / "bin/shardwise", tmp_path / "program", XLA)
    yield evaluators
    evaluators.close()


def test_evaluators_agree(evaluators):
    found = io.StringIO()
    counts = three_way.run(evaluators, SEED, range(COUNT), most_failures=3, output=found)
    assert counts["programs"] == COUNT and counts["failures"] == 0, found.getvalue()


def test_every_op_of_the_tables_is_generated():
    """Among the programs of a fixed seed; the name of an op follows `stablehlo.` or `chlo.`."""
    names = set()
    for index in range(600):
        text = generate(0, index).text()
        assert text == generate(0, index).text()
        names |= set(re.findall(r"\b((?:stablehlo|chlo)\.[a-z_0-9]+)", text))
    assert len(FAMILIES) >= 35
    missing = {f"stablehlo.{name}" for name in TIER_1} - names
    assert not missing and {"chlo.erf", "chlo.erfc", "chlo.erf_inv", "chlo.square",
                            "chlo.top_k"} <= names


TIER_1 = """
abs add and atan2 bitcast_convert broadcast_in_dim case cbrt ceil clamp compare composite
concatenate constant convert convolution cosine count_leading_zeros custom_call divide dot_general
dynamic_slice dynamic_update_slice exponential exponential_minus_one floor gather
get_dimension_size if imag iota is_finite log log_plus_one logistic maximum minimum multiply
negate not optimization_barrier or pad partition_id popcnt power real reduce reduce_precision
reduce_window remainder replica_id reshape reverse round_nearest_afz round_nearest_even rsqrt
scatter select select_and_scatter shift_left shift_right_arithmetic shift_right_logical sign sine
slice sort sqrt subtract tan tanh transpose while xor
""".split()


@pytest.mark.parametrize("expected, actual, bound, differs", [
    (1.0, 1.0, 0.0, False),
    (1.0, numpy.nextafter(numpy.float32(1), numpy.float32(2)), 0.0, True),
    (1.0, 1.001, 0.01, False),
    (1.0, 1.02, 0.01, True),
    (0.0, -0.0, 0.0, True),
    (0.0, -0.0, 1e-9, False),
    (numpy.nan, numpy.nan, 0.0, False),
    (numpy.nan, 1.0, 1e9, True),
    (numpy.inf, numpy.inf, 0.0, False),
    (numpy.inf, -numpy.inf, 1.0, True),
    (numpy.inf, 1e30, 1.0, True),
    (numpy.inf, 3.4e38, 1e37, False),
])
def test_differences_are_found(expected, actual, bound, differs):
    type = TensorType((1,), "f32")
    arrays = [numpy.array([value], numpy.float32) for value in (expected, actual)]
    assert differing(type, *arrays, numpy.float64(bound), flushes=False).tolist() == [differs]


def test_integers_have_no_tolerance():
    type = TensorType((2,), "i32")
    arrays = [numpy.array(values, numpy.int32) for values in ([1, 2], [1, 3])]
    assert differing(type, *arrays, numpy.float64(9), flushes=False).tolist() == [False, True]


def test_bf16_rounds_to_nearest_even():
    values = numpy.array([1.00390625, 1.01171875, -1.00390625, numpy.inf, numpy.nan],
                         numpy.float32)
    rounded = round_to_bf16(values)
    numpy.testing.assert_array_equal(rounded, [1.0, 1.015625, -1.0, numpy.inf, numpy.nan])


def test_failing_programs_shrink_to_the_op_that_fails(evaluators):
    """Say that every program with a convolution fails: little more than it is left."""
    program = next(program for program in (generate(0, index) for index in range(100))
                   if len(program.operations) > 6 and "stablehlo.convolution" in program.text())
    evaluators.compare(program)
    arrays = three_way.reference_arrays(evaluators, program)
    assert len(arrays) == len(program.values())
    small = shrink(program, lambda candidate: "stablehlo.convolution" in candidate.text(), arrays)
    assert [operation.name for operation in small.operations] == ["stablehlo.convolution"]
    assert not evaluators.compare(small)
    assert set(small.data) == {value.name for value in small.arguments}


def test_a_crash_is_a_failure_and_not_the_end(tmp_path):
    """The process is started again for the next program."""
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nread line\nexit 7\n")
    tool.chmod(0o755)
    evaluators = Evaluators(tool, tmp_path / "program")
    for index in range(2):
        failures = evaluators.compare(generate(0, index))
        assert [(failure.evaluator, failure.kind) for failure in failures] == [
            ("reference", "crashed"), ("compiled", "refused")]
        assert "ended with status 7" in failures[0].text
    evaluators.close()

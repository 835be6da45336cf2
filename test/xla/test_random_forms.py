# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XLA runs the forms of random programs with random shardings, and computes what it computes of the
programs as they are.

Both sides are XLA's, so rounding as XLA does it does not count. Left out are values on which XLA departs from
the specification (test/three_way/README.md), programs of more than 8 devices, and those that XLA for CPUs does
not compile. SHARDWISE_XLA_RANDOM says how many programs are drawn, SHARDWISE_TEST_SEED of which seed. Needs a
Python with JAX, as test_xla_forms.py.
"""

import math
import os
import re
import sys

import numpy
import pytest

from conftest import BUILD, ROOT
from test_xla_forms import FORMS, JAX_PYTHON, partitioned

sys.path[:0] = [str(ROOT / "test/sharded_graphs"), str(ROOT / "test/three_way")]

from annotation_shrinking import with_program  # noqa: E402
from comparison import for_xla  # noqa: E402
from generation import generate  # noqa: E402
from line_process import LineProcess  # noqa: E402
from random_stablehlo.tensors import load, save  # noqa: E402
from sharded_graphs import values_of  # noqa: E402
from shrinking import returning  # noqa: E402

pytestmark = pytest.mark.skipif(not JAX_PYTHON, reason="no JAX, see test_xla_forms.py")

COUNT = int(os.environ.get("SHARDWISE_XLA_RANDOM", "30"))
SEED = int(os.environ.get("SHARDWISE_TEST_SEED", "1"))
PART = 30
# XLA for CPUs of jaxlib 0.10 has no code for these; the last is a loop in shard_map that carries on a value
# from outside.
NOT_COMPILED = ("not supported by XLA:CPU", "Unsupported elementwise operation", "Unable to convert MHLO",
                "fft_thunk.cc", "Algorithm not supported", "leaf_count == tuple_elements_.size()")
# Of the largest number in a tensor: sums are taken in another order.
TOLERANCES = {"f64": 1e-9, "f32": 1e-4, "f16": 2e-2, "bf16": 5e-2}


@pytest.fixture(scope="module")
def processes():
    both = (LineProcess([JAX_PYTHON, ROOT / "test/xla/run_with_xla.py"]),
            LineProcess([JAX_PYTHON, ROOT / "test/three_way/evaluate_with_xla.py"]))
    yield both
    for process in both:
        process.close()


def answer(process, **question):
    process.send({key: value if isinstance(value, list) else str(value) for key, value in question.items()})
    return process.receive()


def tolerance_for(program, value):
    """The widest of the types that the value is computed from: what is f64 may have been f32."""
    part = returning(program, [value])
    elements = {other.type.element for other in part.arguments + part.values()}
    return max(TOLERANCES.get(element, 2e-2 if element.startswith("f") else 1e-4)
               for element in elements if not element.startswith(("i", "ui")))


def is_close(expected, actual, element, tolerance):
    """Whether two results of XLA are equal but for rounding."""
    if element.startswith(("i", "ui")):
        return numpy.array_equal(expected, actual)
    wide = numpy.complex128 if expected.dtype.kind == "c" else numpy.float64
    expected, actual = expected.astype(wide), actual.astype(wide)
    finite = numpy.abs(expected[numpy.isfinite(expected)])
    scale = finite.max(initial=0)
    return numpy.allclose(actual, expected, rtol=tolerance, atol=tolerance * scale, equal_nan=True)


# Of floats. XLA for CPUs folds them by a comparison that leaves NaN out: the maximum of NaN and 1 is 1, of NaN
# and NaN -inf.
MAXIMA_OVER_DEVICES = re.compile(
    r'"stablehlo\.(?:all_reduce|reduce_scatter)"[^\n]*\n[^\n]*\n *%\w+ = '
    r"stablehlo\.(?:maximum|minimum) [^:]*: tensor<b?f")


def may_lose_nan(text, annotated):
    """Whether the program takes maxima of floats over devices, and some value of it has a NaN."""
    if not MAXIMA_OVER_DEVICES.search(text):
        return False
    arrays = [*annotated.program.data.values(), *values_of(BUILD / "bin/shardwise", annotated).values()]
    return any(numpy.isnan(array).any() for array in arrays if array.dtype.kind == "f")


def compared(shardwise, processes, index, folder):
    """Compares one program. Returns whether XLA ran it."""
    annotated = generate(SEED, index)
    annotated = with_program(annotated, for_xla(annotated.program))
    program = annotated.program
    is_large = math.prod(axis.size for axis in annotated.mesh.axes) > 8
    if is_large or not program.returned:
        return False
    if "sdy." in program.text():
        return False  # XLA does not read the unpartitioned program.
    inputs = [folder / f"{number}.npy" for number in range(len(program.arguments))]
    for path, value in zip(inputs, program.arguments):
        save(path, program.data[value.name], value.type)
    inputs = list(map(str, inputs))
    (folder / "whole.mlir").write_text(program.text())
    (folder / "model.mlir").write_text(annotated.text())
    whole = answer(processes[1], program=folder / "whole.mlir", inputs=inputs, outputs=folder / "expected")
    form = FORMS[index % 2]
    local, shardings = partitioned(shardwise, folder / "model.mlir", form, folder)
    if may_lose_nan(local.read_text(), annotated):
        return False
    ran = answer(processes[0], program=local, shardings=shardings, inputs=inputs, outputs=folder / "out")
    for one in (whole, ran):
        if one:
            assert any(words in one["error"] for words in NOT_COMPILED), (form, index, one)
            return False
    for number, value in enumerate(program.returned):
        expected, actual = (load(folder / name / f"{number}.npy", value.type) for name in ("expected", "out"))
        is_integer = value.type.element.startswith(("i", "ui"))
        tolerance = 0 if is_integer else tolerance_for(program, value)
        assert is_close(expected, actual, value.type.element, tolerance), (
            f"{form}: seed {SEED}, program {index}, output {number}: {actual} instead of {expected}\n"
            + annotated.text())
    return True


@pytest.mark.parametrize("first", range(0, COUNT, PART))
def test_random_programs(shardwise, processes, tmp_path, first):
    ran = 0
    for index in range(first, min(first + PART, COUNT)):
        folder = tmp_path / str(index)
        folder.mkdir()
        ran += compared(shardwise, processes, index, folder)
    assert ran > 0

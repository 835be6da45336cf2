# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with random shardings compute partitioned what they compute unpartitioned; the tool
that finds out otherwise says so with a small program.

The environment variable SHARDWISE_SHARDED_GRAPHS says how many programs run, SHARDWISE_TEST_SEED of
which seed. A failure prints the shrunk program, and the command that generates it again.
"""

import io
import json
import os
import re

import annotation_shrinking
import numpy
import pytest
import sharded_graphs
from annotated import Annotated
from conftest import BUILD
from generation import LONGEST, generate
from random_programs.shardings import Axis, Mesh, Sharding
from random_stablehlo.program import Operation, Program, Value
from random_stablehlo.tensors import TensorType
from running import Failure, Runner

COUNT = int(os.environ.get("SHARDWISE_SHARDED_GRAPHS", "1700"))
SEED = int(os.environ.get("SHARDWISE_TEST_SEED", "1"))
TOOL = BUILD / "bin/shardwise"
PART = 100 if COUNT <= 10000 else 5000


@pytest.mark.parametrize("first", range(0, COUNT, PART))
def test_partitioned_programs_keep_their_values(first):
    found = io.StringIO()
    indices = range(first, min(first + PART, COUNT))
    counts = sharded_graphs.run(TOOL, SEED, indices, most_failures=3, output=found)
    print(found.getvalue())
    assert counts["programs"] == len(indices) and counts["failures"] == 0, found.getvalue()


# Pairs of devices that share a host: what is cheapest, and how it is moved, are others than without.
HOSTS = {"link": {"latency_s": 1e-6, "bytes_per_s": 1e10}, "devices_per_host": 2,
         "host_link": {"latency_s": 1e-5, "bytes_per_s": 1e9}, "start_s": 1e-6,
         "device": {"flops_per_s": {"f32": 1e12}, "vector_flops_per_s": 1e11, "memory_bytes_per_s": 1e11}}


@pytest.mark.parametrize("machine", ["hosts", "xla-cpu", "tpu-v5e"])
def test_programs_keep_their_values_on_machines(machine, tmp_path):
    topology = tmp_path / "hosts.json" if machine == "hosts" else machine
    if machine == "hosts":
        topology.write_text(json.dumps(HOSTS))
    found = io.StringIO()
    counts = sharded_graphs.run(TOOL, SEED, range(COUNT, COUNT + PART), most_failures=3, output=found, topology=topology)
    print(found.getvalue())
    assert counts["programs"] == PART and counts["failures"] == 0, found.getvalue()


# Deprecated or unbounded ops, which the tool refuses by name; ops between processes and with tokens;
# collectives, whose programs are those of test/cli/random_programs; and process numbers.
MUST_APPEAR = """
stablehlo: abs add and atan2 batch_norm_grad batch_norm_inference batch_norm_training
bitcast_convert broadcast broadcast_in_dim case cbrt ceil cholesky clamp compare complex composite
concatenate constant convert convolution cosine count_leading_zeros custom_call divide dot
dot_general dynamic_slice dynamic_update_slice exponential exponential_minus_one fft floor gather
get_dimension_size if imag iota is_finite log log_plus_one logistic map maximum minimum multiply
negate not optimization_barrier or pad popcnt power real reduce reduce_precision reduce_window
remainder reshape reverse rng_bit_generator round_nearest_afz round_nearest_even rsqrt scatter
select select_and_scatter shift_left shift_right_arithmetic shift_right_logical sign sine slice sort
sqrt subtract tan tanh transpose triangular_solve while xor
chlo: acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf erf_inv erfc is_inf
is_neg_inf is_pos_inf lgamma mulhi next_after polygamma ragged_dot scan sinh square tan top_k zeta
sdy: manual_computation named_computation propagation_barrier sharding_constraint sharding_group
"""


def test_every_op_and_every_kind_of_sharding_is_generated():
    names, meshes, kinds, lengths, said = set(), set(), set(), set(), set()
    for index in range(800):
        annotated = generate(0, index)
        text = annotated.text()
        names |= set(re.findall(r"\b((?:stablehlo|chlo|sdy)\.[a-z_0-9]+)", text))
        meshes.add(tuple(axis.size for axis in annotated.mesh.axes))
        kinds |= {kind for kind in Annotated.KINDS if getattr(annotated, kind)}
        lengths.add(len(annotated.program.operations))
        said |= {word for word in ("@other, ", "}p1", "xi4>", "xcomplex<f32>", "f8E5M2>") if word in text}
    words, dialect = MUST_APPEAR.split(), ""
    for word in words:
        if word.endswith(":"):
            dialect = word[:-1]
        else:
            assert f"{dialect}.{word}" in names
    assert {2, 3, 4} == {size for mesh in meshes for size in mesh}
    assert {1, 2, 3} == set(map(len, meshes)) and kinds == set(Annotated.KINDS)
    assert max(lengths) >= LONGEST and len(said) == 5


def test_a_seed_and_an_index_give_one_program():
    for index in range(20):
        assert generate(3, index).text() == generate(3, index).text()
        assert generate(3, index).text() != generate(4, index).text()


# A partitioner that errs where a certain op meets a dimension cut in three by "x": the report of the
# real run says then that an output is wrong.
FAULTY_TOOL = """#!/bin/sh
text=$(cat)
case "$text" in *stablehlo.transpose*)
  case "$text" in *'"x"=3'*'{{"x"}}'*)
    printf '%s' "$text" | {tool} "$@" | sed 's/"verified": true/"verified": false/'
    exit 1;;
  esac;;
esac
printf '%s' "$text" | {tool} "$@"
"""


def test_a_fault_is_shrunk_to_the_op_and_the_mesh_it_needs(tmp_path):
    tool = tmp_path / "tool"
    tool.write_text(FAULTY_TOOL.format(tool=TOOL))
    tool.chmod(0o755)
    runner = Runner(tool)
    large, failure = next(
        (annotated, failure) for annotated in map(lambda index: generate(0, index), range(200))
        if "stablehlo.transpose" in annotated.text() and len(annotated.program.operations) > 6
        and '"x"=3' in str(annotated.mesh)
        and (failure := runner.failure(annotated)))
    assert failure.kind == "wrong"
    small, last = sharded_graphs.shrunk(runner, large, failure)
    assert last.is_like(failure)
    # Beside the op stays at most the one whose result is what is still cut.
    names = [operation.name for operation in small.program.operations]
    assert "stablehlo.transpose" in names and len(names) <= 2
    assert small.mesh == Mesh((Axis("x", 3),)) and small.count() == 1
    assert max(size for value in small.program.arguments for size in value.type.shape) <= 2
    printed = sharded_graphs.report(small, last, tmp_path)
    assert f"--seed 0 --first {large.program.index} --count 1" in printed
    assert small.text().rstrip() in printed and f"run {tmp_path}/0-" in printed


def sum_of(shape: tuple[int, ...]) -> Annotated:
    """x + x, cut by both axes of a mesh."""
    x, result = (Value(name, TensorType(shape, "i32")) for name in ("%a0", "%v0"))
    add = Operation("stablehlo.add", f"stablehlo.add $0, $1 : {x.type}", [x, x], [result], None)
    program = Program(0, 0, [x], {"%a0": numpy.arange(x.type.size).reshape(shape)}, [add], [result])
    cut = Sharding(((Axis("x", 4),), (Axis("y", 2, 1),)), (False, True))
    return Annotated(program, Mesh((Axis("x", 4), Axis("y", 4))), {"%a0": cut}, {"%v0": cut}, {},
                     {"%v0": cut})


def test_shapes_meshes_and_shardings_shrink_as_far_as_the_failure_allows():
    def fails(annotated: Annotated) -> bool:
        value = annotated.program.arguments[0]
        assert annotated.program.data["%a0"].shape == value.type.shape
        return value.type.shape[0] >= 3 and '{"x"}' in annotated.text()

    small = annotation_shrinking.shrink(sum_of((7, 5)), fails, {})
    assert small.program.arguments[0].type.shape == (3, 1)
    assert small.mesh == Mesh((Axis("x", 2),)) and small.count() == 1
    assert 'stablehlo.add %a0, %a0' in small.text()


def test_a_smaller_program_must_fail_in_the_same_way():
    refused = Failure("refused", " 'stablehlo.add' op no", "")
    assert refused.is_like(Failure("refused", " 'stablehlo.add' op no", "other text"))
    assert not refused.is_like(Failure("refused", " expected N", ""))
    assert not refused.is_like(Failure("wrong", " 'stablehlo.add' op no", ""))
    assert not refused.is_like(None)


def test_a_crash_is_a_failure(tmp_path):
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nkill -SEGV $$\n")
    tool.chmod(0o755)
    assert Runner(tool).failure(sum_of((2, 2))).kind == "crashed"

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LAPACK's custom calls get whole matrices, however these are annotated; batches are cut, and right-hand sides."""

import json
import re

import numpy
import pytest

MESH = 'sdy.mesh @m = <["x"=2, "y"=2]>\n'
CHARACTERS = "diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8"
# Target: rule as exporters write it for one batch dimension, and results beside the matrix.
CALLS = {
    "lapack_spotrf_ffi": ("([i, j, k])->([i, l, m], [i]) {i=4, j=8, k=8, l=8, m=8}", ["i32"]),
    "lapack_sgetrf_ffi": ("([i, j, k])->([i, l, m], [i, n], [i]) {i=4, j=8, k=8, l=8, m=8, n=8}",
                          ["8xi32", "i32"]),
    "lapack_strsm_ffi": ("([i, j, k], [i, l, m])->([i, n, o]) "
                         "{i=4, j=8, k=8, l=8, m=8, n=8, o=8}", []),
}


def withoutBatch(rule):
    """The rule for single matrices; factors are named from i on."""
    rule = re.sub(r"i=4, ", "", rule.replace("i, ", "").replace("[i]", "[]"))
    return re.sub(r"\b[j-o]\b", lambda name: chr(ord(name.group()) - 1), rule)


def program(target, is_batched, sharding, has_rule=True):
    """A positive definite matrix per batch, sharded as `sharding` says, goes into the call."""
    batch, rank = ("4x", 3) if is_batched else ("", 2)
    matrix, ints = f"tensor<{batch}8x8xf32>", f"tensor<{batch}8x8xi32>"
    rule, more = CALLS[target]
    rule = rule if is_batched else withoutBatch(rule)
    results = ", ".join([matrix] + [f"tensor<{batch}{result}>" for result in more])
    operands = "%q, %q" if "trsm" in target else "%q"
    types = ", ".join([matrix] * (operands.count("%")))
    batching = "batching_dims = [0] x [0], " if is_batched else ""
    attributes = f"mhlo.backend_config = {{{CHARACTERS}}}" + (
        f", sdy.sharding_rule = #sdy.op_sharding_rule<{rule}, custom>" if has_rule else "")
    names = ", ".join(f"%r#{i}" for i in range(1 + len(more))) if more else "%r"
    return MESH + f"""
func.func @main(%a: {matrix}) -> ({results}) {{
  %s = stablehlo.dot_general %a, %a, {batching}contracting_dims = [{rank - 1}] x [{rank - 1}] : ({matrix}, {matrix}) -> {matrix}
  %i = stablehlo.iota dim = {rank - 2} : {ints}
  %j = stablehlo.iota dim = {rank - 1} : {ints}
  %d = stablehlo.compare EQ, %i, %j : ({ints}, {ints}) -> tensor<{batch}8x8xi1>
  %e = stablehlo.convert %d : (tensor<{batch}8x8xi1>) -> {matrix}
  %p = stablehlo.add %s, %e : {matrix}
  %q = sdy.sharding_constraint %p <@m, {sharding}> : {matrix}
  %r{f":{1 + len(more)}" if more else ""} = stablehlo.custom_call @{target}({operands}) {{{attributes}}} : ({types}) -> ({results})
  return {names} : {results}
}}
"""


CASES = {
    "rows": (False, '[{"x"}, {}]', "8x8"),
    "columns": (False, '[{}, {"y"}]', "8x8"),
    "both": (False, '[{"x"}, {"y"}]', "8x8"),
    "rows of a batch": (True, '[{}, {"x"}, {"y"}]', None),
    "batch and columns": (True, '[{"x"}, {}, {"y"}]', None),
    "batch": (True, '[{"x", "y"}, {}, {}]', "1x8x8"),
}


@pytest.mark.parametrize("has_rule", [True, False])
@pytest.mark.parametrize("target", CALLS)
@pytest.mark.parametrize("case", CASES)
def test_matrices_are_whole(shardwise, case, target, has_rule):
    is_batched, sharding, expected = CASES[case]
    text = program(target, is_batched, sharding, has_rule)
    partitioned = shardwise("partition", "-", stdin=text)
    assert partitioned.returncode == 0, partitioned.stderr
    call = next(line for line in partitioned.stdout.splitlines() if target in line)
    shapes = re.findall(r"tensor<((?:\dx)?8x\d)xf32>", call)
    assert len(shapes) == 2 + ("trsm" in target), call
    if "trsm" in target:
        # Right-hand sides, side by side in the second operand, are solved for where they are.
        assert re.fullmatch(r"(\dx)?8x8", shapes[0]) and shapes[1] == shapes[2]
    else:
        assert len(set(shapes)) == 1
        assert shapes[0].endswith("8x8")
    if expected and has_rule and (case == "batch" or "trsm" not in target):
        assert shapes[0] == expected
    process = shardwise("run", "-", "--json", stdin=text)
    assert process.returncode == 0, process.stderr
    assert json.loads(process.stdout)["verified"] is True


@pytest.mark.parametrize("side, cut", [("76", '[{}, {"x", "y"}]'), ("82", '[{"x", "y"}, {}]')],
                         ids=["columns of a*x = b", "rows of x*a = b"])
def test_right_hand_sides_stay_where_they_are(shardwise, side, cut):
    rule = "([i, j], [k, l])->([m, n]) {i=8, j=8, k=8, l=8, m=8, n=8}, custom"
    text = MESH + f"""
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@m, {cut}>}})
    -> (tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@m, {cut}>}}) {{
  %i = stablehlo.iota dim = 0 : tensor<8x8xi32>
  %j = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %d = stablehlo.compare EQ, %i, %j : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %e = stablehlo.convert %d : (tensor<8x8xi1>) -> tensor<8x8xf32>
  %s = stablehlo.add %a, %e : tensor<8x8xf32>
  %t = stablehlo.add %s, %e : tensor<8x8xf32>
  %r = stablehlo.custom_call @lapack_strsm_ffi(%t, %b) {{mhlo.backend_config = {{diag = 78 : ui8, side = {side} : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}}, sdy.sharding_rule = #sdy.op_sharding_rule<{rule}>}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}}"""
    process = shardwise("run", "-", "--json", stdin=text)
    report = json.loads(process.stdout)
    assert process.returncode == 0 and report["verified"] is True, process.stderr
    assert report["collectives"] == []


def test_a_matrix_without_a_factor_is_nan_everywhere(shardwise, tmp_path):
    """As JAX has it in the end: its callers look at the status. Both evaluators agree."""
    matrix = "tensor<2x8x8xf32>"
    text = f"""func.func @main(%a: {matrix}) -> ({matrix}, tensor<2xi32>) {{
  %r:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {{mhlo.backend_config = {{uplo = 76 : ui8}}}} : ({matrix}) -> ({matrix}, tensor<2xi32>)
  return %r#0, %r#1 : {matrix}, tensor<2xi32>
}}"""
    matrices = numpy.stack([numpy.eye(8), numpy.diag([1, 1, 1, -1, 1, 1, 1, 1])])
    numpy.save(tmp_path / "a.npy", (matrices + 0.125).astype(numpy.float32))
    process = shardwise("eval", "-", "--inputs", tmp_path / "a.npy", "--evaluator", "both",
                        "--outputs", tmp_path / "out", stdin=text)
    assert process.returncode == 0, process.stdout + process.stderr
    factors, status = numpy.load(tmp_path / "out/0.npy"), numpy.load(tmp_path / "out/1.npy")
    assert status.tolist() == [0, 4]
    assert numpy.isfinite(factors[0]).all() and numpy.isnan(factors[1]).all()

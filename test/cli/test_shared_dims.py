# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops along a dimension that devices share: what they send, and what becomes of odd values.

The bytes are those that a person would need who writes the exchange by hand.
"""

import json

import numpy as np
import pytest

MESH = 'sdy.mesh @mesh = <["data"=2, "model"=4]>\n'


def sharded(type_, dims):
    return f"{type_} {{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}}"


def report_of(shardwise, text, *arguments):
    process = shardwise("run", "-", "--json", *arguments, stdin=MESH + text)
    assert process.returncode == 0, process.stderr + process.stdout
    report = json.loads(process.stdout)
    assert report["verified"] is True, process.stdout
    return report


def sent(report):
    return sum(collective["bytes_received_per_device"] for collective in report["collectives"])


def reducer(op):
    return f"""({{
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.{op} %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }})"""


CACHE = sharded("tensor<8x256x64xf32>", '{"data"}, {"model"}, {}')
ROW = sharded("tensor<8x1x64xf32>", '{"data"}, {}, {}')
UPDATE = f"""
func.func @main(%cache: {CACHE}, %row: {ROW}, %at: tensor<i32>) -> ({CACHE}) {{
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %cache, %row, %c, %at, %c
    : (tensor<8x256x64xf32>, tensor<8x1x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
    -> tensor<8x256x64xf32>
  return %0 : tensor<8x256x64xf32>
}}"""
SLICE = f"""
func.func @main(%cache: {CACHE}, %at: tensor<i32>) -> ({ROW}) {{
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %cache, %c, %at, %c, sizes = [8, 1, 64]
    : (tensor<8x256x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x1x64xf32>
  return %0 : tensor<8x1x64xf32>
}}"""
LOGITS = sharded("tensor<8x4096xf32>", '{"data"}, {"model"}')
ARGMAX = f"""
func.func @main(%x: {LOGITS}) -> ({sharded("tensor<8xi32>", '{"data"}')}) {{
  %n = stablehlo.iota dim = 1 : tensor<8x4096xi32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %lowest), (%n init: %zero) across dimensions = [1]
    : (tensor<8x4096xf32>, tensor<8x4096xi32>, tensor<f32>, tensor<i32>)
    -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%p: tensor<f32>, %r: tensor<f32>) (%q: tensor<i32>, %s: tensor<i32>) {{
    %1 = stablehlo.compare GT, %p, %r, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %p, %r, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %q, %s, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %p, %r : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %q, %s : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }}
  return %0#1 : tensor<8xi32>
}}"""
TOP_K = f"""
func.func @main(%x: {LOGITS}) -> ({sharded("tensor<8x8xf32>", '{"data"}, {}')},
                                  {sharded("tensor<8x8xi32>", '{"data"}, {}')}) {{
  %0:2 = chlo.top_k(%x, k = 8) : tensor<8x4096xf32> -> (tensor<8x8xf32>, tensor<8x8xi32>)
  return %0#0, %0#1 : tensor<8x8xf32>, tensor<8x8xi32>
}}"""
LINE = sharded("tensor<16x1024xf32>", '{}, {"data", "model"}')
PREFIX_SUMS = f"""
func.func @main(%x: {LINE}) -> ({LINE}) {{
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{{padding = dense<[[0, 0], [1023, 0]]>
    : tensor<2x2xi64>, window_dimensions = array<i64: 1, 1024>}}> {reducer("add")}
    : (tensor<16x1024xf32>, tensor<f32>) -> tensor<16x1024xf32>
  return %0 : tensor<16x1024xf32>
}}"""
ROWS = sharded("tensor<32x1024xf32>", '{}, {"data", "model"}')
SORT = f"""
func.func @main(%x: {ROWS}) -> ({ROWS}) {{
  %0 = "stablehlo.sort"(%x) <{{dimension = 1 : i64}}> ({{
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }}) : (tensor<32x1024xf32>) -> tensor<32x1024xf32>
  return %0 : tensor<32x1024xf32>
}}"""
SIGNAL = sharded("tensor<32x256xcomplex<f32>>", '{}, {"data", "model"}')
FFT = f"""
func.func @main(%x: {SIGNAL}) -> ({SIGNAL}) {{
  %0 = stablehlo.fft %x, type = FFT, length = [256]
    : (tensor<32x256xcomplex<f32>>) -> tensor<32x256xcomplex<f32>>
  return %0 : tensor<32x256xcomplex<f32>>
}}"""
SOLVE = f"""
func.func @main(%a: tensor<16x16xf32>, %b: {sharded("tensor<16x64xf32>", '{}, {"model"}')})
    -> ({sharded("tensor<16x64xf32>", '{}, {"model"}')}) {{
  %n = stablehlo.iota dim = 0 : tensor<16x16xi32>
  %m = stablehlo.iota dim = 1 : tensor<16x16xi32>
  %d = stablehlo.compare EQ, %n, %m : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
  %eight = stablehlo.constant dense<8.0> : tensor<16x16xf32>
  %0 = stablehlo.select %d, %eight, %a : tensor<16x16xi1>, tensor<16x16xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) <{{left_side = true, lower = true,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}}>
    : (tensor<16x16xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return %1 : tensor<16x64xf32>
}}"""


@pytest.mark.parametrize("text, expected", [
    (UPDATE, 0), (SLICE, 1536), (ARGMAX, 96), (TOP_K, 768), (PREFIX_SUMS, 448), (SORT, 28672),
    (FFT, 14336), (SOLVE, 0),
], ids=["update", "slice", "argmax", "top_k", "prefix_sums", "sort", "fft", "solve"])
def test_sends_what_is_needed(shardwise, text, expected):
    report = report_of(shardwise, text)
    assert sent(report) <= expected
    assert report["peak_bytes_per_device"] < report["unpartitioned_peak_bytes"]


def test_explain_says_that_a_slice_is_read_where_it_lies(shardwise):
    process = shardwise("explain", "-", stdin=MESH + SLICE)
    assert process.returncode == 0, process.stderr
    assert "because dynamic_slice picks from dimension 1 of" in process.stdout, process.stdout


def run_on(shardwise, folder, text, *inputs):
    """Runs a program on these inputs; returns its outputs."""
    (folder / "in").mkdir()
    for number, value in enumerate(inputs):
        np.save(folder / "in" / f"{number}.npy", value)
    report = report_of(shardwise, text, "--inputs", folder / "in", "--outputs", folder / "out")
    return [np.load(folder / "out" / f"{number}.npy") for number in range(len(report["outputs"]))]


def odd_values(*shape):
    values = np.array([-0.0, 0.0, np.nan, np.inf, -np.inf, 1e-45, -1e-45, 3.0], np.float32)
    return np.resize(values, shape)


@pytest.mark.parametrize("at", [-5, 0, 63, 64, 200, 255, 256, 2**31 - 1, -2**31])
def test_read_keeps_every_bit(shardwise, tmp_path, at):
    cache = odd_values(8, 256, 64)
    cache += np.arange(256, dtype=np.float32)[None, :, None] * (np.abs(cache) > 1)
    (row,) = run_on(shardwise, tmp_path, SLICE, cache, np.int32(at))
    place = min(max(at, 0), 255)
    assert row.tobytes() == np.ascontiguousarray(cache[:, place:place + 1]).tobytes()


@pytest.mark.parametrize("at", [-5, 0, 63, 64, 200, 255, 256, 2**31 - 1, -2**31])
def test_update_is_written_once(shardwise, tmp_path, at):
    cache, row = odd_values(8, 256, 64), np.full((8, 1, 64), 7, np.float32)
    (updated,) = run_on(shardwise, tmp_path, UPDATE, cache, row, np.int32(at))
    cache[:, min(max(at, 0), 255)] = 7
    assert updated.tobytes() == cache.tobytes()


@pytest.mark.parametrize("type_, at", [("ui64", 2**64 - 1), ("ui64", 3), ("i64", -2**63),
                                       ("i64", 2**40), ("ui8", 255), ("i8", 127), ("i8", -1)])
def test_starts_of_every_type(shardwise, tmp_path, type_, at):
    """Limits that the type of the start does not have, and starts that i32 does not have."""
    text = f"""
    func.func @main(%x: {sharded("tensor<600x4xi32>", '{"model"}, {}')},
                    %u: tensor<400x4xi32>, %at: tensor<{type_}>)
        -> (tensor<3x4xi32>, {sharded("tensor<600x4xi32>", '{"model"}, {}')}) {{
      %c = stablehlo.constant dense<0> : tensor<{type_}>
      %0 = stablehlo.dynamic_slice %x, %at, %c, sizes = [3, 4]
        : (tensor<600x4xi32>, tensor<{type_}>, tensor<{type_}>) -> tensor<3x4xi32>
      %1 = stablehlo.dynamic_update_slice %x, %u, %at, %c : (tensor<600x4xi32>, tensor<400x4xi32>,
        tensor<{type_}>, tensor<{type_}>) -> tensor<600x4xi32>
      return %0, %1 : tensor<3x4xi32>, tensor<600x4xi32>
    }}"""
    values = np.arange(2400, dtype=np.int32).reshape(600, 4)
    update = -1 - np.arange(1600, dtype=np.int32).reshape(400, 4)
    start = np.array(at, {"ui": "u", "i": "i"}[type_.rstrip("0123456789")]
                     + str(int(type_.lstrip("ui")) // 8))
    read, written = run_on(shardwise, tmp_path, text, values, update, start)
    place = min(max(at, 0), 597)
    assert (read == values[place:place + 3]).all()
    expected, place = values.copy(), min(max(at, 0), 200)
    expected[place:place + 400] = update
    assert (written == expected).all()


def test_argmax_finds_the_first(shardwise, tmp_path):
    """Equal values, NaNs, nothing but -inf; the first one lies on each device in turn."""
    values = np.zeros((8, 4096), np.float32)
    values[0, [1500, 3000]] = 5
    values[1, [3000, 4095]] = np.nan
    values[2] = -np.inf
    values[3, 2048:] = 1
    values[4, [10, 2000]] = [np.inf, np.nan]
    values[5] = np.nan
    values[6] = -1
    (found,) = run_on(shardwise, tmp_path, ARGMAX, values)
    assert found.tolist() == [1500, 3000, 0, 2048, 2000, 0, 0, 0]


def test_top_k_of_equals_takes_the_lowest_indices(shardwise, tmp_path):
    values = np.zeros((8, 4096), np.float32)
    values[0, [4000, 3, 2000, 1030]] = [2, 1, 1, 2]
    values[1] = np.resize([1, 0, 1], 4096)
    largest, places = run_on(shardwise, tmp_path, TOP_K, values)
    assert places[0].tolist() == [1030, 4000, 3, 2000, 0, 1, 2, 4]
    assert places[1].tolist() == [0, 2, 3, 5, 6, 8, 9, 11]
    assert (largest == np.take_along_axis(values, places, 1)).all()


@pytest.mark.parametrize("op, combined", [("maximum", np.maximum), ("multiply", np.multiply)])
def test_prefix_of_odd_values(shardwise, tmp_path, op, combined):
    values = np.random.default_rng(1).choice(np.float32([1, -1, 2, 0.5]), (16, 1024))
    values[3, 600], values[4, 100], values[5, 1023] = np.nan, np.inf, np.nan
    start = {"maximum": "0xFF800000", "multiply": "1.0"}[op]
    text = PREFIX_SUMS.replace("stablehlo.add", f"stablehlo.{op}").replace("0.0>", f"{start}>")
    (found,) = run_on(shardwise, tmp_path, text, values)
    np.testing.assert_array_equal(found, combined.accumulate(values, 1))


def test_prefixes_of_log_add_exp(shardwise, tmp_path):
    """As JAX writes cumlogsumexp; two equal infinities are added, not subtracted."""
    line = sharded("tensor<16x64xf32>", '{}, {"data", "model"}')
    text = f"""
    func.func @main(%x: {line}) -> ({line}) {{
      %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %0 = "stablehlo.reduce_window"(%x, %z) <{{padding = dense<[[0, 0], [63, 0]]>
        : tensor<2x2xi64>, window_dimensions = array<i64: 1, 64>}}> ({{
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %m = stablehlo.maximum %p, %q : tensor<f32>
        %d = stablehlo.subtract %p, %q : tensor<f32>
        %n = stablehlo.compare NE, %d, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %s = stablehlo.add %p, %q : tensor<f32>
        %b = stablehlo.abs %d : tensor<f32>
        %t = stablehlo.negate %b : tensor<f32>
        %e = stablehlo.exponential %t : tensor<f32>
        %l = stablehlo.log_plus_one %e : tensor<f32>
        %u = stablehlo.add %m, %l : tensor<f32>
        %v = stablehlo.select %n, %s, %u : tensor<i1>, tensor<f32>
        stablehlo.return %v : tensor<f32>
      }}) : (tensor<16x64xf32>, tensor<f32>) -> tensor<16x64xf32>
      return %0 : tensor<16x64xf32>
    }}"""
    values = np.random.default_rng(1).normal(size=(16, 64)).astype(np.float32)
    values[0, :40], values[1, 30], values[2, 20] = -np.inf, np.inf, np.nan
    (found,) = run_on(shardwise, tmp_path, text, values)
    with np.errstate(invalid="ignore"):
        expected = np.logaddexp.accumulate(values, 1)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert sent(report_of(shardwise, text)) == 448

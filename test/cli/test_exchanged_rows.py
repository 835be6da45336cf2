# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lookups in tables cut by rows, with indices cut by the same axes, and updates of such tables: indices
go to the owners of the rows, and each row goes once. `run` compares with the unpartitioned program."""

import dataclasses
import json
import re

import numpy as np
import pytest

TYPES = {"f32": np.float32, "bf16": np.float32, "i32": np.int32, "i64": np.int64, "ui8": np.uint8,
         "f64": np.float64}


@dataclasses.dataclass
class Lookup:
    """A gather of rows of `table` (its first dimension unless `components` says more)."""

    table: tuple[int, ...] = (64, 5)
    indices: tuple[int, ...] = (32,)
    mesh: str = '["x"=4]'
    table_on: str = '{"x"}, {}'
    indices_on: str = '{"x"}'
    result_on: str = '{"x"}, {}'
    element: str = "f32"
    index: str = "i32"
    components: int = 1
    # None: every index vector is a scalar.
    vector_dim: int | None = None
    offset_first: bool = False
    low: int = -3
    high: int | None = None

    def index_shape(self):
        shape = list(self.indices)
        if self.vector_dim is not None:
            shape.insert(self.vector_dim, self.components)
        return shape

    def slices(self):
        windows = self.table[self.components:]
        shape = [*windows, *self.indices] if self.offset_first else [*self.indices, *windows]
        offsets = range(len(windows)) if self.offset_first else range(len(self.indices), len(shape))
        return shape, list(offsets)

    def inputs(self, seed=1):
        random = np.random.default_rng(seed)
        low = 0 if self.index.startswith("u") else self.low
        high = self.table[0] + 4 if self.high is None else self.high
        places = random.integers(low, high, self.index_shape()).astype(TYPES[self.index])
        shape = self.slices()[0]
        return [random.normal(size=self.table).astype(TYPES[self.element]), places,
                random.integers(-9, 9, shape).astype(TYPES[self.element])]


def tensor(shape, element):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def argument(name, shape, element, on):
    return f"{name}: {tensor(shape, element)} {{sdy.sharding = #sdy.sharding<@mesh, [{on}]>}}"


def numbers(case, kind):
    shape, offsets = case.slices()
    collapsed = list(range(case.components))
    vector = len(case.indices) if case.vector_dim is None else case.vector_dim
    if kind == "gather":
        return (f"#stablehlo.gather<offset_dims = {offsets}, collapsed_slice_dims = {collapsed}, "
                f"start_index_map = {collapsed}, index_vector_dim = {vector}>")
    return (f"#stablehlo.scatter<update_window_dims = {offsets}, inserted_window_dims = {collapsed}, "
            f"scatter_dims_to_operand_dims = {collapsed}, index_vector_dim = {vector}>")


def index_on(case):
    on = [part.strip() for part in re.findall(r"\{[^}]*\}", case.indices_on)]
    if case.vector_dim is not None:
        on.insert(case.vector_dim, "{}")
    return ", ".join(on)


def gather(case):
    shape, _ = case.slices()
    sizes = [1] * case.components + list(case.table[case.components:])
    types = f"({tensor(case.table, case.element)}, {tensor(case.index_shape(), case.index)})"
    return f"""
sdy.mesh @mesh = <{case.mesh}>
func.func @main({argument("%t", case.table, case.element, case.table_on)}, {argument("%i", case.index_shape(), case.index, index_on(case))}) -> ({tensor(shape, case.element)} {{sdy.sharding = #sdy.sharding<@mesh, [{case.result_on}]>}}) {{
  %0 = "stablehlo.gather"(%t, %i) <{{dimension_numbers = {numbers(case, "gather")}, slice_sizes = array<i64: {", ".join(map(str, sizes))}>, indices_are_sorted = false}}> : {types} -> {tensor(shape, case.element)}
  return %0 : {tensor(shape, case.element)}
}}"""


def scatter(case, reducer="add"):
    shape, _ = case.slices()
    table, element = tensor(case.table, case.element), case.element
    types = f"({table}, {tensor(case.index_shape(), case.index)}, {tensor(shape, element)})"
    return f"""
sdy.mesh @mesh = <{case.mesh}>
func.func @main({argument("%t", case.table, element, case.table_on)}, {argument("%i", case.index_shape(), case.index, index_on(case))}, {argument("%u", shape, element, case.result_on)}) -> ({table} {{sdy.sharding = #sdy.sharding<@mesh, [{case.table_on}]>}}) {{
  %0 = "stablehlo.scatter"(%t, %i, %u) <{{scatter_dimension_numbers = {numbers(case, "scatter")}, indices_are_sorted = false, unique_indices = false}}> ({{
  ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
    %s = stablehlo.{reducer} %a, %b : tensor<{element}>
    stablehlo.return %s : tensor<{element}>
  }}) : {types} -> {table}
  return %0 : {table}
}}"""


CASES = {
    "plain": Lookup(),
    "table_of_numbers": Lookup(table=(4096,), indices=(512,), table_on='{"x"}', result_on='{"x"}'),
    "wide_rows": Lookup(table=(64, 3, 2), table_on='{"x"}, {}, {}', result_on='{"x"}, {}, {}'),
    "index_vectors": Lookup(vector_dim=1),
    "index_vectors_first": Lookup(vector_dim=0),
    "two_components": Lookup(table=(64, 7, 5), components=2, vector_dim=1,
                             table_on='{"x"}, {}, {}', result_on='{"x"}, {}'),
    "two_components_second_cut": Lookup(table=(7, 64, 5), components=2, vector_dim=1,
                                        table_on='{}, {"x"}, {}', result_on='{"x"}, {}'),
    "tokens_of_sequences": Lookup(indices=(8, 6), indices_on='{"x"}, {}', result_on='{"x"}, {}, {}'),
    "cut_sequences": Lookup(indices=(3, 8), indices_on='{}, {"x"}', result_on='{}, {"x"}, {}'),
    "offsets_first": Lookup(indices=(8, 6), indices_on='{"x"}, {}', offset_first=True,
                            result_on='{}, {"x"}, {}'),
    "uneven_rows": Lookup(table=(61, 5)),
    "fewer_rows_than_devices": Lookup(table=(3, 5)),
    "uneven_indices": Lookup(indices=(30,)),
    "both_uneven": Lookup(table=(13, 5), indices=(27,)),
    "batch_on_more_axes": Lookup(mesh='["data"=2, "x"=4]', indices_on='{"data", "x"}',
                                 result_on='{"data", "x"}, {}'),
    "batch_on_two_dims": Lookup(mesh='["data"=2, "x"=4]', indices=(4, 8), indices_on='{"data"}, {"x"}',
                                table_on='{"x", "data"}, {}', result_on='{"data"}, {"x"}, {}'),
    "rows_on_two_axes": Lookup(mesh='["data"=2, "x"=4]', table_on='{"x", "data"}, {}',
                               indices_on='{"data", "x"}', result_on='{"data", "x"}, {}'),
    "cut_features": Lookup(table=(64, 6), mesh='["x"=4, "y"=2]', table_on='{"x"}, {"y"}',
                           result_on='{"x"}, {"y"}'),
    "other_order_of_devices": Lookup(mesh='["x"=4], device_ids=[2, 0, 3, 1]'),
    "parts_of_an_axis": Lookup(mesh='["x"=8]', table_on='{"x":(2)4}, {}', indices_on='{"x":(2)4}',
                               result_on='{"x":(2)4}, {}'),
    "long_indices": Lookup(index="i64"),
    "short_indices": Lookup(index="ui8", table=(200, 5), high=256),
    "integers": Lookup(element="i32"),
    "halves": Lookup(element="f64"),
    "all_to_one_owner": Lookup(low=5, high=6),
    "nothing_for_the_last": Lookup(low=0, high=40),
    "far_out_of_bounds": Lookup(low=-1000, high=1000),
}


def run(shardwise, folder, text, inputs):
    (folder / "program.mlir").write_text(text)
    (folder / "in").mkdir()
    for number, array in enumerate(inputs):
        np.save(folder / "in" / f"{number}.npy", array)
    process = shardwise("run", folder / "program.mlir", "--inputs", folder / "in", "--json")
    assert process.returncode == 0, process.stderr
    report = json.loads(process.stdout)
    assert report["verified"] and report["compared_with"] == "reference"
    return report


def received(report, *kinds):
    return sum(entry["bytes_received_per_device"] for entry in report["collectives"]
               if not kinds or entry["kind"] in kinds)


def kinds(report):
    return {entry["kind"] for entry in report["collectives"]}


@pytest.mark.parametrize("name", CASES)
def test_lookups(shardwise, tmp_path, name):
    case = CASES[name]
    report = run(shardwise, tmp_path, gather(case), case.inputs()[:2])
    if name not in ("fewer_rows_than_devices", "both_uneven"):
        assert kinds(report) == {"all_to_all", "ragged_all_to_all"}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("reducer", ["add", "maximum"])
def test_updates(shardwise, tmp_path, name, reducer):
    case = CASES[name]
    report = run(shardwise, tmp_path, scatter(case, reducer), case.inputs())
    if name not in ("fewer_rows_than_devices", "both_uneven", "uneven_rows", "batch_on_more_axes"):
        assert kinds(report) == {"all_to_all", "ragged_all_to_all"}


BIG = Lookup(table=(4096, 64), indices=(512,), low=0, high=4096)


def test_a_row_is_sent_once(shardwise, tmp_path):
    """What the busiest device receives: its rows and indices of others, but for its own part."""
    table, places, _ = BIG.inputs()
    report = run(shardwise, tmp_path, gather(BIG), [table, places])
    own = places.reshape(4, 128)
    owners = own // 1024
    asked = np.array([[(owners[device] == owner).sum() for owner in range(4)] for device in range(4)])
    rows = 128 - asked.diagonal()
    indices = asked.sum(0) - asked.diagonal()
    assert received(report, "ragged_all_to_all") == ((rows * 64 + indices) * 4).max()
    assert received(report, "all_to_all") == 3 * 8


def test_less_memory_than_unpartitioned(shardwise, tmp_path):
    """Owners have room for all indices, as the unpartitioned program has."""
    report = run(shardwise, tmp_path, gather(BIG), BIG.inputs()[:2])
    assert report["peak_bytes_per_device"] < report["unpartitioned_peak_bytes"]


@pytest.mark.parametrize("form", ["xla-replicas", "xla-shard-map", "mlir-shard"])
def test_forms_for_compilers_without_it_sum_up(shardwise, tmp_path, form):
    (tmp_path / "program.mlir").write_text(gather(BIG))
    process = shardwise("partition", tmp_path / "program.mlir", "--form", form)
    assert process.returncode == 0, process.stderr
    assert "ragged_all_to_all" not in process.stdout
    assert "reduce_scatter" in process.stdout


@pytest.mark.parametrize("form", ["stablehlo", "sdy"])
def test_forms_that_have_it(shardwise, tmp_path, form):
    (tmp_path / "program.mlir").write_text(gather(BIG))
    process = shardwise("partition", tmp_path / "program.mlir", "--form", form)
    assert process.returncode == 0, process.stderr
    calls = re.findall("@ragged_all_to_all.*", process.stdout)
    assert len(calls) == 2
    assert all('axes = [#stablehlo.axis_ref<name = "x">]' in call for call in calls)


@pytest.mark.parametrize("text, verb", [
    (gather(BIG), "gather asks the owners of dimension 0 of %t, which is on {\"x\"}, for what its indices mean; "
                  "as if all owners were asked for as much"),
    (scatter(BIG), "scatter sends updates to the owners of dimension 0 of %t, which is on {\"x\"}; as if all "
                   "owners were sent as much")], ids=["gather", "scatter"])
def test_explain_says_whom_it_asks(shardwise, tmp_path, text, verb):
    (tmp_path / "program.mlir").write_text(text)
    process = shardwise("explain", tmp_path / "program.mlir", "--json")
    assert process.returncode == 0, process.stderr
    transfer, = json.loads(process.stdout)["transfers"]
    assert transfer["reason"] == "owners" and transfer["because"] == verb
    # Indices and rows but for a device's own, and two numbers of each other device.
    assert transfer["received_bytes"] == 128 * 65 * 4 * 3 // 4 + 3 * 8


def test_a_table_that_is_small_is_gathered(shardwise, tmp_path):
    case = Lookup(table=(8, 2), indices=(4096,))
    report = run(shardwise, tmp_path, gather(case), case.inputs()[:2])
    assert kinds(report) == {"all_gather"}
    assert received(report) == 8 * 2 * 4 * 3 // 4


def cut_by(random, rank, axes, dim):
    """The first axis on `dim`, most of the time, each other one on some dimension or on none."""
    dims = [[] for _ in range(rank)]
    if rank and random.random() < 0.8:
        dims[dim].append(axes[0])
    for axis in axes[1:]:
        if rank and random.random() < 0.5:
            dims[random.integers(rank)].append(axis)
    return ", ".join("{" + ", ".join(f'"{axis}"' for axis in on) + "}" for on in dims)


def random_case(random):
    def choose(*options):
        return options[random.integers(len(options))]

    sizes = choose({"x": 4}, {"x": 3}, {"x": 2, "y": 3}, {"x": 2, "y": 2, "z": 2})
    components = choose(1, 1, 2)
    windows = tuple(choose(1, 2, 4, 6) for _ in range(choose(0, 1, 1, 2)))
    table = (choose(5, 12, 64, 200), *(choose(3, 4, 24) for _ in range(components - 1)), *windows)
    indices = tuple(choose(1, 3, 4, 12, 30) for _ in range(choose(1, 1, 2, 3)))
    has_vectors = components == 2 or choose(True, False)
    mesh = ", ".join(f'"{axis}"={size}' for axis, size in sizes.items())
    case = Lookup(table, indices, f"[{mesh}]",
                  element=choose("f32", "i32"), index=choose("i32", "i64", "ui8"), components=components,
                  vector_dim=int(random.integers(len(indices) + 1)) if has_vectors else None,
                  offset_first=choose(True, False))
    first_batch = len(windows) if case.offset_first else 0
    batch = int(random.integers(len(indices)))
    case.table_on = cut_by(random, len(table), list(sizes), int(random.integers(components)))
    case.indices_on = cut_by(random, len(indices), list(sizes), batch)
    case.result_on = cut_by(random, len(case.slices()[0]), list(sizes), first_batch + batch)
    return case


@pytest.mark.parametrize("seed", range(40))
def test_random_lookups_and_updates(shardwise, tmp_path, seed):
    case = random_case(np.random.default_rng(seed))
    (tmp_path / "lookup").mkdir()
    run(shardwise, tmp_path / "lookup", gather(case), case.inputs(seed)[:2])
    (tmp_path / "update").mkdir()
    run(shardwise, tmp_path / "update", scatter(case, ["add", "minimum"][seed % 2]), case.inputs(seed))

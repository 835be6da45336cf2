# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shardwise explain: examples, what users ask for, and mistakes they make."""

import json
import pathlib

import pytest

from explained import MATMUL, explain

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = sorted(ROOT.glob("examples/*/model.mlir"))


@pytest.mark.parametrize("model", EXAMPLES, ids=[model.parent.name for model in EXAMPLES])
def test_every_example_is_explained(shardwise, model):
    process = shardwise("explain", model, "--json")
    assert process.returncode == 0, process.stderr
    report = json.loads(process.stdout)
    assert report["schema"] == "shardwise.explain/1"
    assert len(report["values"]) > 2
    for transfer in report["transfers"]:
        assert transfer["because"] and transfer["received_bytes"] > 0
    costs = [conflict["received_bytes"] for conflict in report["conflicts"]]
    assert costs == sorted(costs, reverse=True)


COUNTED = ["examples/mlp_train", "examples/rnn_scan", "examples/rnn_train", "examples/transformer_train",
           "test/programs/transformer_dropout", "test/programs/experts", "test/programs/manual_axis",
           "test/programs/manual_collectives", "test/programs/manual_pipeline"]


@pytest.mark.parametrize("program", COUNTED)
def test_bytes_are_those_of_the_run(shardwise, program):
    """The transfers that are explained are the collectives of a run, loops included."""
    model = ROOT / program / "model.mlir"
    explained = json.loads(shardwise("explain", model, "--json").stdout)
    ran = json.loads(shardwise("run", model, "--json", "--no-verify").stdout)
    assert sum(t["received_bytes"] for t in explained["transfers"]) == sum(
        c["bytes_received_per_device"] for c in ran["collectives"])


def test_collectives_of_the_program_are_listed(shardwise):
    model = ROOT / "test/programs/manual_pipeline/model.mlir"
    transfers = json.loads(shardwise("explain", model, "--json").stdout)["transfers"]
    assert [(t["steps"], t["calls"], t["received_bytes"]) for t in transfers] == [
        ('collective_permute {"x"}', 11, 704), ('all_reduce {"x"}', 1, 448)]
    for transfer, place in zip(transfers, ("103:11", "32:13")):
        assert transfer["place"] == f"{model}:{place}"
        assert (transfer["reason"], transfer["conflict"]) == ("written", -1)
    assert "because it is written in the program" in shardwise("explain", model).stdout


EVERY_KIND = """sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<i1>) -> tensor<8x12xf32> {
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%l: tensor<4x6xf32>, %p: tensor<i1>) {
    %1 = "stablehlo.all_gather"(%l) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x6xf32>) -> tensor<8x6xf32>
    %2 = "stablehlo.reduce_scatter"(%1) <{scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %w = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %w : tensor<f32>
    }) : (tensor<8x6xf32>) -> tensor<4x6xf32>
    %3 = "stablehlo.all_to_all"(%2) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x6xf32>) -> tensor<8x3xf32>
    %4 = stablehlo.reshape %3 : (tensor<8x3xf32>) -> tensor<4x6xf32>
    %5 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<PAIRS> : tensor<4x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %6 = "stablehlo.collective_broadcast"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
    sdy.return %6 : tensor<4x6xf32>
  } : (tensor<8x12xf32>, tensor<i1>) -> tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
}
"""


@pytest.mark.parametrize("pairs, axes, is_moving", [
    ("[[0, 1], [1, 0], [2, 3], [3, 2]]", '{"y"}', True),
    ("[[0, 2], [1, 3], [2, 0], [3, 1]]", '{"x"}', True),
    ("[[0, 3], [1, 2], [2, 1], [3, 0]]", '{"x", "y"}', True),
    ("[[0, 0], [1, 1], [2, 2], [3, 3]]", "{}", False)])
def test_every_kind_of_collective_has_the_bytes_of_the_run(shardwise, pairs, axes, is_moving):
    text = EVERY_KIND.replace("PAIRS", pairs)
    transfers = explain(shardwise, text)["transfers"]
    process = shardwise("run", "-", "--json", "--no-verify", stdin=text)
    ran = json.loads(process.stdout)["collectives"]
    assert sorted((c["kind"], c["bytes_received_per_device"]) for c in ran
                  if c["bytes_received_per_device"]) == sorted(
        (t["steps"].split()[0], t["received_bytes"]) for t in transfers)
    # The devices of a group are those along axes of the mesh, and called so.
    assert {t["steps"].split(" ", 1)[0]: t["steps"].split(" ", 1)[1] for t in transfers if "permute" not in t["steps"]} == {
        "all_gather": '{"x"}', "reduce_scatter": '{"y"}', "all_to_all": '{"y"}', "collective_broadcast": '{"x", "y"}'}
    assert len(transfers) == 4 + is_moving
    (permute,) = [c for c in ran if c["kind"] == "collective_permute"]
    assert permute["axes"] == axes


UNEQUAL_GROUPS = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%l: tensor<2x4xf32>) {
    %1 = "stablehlo.all_reduce"(%l) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, -1, -1], [1, 2, 3]]> : tensor<2x3xi64>, use_global_device_ids}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %w = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %w : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    sdy.return %1 : tensor<2x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
"""


def test_the_largest_group_counts(shardwise):
    (transfer,) = explain(shardwise, UNEQUAL_GROUPS)["transfers"]
    ran = json.loads(shardwise("run", "-", "--json", "--no-verify", stdin=UNEQUAL_GROUPS).stdout)
    (collective,) = ran["collectives"]
    # 2x4 f32 on each device, of which each of 3 receives 2/3 twice.
    assert transfer["received_bytes"] == collective["bytes_received_per_device"] == 43


def test_a_chain_goes_through_ops_that_propagation_removed(shardwise):
    """%d is alive when %c gets its axis, and dead once %e, which nobody uses, is gone."""
    report = explain(shardwise, """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %n = sdy.named_computation<"layer">(%a, %a) (%b: tensor<8xf32>, %c: tensor<8xf32>) {
    %d = stablehlo.tan %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    %e = stablehlo.minimum %d, %d : tensor<8xf32>
    %f = stablehlo.negate %b : tensor<8xf32>
    sdy.return %f : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %n : tensor<8xf32>
}
""", "--value", "%c")
    (axis,) = report["values"][0]["axes"]
    assert [(link["from"], link["op"]) for link in axis["links"]] == [("%d", "tan")]
    assert axis["origin"]["what"] == "annotation of tan"


def test_a_chain_leads_to_the_annotation(shardwise):
    report = explain(shardwise, MATMUL, "--value", "%z")
    (axis,) = report["values"][0]["axes"]
    assert (axis["axis"], axis["dimension"]) == ('"data"', 0)
    assert [(link["value"], link["from"], link["op"]) for link in axis["links"]] == [
        ("%z", "%y", "tanh"), ("%y", "%x", "dot_general")]
    assert axis["origin"] == {"what": "argument 0", "value": "%x", "label": "",
                              "sharding": '[{"data"}, {"model"}]', "place": "-:2:17", "source": ""}
    (transfer,) = report["transfers"]
    assert transfer["steps"] == 'all_reduce {"model"}'
    assert "dot_general contracts dimension 1 of %x" in transfer["because"]
    assert transfer["reason"] == "sum"


def test_text_names_place_and_annotation_within_ten_lines(shardwise):
    lines = shardwise("explain", "-", "--value", "%z", stdin=MATMUL).stdout.splitlines()
    assert len(lines) <= 10
    text = "\n".join(lines)
    assert 'argument 0 %x [{"data"}, {"model"}], -:2:17' in text
    assert "dot_general -:4" in text


def test_filters(shardwise):
    one = explain(shardwise, MATMUL, "--value", "%x", "--axis", "model")
    assert [axis["axis"] for axis in one["values"][0]["axes"]] == ['"model"']
    two = explain(shardwise, MATMUL, "--value", "%x", "--dimension", "0")
    assert [axis["axis"] for axis in two["values"][0]["axes"]] == ['"data"']


def test_values_without_axes_say_why(shardwise):
    shown = shardwise("explain", "-", "--value", "%x", "--dimension", "0", "--axis", "model",
                      stdin=MATMUL).stdout
    assert "no axis that was asked for" in shown
    closed = MATMUL.replace("[{?}, {}]", "[{}, {}]", 1)
    assert "no axis: every device holds all of it" in shardwise("explain", "-", "--value", "%w", stdin=closed).stdout


def test_value_by_line(shardwise):
    report = explain(shardwise, MATMUL, "--value", ":5")
    assert [value["name"] for value in report["values"]] == ["%z"]


TWO_RESULTS = """sdy.mesh @mesh = <["x"=2]>
func.func private @halves(%a: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %l = stablehlo.slice %a [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  %r = stablehlo.slice %a [4:8] : (tensor<8xf32>) -> tensor<4xf32>
  return %l, %r : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%arg0: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %5:2 = call @halves(%arg0) : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %6:2 = stablehlo.optimization_barrier %5#0, %5#1 : tensor<4xf32>, tensor<4xf32>
  %7 = sdy.sharding_constraint %6#1 <@mesh, [{"x", ?}]> : tensor<4xf32>
  return %6#0, %7 : tensor<4xf32>, tensor<4xf32>
}
"""


@pytest.mark.parametrize("name, shown", [("%6#1", ["%6#1"]), ("%6", ["%6#0", "%6#1"]),
                                         ("@halves:%r", ["@halves:%r"]), ("%r", ["@halves:%r"]),
                                         ("%arg0", ["%arg0"])])
def test_names(shardwise, name, shown):
    report = explain(shardwise, TWO_RESULTS, "--value", name)
    assert [value["name"] for value in report["values"]] == shown
    if shown[-1] != "%6#0" and name != "%6":
        assert report["values"][-1]["axes"][0]["origin"]["what"] == "constraint"


@pytest.mark.parametrize("arguments, message", [
    (["--value", "%zz"], "has no value %zz; nearest names: %z"),
    (["--value", "z"], "has no value z; nearest names: %z"),
    (["--value", "%z#1"], "has no value %z#1; nearest names: %z"),
    (["--value", "@f:%z"], "has no function @f; it has @main"),
    (["--value", "@main:%q"], "@main has no value %q; nearest names in -: %"),
    (["--value", "@main"], "@main is a function; name a value in it"),
    (["--value", ":3"], "line 3 of - defines no value; the nearest line that does is 4"),
    (["--value", "other.py:3"], "no value of - comes from other.py:3"),
    (["--value", ""], "has no value ; nearest names"),
    (["--value", "%z", "--axis", "modle"], "the mesh has no axis modle; it has data, model"),
    (["--value", "%z", "--dimension", "2"], "no value that is explained has dimension 2; %z (32x128xf32) has 0 to 1"),
    (["--dimension", "9"], "no value that is explained has dimension 9"),
])
def test_mistakes_are_answered_with_what_there_is(shardwise, arguments, message):
    process = shardwise("explain", "-", *arguments, stdin=MATMUL)
    assert process.returncode == 1
    assert message in process.stderr
    assert process.stdout == ""


def test_usage_errors(shardwise):
    assert shardwise("explain").returncode == 2
    assert shardwise("explain", "-", "--dimension", "-1", stdin=MATMUL).returncode == 2
    assert shardwise("explain", "-", "--all", "--value", "%z", stdin=MATMUL).returncode == 2
    assert "Examples:" in shardwise("explain", "--help").stdout


def test_unreached_and_removed_values(shardwise):
    text = MATMUL.replace("return %z", "%dead = stablehlo.negate %w : tensor<64x128xf32>\n  return %z")
    process = shardwise("explain", "-", "--value", "%dead", stdin=text)
    assert "was removed" in process.stdout
    lonely = MATMUL.replace(' {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}', "")
    process = shardwise("explain", "-", "--value", "%z", stdin=lonely)
    assert "no annotation reaches it" in process.stdout


@pytest.mark.parametrize("width", ["80", "100", "140"])
def test_lines_fit_the_width(shardwise, width):
    for model in (ROOT / "examples/rnn_train/model.mlir", ROOT / "examples/transformer_train/model.mlir"):
        for extra in ([], ["--value", "%7"], ["--top", "0"]):
            text = shardwise("explain", model, "--width", width, *extra).stdout
            assert text
            # Only a line that is one long word after its margin may be longer.
            too_long = [line for line in text.splitlines() if len(line) > int(width)]
            assert all(len(line.split()) == 1 for line in too_long), too_long


LOOP = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<64x64xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}, %w: tensor<64x64xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}, %n: tensor<i32>) -> tensor<64x64xf32> {{
  %zero = stablehlo.constant dense<{begin}> : tensor<i32>
  %r:2 = stablehlo.while(%i = %a, %k = %zero) : tensor<64x64xf32>, tensor<i32>
  cond {{
    %c = stablehlo.constant dense<{end}> : tensor<i32>
    %go = stablehlo.compare {direction}, %k, {bound} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }} do {{
    %h = sdy.sharding_constraint %i <@mesh, [{{}}, {{"x"}}]> : tensor<64x64xf32>
    %d = stablehlo.transpose %h, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %e = stablehlo.add %d, %i : tensor<64x64xf32>
    %f = sdy.sharding_constraint %e <@mesh, [{{"x"}}, {{}}]> : tensor<64x64xf32>
    %one = stablehlo.constant dense<{step}> : tensor<i32>
    %m = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %f, %m : tensor<64x64xf32>, tensor<i32>
  }}
  return %r#0 : tensor<64x64xf32>
}}
"""


@pytest.mark.parametrize("begin, direction, end, step, bound, calls", [
    (0, "LT", 5, 1, "%c", 5), (0, "LE", 5, 1, "%c", 6), (3, "LT", 10, 3, "%c", 3),
    (9, "GT", 0, -2, "%c", 5), (8, "NE", 0, -2, "%c", 4), (0, "LT", 5, 1, "%n", None),
    (0, "NE", 5, 2, "%c", None), (0, "LT", 5, 0, "%c", None), (0, "LT", 5, -1, "%c", None)])
def test_transfers_in_loops_count_as_often_as_they_run(shardwise, begin, direction, end, step, bound, calls):
    text = LOOP.format(begin=begin, direction=direction, end=end, step=step, bound=bound)
    # What the loop starts from is moved once.
    transfers = [t for t in explain(shardwise, text)["transfers"] if t["value"] != "%a"]
    assert transfers
    for transfer in transfers:
        assert transfer["calls"] == (calls or 1)
        assert transfer["per_iteration"] == (calls is None)
    shown = shardwise("explain", "-", stdin=text).stdout
    assert ("per iteration" if calls is None else f"{calls} iterations") in shown


UNKNOWN_CALL = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<4x3x3xf32> {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]} : (tensor<4x3x3xf32>) -> (tensor<4x3x3xf32>, tensor<4xi32>)
  return %0#0 : tensor<4x3x3xf32>
}
"""


def test_calls_that_shardings_do_not_pass_are_told(shardwise):
    """As a note of the report, and as a warning of commands that have none."""
    message = ("shardings do not pass through custom call target 'lapack_spotrf_ffi', which has no "
               "sharding rule; attach one as sdy.sharding_rule, or call it in an sdy.manual_computation "
               "(jax.shard_map): else every device computes all of it")
    (note,) = explain(shardwise, UNKNOWN_CALL)["notes"]
    assert note == {"code": "warning", "place": "-:3:10", "text": message}
    process = shardwise("explain", "-", stdin=UNKNOWN_CALL)
    assert message in " ".join(process.stdout.split()) and process.stderr == ""
    for command in (["propagate"], ["propagate", "--conflicts"], ["run", "--no-verify"]):
        process = shardwise(*command, "-", stdin=UNKNOWN_CALL)
        assert process.stderr.count(message) == 1
        assert "<stdin>:3:10: warning: " in process.stderr or "-:3:10: warning: " in process.stderr


UNEVEN = MATMUL.replace("32x", "30x")


def test_uneven_annotations_are_explained(shardwise):
    report = explain(shardwise, UNEVEN, "--value", "%z")
    (axis,) = report["values"][0]["axes"]
    assert axis["origin"]["value"] == "%x"
    (note,) = report["notes"]
    assert note["code"] == "padded"
    assert note["text"].startswith('uneven: 30 does not divide into 4 parts over {"data"}') and "make it 32" in note["text"]
    (transfer,) = report["transfers"]
    # 8 rows of 128 f32, with padding on the last devices, are summed over two devices.
    assert transfer["received_bytes"] == 8 * 128 * 4
    ran = json.loads(shardwise("run", "-", "--json", stdin=UNEVEN).stdout)
    assert ran["verified"] and ran["outputs"][0]["sharding"] == '[{"data"}, {}]'
    assert [row["bytes_received_per_device"] for row in ran["collectives"]] == [8 * 128 * 4]


def test_uneven_manual_computations_are_explained_as_they_are_cut(shardwise):
    text = """sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%x: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %m = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", "b"}, {}]>] out_shardings=[<@mesh, [{"a", "b"}, {}]>] manual_axes={"a"} (%arg: tensor<6x8xf32>) {
    %t = stablehlo.tanh %arg : tensor<6x8xf32>
    sdy.return %t : tensor<6x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %m : tensor<12x8xf32>
}
"""
    report = explain(shardwise, text)
    assert [note["code"] for note in report["notes"]] == ["cut", "cut", "padded"]
    assert "does not divide into 8 equal shards over {\"a\", \"b\"}, so that it is cut over" in report["notes"][0]["text"]
    assert report["values"]


def test_uneven_collectives_are_explained_without_costs(shardwise):
    text = """sdy.mesh @mesh = <["b"=4]>
func.func @main(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %0 = sdy.all_slice [{"b"}, {}] %x out_sharding=<@mesh, [{"b"}, {}]> : tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
"""
    report = explain(shardwise, text)
    assert "uneven" in [note["code"] for note in report["notes"]]
    assert report["values"]
    process = shardwise("explain", "-", stdin=text)
    assert process.returncode == 0 and process.stderr == ""
    assert "cannot be partitioned as it is" in " ".join(process.stdout.split())


DEBUG = """#loc1 = loc("params['w1']")
#loc3 = loc("/home/me/model.py":7:6 to :18)
#loc4 = loc("jit(step)/transpose(jvp(mlp))/dot_general"(#loc3))
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>} loc(#loc1), %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc(#loc4)
  return %0 : tensor<8x8xf32>
}
"""


def test_names_of_the_users_source(shardwise):
    (transfer,) = explain(shardwise, DEBUG)["transfers"]
    assert transfer["place"] == "-:6:8"
    assert transfer["source"] == "model.py:7 (backward) in mlp"
    assert transfer["origin"]["label"] == "params['w1']"
    for name, value in [("params['w1']", "%a"), ("model.py:7", "%0"), (":6", "%0")]:
        assert [v["name"] for v in explain(shardwise, DEBUG, "--value", name)["values"]] == [value]
    assert "%a params['w1']" in shardwise("explain", "-", stdin=DEBUG).stdout


def test_sums_that_are_carried_on_are_traced(shardwise):
    text = MATMUL.replace("%z = stablehlo.tanh %y", "%z = stablehlo.add %y, %y")
    (transfer,) = explain(shardwise, text)["transfers"]
    assert transfer["reason"] == "sum"
    assert "dot_general contracts dimension 1 of %x" in transfer["because"]


def test_sums_of_a_manual_computation_are_traced(shardwise):
    """%0 holds partial sums along "y" by annotation: what it is made of is looked through, and nothing found."""
    text = """sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<16x16xf32>) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"z"}]>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x", ?}, {?}], replicated={"z":(1)2}>] out_shardings=[<@m, [{?}, {?}], replicated={"x"}, unreduced={"y"}>] manual_axes={"x", "y"} (%arg1: tensor<8x16xf32>) {
    %2 = stablehlo.concatenate %arg1, %arg1, dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    sdy.return %2 : tensor<16x16xf32>
  } : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.cosine %0 : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
"""
    (transfer,) = explain(shardwise, text)["transfers"]
    assert (transfer["steps"], transfer["value"], transfer["reason"]) == ('all_reduce {"y"}', "%0", "sum")
    assert "carries partial sums, which are added up here" in transfer["because"]


def test_alike_rows_are_folded(shardwise):
    ops = "".join(
        f"  %y{i} = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x64xf32>, "
        f"tensor<64x128xf32>) -> tensor<32x128xf32>\n  %z{i} = stablehlo.tanh %y{i} : tensor<32x128xf32>\n"
        for i in range(6))
    results = ", ".join(f"%z{i}" for i in range(6))
    types = ", ".join(["tensor<32x128xf32>"] * 6)
    whole = "{sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}"
    results_of_main = ", ".join([f"tensor<32x128xf32> {whole}"] * 6)
    text = MATMUL[:MATMUL.index("-> (tensor<32")] + f"-> ({results_of_main}) {{\n{ops}  return {results} : {types}\n}}\n"
    shown = shardwise("explain", "-", stdin=text).stdout
    assert "(6 alike)" in shown and "2 more" in shown
    assert len(explain(shardwise, text)["transfers"]) == 6


def test_values_without_a_sharding_of_their_own(shardwise):
    text = """sdy.mesh @mesh = <["x"=2]>
func.func private @unused(%p: tensor<8xf32>) -> tensor<8xf32> {
  return %p : tensor<8xf32>
}
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %s = "stablehlo.reduce"(%a, %c) ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %t = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}
"""
    assert "is inside the reduce" in shardwise("explain", "-", "--value", "%l", stdin=text).stdout
    assert "never called" in shardwise("explain", "-", "--value", "@unused:%p", stdin=text).stdout


@pytest.mark.parametrize("text, message", [
    ("func.func @main(", "<stdin>:1:16: error"),
    ("", "the program is empty"),
    (MATMUL.replace("@main", "@f") + MATMUL[MATMUL.index("func"):].replace("@main", "@g"), "has no function @main"),
    (MATMUL.replace('"data"}, {', '"dat"}, {'), "dat"),
])
def test_programs_that_are_at_fault(shardwise, text, message):
    process = shardwise("explain", "-", stdin=text)
    assert process.returncode == 1
    assert message in process.stderr
    assert process.stdout == ""
    assert shardwise("explain", "no-such-file.mlir").returncode == 1


def test_a_mesh_of_one_device_has_no_conflicts(shardwise):
    """The sharding of a tensor that is on one device has no dimensions."""
    process = shardwise("explain", "-", stdin="""
sdy.mesh @m = <[], device_ids=[3]>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
""")
    assert process.returncode == 0, process.stderr
    assert "0 B received" in process.stdout


def test_values_between_the_ops_that_one_becomes_have_no_name_of_its_results(shardwise):
    program = """sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<10x6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, %scale: tensor<5xf32>, %offset: tensor<5xf32>)
    -> (tensor<10x6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, tensor<5xf32>) {
  %y:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) {epsilon = 1.0e-3 : f32, feature_index = 2 : i64} : (tensor<10x6x5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<10x6x5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %y#0, %y#1 : tensor<10x6x5xf32>, tensor<5xf32>
}
"""
    report = explain(shardwise, program)
    assert [(transfer["inside"], transfer["type"], transfer["because"]) for transfer in report["transfers"]] == 2 * [
        (
            True,
            "5xf32",
            'batch_norm_training sums over what is on {"data"}: a device has the sums of its part, which are added up here',
        )
    ]
    text = shardwise("explain", "-", "--width", "200", stdin=program).stdout
    assert 'all_reduce {"data"} (2 alike)  a value inside %y 5xf32  at batch_norm_training' in text
    # What is a result has its name, also if the op becomes several.
    whole = explain(shardwise, program.replace('-> (tensor<10x6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>},', "-> (tensor<10x6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>},"))
    assert [(transfer["inside"], transfer["value"]) for transfer in whole["transfers"] if transfer["type"] == "10x6x5xf32"] == [(False, "%y#0")]


def test_a_program_without_products_is_not_told_to_save_arithmetic(shardwise):
    program = """sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}) -> tensor<8x9xcomplex<f32>> {
  %y = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8, 16>} : (tensor<8x16xf32>) -> tensor<8x9xcomplex<f32>>
  return %y : tensor<8x9xcomplex<f32>>
}
"""
    text = shardwise("explain", "-", stdin=program).stdout
    assert "best change: " in text
    assert "arithmetic" not in text and "nan" not in text and " 0 % less" not in text
    for change in explain(shardwise, program)["suggestions"]:
        saved = [change[key]["after"] < change[key]["before"] for key in ("received_bytes", "argument_bytes") if key in change]
        assert any(saved), change


def test_a_constraint_in_nested_helpers_is_where_the_model_calls_them(shardwise):
    """`constrain`, line 3, is called by `by_batch`, line 6, and that by the model, lines 20 and 24."""
    program = """#constrain = loc("model.py":3:0)
#by_batch = loc("model.py":6:0)
#first = loc("model.py":20:0)
#second = loc("model.py":24:0)
sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"data"}, {}]> : tensor<8x4xf32> loc(#in_first)
  %1 = stablehlo.tanh %0 : tensor<8x4xf32> loc(#tanh)
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"data"}]> : tensor<8x4xf32> loc(#in_second)
  return %2 : tensor<8x4xf32>
}
#in_constrain = loc("constrain"(#constrain))
#in_by_batch = loc("by_batch"(#by_batch))
#in_model_first = loc("model"(#first))
#in_model_second = loc("model"(#second))
#in_first = loc(callsite(#in_constrain at callsite(#in_by_batch at #in_model_first)))
#in_second = loc(callsite(#in_constrain at callsite(#in_by_batch at #in_model_second)))
#tanh = loc(callsite(#in_model_first at #in_model_first))
"""
    transfer, = [one for one in explain(shardwise, program)["transfers"] if one["op"] == "sdy.sharding_constraint"]
    assert transfer["source"] == "model.py:24"
    assert transfer["frames"] == ["model.py:3 in constrain", "model.py:6 in by_batch", "model.py:24 in model"]
    # Where `constrain` makes other ops too, it is no mere helper, and called from one line.
    mixed = program.replace("loc(#tanh)", "loc(#in_constrain)")
    transfer, = [one for one in explain(shardwise, mixed)["transfers"] if one["op"] == "sdy.sharding_constraint"]
    assert transfer["source"] == "model.py:3"


def test_one_device_is_not_called_devices(shardwise):
    program = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n"
    assert shardwise("explain", "-", stdin=program).stdout.splitlines()[0].endswith("mesh <[]>, 1 device")


@pytest.mark.parametrize("groups, name", [
    ("[[0, 1], [2, 3]]", '{"y"}'), ("[[2, 0], [3, 1]]", '{"x"}'), ("[[0, 1, 2, 3]]", '{"x", "y"}'),
    # Crosswise they are along no axis; and not all devices along one.
    ("[[0, 3], [1, 2]]", "groups of 2"), ("[[0, 1, -1], [2, 3, -1]]", '{"y"}'), ("[[0, 1, 2], [3, -1, -1]]", "groups of 3")])
def test_groups_are_named_by_axes_of_the_mesh(shardwise, groups, name):
    lists = json.loads(groups)
    program = f"""sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x", "y"}}, {{}}]>}}) -> tensor<8x4xf32> {{
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{"x", "y"}}, {{}}]>] out_shardings=[<@mesh, [{{"x", "y"}}, {{}}]>] manual_axes={{"x", "y"}} (%l: tensor<2x4xf32>) {{
    %1 = "stablehlo.all_reduce"(%l) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{groups}> : tensor<{len(lists)}x{len(lists[0])}xi64>, use_global_device_ids}}> ({{
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %w = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %w : tensor<f32>
    }}) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    sdy.return %1 : tensor<2x4xf32>
  }} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}}
"""
    written = [one for one in explain(shardwise, program)["transfers"] if one["reason"] == "written"]
    assert [one["steps"] for one in written] == [f"all_reduce {name}"]


def test_no_time_for_changes_is_said(shardwise):
    program = MATMUL.replace('[{?}, {}]>}) ->', '[{"data"}, {}]>}) ->')
    assert "changes that save bytes or work, of 0 tried in time (--suggest-seconds): none" in shardwise(
        "explain", "-", "--suggest-seconds", "0", stdin=program).stdout
    assert "tried" not in shardwise("explain", "-", "--suggest", "0", stdin=program).stdout

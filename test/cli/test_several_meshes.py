# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on several meshes: orders of devices, single devices, meshes that nothing uses."""

import json
import random

import pytest
from conftest import ROOT

MESHES = """
sdy.mesh @unused = <["u"=16]>
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @order = <["x"=2, "y"=2], device_ids=[2, 3, 0, 1]>
sdy.mesh @mixed = <["x"=2, "y"=2], device_ids=[3, 0, 1, 2]>
sdy.mesh @d0 = <[], device_ids=[0]>
sdy.mesh @d2 = <[], device_ids=[2]>
"""
T = "tensor<8x4xf32>"


def on(mesh, axes):
    return f"#sdy.sharding<@{mesh}, {axes}>"


def at(mesh, axes="[]"):
    return f"{{sdy.sharding = #sdy.sharding_per_value<[<@{mesh}, {axes}>]>}}"


def program(body, arguments=None, result=None, results=1, more=""):
    arguments = arguments or [on("mesh", '[{"x"}, {}]')]
    texts = ", ".join(f"%a{i}: {T}" + (f" {{sdy.sharding = {sharding}}}" if sharding else "")
                      for i, sharding in enumerate(arguments))
    result = f"{T} {{sdy.sharding = {result}}}" if result else T
    return (f"{MESHES}func.func @main({texts}) -> ({', '.join([result] * results)}) {{\n{body}\n}}\n"
            + more)


NEGATE_ON_D2 = f"""  %0 = stablehlo.negate %a0 {at("d2")} : {T}
  return %0 : {T}"""

LOOP = f"""  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a0) : tensor<i32>, {T}
      attributes {{sdy.sharding = #sdy.sharding_per_value<[%s, %s]>}}
  cond {{
    %n = stablehlo.constant dense<3> : tensor<i32>
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.add %x, %a1 : {T}
    stablehlo.return %j, %y : tensor<i32>, {T}
  }}
  return %0#1 : {T}"""

# Name: the program, and the collectives that it runs.
CASES = {
    "the other order": (
        program(f"  return %a0 : {T}", result=on("order", '[{"x"}, {}]')),
        ["collective_permute"]),
    "the same blocks in the other order": (
        # Devices 0 and 1 change places with 2 and 3 along "x" only.
        program(f"  return %a0 : {T}", [on("mesh", '[{"y"}, {}]')], on("order", '[{"y"}, {}]')), []),
    "another order and other axes": (
        program(f"  return %a0 : {T}", [on("mesh", '[{"x", "y"}, {}]')],
                on("mixed", '[{"y"}, {"x"}]')), None),
    "operands in two orders": (
        program(f"  %0 = stablehlo.add %a0, %a1 : {T}\n  return %0 : {T}",
                [on("mesh", '[{"x"}, {"y"}]'), on("mixed", '[{"x"}, {"y"}]')],
                on("mixed", '[{"x"}, {"y"}]')), ["collective_permute"]),
    "a product in two orders": (
        program(f"""  %0 = stablehlo.dot_general %a0, %a1, contracting_dims = [0] x [0] : ({T}, {T}) -> tensor<4x4xf32>
  %1 = stablehlo.dot_general %a0, %0, contracting_dims = [1] x [0] : ({T}, tensor<4x4xf32>) -> {T}
  return %1 : {T}""", [on("mesh", '[{"x"}, {"y"}]'), on("mixed", '[{"x", "y"}, {}]')],
                on("order", '[{}, {"x"}]')), None),
    "offsets in the other order": (
        program(f"""  %0 = stablehlo.iota dim = 0 {at("mixed", '[{"x", "y"}, {}]')} : {T}
  %1 = stablehlo.add %0, %a0 {at("mixed", '[{"x", "y"}, {}]')} : {T}
  return %1 : {T}""", [on("mixed", '[{"x", "y"}, {}]')]), None),
    "a constraint in the other order": (
        program(f"""  %0 = sdy.sharding_constraint %a0 <@order, [{{"y"}}, {{"x"}}]> : {T}
  %1 = stablehlo.negate %0 : {T}
  return %1 : {T}""", result=on("mesh", '[{"x"}, {"y"}]')), None),
    "a loop in the other order": (
        program(LOOP.replace("%s, %s", '<@order, []>, <@order, [{"x"}, {}]>'),
                [on("mesh", '[{"x"}, {}]'), on("mixed", '[{"x"}, {}]')],
                on("mesh", '[{"x"}, {}]')), None),
    "an op on one device": (
        program(NEGATE_ON_D2, result=on("mesh", '[{"x"}, {}]')),
        ["all_gather", "collective_broadcast"]),
    "a result on one device": (program(NEGATE_ON_D2, result=on("d2", "[]")), ["all_gather"]),
    "an argument on one device": (
        program(f"  %0 = stablehlo.negate %a0 : {T}\n  return %0 : {T}", [on("d2", "[]")],
                on("mixed", '[{"x"}, {}]')), ["collective_broadcast"]),
    "from device to device": (
        program(f"""  %0 = stablehlo.negate %a0 {at("d0")} : {T}
  %1 = stablehlo.exponential %0 {at("d0")} : {T}
  %2 = stablehlo.sine %1 {at("d2")} : {T}
  return %2 : {T}""", [on("d0", "[]")], on("mesh", "[{}, {}]")), ["collective_broadcast"]),
    "a constant on one device": (
        program(f"""  %0 = stablehlo.constant {at("d0")} dense<2.0> : {T}
  %1 = stablehlo.add %0, %a0 : {T}
  return %1 : {T}""", result=on("mesh", '[{"x"}, {}]')), []),
    "values that are used on all devices and on one": (
        program(f"""  %0 = stablehlo.negate %a0 {at("d0")} : {T}
  %1 = stablehlo.add %0, %a0 {at("d2")} : {T}
  %2 = stablehlo.multiply %0, %1 : {T}
  return %2 : {T}""", result=on("order", '[{"y"}, {"x"}]')), None),
    "a loop on one device": (
        program(LOOP.replace("%s, %s", "<@d2, []>, <@d2, []>"),
                [on("mesh", '[{"x"}, {}]'), on("order", '[{"x"}, {}]')],
                on("mesh", '[{"x"}, {}]')), None),
    "a loop with a value on one device": (
        program(LOOP.replace("%s, %s", '<@mesh, []>, <@d2, []>'),
                [on("mesh", '[{"x"}, {}]'), on("order", '[{"x"}, {}]')],
                on("mesh", '[{"x"}, {}]')), None),
    "an op with a body on one device": (
        program(f"""  %0 = stablehlo.iota dim = 0 : tensor<8x4xi32>
  %1:2 = "stablehlo.sort"(%a0, %0) <{{dimension = 0 : i64}}> ({{
  ^bb0(%l: tensor<f32>, %r: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) {{sdy.sharding = #sdy.sharding_per_value<[<@d2, []>, <@d2, []>]>}} : ({T}, tensor<8x4xi32>) -> ({T}, tensor<8x4xi32>)
  return %1#0 : {T}""", result=on("mesh", '[{"x"}, {}]')), ["all_gather", "collective_broadcast"]),
    "an op of one device in a branch": (
        program(f"""  %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = "stablehlo.case"(%0) ({{
    stablehlo.return %a0 : {T}
  }}, {{
    %2 = stablehlo.negate %a0 {at("d2")} : {T}
    stablehlo.return %2 : {T}
  }}) : (tensor<i32>) -> {T}
  return %1 : {T}""", result=on("mesh", '[{"x"}, {}]')), None),
    "a custom call on one device": (
        program(f"""  %0 = stablehlo.slice %a0 [0:4, 0:4] : ({T}) -> tensor<4x4xf32>
  %1:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%0) {{sdy.sharding = #sdy.sharding_per_value<[<@d2, []>, <@d2, []>, <@d2, []>]>}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>, tensor<i32>)
  %2 = stablehlo.concatenate %1#0, %1#0, dim = 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> {T}
  return %2 : {T}""", result=on("mesh", '[{"x"}, {}]')), None),
    "a call on one device": (
        program(f"  %0 = call @f(%a0) : ({T}) -> {T}\n  return %0 : {T}",
                result=on("mesh", '[{"x"}, {}]'),
                more=f"func.func private @f(%x: {T}) -> {T} {{\n  %0 = stablehlo.negate %x "
                     f"{at('d0')} : {T}\n  return %0 : {T}\n}}\n"),
        ["all_gather", "collective_broadcast"]),
}


@pytest.mark.parametrize("name", CASES)
def test_values(shardwise, tmp_path, name):
    text, kinds = CASES[name]
    (tmp_path / "model.mlir").write_text(text)
    run = shardwise("run", tmp_path / "model.mlir", "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["verified"] and report["devices"] == 4
    if kinds is not None:
        assert sorted(one["kind"] for one in report["collectives"]) == kinds
    explain = shardwise("explain", tmp_path / "model.mlir", "--json")
    assert explain.returncode == 0, explain.stderr
    # What explain counts is what the run received, but for what a branch or a loop did not do.
    transfers = json.loads(explain.stdout)["transfers"]
    if not any(one["in_branch"] for one in transfers) and "while" not in text:
        assert sum(one["received_bytes"] for one in transfers) == sum(
            one["bytes_received_per_device"] for one in report["collectives"])


OTHER_AXES = """
sdy.mesh @flat = <["q"=4]>
sdy.mesh @back = <["q"=4], device_ids=[3, 2, 1, 0]>
sdy.mesh @turned = <["v"=2, "w"=2], device_ids=[0, 2, 1, 3]>
"""


@pytest.mark.parametrize("form", ["stablehlo", "sdy", "xla-replicas", "xla-shard-map", "mlir-shard"])
@pytest.mark.parametrize("name", [name for name in CASES if "custom call" not in name])
def test_forms(shardwise, name, form):
    """The dialect `shard` has no groups but those along axes; the others can say everything."""
    process = shardwise("partition", "-", "--form", form, stdin=CASES[name][0])
    if form != "mlir-shard" or process.returncode == 0:
        assert process.returncode == 0 and "func.func" in process.stdout, process.stderr
    else:
        assert "cannot be said in MLIR's dialect shard" in process.stderr


def random_program(rng, other_axes=False):
    """Square matrices go through ops, each annotated by chance on any of the meshes."""
    square = "tensor<8x8xf32>"
    axes = {mesh: ['"x"', '"y"'] for mesh in ("mesh", "order", "mixed")}
    if other_axes:
        axes |= {"flat": ['"q":(1)2', '"q":(2)2'], "back": ['"q":(1)2', '"q":(2)2'],
                 "turned": ['"v"', '"w"']}

    def sharding():
        mesh = rng.choice([*axes, "mesh", "d0", "d2"])
        if mesh not in axes:
            return f"@{mesh}, []"
        major, minor = axes[mesh]
        both = '"q"' if "q" in major else f"{major}, {minor}"
        placement = rng.choice(["[{}, {}]", f"[{{{major}}}, {{}}]", f"[{{}}, {{{major}}}]",
                                f"[{{{minor}}}, {{{major}}}]", f"[{{{both}}}, {{}}]",
                                f"[{{}}, {{{minor}, {major}}}]"])
        return f"@{mesh}, {placement}"

    def annotation():
        if rng.random() < 0.4:
            return ""
        return f" {{sdy.sharding = #sdy.sharding_per_value<[<{sharding()}>]>}}"

    lines, values = [], [f"%a{i}" for i in range(3)]
    for i in range(rng.randint(3, 10)):
        x, y, result = rng.choice(values), rng.choice(values), f"%v{i}"
        lines.append(rng.choice([
            f"{result} = stablehlo.add {x}, {y}{annotation()} : {square}",
            f"{result} = stablehlo.sine {x}{annotation()} : {square}",
            f"{result} = stablehlo.transpose {x}, dims = [1, 0]{annotation()} : ({square}) -> {square}",
            f"{result} = stablehlo.dot_general {x}, {y}, contracting_dims = [1] x [0]{annotation()} : "
            f"({square}, {square}) -> {square}",
            f"{result} = sdy.sharding_constraint {x} <{sharding()}> : {square}",
            f"{result} = stablehlo.constant{annotation()} dense<0.5> : {square}",
            f"{result} = stablehlo.iota dim = {rng.randint(0, 1)}{annotation()} : {square}",
        ]))
        values.append(result)
    text = MESHES + OTHER_AXES + "func.func @main(" + ", ".join(
        f"%a{i}: {square} {{sdy.sharding = #sdy.sharding<{sharding()}>}}" for i in range(3))
    # One argument has axes, so that there are four devices.
    text += f', %m: {square} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> ('
    results = values[-3:]
    text += ", ".join(f"{square} {{sdy.sharding = #sdy.sharding<{sharding()}>}}" for _ in results)
    return "\n  ".join([text + ") {"] + lines + [
        f"return {', '.join(results)} : {', '.join([square] * len(results))}"]) + "\n}\n"


@pytest.mark.parametrize("other_axes", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_random(shardwise, tmp_path, seed, other_axes):
    (tmp_path / "model.mlir").write_text(random_program(random.Random(seed), other_axes))
    run = shardwise("run", tmp_path / "model.mlir", "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["verified"] and report["devices"] == 4


MANUAL = f"""  %0 = sdy.manual_computation(%a0) in_shardings=[<@order, [{{"x"}}, {{}}]>] out_shardings=[<@order, [{{"x"}}, {{}}]>] manual_axes={{"x"}} (%x: tensor<4x4xf32>) {{
    %1 = "stablehlo.all_reduce"(%x) <{{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}> ({{
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }}) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.add %1, %x : tensor<4x4xf32>
    sdy.return %2 : tensor<4x4xf32>
  }} : ({T}) -> {T}
  return %0 : {T}"""


def test_manual_computation_in_the_other_order(shardwise, tmp_path):
    numpy = pytest.importorskip("numpy")
    (tmp_path / "model.mlir").write_text(
        program(MANUAL, result=on("mesh", '[{"x"}, {}]')))
    values = numpy.arange(32, dtype=numpy.float32).reshape(8, 4)
    halves = values[:4] + values[4:]
    for folder, array in (("in", values), ("out", values + numpy.concatenate([halves, halves]))):
        (tmp_path / folder).mkdir()
        numpy.save(tmp_path / folder / "0.npy", array)
    run = shardwise("run", tmp_path / "model.mlir", "--json", "--inputs", tmp_path / "in",
                    "--expect", tmp_path / "out")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["verified"]


def test_one_device_alone(shardwise, tmp_path):
    """Where nothing else is, the device of any number is all there is."""
    text = program(NEGATE_ON_D2, [on("d2", "[]")], on("d2", "[]"))
    (tmp_path / "model.mlir").write_text('sdy.mesh @d2 = <[], device_ids=[2]>\n'
                                         + text[text.index("func.func"):])
    run = shardwise("run", tmp_path / "model.mlir", "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["verified"] and report["devices"] == 1 and not report["collectives"]


GRID = 'sdy.mesh @grid = <["data"=4, "model"=2]>\n'
EIGHT = "tensor<16x8xf32>"


def grid_program(meshes, body, arguments, result):
    texts = ", ".join(f"%a{i}: {EIGHT} {{sdy.sharding = {sharding}}}"
                      for i, sharding in enumerate(arguments))
    return (f"{GRID}{meshes}func.func @main({texts}) -> ({EIGHT} {{sdy.sharding = {result}}}) {{\n"
            f"{body}\n}}\n")


def manual(mesh, axis, parts, number):
    """Sums of the shards along an axis, as `shard_map` writes them, in a program on other axes."""
    groups = {"data": "[[0, 2, 4, 6], [1, 3, 5, 7]]", "expert": "[[0, 1, 2, 3, 4, 5, 6, 7]]",
              "ep": "[[0, 1, 2, 3], [4, 5, 6, 7]]"}[axis]
    rows = 16 // parts
    shape = f"{groups.count('], [') + 1}x{parts}"
    return f"""  %m{number} = sdy.manual_computation(%a{number}) in_shardings=[<@{mesh}, [{{"{axis}"}}, {{}}]>] out_shardings=[<@{mesh}, [{{"{axis}"}}, {{}}]>] manual_axes={{"{axis}"}} (%x: tensor<{rows}x8xf32>) {{
    %1 = "stablehlo.all_reduce"(%x) <{{replica_groups = dense<{groups}> : tensor<{shape}xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}> ({{
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }}) : (tensor<{rows}x8xf32>) -> tensor<{rows}x8xf32>
    sdy.return %1 : tensor<{rows}x8xf32>
  }} : ({EIGHT}) -> {EIGHT}
"""


ADD = f"  %0 = stablehlo.add %a0, %a1 : {EIGHT}\n  return %0 : {EIGHT}"
EXPERTS = 'sdy.mesh @experts = <["expert"=8]>\n'
PARTS = 'sdy.mesh @parts = <["dp"=2, "ep"=4]>\n'
# Name: the program, the mesh that it is told on, and what a device receives.
OTHER_AXES_CASES = {
    "the same shards by another name": (
        grid_program(EXPERTS, ADD, [on("grid", '[{"data", "model"}, {}]'), on("experts", '[{"expert"}, {}]')],
                     on("experts", '[{"expert"}, {}]')), '["data"=4, "model"=2]', 0),
    "the finer mesh comes second": (
        grid_program(EXPERTS, ADD, [on("experts", '[{"expert"}, {}]')] * 2, on("grid", '[{"data"}, {}]')),
        '["data"=4, "model"=2]', 2 * 32),
    "parts of axes": (
        grid_program(PARTS, ADD, [on("grid", '[{"data"}, {}]'), on("parts", '[{"dp"}, {}]')],
                     on("parts", '[{"dp"}, {}]')), '["data"=4, "model"=2]', 4 * 32),
    "from tokens to experts": (
        grid_program(EXPERTS, f"  %0 = stablehlo.tanh %a0 : {EIGHT}\n  return %0 : {EIGHT}",
                     [on("grid", '[{"data", "model"}, {}]')], on("experts", '[{}, {"expert"}]')),
        '["data"=4, "model"=2]', 16 * 4 * 7 // 8),
    "no common cuts": (
        'sdy.mesh @a = <["a"=2, "b"=3]>\nsdy.mesh @c = <["c"=3, "d"=2]>\n'
        f'func.func @main(%a0: {T} {{sdy.sharding = {on("a", """[{"a"}, {"b"}]""")}}}) -> '
        f'({T} {{sdy.sharding = {on("c", """[{"d"}, {"c"}]""")}}}) {{\n  return %a0 : {T}\n}}\n',
        '["a"=2, "b"=3]', None),
    "a manual computation on the other mesh": (
        grid_program(EXPERTS, manual("experts", "expert", 8, 0) + f"  return %m0 : {EIGHT}",
                     [on("grid", '[{"data"}, {"model"}]')], on("grid", '[{"data", "model"}, {}]')),
        '["data"=4, "model"=2]', None),
    "manual axes that are parts of others": (
        grid_program(PARTS, manual("parts", "ep", 4, 0) + manual("grid", "data", 4, 1)
                     + f"  %0 = stablehlo.add %m0, %m1 : {EIGHT}\n  return %0 : {EIGHT}",
                     [on("grid", '[{"data"}, {}]')] * 2, on("parts", '[{"ep"}, {"dp"}]')),
        '["data:(1)2"=2, "data:(2)2"=2, "model"=2]', None),
}


@pytest.mark.parametrize("name", OTHER_AXES_CASES)
def test_other_axes_over_the_same_devices(shardwise, tmp_path, name):
    text, mesh, received = OTHER_AXES_CASES[name]
    (tmp_path / "model.mlir").write_text(text)
    run = shardwise("run", tmp_path / "model.mlir", "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["verified"] and report["mesh"] == mesh
    if received is not None:
        assert sum(row["bytes_received_per_device"] for row in report["collectives"]) == received
    for form in ("stablehlo", "sdy", "xla-replicas", "xla-shard-map"):
        assert shardwise("partition", tmp_path / "model.mlir", "--form", form).returncode == 0, form
    assert shardwise("eval", tmp_path / "model.mlir").returncode == 0


def test_reports_say_what_the_axes_of_other_meshes_are(shardwise, tmp_path):
    (tmp_path / "model.mlir").write_text(OTHER_AXES_CASES["the same shards by another name"][0])
    line = 'mesh @experts <["expert"=8]> has "expert" = {"data", "model"}\n'
    for command in ("run", "explain"):
        assert line in shardwise(command, tmp_path / "model.mlir").stdout
        report = json.loads(shardwise(command, tmp_path / "model.mlir", "--json").stdout)
        assert report["other_meshes"] == [line.removeprefix("mesh ").strip()]
    propagated = shardwise("propagate", tmp_path / "model.mlir").stdout
    assert ('sdy.mesh @experts = <["expert"=8]> {shardwise.axes = #sdy.sharding<@grid, [{"data", "model"}]>'
            in propagated)


def test_experts_on_a_mesh_of_their_own(shardwise, tmp_path):
    """The collectives are those of the program on one mesh: tokens to their experts, and back."""
    text = (ROOT / "benchmarks/partition/texts/dense_mixture_of_experts.mlir").read_text()
    signature, body = text.split("\n    ", 1)
    mesh = 'sdy.mesh @mesh = <["x"=8]>'
    assert mesh in signature and "@mesh" in body
    grid, experts = '@grid, [{"data", "model"}', '@experts, [{"expert"}'
    arguments = signature.split("%arg")
    arguments = [part.replace('@mesh, [{"x"}', experts if part[0] in "23" else grid).replace("@mesh,", "@grid,")
                 for part in arguments]
    signature = "%arg".join(arguments).replace(mesh, GRID + "  " + EXPERTS.strip())
    (tmp_path / "model.mlir").write_text(
        signature + "\n    " + body.replace('@mesh, [{"x"}', experts).replace("@mesh", "@experts"))
    run = shardwise("run", tmp_path / "model.mlir", "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["verified"] and report["mesh"] == '["data"=4, "model"=2]'
    assert [(row["kind"], row["axes"], row["count"], row["bytes_received_per_device"])
            for row in report["collectives"]] == [("all_to_all", '{"data", "model"}', 2, 28672)]


REFUSED = {
    "other devices": ('sdy.mesh @other = <["z"=8]>\n', on("other", '[{"z"}, {}]'),
                      "one program runs on one set of devices, but these are"),
    "a device beyond the mesh": ("sdy.mesh @d9 = <[], device_ids=[9]>\n", on("d9", "[]"),
                                 "that has no device 9"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(shardwise, tmp_path, name):
    mesh, sharding, message = REFUSED[name]
    (tmp_path / "model.mlir").write_text(mesh + program(f"  return %a0 : {T}", result=sharding))
    for command in ("run", "partition", "explain", "propagate"):
        result = shardwise(command, tmp_path / "model.mlir")
        assert result.returncode == 1 and message in result.stderr, (command, result.stderr)


def test_report_names_the_mesh_of_an_output(shardwise, tmp_path):
    (tmp_path / "model.mlir").write_text(program(NEGATE_ON_D2, result=on("d2", "[]")))
    run = shardwise("run", tmp_path / "model.mlir", "--json")
    assert json.loads(run.stdout)["outputs"][0]["sharding"] == "[] on <[], device_ids=[2]>"


def test_explain_says_where_values_are(shardwise, tmp_path):
    (tmp_path / "model.mlir").write_text(program(NEGATE_ON_D2, result=on("mesh", '[{"x"}, {}]')))
    explain = shardwise("explain", tmp_path / "model.mlir")
    assert explain.returncode == 0, explain.stderr
    assert 'collective_broadcast {"x", "y"}' in explain.stdout
    assert "%0 has [] on <[], device_ids=[2]>" in " ".join(explain.stdout.split())


def test_parts_of_an_axis_that_cannot_coexist_are_refused_beside_another_mesh(shardwise):
    text = (f'sdy.mesh @six = <["s"=6]>\nsdy.mesh @pair = <["p"=2, "q"=3]>\nfunc.func @main(%a0: {T} {{sdy.sharding = '
            f'{on("six", """[{"s":(1)2}, {}]""")}}}, %a1: {T} {{sdy.sharding = {on("six", """[{"s":(1)3}, {}]""")}}}) -> '
            f'({T} {{sdy.sharding = {on("pair", """[{"p"}, {}]""")}}}) {{\n  return %a0 : {T}\n}}\n')
    process = shardwise("run", "-", stdin=text)
    assert process.returncode == 1
    assert 'parts of axis "s" of mesh <["s"=6]> cut it at places that do not divide' in process.stderr
    assert "use parts like (1)2 and (2)3" in process.stderr


def test_parts_of_an_axis_that_no_grid_has_both(shardwise):
    """Of "p" the contracted dimension can have the major 2, and other rows the minor 2 of 6: sums would mix rows."""
    run = shardwise("run", "-", "--json", stdin="""
sdy.mesh @mesh = <["x"=3, "y"=4, "z"=2]>
sdy.mesh @other = <["p"=6, "q"=2, "r"=2]>
func.func @main(%a: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@other, [{"r"}, {"p"}]>},
                %b: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}, {}]>})
    -> (tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@other, [{"p", "q"}, {}]>}) {
  %0 = stablehlo.dot_general %b, %a, contracting_dims = [1] x [1] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"z"}, {"y"}]> : tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
""")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["verified"]


def test_devices_that_change_places_between_parts_without_common_cuts(shardwise):
    """A value on {"q", "p":(2)3} goes to other devices, on which it is on {"p":(1)3, "q"} before it moves on."""
    run = shardwise("run", "-", "--json", stdin="""
sdy.mesh @mesh = <["x"=3, "y"=3, "z"=4]>
sdy.mesh @other = <["p"=6, "q"=3, "r"=2]>
func.func @main(%a: tensor<1x3x2xf32> {sdy.sharding = #sdy.sharding<@other, [{"q"}, {"p"}, {}]>}, %which: tensor<i32>)
    -> tensor<1x3xi64> {
  %0 = stablehlo.bitcast_convert %a : (tensor<1x3x2xf32>) -> tensor<1x3xi64>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y", "x"}, {}]> : tensor<1x3xi64>
  %2:2 = "stablehlo.case"(%which) ({
    %3 = stablehlo.reverse %1, dims = [1] : tensor<1x3xi64>
    %4 = stablehlo.xor %3, %1 : tensor<1x3xi64>
    stablehlo.return %4, %3 : tensor<1x3xi64>, tensor<1x3xi64>
  }, {
    %5 = stablehlo.reverse %1, dims = [0] : tensor<1x3xi64>
    %6 = stablehlo.xor %5, %5 : tensor<1x3xi64>
    stablehlo.return %6, %5 : tensor<1x3xi64>, tensor<1x3xi64>
  }) : (tensor<i32>) -> (tensor<1x3xi64>, tensor<1x3xi64>)
  return %2#0 : tensor<1x3xi64>
}
""")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["verified"]


def test_what_a_loop_adds_up_begins_on_another_mesh(shardwise):
    """The sum of rows that a cut dimension has becomes partial in the loop: what it begins with is on a mesh of another order of devices."""
    run = shardwise("run", "-", "--json", stdin="""
sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[0, 5, 4, 2, 3, 6, 1, 7]>
sdy.mesh @other = <["p"=4, "q"=2]>
func.func @main(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p2]>},
                %b: tensor<f32> {sdy.sharding = #sdy.sharding<@other, []>}, %k0: tensor<i32>)
    -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0:4 = stablehlo.while(%k = %k0, %sum = %b, %y = %a, %x = %a) : tensor<i32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>
    cond {
    %n = stablehlo.constant dense<4> : tensor<i32>
    %t = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %row = stablehlo.dynamic_slice %x, %k, sizes = [1] : (tensor<2xf32>, tensor<i32>) -> tensor<1xf32>
    %value = stablehlo.reshape %row : (tensor<1xf32>) -> tensor<f32>
    %next = stablehlo.add %sum, %value : tensor<f32>
    %as_row = stablehlo.reshape %next : (tensor<f32>) -> tensor<1xf32>
    %ys = stablehlo.dynamic_update_slice %y, %as_row, %k : (tensor<2xf32>, tensor<1xf32>, tensor<i32>) -> tensor<2xf32>
    %after = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %after, %next, %ys, %x : tensor<i32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>
  }
  return %0#2 : tensor<2xf32>
}
""")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["verified"]

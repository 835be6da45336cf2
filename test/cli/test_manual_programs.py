# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs written per device are verified by themselves, without recorded outputs. What
`partition` makes is such a program too: as the body of a manual computation the reference evaluator
runs it, with collectives of its own, and finds what is wrong with it."""

import dataclasses
import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = {path.parent.name: path for folder in ("examples", "test/programs")
          for path in sorted((ROOT / folder).glob("*/model.mlir"))}
MANUAL = [name for name in MODELS if "sdy.manual_computation" in MODELS[name].read_text()]
# A gradient that is a bf16 sum over `data`: partial sums are rounded before they are added.
RELATIVE_TOLERANCES = {"mlp_bf16": 2e-2}


def test_there_are_programs():
    assert {"manual_axis", "manual_branches", "manual_collectives", "manual_nested",
            "manual_pipeline", "manual_ring"} <= set(MANUAL)


@pytest.mark.parametrize("name", MANUAL)
def test_manual_programs_are_verified_by_themselves(shardwise, name):
    process = shardwise("run", MODELS[name], "--seed", 5, "--json")
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    report = json.loads(process.stdout)
    assert report["verified"] is True
    assert report["compared_with"] == "reference"
    assert report["unpartitioned_peak_bytes"] is None
    assert all(output["max_abs_error"] is not None for output in report["outputs"])


def test_the_compiled_path_is_refused_as_their_oracle(shardwise):
    process = shardwise("run", MODELS["manual_ring"], "--verify", "compiled")
    assert process.returncode == 1
    assert process.stdout == ""
    assert ("'sdy.manual_computation' op is written per device, which the compiled path does not "
            "know on one device; verify by the reference evaluator") in process.stderr


def split(text):
    """Parts between the commas that are in no bracket."""
    parts, depth = [""], 0
    for sign in text.replace("->", "\0"):
        depth += (sign in "([{<") - (sign in ")]}>")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.replace("\0", "->").strip() for part in parts if part.strip()]


@dataclasses.dataclass
class Border:
    """An argument or result of a per-device program."""

    name: str
    local: str
    sharding: str
    whole: str

    @classmethod
    def read(cls, text, sizes):
        name, local, sharding = re.fullmatch(
            r"(?:(%\w+): )?(tensor<[^>]*(?:<[^>]*>)?>)(?:.*?#sdy\.sharding(<@mesh, .*?\]"
            r"(?:, \w+=\w*\{.*?\})*>))?.*", text).groups()
        *shape, element = local[len("tensor<"):-1].split("x")
        sharding = sharding or f"<@mesh, [{', '.join(['{}'] * len(shape))}]>"
        dims = re.findall(r"\{(.*?)\}", re.search(r"\[(.*?)\]", sharding)[1])
        for dim, axes in enumerate(dims):
            for axis, part in re.findall(r'"(\w+)"(?::\(\d+\)(\d+))?', axes):
                shape[dim] = str(int(shape[dim]) * int(part or sizes[axis]))
        return cls(name, local, sharding, f"tensor<{'x'.join([*shape, element])}>")


def as_manual_computation(partitioned):
    """The per-device program as the body of a manual computation over all axes of its mesh."""
    assert partitioned.count("func.func") == 1 and partitioned.count("sdy.mesh") == 1
    axes = re.search(r"sdy\.mesh @mesh = <\[(.*?)\]", partitioned)[1]
    sizes = dict(re.findall(r'"(\w+)"=(\d+)', axes))
    head = re.search(r"( *func\.func (?:public )?@main)(.*) \{\n", partitioned)
    arguments, results = re.fullmatch(r"\((.*?)\) -> (.*)", head[2]).groups()
    results = results[1:-1] if results.startswith("(") else results
    arguments = [Border.read(part, sizes) for part in split(arguments)]
    results = [Border.read(part, sizes) for part in split(results)]
    types = ", ".join(result.whole for result in results)
    names = ", ".join(f"%whole{i}" for i in range(len(arguments)))
    given = ", ".join(f"%whole{i}: {a.whole}" for i, a in enumerate(arguments))
    body = ", ".join(f"{a.name}: {a.local}" for a in arguments)
    operands = ", ".join(a.whole for a in arguments)
    made = ", ".join(f"%made#{i}" for i in range(len(results)))
    text = partitioned.replace(head[0], f"""{head[1]}({given}) -> ({types}) {{
    %made:{len(results)} = sdy.manual_computation({names})
        in_shardings=[{", ".join(a.sharding for a in arguments)}]
        out_shardings=[{", ".join(r.sharding for r in results)}]
        manual_axes={{{", ".join(f'"{axis}"' for axis in sizes)}}} ({body}) {{
""")
    return re.sub(r"\n    return (.*)\n", rf"""
      sdy.return \1
    }} : ({operands}) -> ({types})
    return {made} : {types}
""", text)


def partitioned_as_manual(shardwise, name):
    process = shardwise("partition", MODELS[name])
    assert process.returncode == 0, process.stderr
    return as_manual_computation(process.stdout)


def evaluate(shardwise, text, name):
    folder = MODELS[name].parent
    return shardwise("eval", "-", "--inputs", folder / "inputs", "--expect", folder / "outputs",
                     "--rtol", RELATIVE_TOLERANCES.get(name, 1e-5), stdin=text)


# Blocks of a manual computation are equal: padded borders have no such form.
EVEN_MODELS = [name for name in MODELS if not name.startswith("uneven_")]


@pytest.mark.parametrize("name", EVEN_MODELS)
def test_per_device_programs_give_the_values_of_jax(shardwise, name):
    process = evaluate(shardwise, partitioned_as_manual(shardwise, name), name)
    assert process.returncode == 0, process.stdout + process.stderr
    assert "evaluated by the reference evaluator" in process.stdout and process.stderr == ""


def faults(text):
    """The per-device program with one thing wrong, and what that is."""
    over = re.compile(r'("stablehlo\.(all_reduce|all_gather|reduce_scatter)".*?axes = )'
                      r'(\[#stablehlo\.axis_ref<name = "(\w+)">\])')
    mesh_axes = re.findall(r'"(\w+)"=\d', text[text.index("sdy.mesh"):text.index("func.func")])
    for found in over.finditer(text):
        groups = [(f"over {other} instead", f'[#stablehlo.axis_ref<name = "{other}">]')
                  for other in mesh_axes if other != found[4]]
        if found[2] == "all_reduce":
            groups.append(("dropped", "[]"))
        for what, axes in groups:
            yield (f"{found[2]} over {found[4]} at {found.start()} {what}",
                   text[:found.start(3)] + axes + text[found.end(3):])
    for found in re.finditer(r"stablehlo\.partition_id : tensor<ui32>", text):
        yield (f"the device at {found.start()} is the first",
               text[:found.start()] + "stablehlo.constant dense<0> : tensor<ui32>"
               + text[found.end():])


@pytest.mark.parametrize("name", ["mlp_train", "rnn_scan", "transformer_train", "embedding",
                                  "fully_sharded"])
def test_seeded_faults_are_found(shardwise, tmp_path, name):
    broken = list(faults(partitioned_as_manual(shardwise, name)))
    folder, lines = MODELS[name].parent, []
    for number, (_, text) in enumerate(broken):
        (tmp_path / f"{number}.mlir").write_text(text)
        lines.append(json.dumps({"program": str(tmp_path / f"{number}.mlir"),
                                 "inputs": str(folder / "inputs"),
                                 "expect": str(folder / "outputs"),
                                 "outputs": str(tmp_path / "out")}))
    process = shardwise("eval", "--programs", "-", stdin="\n".join(lines))
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    assert len(answers) == len(broken) > 0
    for (what, _), answer in zip(broken, answers):
        # Where groups do not fit their tensors any more the program is refused.
        assert answer.get("verified") is False or "does not fit" in answer["error"], what


RING = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x3xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%l: tensor<2x3xf32>) {
    %r = BODY
    sdy.return %r : tensor<2x3xf32>
  } : (tensor<8x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}
"""
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
SUM = f""""stablehlo.all_reduce"(%l) <{{{CHANNEL}, replica_groups = GROUPS, use_global_device_ids}}> ({{
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }}) : (tensor<2x3xf32>) -> tensor<2x3xf32>"""


REFUSED = {
    "a device in no group": (SUM.replace("GROUPS", "dense<[[0, 1]]> : tensor<1x2xi64>"),
                             "is in no replica group"),
    "devices that are not there": (
        SUM.replace("GROUPS", "dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>"),
        "a replica group names rank 4, but 4 ranks run"),
    "a pair that is not there": (
        f'"stablehlo.collective_permute"(%l) <{{{CHANNEL}, source_target_pairs = dense<[[0, 9]]> : '
        "tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "has the pair (0, 9), but there are 4 devices"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_groups_that_do_not_fit_are_refused_at_their_line(shardwise, case):
    body, message = REFUSED[case]
    process = shardwise("eval", "-", stdin=RING.replace("BODY", body))
    assert process.returncode == 1
    first = process.stderr.splitlines()[0]
    assert first.startswith("<stdin>:4:10: error: 'stablehlo.") and message in first


def test_groups_across_free_axes_are_refused(shardwise):
    text = RING.replace('["x"=4]', '["x"=4, "y"=2]').replace("BODY", SUM.replace(
        "GROUPS", "dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>"))
    process = shardwise("run", "-", stdin=text)
    assert process.returncode == 1
    assert ('joins devices 0 and 1, which differ along "y", an axis that is not manual'
            in process.stderr)
    assert "the computation that it is in" in process.stderr


def test_copies_that_disagree_are_named(shardwise):
    text = RING.replace('out_shardings=[<@mesh, [{"x"}, {}]>]', "out_shardings=[<@mesh, [{}, {}]>]")
    text = text.replace("BODY", "stablehlo.negate %l : tensor<2x3xf32>").replace(
        "-> tensor<8x3xf32>", "-> tensor<2x3xf32>").replace("return %0 : tensor<8x3xf32>",
                                                            "return %0 : tensor<2x3xf32>")
    process = shardwise("eval", "-", stdin=text)
    assert process.returncode == 0, process.stderr
    assert "result 0: devices 0 and 1 differ in elements that both hold" in process.stderr
    assert "those of device 0 are taken" in process.stderr

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise plan`: text, JSON, contents checked without the planner's code, many problems, errors."""

import itertools
import json
import math
import re

import pytest

SWAP = ("--mesh", '["x"=2,"y"=3]', "--shape", "6x6xf32", "--from", '[{"x"},{"y"}]',
        "--to", '[{"y"},{"x"}]')
STRATEGIES = ["optimal", "uniform", "heuristic", "dimension-by-dimension", "enumeration", "basis",
              "exchange", "greedy"]


def box(shape, lists, sizes, coordinates):
    """Elements of a device under the flattened ceil-div rule, row-major."""
    ranges = []
    for size, axes in zip(shape, lists):
        count, number = 1, 0
        for axis in axes:
            count *= sizes[axis]
            number = number * sizes[axis] + coordinates[axis]
        width = -(-size // count)
        ranges.append(range(min(size, number * width), min(size, (number + 1) * width)))
    strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
    return [sum(i * s for i, s in zip(index, strides)) for index in itertools.product(*ranges)]


def expected(shape, text, sizes, ids=None):
    """Contents by device id for a sharding of full axes."""
    lists = [re.findall(r'"(\w+)"', dim) for dim in re.findall(r"\{([^}]*)\}", text)]
    names = list(sizes)
    contents = {}
    for position, values in enumerate(itertools.product(*(range(sizes[n]) for n in names))):
        device = ids[position] if ids else position
        contents[device] = box(shape, lists, sizes, dict(zip(names, values)))
    return contents


def check(plan, shape, sizes, source, target, element_bytes=4, ids=None):
    states = plan["contents"]
    assert len(states) == len(plan["steps"]) + 1
    for device, elements in expected(shape, source, sizes, ids).items():
        assert states[0][device] == elements
    for device, elements in expected(shape, target, sizes, ids).items():
        assert states[-1][device] == elements
    missing = [len(set(after) - set(before)) * element_bytes
               for before, after in zip(states[0], states[-1])]
    assert plan["lower_bound"]["received_bytes_max"] == max(missing)
    assert plan["lower_bound"]["received_bytes_total"] == sum(missing)
    assert plan["cost"]["received_bytes_max"] >= max(missing)
    for before, after, step in zip(states, states[1:], plan["steps"]):
        new = [len(set(b) - set(a)) * element_bytes for a, b in zip(before, after)]
        assert step["received_bytes_max"] >= max(new)
        assert step["local_bytes_after"] == max(len(b) for b in after) * element_bytes


def test_text_shows_steps_costs_and_pictures(shardwise):
    result = shardwise("plan", *SWAP)
    assert result.returncode == 0, result.stderr
    assert "exchange" in result.stdout
    assert "lower bound 24 B (at the bound)" in result.stdout
    assert "proved optimal" in result.stdout
    assert "| 11 12 | 13 14 | 15 16 |" in result.stdout
    assert "| 14 15 16 | 34 35 36 | 54 55 56 |" in result.stdout


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_json_and_contents_of_every_strategy(shardwise, strategy):
    result = shardwise("plan", *SWAP, "--strategy", strategy, "--json", "--contents")
    assert result.returncode == 0, result.stderr
    plan = json.loads(result.stdout)
    assert plan["strategy"] == strategy
    assert {"strategy", "optimality", "lower_bound", "cost", "steps", "contents"} <= plan.keys()
    assert {"received_bytes_max", "received_bytes_total", "seconds", "peak_bytes"} <= \
        plan["cost"].keys()
    for step in plan["steps"]:
        assert {"kind", "axes", "sharding", "received_bytes_max", "local_bytes_after"} <= \
            step.keys()
    check(plan, [6, 6], {"x": 2, "y": 3}, '[{"x"},{"y"}]', '[{"y"},{"x"}]')


def test_compare(shardwise):
    result = shardwise("plan", *SWAP, "--compare")
    assert result.returncode == 0
    for strategy in STRATEGIES:
        assert strategy in result.stdout
    result = shardwise("plan", *SWAP, "--compare", "--json")
    costs = {plan["strategy"]: plan["cost"]["received_bytes_max"]
             for plan in json.loads(result.stdout)["strategies"]}
    assert costs["optimal"] == 24 and costs["uniform"] == 44 and costs["basis"] == 84


def all_shardings(names, rank):
    """Every way to put an ordered choice of axes into `rank` lists."""
    for count in range(len(names) + 1):
        for order in itertools.permutations(names, count):
            for cuts in itertools.combinations_with_replacement(range(count + 1), rank - 1):
                bounds = [0, *cuts, count]
                lists = [order[a:b] for a, b in zip(bounds, bounds[1:])]
                yield "[" + ", ".join("{" + ", ".join(f'"{n}"' for n in part) + "}"
                                      for part in lists) + "]"


@pytest.mark.parametrize("sizes, rank", [({"x": 2, "y": 3}, 2), ({"x": 2, "y": 2}, 3)])
def test_all_pairs_are_at_the_bound(shardwise, sizes, rank):
    mesh = "[" + ", ".join(f'"{n}"={s}' for n, s in sizes.items()) + "]"
    devices = math.prod(sizes.values())
    shape = [devices] * rank
    pairs = list(itertools.product(list(all_shardings(list(sizes), rank)), repeat=2))
    lines = "\n".join(json.dumps({"mesh": mesh, "shape": "x".join(map(str, shape)) + "xf32",
                                  "from": source, "to": target}) for source, target in pairs)
    result = shardwise("plan", "--problems", "-", "--contents", stdin=lines)
    assert result.returncode == 0, result.stderr
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == len(pairs)
    for plan, (source, target) in zip(answers, pairs):
        check(plan, shape, sizes, source, target)
        assert plan["cost"]["received_bytes_max"] == plan["lower_bound"]["received_bytes_max"]
        assert plan["optimality"] == "proved"


def test_problems_answer_every_line_in_order(shardwise, tmp_path):
    file = tmp_path / "problems.jsonl"
    good = {"mesh": '["x"=4], device_ids=[3, 1, 0, 2]', "shape": "10x3xi8",
            "from": '[{"x"}, {}]', "to": '[{}, {"x"}]'}
    lines = [good, {"mesh": '["x"=4]'}, {**good, "strategy": "nonsense"},
             {**good, "from": '[{"z"}, {}]'}, {**good, "strategy": "exchange"},
             {**good, "memory_limit_bytes": 1}, {**good, "to_mesh": '["z"=3]', "to": '[{"z"}, {}]'}]
    file.write_text("\n".join(map(json.dumps, lines)) + "\n{\n")
    result = shardwise("plan", "--problems", file, "--contents")
    assert result.returncode == 0, result.stderr
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == len(lines) + 1
    assert ["error" in answer for answer in answers] == [
        False, True, True, True, False, True, False, True]
    check(answers[0], [10, 3], {"x": 4}, good["from"], good["to"], 1, [3, 1, 0, 2])
    assert "memory limit of 1 bytes" in answers[5]["error"]
    final = answers[6]["contents"][-1]
    assert [len(elements) for elements in final] == [12, 12, 6, 0]


def test_other_mesh_and_device_ids(shardwise):
    result = shardwise("plan", "--mesh", '["x"=2]', "--device-ids", "4,5", "--to-mesh", '["y"=3]',
                       "--shape", "6xi8", "--from", '[{"x"}]', "--to", '[{"y"}]', "--json",
                       "--contents")
    assert result.returncode == 0, result.stderr
    contents = json.loads(result.stdout)["contents"]
    assert contents[0] == [[], [], [], [], [0, 1, 2], [3, 4, 5]]
    assert contents[-1] == [[0, 1], [2, 3], [4, 5], [], [], []]


def test_relabelling_keeps_what_can_stay(shardwise):
    result = shardwise("plan", "--mesh", '["x"=2,"y"=3]', "--shape", "6xi8", "--from",
                       '[{"x","y"}]', "--to", '[{"y","x"}]', "--relabel", "--json")
    plan = json.loads(result.stdout)
    assert plan["cost"]["received_bytes_total"] == 0
    assert sorted(plan["target_device_ids"]) == list(range(6))


def test_hosts(shardwise):
    result = shardwise("plan", "--mesh", '["x"=4]', "--shape", "8xi8", "--from", '[{"x"}]', "--to",
                       "[{}]", "--devices-per-host", "2", "--json")
    plan = json.loads(result.stdout)
    assert plan["lower_bound"]["slow_link_bytes_max"] == 4
    assert plan["cost"]["slow_link_bytes"] >= plan["lower_bound"]["slow_link_bytes_total"]


def test_svg(shardwise, tmp_path):
    picture = tmp_path / "swap.svg"
    assert shardwise("plan", *SWAP, "--svg", picture).returncode == 0
    text = picture.read_text()
    assert text.startswith("<svg") and text.rstrip().endswith("</svg>")
    # Twelve of the sixteen tiles move.
    assert text.count('class="moved"') == 12


@pytest.mark.parametrize("arguments, code, fragments", [
    (["--mesh", '["x"=2]', "--shape", "6xf32", "--from", "[{}]"], 2, ["--to is required"]),
    ([*SWAP, "--strategy", "fast"], 2, ["unknown strategy", "optimal"]),
    (["--mesh", '["x"=', "--shape", "6xf32", "--from", "[{}]", "--to", "[{}]"], 1, ["mesh"]),
    (["--mesh", '["x"=2]', "--shape", "6xf33", "--from", "[{}]", "--to", "[{}]"], 1, ["f33"]),
    (["--mesh", '["x"=2]', "--shape", "6xf32", "--from", '[{"y"}]', "--to", "[{}]"], 1, ["y"]),
    (["--mesh", '["x"=2]', "--shape", "6xf32", "--from", "[{},{}]", "--to", "[{}]"], 1,
     ["source sharding"]),
    ([*SWAP, "--memory-limit", "10"], 1, ["memory limit of 10 bytes", "48"]),
    ([*SWAP, "--link", "z=1:1"], 1, ['no axis "z"']),
    (["--problems", "does-not-exist"], 1, ["does-not-exist"]),
])
def test_errors(shardwise, arguments, code, fragments):
    result = shardwise("plan", *arguments)
    assert result.returncode == code, result.stderr
    for fragment in fragments:
        assert fragment in result.stderr


def test_help_has_examples(shardwise):
    result = shardwise("plan", "--help")
    assert result.returncode == 0
    assert "Examples:" in result.stdout and "--compare" in result.stdout

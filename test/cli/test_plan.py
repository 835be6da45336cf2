# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise plan`: text, JSON, contents checked without the planner's code, many problems, errors."""

import itertools
import json
import math
import re
from xml.etree import ElementTree

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


def check(plan, shape, sizes, source, target, element_bytes=4, ids=None, target_ids=None):
    states = plan["contents"]
    assert len(states) == len(plan["steps"]) + 1
    for device, elements in expected(shape, source, sizes, ids).items():
        assert states[0][device] == elements
    for device, elements in expected(shape, target, sizes, target_ids or ids).items():
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


def rectangles(text, name):
    return [element for element in ElementTree.fromstring(text).iter()
            if element.get("class") == name]


def test_svg_of_one_step(shardwise, tmp_path):
    picture = tmp_path / "swap.svg"
    assert shardwise("plan", *SWAP, "--svg", picture).returncode == 0
    text = picture.read_text()
    # Six devices in two states; twelve of the sixteen tiles move.
    assert len(rectangles(text, "held")) == 2 * 6
    assert len(rectangles(text, "moved")) == len(rectangles(text, "arrived")) == 12
    assert len({box.get("fill") for box in rectangles(text, "held")}) == 6


def test_svg_shows_every_state(shardwise, tmp_path):
    picture = tmp_path / "basis.svg"
    result = shardwise("plan", *SWAP, "--strategy", "basis", "--svg", picture)
    assert result.returncode == 0
    text = picture.read_text()
    assert len(rectangles(text, "held")) == 4 * 6
    # A gather over three devices, an all_to_all over two; the slice moves nothing.
    assert len(rectangles(text, "moved")) == 6 * 2 + 6 * 1
    for state in range(4):
        assert f"state {state}: " in text


def test_svg_of_four_dimensions(shardwise, tmp_path):
    picture = tmp_path / "four.svg"
    result = shardwise("plan", "--mesh", '["x"=2,"y"=2]', "--shape", "4x4x8x8xf32", "--from",
                       '[{"x"},{},{},{"y"}]', "--to", '[{},{"y"},{"x"},{}]', "--svg", picture)
    assert result.returncode == 0, result.stderr
    assert "dimension 0 (4) is blocks downwards" in picture.read_text()


@pytest.mark.parametrize("mesh, shape, source, target, fragment", [
    ('["x"=128]', "128xf32", '[{"x"}]', "[{}]", "at most 64 can be drawn"),
    ('["x"=2]', "2x2x2x2x2xf32", '[{"x"},{},{},{},{}]', "[{},{},{},{},{}]",
     "at most 4 can be drawn"),
    ('["x"=32]', "32x4x4xf32", '[{"x"},{},{}]', "[{},{},{}]", "in 32 blocks"),
])
def test_svg_refuses_what_nobody_could_read(shardwise, tmp_path, mesh, shape, source, target,
                                            fragment):
    picture = tmp_path / "large.svg"
    result = shardwise("plan", "--mesh", mesh, "--shape", shape, "--from", source, "--to", target,
                       "--svg", picture)
    assert result.returncode == 1
    assert fragment in result.stderr
    assert not picture.exists()


def answers_to(shardwise, problems):
    lines = "\n".join(map(json.dumps, problems))
    result = shardwise("plan", "--problems", "-", stdin=lines)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_optimality_is_one_of_two_words(shardwise):
    swap = {"mesh": '["x"=2,"y"=3]', "shape": "6x6xf32", "from": '[{"x"},{"y"}]',
            "to": '[{"y"},{"x"}]'}
    uneven = {**swap, "shape": "7x5xf32", "from": '[{"x"},{}], unreduced={"y"}'}
    words = {}
    for problem in (swap, uneven):
        for strategy in STRATEGIES:
            answer, = answers_to(shardwise, [{**problem, "strategy": strategy}])
            if "error" not in answer:
                words.setdefault(strategy, set()).add(answer["optimality"])
                assert ("gap" in answer) == (answer["optimality"] == "budget")
    assert all(found <= {"proved", "budget"} for found in words.values())
    # At the bound a plan of any strategy is proved by it.
    assert "proved" in words["exchange"] and words["basis"] == {"budget"}


def test_no_factor_over_a_bound_of_nothing(shardwise):
    # Every device has everything; the memory limit forbids the one exchange that moves nothing.
    problem = {"mesh": '["x"=4]', "to_mesh": '["a"=3]', "shape": "24x24xf32", "from": "[{},{}]",
               "to": "[{},{}]", "latency": 1e-6, "bandwidth": 1e9, "memory_limit_bytes": 4607}
    answer, = answers_to(shardwise, [problem])
    assert answer["optimality"] == "budget" and answer["gap"] is None
    assert answer["cost"]["peak_bytes"] <= 4607


def test_problems_may_have_a_topology(shardwise):
    problem = {"mesh": '["x"=2,"y"=4]', "shape": "64x64xf32",
               "from": '[{},{}], unreduced={"x","y"}', "to": "[{},{}]"}
    plain, slow, hosts, latency, wrong, unknown = answers_to(shardwise, [
        problem, {**problem, "links": ["x=0:1e8"]},
        {**problem, "devices_per_host": 4, "host_bandwidth": 1e8},
        {**problem, "latency": 1e-3, "bandwidth": 1e9},
        {**problem, "links": ["x=fast"]}, {**problem, "hosts": 2}])
    assert plain["cost"]["seconds"] < slow["cost"]["seconds"]
    # The slow axis last: 16,384 bytes, a quarter of it left for the slow links, half of it each way.
    assert slow["cost"]["seconds"] == pytest.approx(2 * (12288 / 1e10 + 2048 / 1e8))
    assert hosts["cost"]["seconds"] == pytest.approx(slow["cost"]["seconds"])
    assert latency["cost"]["seconds"] > 1e-3
    assert "AXIS=LATENCY:BANDWIDTH" in wrong["error"] and 'unknown key "hosts"' in unknown["error"]
    for answer in (plain, slow, hosts, latency):
        assert 0 < answer["lower_bound"]["seconds"] <= answer["cost"]["seconds"] * (1 + 1e-9)
    result = shardwise("plan", "--mesh", problem["mesh"], "--shape", problem["shape"], "--from",
                       problem["from"], "--to", problem["to"], "--link", "x=0:1e8", "--json")
    assert json.loads(result.stdout)["cost"] == slow["cost"]


def test_uniform_steps_to_another_order_of_devices(shardwise):
    result = shardwise("plan", "--mesh", '["x"=4]', "--to-mesh", '["x"=4], device_ids=[3,2,1,0]',
                       "--shape", "8x8xf32", "--from", '[{"x"},{}]', "--to", '[{},{"x"}]',
                       "--strategy", "uniform", "--json", "--contents")
    assert result.returncode == 0, result.stderr
    plan = json.loads(result.stdout)
    assert sorted(step["kind"] for step in plan["steps"]) == ["all_to_all", "collective_permute"]
    assert [step["changes_mesh"] for step in plan["steps"]].count(True) == 1
    check(plan, [8, 8], {"x": 4}, '[{"x"},{}]', '[{},{"x"}]', target_ids=[3, 2, 1, 0])


def test_pieces_cross_slow_links_once(shardwise):
    arguments = ["--mesh", '["x"=4]', "--to-mesh", '["z"=4]', "--to-device-ids", "4,5,6,7",
                 "--shape", "16x16xi8", "--from", '[{"x"},{}]', "--to", "[{},{}]",
                 "--devices-per-host", "4"]
    result = shardwise("plan", *arguments, "--json", "--contents")
    assert result.returncode == 0, result.stderr
    plan = json.loads(result.stdout)
    assert [step["kind"] for step in plan["steps"]][-1] == "all_gather"
    assert plan["steps"][-1]["axes"] == ["z"]
    assert plan["cost"]["slow_link_bytes"] == plan["lower_bound"]["slow_link_bytes_total"] == 256
    assert [len(elements) for elements in plan["contents"][-1]] == [0] * 4 + [256] * 4
    text = shardwise("plan", *arguments).stdout
    assert "on the target mesh" in text and "all_gather" in text


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
    (["--mesh", '["x"=65536,"y"=65536]', "--shape", "65536xf32", "--from", '[{"x"}]', "--to", "[{}]"],
     1, ["4294967296 devices", "up to 16777216"]),
    ([*SWAP, "--memory-limit", "0.01KiB"], 1, ["memory limit of 10 bytes", "48"]),
    ([*SWAP, "--memory-limit", "-1"], 2, ["expected bytes, at least 1, as in 4096, 512MiB or 1.5GiB, got '-1'"]),
    ([*SWAP, "--contents"], 2, ["--contents are numbers for machines: give --json (or --problems FILE) too"]),
    ([*SWAP, "--svg", "/none/a.svg"], 1, ["'/none/a.svg': No such file or directory"]),
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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every recorded reshard problem, alone in every form of output, and made ones in bulk."""

import itertools
import json
import random

from .command import Command
from .test_modules import load

OPTIONS = {"mesh": "--mesh", "shape": "--shape", "from": "--from", "to": "--to", "to_mesh": "--to-mesh",
           "strategy": "--strategy", "device_ids": "--device-ids", "to_device_ids": "--to-device-ids",
           "latency": "--latency", "bandwidth": "--bandwidth", "links": "--link",
           "devices_per_host": "--devices-per-host", "host_latency": "--host-latency",
           "host_bandwidth": "--host-bandwidth", "memory_limit_bytes": "--memory-limit"}
PROBLEMS_PER_COMMAND = 40


def arguments_of(problem):
    """The problem as options of `shardwise plan`."""
    words = []
    for key, value in problem.items():
        if key == "links":
            words += [word for link in value for word in (OPTIONS[key], link)]
        elif value is not None:
            text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
            words += [OPTIONS[key], text]
    return words


def alone(name, problem):
    """One problem as text, JSON, picture, and under all strategies."""
    words = arguments_of(problem)
    without = arguments_of({key: value for key, value in problem.items() if key != "strategy"})
    forms = [("text", words), ("json", [*words, "--json"]), ("contents", [*words, "--json", "--contents"]),
             ("svg", [*words, "--no-pictures", "--svg", "written/plan.svg"])]
    if problem.get("strategy", "optimal") == "optimal":
        forms += [("compare", [*without, "--compare"]),
                  ("compare-json", [*without, "--compare", "--json"]),
                  ("relabel", [*without, "--relabel", "--json"])]
    return [Command(f"plans/{name}/{label}", ("shardwise", "plan", *form)) for label, form in forms]


def in_bulk(name, problems, strategies):
    """Many problems in few commands; with the contents of devices where tensors are small."""
    is_small = name.startswith(("pairs", "uneven"))
    contents = ["--contents"] if is_small else []
    found = []
    for strategy in strategies:
        for start in range(0, len(problems), PROBLEMS_PER_COMMAND):
            lines = [json.dumps(problem) for problem in problems[start:start + PROBLEMS_PER_COMMAND]]
            words = ("shardwise", "plan", "--problems", "-", "--strategy", strategy, *contents)
            found.append(Command(f"plans/{name}/{strategy}/{start}", words, "\n".join(lines) + "\n"))
    return found


def mesh_text(sizes):
    return "[" + ", ".join(f'"{chr(97 + i)}"={size}' for i, size in enumerate(sizes)) + "]"


def sharding_text(lists):
    return "[" + ", ".join("{" + ", ".join(f'"{axis}"' for axis in axes) + "}" for axes in lists) + "]"


def benchmark_pairs():
    """The 240 pairs of benchmarks/PlannerBenchmark.cpp: rank 3 on 2x4."""
    shardings = [sharding_text([[axis for axis, dim in (("a", first), ("b", second)) if dim == at]
                                for at in range(3)])
                 for second in (None, 0, 1, 2) for first in (None, 0, 1, 2)]
    return [{"mesh": mesh_text([2, 4]), "shape": "64x32x16xf32", "from": source, "to": target}
            for source, target in itertools.product(shardings, repeat=2) if source != target]


def random_pairs(sizes, rank, size, count):
    """Pairs of shardings with axes in any order and dimension, a sixth of them left out."""
    rng = random.Random(f"{sizes} {rank} {size}")

    def sharding():
        lists = [[] for _ in range(rank)]
        axes = [chr(97 + i) for i in range(len(sizes))]
        rng.shuffle(axes)
        for axis in axes:
            if rng.randrange(6):
                rng.choice(lists).append(axis)
        return sharding_text(lists)

    return [{"mesh": mesh_text(sizes), "shape": "x".join([str(size)] * rank) + "xf32",
             "from": sharding(), "to": sharding()} for _ in range(count)]


def with_links(problems):
    """The same problems with latency, links by axis, and hosts, in turn."""
    links = [{"latency": 1e-6}, {"links": ["a=1e-6:1e10", "b=2e-6:5e9"]},
             {"devices_per_host": 4, "latency": 1e-6, "host_latency": 1e-5, "host_bandwidth": 1e9}]
    return [{**problem, **links[i % 3]} for i, problem in enumerate(problems)]


def reducing(problems):
    """The same problems with the axes that the source leaves out to be reduced."""
    found = []
    for problem in problems:
        count = problem["mesh"].count("=")
        axes = [f'"{chr(97 + i)}"' for i in range(count) if f'"{chr(97 + i)}"' not in problem["from"]]
        suffix = ", unreduced={" + ", ".join(axes) + "}" if axes else ""
        found.append({**problem, "from": problem["from"] + suffix})
    return found


def all_pairs(module, sizes, rank):
    """What the command-line test checks against contents of its own."""
    shardings = list(module.all_shardings(list(sizes), rank))
    mesh = "[" + ", ".join(f'"{name}"={size}' for name, size in sizes.items()) + "]"
    shape = "x".join(["12"] * rank) + "xf32"
    return [{"mesh": mesh, "shape": shape, "from": source, "to": target}
            for source, target in itertools.product(shardings, repeat=2)]


def commands(tree):
    """The commands of all problems."""
    module = load(tree / "test/cli/test_plan.py")
    found = []
    for words in module.cases("arguments"):
        found.append(Command(f"plans/errors/{len(found)}", ("shardwise", "plan", *words)))
    keys = ("mesh", "shape", "from", "to")
    swap = dict(zip(keys, module.SWAP[1::2]))
    recorded = [swap] + [json.loads(line)["problem"] for line in
                         (tree / "benchmarks/plan-costs.jsonl").read_text().splitlines()]
    for values in module.cases("mesh", "shape", "source", "target"):
        recorded.append(dict(zip(keys, values)))
    for number, problem in enumerate(recorded):
        found += alone(number, problem)
    every, some = module.STRATEGIES, ["optimal", "uniform"]
    four, six = random_pairs([2] * 4, 4, 64, 80), random_pairs([2] * 6, 4, 64, 40)
    uneven = random_pairs([2, 3, 2], 3, 10, 80)
    for name, problems, strategies in [
            ("pairs-2x3", all_pairs(module, {"x": 2, "y": 3}, 2), every),
            ("pairs-2x2", all_pairs(module, {"x": 2, "y": 2}, 3)[::4], every),
            ("benchmark", benchmark_pairs(), every),
            ("benchmark-links", with_links(benchmark_pairs()), some),
            ("four-axes", four, every), ("four-axes-links", with_links(four), every),
            ("four-axes-reducing", reducing(four), every), ("uneven", uneven, every),
            ("uneven-reducing", reducing(uneven), every), ("uneven-links", with_links(uneven), every),
            ("six-axes", six, some), ("six-axes-links", with_links(six), some),
            ("six-axes-reducing", reducing(six), some),
            ("primes", random_pairs([6, 6, 6], 4, 216, 40), some)]:
        found += in_bulk(name, problems, strategies)
    return found

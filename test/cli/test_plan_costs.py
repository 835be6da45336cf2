# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The committed cost baseline: bytes and modelled seconds of every case, compared exactly.

A change needs a reason in its commit; `python3 test/cli/test_plan_costs.py --update` writes the
file anew with the tool in SHARDWISE_BUILD_DIR (default: build).
"""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BASELINE = ROOT / "benchmarks" / "plan-costs.jsonl"
KEYS = ["received_bytes_max", "received_bytes_total", "slow_link_bytes", "seconds", "peak_bytes"]


def summary(answer):
    if "error" in answer:
        return {"error": True}
    return {**{key: answer["cost"][key] for key in KEYS}, "optimality": answer["optimality"],
            "steps": [step["kind"] for step in answer["steps"]]}


def answers(tool, problems):
    lines = "\n".join(map(json.dumps, problems))
    result = subprocess.run([tool, "plan", "--problems", "-"], input=lines, text=True,
                            capture_output=True, timeout=120, check=True)
    return [summary(json.loads(line)) for line in result.stdout.splitlines()]


def test_costs_are_those_of_the_baseline(shardwise):
    cases = [json.loads(line) for line in BASELINE.read_text().splitlines()]
    assert len(cases) > 50
    lines = "\n".join(json.dumps(case["problem"]) for case in cases)
    result = shardwise("plan", "--problems", "-", stdin=lines)
    assert result.returncode == 0, result.stderr
    actual = [summary(json.loads(line)) for line in result.stdout.splitlines()]
    for case, cost in zip(cases, actual, strict=True):
        assert cost == case["cost"], case["problem"]


def update():
    problems = [json.loads(line)["problem"] for line in BASELINE.read_text().splitlines()]
    build = pathlib.Path(os.environ.get("SHARDWISE_BUILD_DIR", ROOT / "build"))
    costs = answers(build / "bin" / "shardwise", problems)
    text = "".join(json.dumps({"problem": problem, "cost": cost}) + "\n"
                   for problem, cost in zip(problems, costs, strict=True))
    BASELINE.write_text(text)


if __name__ == "__main__" and "--update" in sys.argv:
    update()

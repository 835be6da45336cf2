#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every test of a build folder: lints, generated pages, unit tests, lit suite, command-line
tests, conformance cases. `--unit-tests-of DIR` adds the unit tests of another build folder, as of one
with sanitizers.

Prints one line per suite and the output of what failed. The last line is `N passed, M failed`, with the number
of skipped tests if there are any.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINTS = [("lint_layers.py",), ("lint_op_tests.py",), ("lint_pass_tests.py",),
         ("lint_unit_tests.py",), ("lint_format",)]


class Totals:
    """Counts of passed, failed and skipped tests, and the names of the failed ones."""

    def __init__(self):
        self.passed = 0
        self.skipped = 0
        self.failures = []

    def add(self, suite: str, passed: int, failures: list, seconds: float, skipped: int = 0):
        self.passed += passed
        self.skipped += skipped
        self.failures += failures
        print(f"{suite}: {passed} passed, {len(failures)} failed{skipped_text(skipped)} "
              f"({seconds:.1f} s)", flush=True)


def skipped_text(count: int) -> str:
    return f", {count} skipped" if count else ""


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)


def read_json(path: pathlib.Path):
    return json.loads(path.read_text()) if path.exists() and path.stat().st_size else None


def run_checks(suite: str, commands, totals: Totals):
    """Each command is a test, which passes if it returns 0."""
    start = time.time()
    failures = []
    for name, *options in commands:
        process = run([ROOT / "scripts" / name, *options])
        if process.returncode:
            print(process.stdout)
            failures.append(" ".join([name, *options]))
    totals.add(suite, len(commands) - len(failures), failures, time.time() - start)


def run_unit_tests(program: pathlib.Path, scratch: pathlib.Path, totals: Totals):
    folder = program.parent.parent.name
    name = program.name if folder == "build" else f"{folder} {program.name}"
    start = time.time()
    report = scratch / f"{name}.json"
    process = run([program, f"--gtest_output=json:{report}", "--gtest_brief=1"])
    result = read_json(report)
    passed, failures = 0, []
    for suite in (result or {}).get("testsuites", []):
        for test in suite["testsuite"]:
            if test.get("failures"):
                failures.append(f"{name}: {suite['name']}.{test['name']}")
            elif test.get("result") == "COMPLETED":
                passed += 1
    if process.returncode and not failures:
        failures.append(f"{name}: ended with status {process.returncode}")
    if failures:
        print(process.stdout)
    totals.add(name, passed, failures, time.time() - start)


def run_lit(build: pathlib.Path, scratch: pathlib.Path, totals: Totals):
    start = time.time()
    report = scratch / "lit.json"
    process = run(["/usr/lib/llvm-22/bin/lit", "-sv", f"--output={report}", build / "test"])
    tests = (read_json(report) or {}).get("tests", [])
    failures = [f"lit: {test['name']}" for test in tests if test["code"] not in ("PASS", "XFAIL")]
    if process.returncode and not failures:
        failures.append(f"lit: ended with status {process.returncode}")
    if failures:
        print(process.stdout)
    totals.add("lit", len(tests) - len(failures) if tests else 0, failures, time.time() - start)


def run_pytest(build: pathlib.Path, scratch: pathlib.Path, totals: Totals):
    start = time.time()
    report = scratch / "pytest.xml"
    environment = dict(os.environ, SHARDWISE_BUILD_DIR=str(build), PYTHONDONTWRITEBYTECODE="1")
    process = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                   f"--junitxml={report}", ROOT / "test"], env=environment, cwd=ROOT)
    cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
    failures = [f"pytest: {case.get('classname')}.{case.get('name')}" for case in cases
                if case.find("failure") is not None or case.find("error") is not None]
    if process.returncode and not failures:
        failures.append(f"pytest: ended with status {process.returncode}")
    if failures:
        print(process.stdout)
    skips = [case.find("skipped") for case in cases if case.find("skipped") is not None]
    for reason, count in collections.Counter(skip.get("message") for skip in skips).items():
        print(f"skipped {count}: {reason}")
    ran = len(cases) - len(skips)
    totals.add("pytest", ran - len(failures) if ran else 0, failures, time.time() - start, len(skips))


def run_conformance(build: pathlib.Path, totals: Totals):
    """Recorded cases; those in known_failures.txt must differ."""
    start = time.time()
    folder = ROOT / "test/conformance"
    process = run([sys.executable, folder / "run.py", "--opt", build / "bin/shardwise-opt",
                   "--known", folder / "known_failures.txt", "--verbose"])
    failures = ["conformance: " + line.split(" ", 1)[1]
                for line in process.stdout.splitlines() if line.startswith("FAIL ")]
    last = process.stdout.splitlines()[-1:] or [""]
    passed = int(last[0].split(" passed")[0]) if " passed, " in last[0] else 0
    if process.returncode and not failures:
        failures.append(f"conformance: ended with status {process.returncode}")
    if failures:
        print(process.stdout)
    totals.add("conformance", passed, failures, time.time() - start)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", default="build")
    parser.add_argument("--unit-tests-of", default=[], nargs="*", metavar="DIR")
    arguments = parser.parse_args()
    build = (ROOT / arguments.build_dir).resolve()
    totals = Totals()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        run_checks("lint", LINTS, totals)
        has_tools = (build / "test/lit.site.cfg.py").exists()
        if has_tools:
            run_checks("docs", [("generate_docs.py", "--check")], totals)
        for folder in [*(ROOT / name for name in arguments.unit_tests_of), build]:
            for program in sorted((folder / "unittests").glob("*Tests")):
                run_unit_tests(program, scratch, totals)
        if has_tools:
            run_lit(build, scratch, totals)
            run_pytest(build, scratch, totals)
            run_conformance(build, totals)
    for failure in totals.failures:
        print(f"FAILED {failure}")
    print(f"{totals.passed} passed, {len(totals.failures)} failed{skipped_text(totals.skipped)}")
    return 1 if totals.failures or not totals.passed else 0


if __name__ == "__main__":
    sys.exit(main())

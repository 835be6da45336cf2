# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small programs, executed on devices and compared with the unpartitioned program: README.md."""

import json

import pytest
from small_cases import CASES


@pytest.mark.parametrize("name", CASES)
def test_program(shardwise, name):
    program, expected, exceeds = CASES[name]
    text = program.text()
    process = shardwise("run", "-", "--json", stdin=text)
    assert process.returncode == 0, process.stderr + text
    report = json.loads(process.stdout)
    assert report["verified"] is True and report["devices"] == program.num_devices(), text
    assert all(output["max_abs_error"] == 0 for output in report["outputs"]), text
    least = program.least_received()
    received = sum(entry["bytes_received_per_device"] for entry in report["collectives"])
    assert received == (least + exceeds if expected is None else expected), (
        f"least {least}, {report['collectives']}\n{text}")
    assert report["forced_gathers"] == [], text

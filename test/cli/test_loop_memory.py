# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--memory-limit: loops hold more where that fits, less where they must."""

import json

import pytest
from conftest import ROOT

ACCUMULATION = ROOT / "benchmarks/partition/texts/accumulation_of_gradients.mlir"


def run(shardwise, *arguments):
    process = shardwise("run", ACCUMULATION, "--json", *arguments)
    assert process.returncode == 0, process.stderr
    report = json.loads(process.stdout)
    assert report["verified"]
    received = sum(entry["bytes_received_per_device"] for entry in report["collectives"])
    return received, report["peak_bytes_per_device"], process.stderr


def test_what_fits_is_carried(shardwise):
    received, peak, _ = run(shardwise)
    generous, more, messages = run(shardwise, "--memory-limit", "1MiB")
    assert generous < received and peak < more <= 1 << 20 and messages == ""
    # What fits exactly fits; a byte less is as much as without the option.
    assert run(shardwise, "--memory-limit", more)[:2] == (generous, more)
    assert run(shardwise, "--memory-limit", more - 1)[1] < more
    assert run(shardwise, "--memory-limit", peak)[:2] == (received, peak)


def test_what_does_not_fit_stays_in_the_loop(shardwise):
    received, peak, _ = run(shardwise)
    tight, less, messages = run(shardwise, "--memory-limit", peak - 1)
    assert less <= peak and tight >= received
    if less >= peak:
        assert "a device needs" in messages


def test_a_limit_out_of_reach_is_said(shardwise):
    for command in ("run", "partition", "explain"):
        process = shardwise(command, ACCUMULATION, "--memory-limit", "1KiB")
        assert process.returncode == 0
        assert "shardwise: warning: a device needs " in process.stderr
        assert "more than the memory limit of 1024" in process.stderr


@pytest.mark.parametrize("text", ["", "0", "-1", "12 MiB", "1MB", "many", "1e30", "nan"])
def test_sizes_that_are_none_are_refused(shardwise, text):
    process = shardwise("partition", ACCUMULATION, f"--memory-limit={text}")
    assert process.returncode == 2
    assert process.stdout == ""

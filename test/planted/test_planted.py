# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes that users make, planted in a training step: `explain` tells each in its first ten lines, and the edit that it advises cures it."""

import json
import pathlib
import re
import subprocess

import pytest
from conftest import JAX_PYTHON, NEEDS_JAX

pytestmark = NEEDS_JAX
HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def steps(tmp_path_factory):
    """Folder with the texts of all steps; JAX runs once."""
    folder = tmp_path_factory.mktemp("planted")
    subprocess.run([JAX_PYTHON, HERE / "steps.py", folder], check=True, timeout=300)
    return folder


def report(shardwise, path, *arguments):
    process = shardwise("explain", path, "--json", *arguments)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def received(explained):
    return sum(transfer["received_bytes"] for transfer in explained["transfers"])


# What the first ten lines say, and which figure of the report the edit makes less, by a factor of at least that.
TOLD = {
    "forgotten_batch": ([r"work: .*groups of 4 devices do the same work: nothing is cut over \{\"data\"\}",
                         r"batch\['labels'\] and batch\['tokens'\] are not sharded over it: shard their dimension 0",
                         r"best change: annotate batch\['\w+'\] with \[\{\"data\"\}, \{\}\], and 1 alike: arithmetic 75 % less"],
                        lambda explained: explained["work"]["flops"], 4),
    "wrong_dimension": ([r"best change: annotate params\['blocks'\]\[0\]\['up'\] with \[\{\}, \{\}\], and \d+ alike: received"],
                        received, 1.05),
    "uneven_vocabulary": ([r"uneven: 50257 does not divide into 2 parts over \{\"tensor\"\} .*make it 50258"],
                          lambda explained: len([note for note in explained["notes"] if note["code"] == "padded"]) + 1, 2),
    "lost_constraint": ([r"work: .*done by 2 devices alike, not cut over \{\"tensor\"\}, most in dot_general steps.py:\d+",
                         r"best change: annotate params\['embed'\] with \[\{\"tensor\"\}, \{\}\], and 5 alike: received .*arithmetic .*memory"],
                        lambda explained: explained["work"]["flops"], 1.2),
    "replicated_optimizer": ([r"best change: annotate [mv]\['blocks'\]\[0\]\['down'\] with \[\{\"tensor\"\}, \{\}\], and \d+ alike: received .*arguments"],
                             lambda explained: explained["memory"]["peak_bytes"], 1.03),
    "embedding": ([r"work: .*done by 2 devices alike, not cut over \{\"tensor\"\}, most in dot_general steps.py:\d+",
                   r"best change: constrain the result of dot_general steps.py:\d+ to \[\{\"data\"\}, \{\}, \{\"tensor\"\}\].*received .*arithmetic"],
                  lambda explained: explained["work"]["flops"], 1.25),
}


@pytest.mark.parametrize("name", TOLD)
def test_the_mistake_is_told_and_the_edit_cures_it(shardwise, steps, name):
    patterns, figure, factor = TOLD[name]
    text = shardwise("explain", "-", "--suggest-seconds", "60", "--width", "100", stdin=(steps / f"{name}.mlir").read_text())
    assert text.returncode == 0, text.stderr
    head = re.sub(r"\s+", " ", " ".join(text.stdout.splitlines()[:10]))
    for pattern in patterns:
        assert re.search(pattern, head), f"{pattern}\nis not in\n" + "\n".join(text.stdout.splitlines()[:14])
    wrong, cured = (report(shardwise, steps / f"{name}{kind}.mlir", "--suggest", "0") for kind in ("", ".cured"))
    assert figure(wrong) >= factor * figure(cured), (figure(wrong), figure(cured))


@pytest.mark.parametrize("name", ["megatron", "sequence", "zero3"])
def test_a_right_recipe_has_no_repeated_work(shardwise, steps, name):
    explained = report(shardwise, steps / f"{name}.mlir", "--suggest", "0")
    assert explained["work"]["text"] == "", explained["work"]["text"]


def test_the_state_of_a_bias_costs_nothing(shardwise, steps):
    """ZeRO-1 that cuts biases too: their axes once went on to all activations (2.5 times the bytes)."""
    wrong, cured = (report(shardwise, steps / f"zero1_bias{kind}.mlir", "--suggest", "0") for kind in ("", ".cured"))
    assert received(wrong) <= 1.01 * received(cured)
    assert wrong["work"]["flops"] <= 1.01 * cured["work"]["flops"]
    # Parameters are gathered after the update: that is meant.
    assert all(conflict["weight_gather"] for conflict in wrong["conflicts"] if conflict["op"] == "return")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every axis of every value of random programs is explained, and every link of the explanation holds.

A chain goes from a value to the annotation; each link names an op whose sharding rule has one
factor in both dimensions, and is earlier than the link before. SHARDWISE_EXPLAIN_PROGRAMS says how
many programs are tried, SHARDWISE_TEST_SEED of which seed.
"""

import json
import math
import os
import re

import pytest
import random_programs

COUNT = int(os.environ.get("SHARDWISE_EXPLAIN_PROGRAMS", "60"))
SEED = int(os.environ.get("SHARDWISE_TEST_SEED", "1"))

AXIS = re.compile(r'"([^"]+)"(?::\((\d+)\)(\d+))?')


def axes_of(sharding):
    """The dimensions of `[{"x", "y":(1)2, ?}, {}]` as lists of (name, pre-size, size)."""
    text = re.match(r"\[(.*?)\](?:, \w+=|$)", sharding).group(1)
    return [[(name, int(pre or 1), int(size or 0)) for name, pre, size in AXIS.findall(dim)]
            for dim in re.findall(r"\{([^}]*)\}", text)]


def mapping_of(rule):
    """Operands and results of a rule, each a list of dimensions, each a list of factors."""
    text = rule[rule.index("("):rule.index("{")]
    sides = text.split("->")
    return [[[re.findall(r"z_\d+|[a-z]", dim) for dim in tensor.split(",")] if tensor else []
             for tensor in re.findall(r"\[([^\]]*)\]", side)] for side in sides]


def tensor_of(rule, role):
    operands, results = mapping_of(rule)
    kind, number = role.split()
    return (operands if kind == "operand" else results)[int(number)]


def check_links(axis, start):
    """Follows a chain from the value `start`, and returns the value it ends at."""
    at, dim, step = start, axis["dimension"], math.inf
    for link in axis["links"]:
        assert link["value"] == at or at.startswith("result ") or link["value"].startswith("result ")
        if link["kind"] == "op":
            assert dim == link["dimension"]
            assert link["factor"] in tensor_of(link["rule"], link["role"])[dim], link
            assert link["factor"] in tensor_of(link["rule"],
                                               link["from_role"])[link["from_dimension"]], link
            assert link["step"] < step, axis
            step = link["step"]
            dim = link["from_dimension"]
        at = link["from"]
    return at


def check_value(value, sizes):
    """Every axis of the value is covered by parts that are explained."""
    for dim, axes in enumerate(axes_of(value["sharding"])):
        for name, pre, size in axes:
            size = size or sizes[name]
            parts = [(axis, AXIS.fullmatch(axis["axis"])) for axis in value["axes"]
                     if axis["dimension"] == dim]
            covered = 1
            for axis, match in parts:
                part_pre, part_size = int(match[2] or 1), int(match[3] or sizes[match[1]])
                if match[1] == name and pre <= part_pre and part_pre * part_size <= pre * size:
                    covered *= part_size
                    check_links(axis, value["name"])
                    assert axis["origin"]["what"], (value, axis)
                    assert f'"{name}"' in axis["origin"]["sharding"], (value, axis)
            assert covered == size, value


@pytest.mark.parametrize("index", range(COUNT))
def test_every_axis_is_explained(shardwise, index):
    program = random_programs.generate(SEED, index)
    process = shardwise("explain", "-", "--all", "--json", stdin=program.text)
    assert process.returncode == 0, f"seed {SEED} index {index}\n{program.text}\n{process.stderr}"
    report = json.loads(process.stdout)
    sizes = {name: int(size) for name, size in re.findall(r'"([^"]+)"=(\d+)', report["mesh"])}
    try:
        for value in report["values"]:
            if value["sharding"]:
                check_value(value, sizes)
        for transfer in report["transfers"]:
            assert transfer["because"], transfer
    except AssertionError as error:
        raise AssertionError(f"seed {SEED} index {index}: {error}\n{program.text}") from error

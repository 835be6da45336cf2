# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Four times as many uses of one value cost about four times as much, not sixteen times.

Processor time of two runs in turn is compared, so other work on the machine hardly matters.
"""

import os
import resource

import pytest

TENSOR = "tensor<8x8xf32>"
MESH = 'sdy.mesh @mesh = <["x"=2, "y"=2]>\n'
SHARDED = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}'


def chain_of_uses(count, used, before=""):
    """`count` additions, each of which uses the value `used`."""
    lines = [MESH + f"func.func @main(%a: {TENSOR} {SHARDED}) -> {TENSOR} {{\n{before}"
             f"  %v0 = stablehlo.negate %a : {TENSOR}"]
    lines += [f"  %v{i + 1} = stablehlo.add %v{i}, {used} : {TENSOR}" for i in range(count)]
    return "\n".join(lines) + f"\n  return %v{count} : {TENSOR}\n}}\n"


def argument(count):
    return chain_of_uses(count, "%a")


def constant(count):
    return chain_of_uses(count, "%k", f"  %k = stablehlo.constant dense<1.0> : {TENSOR}\n")


def constrained(count):
    """As many constraints on a value as other uses, and none that binds it."""
    constraint = f'sdy.sharding_constraint %x <@mesh, [{{"x", ?}}, {{}}]> : {TENSOR}\n'
    return chain_of_uses(count, "%x", f"  %x = stablehlo.abs %a : {TENSOR}\n"
                         + "".join(f"  %c{i} = {constraint}" for i in range(count)))


def grouped(count):
    """All values in one group."""
    text = chain_of_uses(count, "%a")
    members = "".join(f"  sdy.sharding_group %v{i} group_id=0 : {TENSOR}\n" for i in range(count))
    head, tail = text.rsplit("  return", 1)
    return head + members + "  return" + tail


def processor_seconds(shardwise_opt, text):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    process = shardwise_opt("-sdy-propagation-pipeline", "-o", os.devnull, "-", stdin=text)
    assert process.returncode == 0, process.stderr[:2000]
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


@pytest.mark.parametrize("make", [argument, constant, constrained, grouped])
def test_time_grows_with_the_number_of_uses(shardwise_opt, make):
    few, many = make(10_000), make(40_000)
    ratios = []
    for _ in range(3):
        seconds = processor_seconds(shardwise_opt, few)
        ratios.append(processor_seconds(shardwise_opt, many) / max(seconds, 0.01))
        if ratios[-1] < 8:
            return
    pytest.fail(f"four times the uses take {ratios} times as long")

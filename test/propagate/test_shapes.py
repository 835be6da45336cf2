# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with much of one thing go through the pipeline without crash or hang, and arrive sharded.

The benchmark runs them larger and says how time and memory grow.
"""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "propagation"))

from shapes import SHAPES  # noqa: E402  (needs the path above)


@pytest.mark.parametrize("name", SHAPES)
def test_program_is_propagated(shardwise_opt, name):
    make, size = SHAPES[name]
    process = shardwise_opt("-sdy-propagation-pipeline", "-", stdin=make(max(1, size // 8)))
    assert process.returncode == 0, process.stderr[:2000]
    results = next(line for line in process.stdout.splitlines() if "@main(" in line).split("-> ")[1]
    assert "sdy.sharding = #sdy.sharding<@mesh" in results

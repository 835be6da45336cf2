# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every key of `shardwise explain --json` is documented, and has one type."""

import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCUMENTED = set(re.findall(r"`([a-z_]+)`", (ROOT / "docs/explain-json.md").read_text()))
PROGRAMS = ["examples/transformer_train", "examples/rnn_scan", "test/programs/manual_pipeline", "test/programs/experts"]
# Keys are names of axes and of element types there.
FREE = {"axis_links", "flops_per_s"}


def keys(node, types, of=""):
    """Adds the keys below `node` to `types`: {(object, key): kinds of values}."""
    if isinstance(node, list):
        for entry in node:
            keys(entry, types, of)
    elif isinstance(node, dict):
        for key, value in node.items():
            kind = "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__
            types.setdefault((of, key), set()).add(kind)
            if key not in FREE:
                keys(value, types, key)


@pytest.mark.parametrize("arguments", [[], ["--topology", "tpu-v5e"], ["--all", "--suggest", "0"]], ids=" ".join)
def test_every_key_is_documented_and_has_one_type(shardwise, arguments):
    types = {}
    for program in PROGRAMS:
        process = shardwise("explain", ROOT / program / "model.mlir", "--json", *arguments)
        assert process.returncode == 0, process.stderr
        keys(json.loads(process.stdout), types)
    assert {key for _, key in types} - DOCUMENTED == set()
    # What is not known is null.
    kinds = {key: found - {"NoneType"} for key, found in types.items()}
    assert {key: found for key, found in kinds.items() if len(found) > 1} == {}

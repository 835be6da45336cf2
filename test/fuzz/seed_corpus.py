#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes first inputs for a fuzz target: the sdy attributes that stand in the recorded cases.

    seed_corpus.py FuzzCoreText|FuzzAttributes FOLDER
"""

import pathlib
import re
import sys

CASES = pathlib.Path(__file__).resolve().parent.parent / "conformance"
ATTRIBUTE = re.compile(r"#sdy\.?(?:sharding_per_value|sharding|mesh|op_sharding_rule|"
                       r"propagation_edges|)<")
MOST = 400


def attribute_at(text: str, start: int) -> str:
    """The attribute at `start`, to its closing angle bracket."""
    depth = 0
    for end in range(start, len(text)):
        if text[end] == "<":
            depth += 1
        elif text[end] == ">" and text[end - 1] != "-":
            depth -= 1
            if depth == 0:
                return text[start:end + 1]
    return text[start:]


def main() -> int:
    target, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    found = set()
    for folder_name in ("roundtrip", "invalid", "rules"):
        for path in sorted((CASES / folder_name).iterdir()):
            text = path.read_text()
            found |= {attribute_at(text, m.start()) for m in ATTRIBUTE.finditer(text)}
    for number, attribute in enumerate(sorted(found)[::max(1, len(found) // MOST)]):
        if target == "FuzzCoreText":
            # The core reads bodies, without name and brackets; of shardings, without the mesh.
            attribute = attribute[attribute.index("<") + 1:-1]
            attribute = re.sub(r"^@\w+, ", "", attribute)
        else:
            attribute = "\0" + attribute  # choice 0: nothing in front
        (folder / f"seed-{number}").write_text(attribute)
    return 0


if __name__ == "__main__":
    sys.exit(main())

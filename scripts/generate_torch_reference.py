#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/torch-reference.md from the docstrings of `shardwise.torch`. With --check nothing is written: the exit
status tells whether the page is up to date.

    PYTHONPATH=build/python .venv/bin/python scripts/generate_torch_reference.py [--check]
"""

import inspect
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/torch-reference.md"
HEADER = """# Reference of `shardwise.torch`

Made by `scripts/generate_torch_reference.py` from the docstrings; [torch.md](torch.md) is the guide.
"""


def documented(value) -> str:
    """The docstring, its sections as lists."""
    lines, indented = [], False
    for line in (inspect.getdoc(value) or "").splitlines():
        if line in ("Args:", "Returns:", "Raises:", "Attributes:"):
            lines += [f"*{line[:-1]}*", ""]
            indented = True
        elif indented and line.startswith("    "):
            # An entry starts four columns in; what goes on under it has eight.
            lines.append(("  " if line.startswith("        ") else "- ") + line.strip())
        else:
            indented = indented and not line.strip()
            lines.append("    " + line if line.startswith((">>>", "...")) else line)
    return "\n".join(lines).strip()


def entry(name: str, value, level: str) -> list[str]:
    """A heading with the signature, and what the docstring says."""
    try:
        signature = str(inspect.signature(value)).replace("'", "")
    except (TypeError, ValueError):
        signature = ""
    return [f"{level} `{name}{signature}`", "", documented(value), ""]


def section(name: str, value) -> str:
    """What the page says of one name."""
    if not inspect.isclass(value):
        return "\n".join(entry(name, value, "##"))
    parts = [f"## class `{name}`", "", documented(value), ""]
    for member, one in sorted(vars(value).items()):
        if member.startswith("_") or not (inspect.isfunction(one) or isinstance(one, (property, classmethod))):
            continue
        if isinstance(one, property):
            parts += [f"### `{name}.{member}`", "", documented(one), ""]
        elif inspect.getdoc(getattr(value, member)):
            parts += entry(f"{name}.{member}", getattr(value, member), "###")
    return "\n".join(parts)


def sections(module) -> dict[str, str]:
    """The parts of the page by name, in their order."""
    return {name: section(name, getattr(module, name)) for name in sorted(module.__all__, key=str.lower)}


def page(module) -> str:
    """The whole page."""
    return "\n".join([HEADER, *sections(module).values()]).rstrip() + "\n"


def main() -> int:
    import shardwise.torch

    text = page(shardwise.torch)
    if "--check" in sys.argv:
        return int(not PAGE.exists() or PAGE.read_text() != text)
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the page of `shardwise explain --html` for every example, and an index of them.

    scripts/make_gallery.py build/bin/shardwise build/gallery
"""

import argparse
import html
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INDEX = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Explained examples</title>
<body style="font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem">
<h1>Explained examples</h1>
<ul>
{items}
</ul>
</body></html>
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--topology", default="tpu-v5e")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    items = []
    for model in sorted(ROOT.glob("examples/*/model.mlir")):
        name = model.parent.name
        subprocess.run([arguments.tool.resolve(), "explain", model.relative_to(ROOT), "--topology", arguments.topology,
                        "--html", (arguments.folder / f"{name}.html").resolve()], cwd=ROOT, check=True)
        items.append(f'<li><a href="{html.escape(name)}.html">{html.escape(name)}</a></li>')
    (arguments.folder / "index.html").write_text(INDEX.format(items="\n".join(items)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

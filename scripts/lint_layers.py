#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the layers: one folder, one target, one namespace, one list of public headers.

- A source includes only layers that the table in docs/overview.md gives its own layer.
- Of another layer it includes only public headers: those that the layer's CMakeLists.txt lists
  under PUBLIC_HEADERS, which are also what is installed.
- A public header includes only public headers; an installed one finds all that it includes.
- Every file is in the namespace of its layer. It may declare names of another, not define them.
- Layers without MLIR include nothing of it; nor do rooms without it, which know only what ROOMS
  says of their own layer.

Unit tests (`*Test.cpp`, `*Testing.h`, folders `tests`) may also include test/support and, in
ALLOWED_IN_TESTS, more layers. Prints one line per offence, `FILE:LINE: what is wrong`.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "shardwise"
OVERVIEW = ROOT / "docs" / "overview.md"

# What the unit tests of a layer may use besides: the executor is checked against the evaluator,
# tests that load programs register what the driver does, and those of propagation prepare them as
# the pipeline does.
ALLOWED_IN_TESTS = {"execute": {"reference"}, "mpi": {"resharding"},
                    "transforms/propagate": {"dialect/chlo", "dialect/extensions", "transforms"}}

# Layers that must build without LLVM.
NO_MLIR = {"support", "terminal", "core", "propagation", "planner", "runtime", "resharding", "files", "host", "mpi"}

# Folders of a layer that run without MLIR, and what of their own layer they may include.
ROOMS = {"execute/kernels": ("execute/kernels/",),
         "execute/thunks": ("execute/thunks/", "execute/kernels/", "execute/RunLimits.h",
                            "execute/RunTrace.h",
                            "execute/sharing/RankClasses.h",
                            "execute/CollectiveRecord.h")}

# The namespace of a layer is its last folder, but for these: two folders are keywords of C++.
NAMESPACES = {"support": "", "transforms/import": "importer", "transforms/export": "exporter"}

# Argument-dependent look-up finds these functions only in the namespace of the values.
IN_ANOTHER_NAMESPACE = {"dialect/sdy/CoreHash.h": "core"}

# What ends a list of PUBLIC_HEADERS.
KEYWORDS = {"SOURCES", "DEPENDS", "TESTS", "MLIR", ")"}

INCLUDE = re.compile(r'^\s*#include\s+["<]([^">]+)[">]')
NAMESPACE = re.compile(r"^namespace shardwise((?:::\w+)*) \{(.*?)^\}", re.M | re.S)
DECLARATION = re.compile(r"(?:class|struct|enum class) \w+;")


def expand(name):
    """`dialect/{sdy,chlo}` as two names."""
    match = re.fullmatch(r"(.*)\{(.*)\}", name)
    return [match[1] + part for part in match[2].split(",")] if match else [name]


def layers_of_overview():
    """{layer: layers it may include} of the folder map; a layer may include itself."""
    table = OVERVIEW.read_text().split("| folder | uses |", 1)[1].split("\n\n", 1)[0]
    allowed = {}
    for row in table.splitlines()[2:]:
        folders, uses = row.split("|")[1:3]
        names = [layer for use in re.findall(r"[\w/{},]+[\w}]", uses) for layer in expand(use)]
        for folder in expand(folders.strip(" `")):
            allowed[folder] = {folder, *names}
    unknown = {use for uses in allowed.values() for use in uses} - set(allowed)
    if unknown:
        sys.exit(f"lint_layers: docs/overview.md uses {sorted(unknown)}, which are no layers")
    return allowed


ALLOWED = layers_of_overview()


def layer_of(path: str) -> str:
    """Returns the longest layer name that is a prefix of `path` (relative to shardwise/)."""
    parts = path.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        name = "/".join(parts[:length])
        if name in ALLOWED:
            return name
    return ""


def public_headers():
    """The headers that the layers list, relative to shardwise/."""
    headers = set()
    for lists in SOURCES.rglob("CMakeLists.txt"):
        is_listed = False
        for word in re.findall(r"[^\s()]+|[()]", re.sub(r"#.*", "", lists.read_text())):
            if word == "PUBLIC_HEADERS" or word in KEYWORDS:
                is_listed = word == "PUBLIC_HEADERS"
            elif is_listed:
                headers.add((lists.parent / word).relative_to(SOURCES).as_posix())
    return headers


PUBLIC = public_headers()


def is_test(path: str) -> bool:
    parts = path.split("/")
    return "tests" in parts or parts[-1].split(".")[0].endswith(("Test", "Testing"))


def wrong_for_room(relative: str, layer: str, target: str) -> str:
    """What is wrong with an include of `target` in a room; empty if nothing is."""
    room = next((room for room in ROOMS if relative.startswith(f"{room}/")), None)
    if not room or is_test(relative):
        return ""
    if target.startswith(("mlir/", "shardwise/dialect/")):
        return f"{room} runs without MLIR but includes {target}"
    own = target.removeprefix("shardwise/")
    if layer_of(own) == layer and not own.startswith(ROOMS[room]):
        return f"{room} may not include {own}"
    return ""


def namespace_of(layer: str) -> str:
    """`::core`; empty for the namespace `shardwise` itself."""
    name = NAMESPACES.get(layer, layer.split("/")[-1])
    return f"::{name}" if name else ""


def wrong_includes(relative: str, layer: str, lines):
    allowed = ALLOWED[layer] | (ALLOWED_IN_TESTS.get(layer, set()) if is_test(relative) else set())
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match[1]
        if target.startswith(("mlir/", "llvm/")) and layer in NO_MLIR:
            yield number, f"{layer} must build without LLVM but includes {target}"
        if wrong := wrong_for_room(relative, layer, target):
            yield number, wrong
        if target.startswith("test/") and not is_test(relative):
            yield number, f"includes {target}, which is for tests"
        if not target.startswith("shardwise/"):
            continue
        target = target.removeprefix("shardwise/")
        included = layer_of(target)
        if included not in allowed:
            yield number, f"{layer} may not include {included or target}"
        elif target.endswith(".h") and target not in PUBLIC:
            if included != layer:
                yield number, f"{target} is not a public header of {included}"
            elif relative in PUBLIC:
                yield number, f"is a public header, but {target} is not"


def wrong_namespaces(relative: str, layer: str, text: str):
    own = IN_ANOTHER_NAMESPACE.get(relative, namespace_of(layer).strip(":"))
    for match in NAMESPACE.finditer(text):
        if (match[1].split("::") + ["", ""])[1] == own:
            continue
        body = DECLARATION.sub("", match[2])
        if body.strip():
            yield (text.count("\n", 0, match.start()) + 1,
                   f"defines names in shardwise{match[1]}; {layer} is shardwise::{own}")


def offences(source: pathlib.Path):
    relative = source.relative_to(SOURCES).as_posix()
    layer = layer_of(relative)
    if not layer:
        yield 1, f"{relative} belongs to no known layer"
        return
    text = source.read_text()
    yield from wrong_includes(relative, layer, text.splitlines())
    yield from wrong_namespaces(relative, layer, text)


def main() -> int:
    sources = sorted(p for p in SOURCES.rglob("*") if p.suffix in {".h", ".cpp"})
    failed = 0
    for header in sorted(PUBLIC):
        if not (SOURCES / header).exists():
            print(f"{header} is listed as public and does not exist")
            failed += 1
    for source in sources:
        for number, message in offences(source):
            print(f"{source.relative_to(ROOT)}:{number}: {message}")
            failed += 1
    print(f"lint_layers: {len(sources)} files, {len(ALLOWED)} layers, {len(PUBLIC)} public "
          f"headers, {failed} offences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

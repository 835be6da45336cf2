# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documents tell the truth: the output they show is what the tools print, but for times and
rounding errors; commands without shown output run; options exist; links lead somewhere."""

import pathlib
import re
import shlex
import subprocess

import pytest

from conftest import BUILD, ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples/README.md",
             ROOT / "test/programs/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MLP = ROOT / "examples/mlp_train"


def without_measurements(text):
    """The words of a text: errors and times, which differ between machines, replaced, elements
    rounded. Where lines are broken depends on the length of paths."""
    text = re.sub(r"\b\d\.\de-\d\d\b|(?<= )0(?= |$)", "ERROR", text, flags=re.MULTILINE)
    text = re.sub(r"\d+\.\d{3} s", "TIME", text)
    # Printed elements: sums in another order differ in their last digits.
    text = re.sub(r"-?\d+\.\d{5,}", lambda number: f"{float(number[0]):.4f}", text)
    return text.split()


# Indented: `$ build/bin/TOOL ARGUMENTS`, then the output up to the next text that is not indented.
SHOWN = [(document, *block) for document in DOCUMENTS
         for block in re.findall(r"^    \$ (build/bin/.*)\n((?:(?:    .*)?\n)*?)(?=\S|\Z)",
                                 document.read_text(), re.MULTILINE)]
# Indented: `build/bin/TOOL ARGUMENTS  # remark`, without output.
PLAIN = [(document, command.split("  #")[0].strip()) for document in DOCUMENTS
         for command in re.findall(r"^    (build/bin/shardwise .*)$", document.read_text(),
                                   re.MULTILINE)]


@pytest.mark.parametrize("document, command, shown", SHOWN, ids=[block[1][10:28] for block in SHOWN])
def test_shown_output_is_real(document, command, shown):
    words = [str(ROOT / word) if word.startswith("examples/") else word
             for word in shlex.split(command)]
    process = subprocess.run([BUILD / "bin" / pathlib.Path(words[0]).name, *words[1:]], text=True,
                             capture_output=True, timeout=120)
    printed = process.stdout.replace(f"{ROOT}/", "")
    # A line "..." stands for any lines; parts around it must follow in this order.
    parts = [without_measurements(part)
             for part in re.split(r"^    \.\.\.$", shown.rstrip(), flags=re.MULTILINE)]
    if len(parts) == 1:
        assert without_measurements(printed) == parts[0]
        return
    rest = " ".join(without_measurements(printed))
    for part in filter(None, parts):
        _, found, rest = rest.partition(" ".join(part))
        assert found, part


def test_readme_shows_run_explain_and_plan():
    assert [command.split()[1] for document, command, _ in SHOWN
            if document.name == "README.md"] == ["run", "explain", "plan"]


@pytest.fixture
def users_folder(tmp_path):
    """What the commands are about: model.mlir, in/ and out/."""
    (tmp_path / "model.mlir").symlink_to(MLP / "model.mlir")
    (tmp_path / "in").symlink_to(MLP / "inputs")
    (tmp_path / "out").symlink_to(MLP / "outputs")
    (tmp_path / "build").symlink_to(BUILD)
    return tmp_path


@pytest.mark.parametrize("document, command", PLAIN, ids=[command[10:] for _, command in PLAIN])
def test_commands_run(users_folder, document, command):
    process = subprocess.run(["bash", "-c", command], cwd=users_folder, text=True,
                             capture_output=True, timeout=120)
    assert process.returncode == 0, process.stderr
    assert process.stdout


PICTURES = [command for document, command in PLAIN
            if document.parent.name == "concepts" and "--svg" in command]


@pytest.mark.parametrize("command", PICTURES, ids=[command.split()[-1] for command in PICTURES])
def test_pictures_are_what_the_tools_draw(users_folder, command):
    subprocess.run(["bash", "-c", command], cwd=users_folder, check=True, capture_output=True,
                   timeout=120)
    name = command.split("--svg ")[1].split()[0]
    assert (users_folder / name).read_text() == (ROOT / "docs/concepts/pictures" / name).read_text()


def test_there_are_plain_commands():
    assert {command.split()[1] for _, command in PLAIN} >= {
        "run", "eval", "explain", "propagate", "partition"}


def test_options_that_pages_name_exist():
    known = set()
    for command in ["run", "eval", "explain", "propagate", "partition", "plan", "reshard"]:
        text = subprocess.run([BUILD / "bin/shardwise", command, "--help"], text=True,
                              capture_output=True, check=True).stdout
        known |= set(re.findall(r"--[a-z][a-z-]+", text))
    others = {"--install", "--prefix", "--help"}
    for document in (ROOT / "README.md", ROOT / "docs/explain.md", ROOT / "docs/running.md"):
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", document.read_text()))
        assert named <= known | others, document


@pytest.mark.parametrize("document", DOCUMENTS, ids=[str(path.relative_to(ROOT)) for path in DOCUMENTS])
def test_links_lead_somewhere(document):
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text()):
        if ":" not in link:
            assert (document.parent / link).exists() or list(
                document.parent.glob(f"{link}*")), link

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `cmake --install` installs can be found, linked and run by projects that know nothing of this
one: the examples under examples/cpp, built in a temporary folder."""

import shutil
import subprocess

import pytest

from conftest import BUILD, IS_SANITIZED, ROOT


# Who links instrumented libraries has to have the sanitizers, too.
pytestmark = pytest.mark.skipif(IS_SANITIZED, reason="built with a sanitizer")


def run(*command):
    process = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=600)
    assert process.returncode == 0, process.stdout
    return process.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


def build(prefix, tmp_path, name, *options):
    """Builds a copy of the example, so that nothing beside the prefix can be found."""
    source = shutil.copytree(ROOT / "examples/cpp" / name, tmp_path / "source")
    run("cmake", "-S", source, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_BUILD_TYPE=Release", *options)
    run("cmake", "--build", tmp_path / "build")
    return tmp_path / "build" / name


def test_layers_without_mlir(prefix, tmp_path):
    program = build(prefix, tmp_path, "move_arrays", "-DCMAKE_CXX_COMPILER=g++",
                    "-DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON")
    printed = run(program)
    assert "all_to_all" in printed and "as an array: 4 shards" in printed
    assert printed.count("device 0 received 48 bytes") == 2


def test_compiler(prefix, tmp_path):
    program = build(prefix, tmp_path, "partition_program", "-DCMAKE_CXX_COMPILER=clang++-22")
    model = ROOT / "examples/mlp_train/model.mlir"
    assert run(program, model).rstrip() == run(prefix / "bin/shardwise", "partition", model).rstrip()


def test_unknown_component_is_refused(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(P LANGUAGES C CXX)\n"
        "find_package(Shardwise REQUIRED COMPONENTS Nonsense)\n")
    process = subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "build",
                              f"-DCMAKE_PREFIX_PATH={prefix}"], text=True, capture_output=True)
    assert process.returncode != 0 and "Nonsense" in process.stderr


def test_installed_files_name_neither_source_nor_build_folder(prefix):
    for path in (prefix / "lib").rglob("*.cmake"):
        text = path.read_text()
        assert str(ROOT) not in text and str(BUILD) not in text, path

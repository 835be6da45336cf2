# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the command-line tests share: how to call the built tool."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("SHARDWISE_BUILD_DIR", ROOT / "build"))

#: Whether the tools are instrumented: they take other times and more memory then.
IS_SANITIZED = "SHARDWISE_SANITIZER:STRING=\n" not in (BUILD / "CMakeCache.txt").read_text()


def skip_without_package():
    """Skips the test, or the module, that calls it if the build has no Python package."""
    if not list(BUILD.glob("python/shardwise/_core*.so")):
        pytest.skip(f"the Python package is not built: no extension in {BUILD}/python/shardwise", allow_module_level=True)


# A Python that has JAX, or None: SHARDWISE_JAX_PYTHON names one; else the one that runs the tests is taken
# if it has JAX, else .venv-jax, which `make test-export` makes.
VENV_JAX = ROOT / ".venv-jax/bin/python"
JAX_PYTHON = (os.environ.get("SHARDWISE_JAX_PYTHON")
              or (sys.executable if importlib.util.find_spec("jaxlib") else None)
              or (str(VENV_JAX) if VENV_JAX.exists() else None))
NEEDS_JAX = pytest.mark.skipif(
    not JAX_PYTHON, reason="no JAX: make setup-optional installs it, or SHARDWISE_JAX_PYTHON names a Python")

# Only folders with Python tests; the rest of test/ belongs to lit.
collect_ignore_glob = ["lit*.py"]


@pytest.fixture(scope="session")
def examples():
    """Folder with one sub-folder per example program."""
    return ROOT / "examples"


def caller(tool):
    """A function that runs `tool` with arguments and returns the finished process, with text."""

    def call(*arguments, stdin=None):
        return subprocess.run([BUILD / "bin" / tool, *map(str, arguments)], input=stdin, text=True,
                              capture_output=True, timeout=120)

    return call


@pytest.fixture(scope="session")
def shardwise():
    """Calls `shardwise` with arguments; returns the finished process with text output."""
    return caller("shardwise")


@pytest.fixture(scope="session")
def shardwise_opt():
    """The same for `shardwise-opt`."""
    return caller("shardwise-opt")


# Open MPI starts nothing for root, nor more processes than cores, unless told.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


@pytest.fixture(scope="session")
def mpirun():
    """Runs a program of the build in processes; returns the finished mpirun with its output."""
    if not (BUILD / "mpitests" / "ShardwiseMpiTests").exists():
        pytest.skip("built without MPI (`scripts/setup --optional` installs it)")
    program = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if not program:
        pytest.skip("mpirun is not installed (`scripts/setup --optional` installs it)")

    def call(processes, *command, timeout=180, **environment):
        return subprocess.run([program, "-n", str(processes), *map(str, command)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
                              env=dict(os.environ, **ENVIRONMENT, **environment))

    return call

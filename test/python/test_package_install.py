# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package that pip builds works in a fresh virtual environment, far from sources and build folder.

The C++ layers are taken as the build folder has them; SHARDWISE_PIP_FROM_SOURCES=1 compiles all of them
again, as `pip install .` does (`make test-long`).
"""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest

from conftest import BUILD, ROOT
from python_package import MLP

SCRIPT = """
import shardwise
report = shardwise.compile({model!r}).verify()
assert report.verified, report
assert shardwise.plan((6, 6), "f32", '["x"=2]', ("x", None), (None, "x")).received_bytes == 36
try:
    shardwise.compile("module {{ x }}")
except shardwise.ProgramError as error:
    assert error.line == 1
print(shardwise.__file__)
"""


def run(*command, **options):
    process = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=7200, **options)
    assert process.returncode == 0, process.stdout
    return process.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel, built by the installed tools, since the registry may be far away."""
    pytest.importorskip("scikit_build_core")
    folder = tmp_path_factory.mktemp("wheel")
    settings = {"build-dir": folder / "build"}
    if not os.environ.get("SHARDWISE_PIP_FROM_SOURCES"):
        run("cmake", "--install", BUILD, "--prefix", folder / "prefix")
        settings["cmake.define.SHARDWISE_PREBUILT"] = folder / "prefix"
    run(sys.executable, "-m", "pip", "wheel", ROOT, "--no-build-isolation", "--no-deps", "--quiet",
        "--wheel-dir", folder, *(f"--config-settings={key}={value}" for key, value in settings.items()))
    shutil.rmtree(folder / "build", ignore_errors=True)
    made, = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """The interpreter of an environment that has the wheel, and NumPy from where the tests run."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder)
    made = folder / "bin/python"
    run(made, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel)
    site = run(made, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    (pathlib.Path(site) / "numpy_of_the_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return made


def test_it_works(python, tmp_path):
    model = shutil.copy(MLP, tmp_path / "model.mlir")
    where = run(python, "-c", SCRIPT.format(model=str(model)), cwd=tmp_path).strip()
    assert str(ROOT) not in where and str(BUILD) not in where


def test_it_brings_the_tool(python, shardwise, tmp_path):
    for tool in ([python, "-m", "shardwise"], [python.parent / "shardwise"]):
        assert run(*tool, "partition", MLP, cwd=tmp_path) == shardwise("partition", MLP).stdout
        assert subprocess.run([*tool, "nonsense"], capture_output=True).returncode == 2


def test_it_has_types(python, tmp_path):
    folder = pathlib.Path(run(python, "-c", "import shardwise; print(shardwise.__path__[0])",
                              cwd=tmp_path).strip())
    assert {"py.typed", "_core.pyi", "__init__.py"} <= {path.name for path in folder.iterdir()}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel of `make wheel` has all that it needs: it installs and runs in an empty virtual environment, in which
there is no library of LLVM's, {fmt}'s, mimalloc's, or a BLAS of the system's."""

import os
import subprocess
import sys

import pytest

from conftest import ROOT

WHEEL = os.environ.get("SHARDWISE_WHEEL")
pytestmark = pytest.mark.skipif(not WHEEL, reason="SHARDWISE_WHEEL names no wheel; `make wheel` does")
MLP = ROOT / "examples/mlp_train/model.mlir"

SCRIPT = f"""
import shardwise
report = shardwise.compile({str(MLP)!r}).verify()
assert report.verified, report
libraries = sorted({{line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}})
print("\\n".join(libraries))
"""


def run(*command):
    process = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=1200, cwd="/", env={"PATH": "/usr/bin:/bin"})
    assert process.returncode == 0, process.stdout
    return process.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/python", "-m", "pip", "install", "--quiet", WHEEL)
    return folder / "bin/python"


def is_of_every_linux(path):
    """Libraries of the C and C++ run times, which every distribution has."""
    name = path.rsplit("/", 1)[-1]
    return name.startswith(("ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so",
                            "libgcc_s.so", "libstdc++.so", "libutil.so"))


def test_it_uses_its_own_libraries(python):
    libraries = run(python, "-c", SCRIPT).split()
    site = str(python.parent.parent)
    mine = [path for path in libraries if "/lib-dynload/" not in path and not path.startswith(site)]
    # What the interpreter itself loads for its standard library is not ours.
    of_python = set(run(python, "-c", 'import numpy, json, warnings, subprocess\n'
                        'for line in open("/proc/self/maps"):\n    print(line.split()[-1])').split())
    assert [path for path in mine if not is_of_every_linux(path) and path not in of_python] == []
    assert any("libscipy_openblas.so" in path and "scipy_openblas32" in path for path in libraries)


def test_the_tool_needs_nothing_else(python):
    tool = run(python, "-c", "import shardwise; print(shardwise.__path__[0])").strip() + "/bin/shardwise"
    for line in run("ldd", tool).splitlines():
        path = line.split("=>")[-1].split("(")[0].strip()
        assert path.startswith(str(python.parent.parent)) or "vdso" in line or is_of_every_linux(path), line
    assert "verified on 8 devices" in run(python, "-m", "shardwise", "run", MLP)
    assert "verified on 8 devices" in run(python.parent / "shardwise", "run", MLP)

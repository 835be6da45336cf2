# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The notebooks run from the first cell to the last, and show what their text speaks of."""

import os

import pytest
from conftest import BUILD, ROOT
from devices import jax  # noqa: F401  Skips without JAX.

NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="no nbclient; make setup-optional installs it")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel", reason="no ipykernel; make setup-optional installs it")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(BUILD / "python"), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are committed without outputs"
    nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
    shown = [output.get("data", {}) for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("text/html" in data for data in shown) >= 2
    assert any("all_" in data.get("text/plain", "") for data in shown)

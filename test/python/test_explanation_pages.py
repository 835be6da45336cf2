# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of explanations, from Python: those of the tool, in files and in notebooks."""

import html
import pickle
import re

import pytest
from conftest import ROOT
from python_package import shardwise as package

SCAN = ROOT / "examples/rnn_scan/model.mlir"


def test_page_is_that_of_the_tool(shardwise, tmp_path):
    assert shardwise("explain", SCAN, "--html", tmp_path / "tool.html", "--topology", "tpu-v5e").returncode == 0
    explanation = package.explain(SCAN, topology="tpu-v5e")
    explanation.save_html(tmp_path / "python.html")
    assert (tmp_path / "python.html").read_bytes() == (tmp_path / "tool.html").read_bytes()
    assert pickle.loads(pickle.dumps(explanation)).html() == explanation.html()


def test_notebooks_show_the_page_in_a_frame():
    explanation = package.explain(SCAN)
    frame = explanation._repr_html_()
    assert frame.startswith("<iframe ") and 'sandbox="allow-scripts"' in frame
    assert html.unescape(re.search('srcdoc="([^"]*)"', frame).group(1)) == explanation.html()


def test_source_is_read_below_its_root_only(tmp_path):
    (tmp_path / "model.py").write_text("the product of x and w\n")
    text = SCAN.read_text().replace(" : tensor<16x8x8xf32>\n", ' : tensor<16x8x8xf32> loc("model.py":1:1)\n', 1)
    explanation = package.explain(text)
    assert "the product of x and w" not in explanation.html()
    assert ("the product of x and w" in explanation.html(tmp_path)) == ('loc("model.py"' in text)


def test_what_cannot_be_a_page_is_refused(tmp_path):
    explanation = package.explain(SCAN)
    with pytest.raises(OSError):
        explanation.save_html(tmp_path / "none" / "report.html")
    with pytest.raises(TypeError):
        explanation.html(3)
    with pytest.raises(ValueError, match="shardwise.explain"):
        package.Explanation((), "", {}).html()


def test_timeline_is_that_of_the_tool(shardwise, tmp_path):
    assert shardwise("explain", SCAN, "--perfetto", tmp_path / "tool.json", "--topology", "tpu-v5e").returncode == 0
    package.explain(SCAN, topology="tpu-v5e").save_perfetto(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "tool.json").read_bytes()
    with pytest.raises(ValueError, match="topology="):
        package.explain(SCAN).save_perfetto(tmp_path / "none.json")
    assert not (tmp_path / "none.json").exists()
    with pytest.raises(OSError):
        package.explain(SCAN, topology="tpu-v5e").save_perfetto(tmp_path / "none" / "step.json")

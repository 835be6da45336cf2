# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions are exact to a few units in the last place where their terms cancel, by both evaluators."""

import pytest

numpy = pytest.importorskip("numpy")

#: Near the root of digamma, to 40 digits rounded: its value at the double next to the root is that of the rest of the root.
NEAR_ROOT = {1.4616321449683622: -9.241265521729427e-17, 1.534947109566035: 0.06866231638891806, 1.2616321449683624: -0.2136151297202467}


def test_digamma_near_its_root(shardwise, tmp_path):
    count = len(NEAR_ROOT)
    (tmp_path / "model.mlir").write_text(f"""func.func public @main(%x: tensor<{count}xf64>) -> tensor<{count}xf64> {{
  %0 = chlo.digamma %x : tensor<{count}xf64> -> tensor<{count}xf64>
  return %0 : tensor<{count}xf64>
}}""")
    (tmp_path / "in").mkdir()
    numpy.save(tmp_path / "in" / "0.npy", numpy.array(list(NEAR_ROOT)))
    # It is compared with the reference evaluator.
    run = shardwise("run", tmp_path / "model.mlir", "--inputs", tmp_path / "in", "--outputs", tmp_path / "out")
    assert run.returncode == 0, run.stdout + run.stderr
    computed = numpy.load(next((tmp_path / "out").glob("*.npy")))
    numpy.testing.assert_allclose(computed, list(NEAR_ROOT.values()), rtol=1e-14)

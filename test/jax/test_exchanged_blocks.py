# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An all_to_all on CPU devices: blocks are cut out by kernels that are alike, and are those that they should be."""

import re

import numpy
import pytest
from devices import jax, mesh_of, shardwise

import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

DTYPES = ["float32", "bfloat16", "float8_e4m3fn", "complex64", "int8", "uint32", "bool"]


def values(shape, dtype):
    return jnp.asarray(numpy.random.default_rng(0).integers(0, 100, shape)).astype(dtype)


def moved(mesh, before, after, function=lambda x: x):
    return shardwise.jax.jit(function, mesh=mesh, in_shardings=before, out_shardings=after, verify="never")


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_become_columns(dtype):
    x = values((16, 24), dtype)
    result = moved(mesh_of(x=8), P("x"), P(None, "x"))(x)
    assert result.dtype == x.dtype and result.sharding.spec == P(None, "x")
    assert (numpy.asarray(result) == numpy.asarray(x)).all()


@pytest.mark.parametrize("before, after", [
    (P("x", None, "y"), P(None, "x", "y")), (P("y"), P(None, None, "y")), (P(None, ("x", "y")), P(("x", "y")))])
def test_other_dimensions_and_groups(before, after):
    x = values((8, 16, 32), "float32")
    assert (moved(mesh_of(x=4, y=2), before, after, lambda x: x * 2)(x) == x * 2).all()


def test_slices_are_of_one_kernel():
    """XLA has a computation for each slice, and all of them are alike: the offset is an operand."""
    text = moved(mesh_of(x=8), P("x"), P(None, "x"), jnp.tanh).lower(values((16, 24), "float32")).text("xla")
    slices = re.findall(r"= (\S+) (slice|dynamic-slice)\((.*?)\), (\S+sizes=\S+|slice=.*)", text)
    assert len(slices) == 8
    assert {(shape, op, sizes.rstrip(",")) for shape, op, _, sizes in slices} == {
        ("f32[2,3]{1,0}", "dynamic-slice", "dynamic_slice_sizes={2,3}")}
    assert len(re.findall(r" all-to-all\(", text)) == 1


def test_inside_of_a_loop():
    mesh = mesh_of(x=8)
    on = {spec: jax.sharding.NamedSharding(mesh, spec) for spec in (P("x"), P(None, "x"))}

    def there_and_back(x):
        def body(_, x):
            x = jnp.cumsum(jax.lax.with_sharding_constraint(x, on[P(None, "x")]), 0)
            return jnp.cumsum(jax.lax.with_sharding_constraint(x, on[P("x")]), 1) % 7
        return jax.lax.fori_loop(0, 3, body, x)

    x = values((16, 24), "int32")
    step = moved(mesh, P("x"), P("x"), there_and_back)
    assert "all-to-all(" in step.text(x, stage="xla")
    assert (step(x) == jax.jit(there_and_back)(x)).all()


def test_files_for_others_have_the_op_itself(tmp_path):
    pytest.importorskip("flatbuffers", reason="JAX writes exported programs with it")
    x = values((16, 24), "float32")
    moved(mesh_of(x=8), P("x"), P(None, "x")).export(tmp_path / "moved.bin", x)
    exported = jax.export.deserialize((tmp_path / "moved.bin").read_bytes())
    assert "stablehlo.all_to_all" in exported.mlir_module() and "mhlo.all_to_all" not in exported.mlir_module()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails, with the name of what is missing, when a new version of JAX no longer has what shardwise.jax uses.

All of that is in `shardwise/jax/_xla.py` and `_xla_cpu.py` and in the calls of public functions below. If this test fails, adapt these;
the other tests then say whether values are right.
"""

import inspect

import numpy
import pytest
from devices import MESH, jax, shardwise

from jax.sharding import NamedSharding, PartitionSpec as P
from shardwise.jax import _xla

NEW = "this version of JAX ({}) is new: ".format(jax.__version__)


def test_the_version_is_one_that_was_tested():
    assert jax.__version__.rsplit(".", 1)[0] in shardwise.jax.TESTED_VERSIONS, \
        NEW + "run test/jax, adapt shardwise/jax/_xla.py, then add it to TESTED"


@pytest.mark.parametrize("owner, name", [
    (jax, "shard_map"), (jax, "typeof"), (jax.core, "eval_context"), (jax, "set_mesh"),
    (jax.tree, "broadcast"), (jax.extend.core if hasattr(jax, "extend") else None, "Primitive"),
    (_xla.mlir, "register_lowering"), (_xla.mlir, "merge_mlir_modules"), (_xla.ad, "primitive_jvps"),
    (_xla.batching, "primitive_batchers"), (jax.sharding, "AbstractMesh"), (jax.sharding, "AxisType"),
    (jax.sharding, "get_abstract_mesh"), (jax.dtypes, "prng_key"), (jax.random, "wrap_key_data"),
])
def test_it_has(owner, name):
    assert hasattr(owner, name), NEW + f"{getattr(owner, '__name__', owner)}.{name} is gone"


def test_shard_map_takes_the_arguments_that_we_give():
    names = set(inspect.signature(jax.shard_map).parameters)
    assert {"mesh", "in_specs", "out_specs", "check_vma"} <= names, NEW + f"shard_map takes {names}"


def test_what_is_read_of_a_traced_function():
    traced = jax.jit(lambda x: x @ x, in_shardings=NamedSharding(MESH, P("data")), donate_argnums=0,
                     keep_unused=True).trace(jax.ShapeDtypeStruct((8, 8), numpy.float32))
    lowered = traced.lower(lowering_platforms=("cpu",))
    text = lowered.as_text(debug_info=True)
    for expected in ('sdy.mesh @mesh = <["data"=4, "model"=2]>', '#sdy.sharding<@mesh, [{"data"}, {}]>',
                     "stablehlo.dot_general", "jax.buffer_donor = true", "jax.result_info", __file__.rsplit("/", 1)[1]):
        assert expected in text, NEW + f"its text has no {expected}:\n{text}"
    assert [info.donated for info in jax.tree.leaves(lowered.args_info)] == [True], NEW + "args_info changed"
    assert len(traced.jaxpr.in_avals) == len(traced.jaxpr.out_avals) == 1, NEW + "traced.jaxpr changed"
    assert _xla.place_of(next(_xla.equations(traced.jaxpr))).split(":")[0] == __file__, NEW + "source_info changed"


def test_the_program_is_one_call_in_a_manual_computation():
    text = "module { func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> } }"
    call = lambda x: _xla.call_on_each_device(  # noqa: E731
        text, (((2,), numpy.dtype("float32"), False),), MESH, (P("data"),), (P("data"),), [x])
    outer = jax.jit(call).lower(numpy.ones(8, "float32")).as_text()
    assert "sdy.manual_computation" in outer and "call @shardwise_local" in outer, NEW + f"it lowers to\n{outer}"
    assert (jax.jit(call)(numpy.arange(8.0, dtype="float32")) == numpy.arange(8)).all()


def test_other_versions_are_named():
    with pytest.warns(shardwise.ShardwiseWarning, match="tested with JAX 0.10.x, found 0.11.2"):
        _xla.check_version("0.11.2")

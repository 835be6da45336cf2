# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that depends on the version of JAX: a primitive whose lowering inlines a per-device program, and
what is read of traced functions. A new version of JAX breaks here, in `_xla_cpu.py`, and in `test/jax/test_versions.py`.

The program goes into the body of a `jax.shard_map`. The outer lowering is then one manual computation
over all axes with one call in it, which XLA's partitioner leaves alone.
"""

from __future__ import annotations

import contextlib
import pathlib
import warnings
from collections.abc import Iterator
from typing import Any

import jax
import numpy
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func

from ..errors import ShardwiseWarning, UnsupportedError
from ._xla_cpu import cut_blocks_by_calls

#: The versions that the tests ran with: major and minor.
TESTED = ("0.10",)

_HOST_CALLS = ("callback", "debug_print", "infeed", "outfeed")
_JAX_FOLDER = str(pathlib.Path(jax.__file__).parent)


def check_version(version: str = jax.__version__) -> None:
    """Warns of a version that the tests did not run with; refuses one that lacks `jax.shard_map`."""
    minor = ".".join(version.split(".")[:2])
    if minor in TESTED:
        return
    tested = ", ".join(f"{one}.x" for one in TESTED)
    if not hasattr(jax, "shard_map"):
        raise ImportError(f"shardwise.jax needs JAX {tested}, found {version}; "
                          f"pip install 'jax=={TESTED[-1]}.*'")
    warnings.warn(f"shardwise.jax is tested with JAX {tested}, found {version}; if something fails, "
                  f"pip install 'jax=={TESTED[-1]}.*'", ShardwiseWarning, stacklevel=3)


# The primitive. `text` is the program, `types` shape, dtype and weak type of its results.
_local_program = Primitive("shardwise_local")
_local_program.multiple_results = True


@_local_program.def_abstract_eval
def _(*_operands, text, types):
    return [jax.core.ShapedArray(shape, dtype, weak_type=weak_type) for shape, dtype, weak_type in types]


def _inline(context, *operands, text, types):
    outer = context.module_context
    with outer.context:
        module = ir.Module.parse(text)
        # Files for others have StableHLO only.
        if tuple(outer.platforms) == ("cpu",) and not outer.lowering_parameters.for_export:
            cut_blocks_by_calls(module)
    results = ir.SymbolTable(module.operation)["main"].type.results
    name = mlir.merge_mlir_modules(outer.module, "shardwise_local", module,
                                   dst_symtab=outer.symbol_table)
    # XLA puts the name of a call before those of the ops in it, which have the user's already.
    with ir.Location.unknown(outer.context):
        return list(func.CallOp(list(results), ir.FlatSymbolRefAttr.get(name), list(operands)).results)


# A value as it is, with a weak type.
_weak = Primitive("shardwise_weak")
_weak.def_abstract_eval(lambda value: value.update(weak_type=True))
mlir.register_lowering(_weak, lambda _, value: [value])


def _refuse_derivative(*_args, **_params):
    raise UnsupportedError(
        "a function of shardwise.jax.jit cannot be differentiated from outside: its per-device program "
        "has no derivative; take the gradient inside of it, as in a training step, or pass "
        "differentiable=True, for first derivatives in reverse mode")


def _refuse_batching(*_args, **_params):
    raise UnsupportedError("a function of shardwise.jax.jit cannot be batched from outside; put jax.vmap "
                           "inside of it")


mlir.register_lowering(_local_program, _inline)
ad.primitive_jvps[_local_program] = _refuse_derivative
batching.primitive_batchers[_local_program] = _refuse_batching


def call_on_each_device(text: str, types: tuple, mesh: Any, in_specs: tuple, out_specs: tuple,
                        operands: list) -> tuple:
    """Binds the per-device program `text` (form xla-shard-map) over all axes of `mesh`.

    Args:
        types: Local shape and dtype of each result, and whether its type is weak.
        in_specs: A `PartitionSpec` for each operand.
        out_specs: One for each result.
        operands: Arrays or tracers of the whole values.
    """
    # XLA makes constants of operands without elements, and then fails where a body has no others: they are made inside.
    filled = [i for i, one in enumerate(operands) if numpy.size(one)]
    shardings = [NamedSharding(mesh, spec) for spec in in_specs]

    def body(*shards):
        local = [None] * len(operands)
        for i, shard in zip(filled, shards):
            local[i] = shard
        return tuple(_local_program.bind(*[_nothing(whole, sharding) if one is None else one for one, whole, sharding
                                           in zip(local, operands, shardings)], text=text, types=types))

    call = jax.shard_map(body, mesh=mesh, in_specs=tuple(in_specs[i] for i in filled), out_specs=out_specs,
                         check_vma=False)
    return call(*[_typed_as(operands[i], shardings[i]) for i in filled])


def _nothing(whole: Any, sharding: NamedSharding) -> Any:
    """The part that a device has of an array without elements."""
    return jax.numpy.zeros(sharding.shard_shape(numpy.shape(whole)), jax.typeof(whole).dtype)


def outside_of_traces() -> contextlib.AbstractContextManager[None]:
    """Where calls run as if nothing were traced. Under `jax.ensure_compile_time_eval` they do, too, but what they trace in
    turn is evaluated where it depends on no argument, and a `jax.lax.axis_index` cannot be."""
    return jax.core.eval_context()


@jax.jit
def weakly_typed(array: Any) -> Any:
    """`array` with the weak type of what Python's numbers gave: it gives way to the type of what it meets. JAX has no
    public function for it."""
    return _weak.bind(array)


def explicit_sharding(aval: Any) -> Any:
    """The sharding in the type of a value, where its mesh has explicit axes; else None."""
    sharding = getattr(aval, "sharding", None)
    return None if sharding is None or not _is_explicit(sharding.mesh) else sharding


def _is_explicit(mesh: Any) -> bool:
    return not mesh.empty and jax.sharding.AxisType.Explicit in mesh.axis_types


def _typed_as(operand: Any, sharding: NamedSharding) -> Any:
    """An operand with `sharding` in its type, where its mesh has explicit axes: there `jax.shard_map` wants the
    type to be that of `in_specs`. An array of the host has the type of a whole value without a mesh, though
    `in_shardings` cut it on its way in, so that this moves nothing."""
    if not _is_explicit(sharding.mesh) or jax.typeof(operand).sharding.spec == sharding.spec:
        return operand
    return jax.sharding.reshard(operand, sharding)


def equations(jaxpr: Any) -> Iterator[Any]:
    """All equations of a jaxpr, with those of the jaxprs in their parameters."""
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    for equation in jaxpr.eqns:
        yield equation
        for value in equation.params.values():
            for one in value if isinstance(value, (tuple, list)) else (value,):
                if hasattr(getattr(one, "jaxpr", one), "eqns"):
                    yield from equations(one)


def place_of(equation: Any) -> str:
    """`model.py:12`, the user's line that an equation comes from; empty if it is not known."""
    traceback = getattr(equation.source_info, "traceback", None)
    for frame in traceback.frames if traceback else ():
        if not frame.file_name.startswith((_JAX_FOLDER, "<")):
            return f"{frame.file_name}:{frame.line_num}"
    return ""


def mesh_in(jaxpr: Any) -> Any:
    """A mesh with devices that a jaxpr names in a constraint or a shard_map; None if there is none."""
    for equation in equations(jaxpr):
        for key in ("sharding", "mesh", "dst_sharding"):
            value = equation.params.get(key)
            mesh = getattr(value, "mesh", value)
            if isinstance(mesh, jax.sharding.Mesh) and not mesh.empty:
                return mesh
    return None


def refuse_host_calls(jaxpr: Any) -> None:
    """Raises for the first call of the host: it would run once for each device.

    Raises:
        UnsupportedError: With the user's line.
    """
    for equation in equations(jaxpr):
        name = equation.primitive.name
        if any(word in name for word in _HOST_CALLS):
            place = place_of(equation)
            raise UnsupportedError(
                f"{place + ': ' if place else ''}{name} calls the host from inside of the program, and "
                "a per-device program would call it once for each device; return the value and print "
                "it outside, remove the call, or pass fallback=\"xla\"")


def is_key(aval: Any) -> bool:
    """Whether values of this type are keys of random generators."""
    return jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key)


def keys_of(data: Any, dtype: Any) -> Any:
    """Keys of the type `dtype` with these bits."""
    return jax.random.wrap_key_data(data, impl=dtype._impl.name)


def says_uneven(error: Exception) -> bool:
    """Whether JAX complains of a sharding that does not divide; its exception has no public name."""
    return type(error).__name__ == "IndivisibleError"

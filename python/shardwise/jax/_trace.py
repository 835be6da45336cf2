# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a JAX function to a program: it is traced and lowered by JAX, with its shardings as annotations."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec

from .. import _check
from .._warn import warn_user
from ..errors import InputTypeError, InvalidError
from . import _xla
from ._uneven import even_part

_MUCH_CLOSED_OVER = 16 << 20

#: A pytree of NamedSharding, PartitionSpec and None.
Shardings = Any


@dataclasses.dataclass(frozen=True)
class Options:
    """Those of `jax.jit` that say what arguments and results are."""

    in_shardings: Shardings
    out_shardings: Shardings
    static_argnums: tuple[int, ...]
    static_argnames: tuple[str, ...]
    donate_argnums: tuple[int, ...]
    donate_argnames: tuple[str, ...]

    def for_jit(self, **changes: Any) -> dict[str, Any]:
        """Keyword arguments of `jax.jit`; None and () stand for its defaults."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {key: value for key, value in (fields | changes).items() if value is not None and value != ()}

    def without_static(self, args: tuple, kwargs: Mapping[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """The arguments with None, which has no leaves, for static ones."""
        if not self.static_argnums and not self.static_argnames:
            return args, dict(kwargs)
        return self._split(args, kwargs, lambda value, is_static: None if is_static else value)

    def mapped(self, args: tuple, kwargs: Mapping[str, Any], leaves: list) -> tuple[tuple, dict[str, Any]]:
        """The arguments with `leaves` for the leaves of those that are not static."""
        tree = jax.tree.structure(self.without_static(args, kwargs))
        new_args, new_kwargs = jax.tree.unflatten(tree, leaves)
        static_args, static_kwargs = self._split(args, kwargs,
                                                 lambda value, is_static: value if is_static else None)
        numbers = self.static_positions(len(args))
        return (tuple(old if i in numbers else new
                      for i, (old, new) in enumerate(zip(static_args, new_args))),
                {key: static_kwargs[key] if key in self.static_argnames else new_kwargs[key]
                 for key in kwargs})

    def static_values(self, args: tuple, kwargs: Mapping[str, Any]) -> tuple:
        """The static arguments, hashable, as `jax.jit` asks for, with their types: 1, 1.0 and True are equal."""
        numbers = self.static_positions(len(args))
        return (tuple((type(one), one) for i, one in enumerate(args) if i in numbers),
                tuple((key, type(kwargs[key]), kwargs[key]) for key in self.static_argnames if key in kwargs))

    def dynamic(self, args: tuple) -> tuple:
        """The arguments that are not static, for which `in_shardings` are."""
        numbers = self.static_positions(len(args))
        return tuple(one for i, one in enumerate(args) if i not in numbers)

    def static_positions(self, count: int) -> set[int]:
        """Positions of static arguments among `count`."""
        return {number % count for number in self.static_argnums if -count <= number < count}

    def _split(self, args: tuple, kwargs: Mapping[str, Any], choose: Callable) -> tuple[tuple, dict]:
        numbers = self.static_positions(len(args))
        return (tuple(choose(value, i in numbers) for i, value in enumerate(args)),
                {key: choose(value, key in self.static_argnames) for key, value in kwargs.items()})


def options_of(fun: Callable, mesh: Any, *, in_shardings: Shardings, out_shardings: Shardings,
               static_argnums: Any, static_argnames: Any, donate_argnums: Any,
               donate_argnames: Any) -> Options:
    """Checks and completes what `shardwise.jax.jit` was given.

    Raises:
        InputTypeError: A value of another type than `jax.jit` takes.
        InvalidError: A `PartitionSpec` without a mesh that it could be over.
    """
    if mesh is not None and not isinstance(mesh, (Mesh, AbstractMesh)):
        raise InputTypeError(f"mesh must be a jax.sharding.Mesh or AbstractMesh, got {mesh!r}")
    numbers, names = _numbers_and_names(fun, static_argnums, static_argnames, "static")
    donated, donated_names = _numbers_and_names(fun, donate_argnums, donate_argnames, "donate")
    return Options(over_mesh(in_shardings, mesh), over_mesh(out_shardings, mesh), numbers, names, donated,
                   donated_names)


def over_mesh(shardings: Shardings, mesh: Any) -> Shardings:
    """`shardings` with those that are specs on `mesh`; without a mesh `jax.set_mesh` has to give one."""
    if mesh is None or shardings is None:
        return shardings
    return jax.tree.map(lambda leaf: NamedSharding(mesh, leaf) if isinstance(leaf, PartitionSpec) else leaf,
                        shardings, is_leaf=lambda leaf: leaf is None or isinstance(leaf, PartitionSpec))


def _numbers_and_names(fun: Callable, numbers: Any, names: Any, what: str) -> tuple:
    """Positions and names of the same arguments, one from the other where only one is given, as JAX
    does it."""
    numbers = _each(numbers, int, f"{what}_argnums")
    names = _each(names, str, f"{what}_argnames")
    if bool(numbers) == bool(names):
        return numbers, names
    try:
        parameters = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):  # Built-in functions may have no signature.
        return numbers, names
    positional = [one.name for one in parameters
                  if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    if names:
        return tuple(i for i, name in enumerate(positional) if name in names), names
    by_name = [one.name for one in parameters if one.kind == one.POSITIONAL_OR_KEYWORD]
    return numbers, tuple(positional[i] for i in numbers
                          if -len(positional) <= i < len(positional) and positional[i] in by_name)


def _each(value: Any, kind: type, what: str) -> tuple:
    if value is None:
        return ()
    given = (value,) if isinstance(value, (int, str)) else _check.sequence(value, what)
    if kind is int:
        return tuple(_check.integer(one, f"each of {what}") for one in given)
    return tuple(_check.string(one, f"each of {what}") for one in given)


class Constraints:
    """What is asked of leaves of arguments and results inside of the function.

    Attributes:
        closed_results: Shardings of results that must be so, by number.
        padded_results: Numbers of results that may have padding.
    """

    def __init__(self, given: list, out_shardings: Shardings, uneven: str):
        self._given = given
        self._out_shardings = out_shardings
        self._uneven = uneven
        self.closed_results: dict[int, NamedSharding] = {}
        self.padded_results: set[int] = set()

    def constrained(self, fun: Callable, options: Options) -> Callable:
        """`fun` with the constraints; itself if there are none."""
        if self._uneven == "error" and not self.closed_results:
            return fun

        @functools.wraps(fun)
        def constrained(*args, **kwargs):
            if self._uneven != "error":
                leaves = jax.tree.leaves(options.without_static(args, kwargs))
                leaves = [leaf if one is None else jax.lax.with_sharding_constraint(leaf, one)
                          for leaf, one in zip(leaves, self._given)]
                args, kwargs = options.mapped(args, kwargs, leaves)
            results = fun(*args, **kwargs)
            leaves, tree = jax.tree.flatten(results)
            if self._uneven != "error" and self._out_shardings is not None:
                given = jax.tree.broadcast(self._out_shardings, results, is_leaf=lambda leaf: leaf is None)
                asked = jax.tree.leaves(given, is_leaf=lambda leaf: leaf is None)
                leaves = [self._result(i, *pair) for i, pair in enumerate(zip(leaves, asked))]
            for number, sharding in self.closed_results.items():
                leaves[number] = jax.lax.with_sharding_constraint(leaves[number], sharding)
            return jax.tree.unflatten(tree, leaves)

        return constrained

    def _result(self, number: int, leaf: Any, asked: Any) -> Any:
        if asked is None:
            return leaf
        leaf = jax.lax.with_sharding_constraint(leaf, asked)
        even = even_part(asked, leaf.shape)
        if even is asked:
            return leaf
        if self._uneven == "pad":
            self.padded_results.add(number)
            return leaf
        return jax.lax.with_sharding_constraint(leaf, even)


@dataclasses.dataclass(frozen=True)
class Traced:
    """A function, traced and lowered for its global arguments.

    Attributes:
        name: What complaints call it: `jit(step)`.
        text: The program, with the user's lines as locations.
        out_tree: Structure of its results.
        in_avals: Types of the leaves of its arguments.
        out_avals: Types of its results.
        donated: Which of the leaves of its arguments are donated.
        mesh: A mesh that the function itself names, or None.
        lowered: What JAX made of it.
    """

    name: str
    text: str
    out_tree: Any
    in_avals: tuple
    out_avals: tuple
    donated: tuple[bool, ...]
    mesh: Any
    lowered: Any = dataclasses.field(repr=False)


def trace(fun: Callable, options: Options, args: tuple, kwargs: Mapping[str, Any], platform: str) -> Traced:
    """Traces and lowers `fun` for arguments with `jax.ShapeDtypeStruct` leaves, for a platform.

    Raises:
        UnsupportedError: It calls the host.
    """
    # Unused arguments stay, or positions would shift.
    traced = jax.jit(fun, keep_unused=True, **options.for_jit()).trace(*args, **kwargs)
    jaxpr = traced.jaxpr
    _xla.refuse_host_calls(jaxpr)
    _warn_of_constants(fun, jaxpr.consts)
    lowered = traced.lower(lowering_platforms=(platform,))
    donated = tuple(info.donated for info in jax.tree.leaves(lowered.args_info))
    name = getattr(fun, "__name__", type(fun).__name__)
    return Traced(f"jit({name})", lowered.as_text(debug_info=True), lowered.out_tree,
                  tuple(jaxpr.in_avals), tuple(jaxpr.out_avals), donated, _xla.mesh_in(jaxpr), lowered)


def _warn_of_constants(fun: Callable, constants: Iterable[Any]) -> None:
    """Arrays that a function closes over are written into its program as numbers."""
    sizes = [(getattr(one, "nbytes", 0), str(jax.typeof(one))) for one in constants]
    total = sum(size for size, _ in sizes)
    if total > _MUCH_CLOSED_OVER:
        size, what = max(sizes)
        name = getattr(fun, "__name__", "the function")
        warn_user(f"{name} closes over {total:,} bytes of arrays, the largest {what} with {size:,}: they become part "
                  "of the program, which takes time and memory on every device; pass them as arguments")


def mesh_of(mesh: Any, shardings: Sequence[Any], traced: Traced) -> Any:
    """The mesh of a function: the one that was given, that of a sharding, that it names, or of
    `jax.set_mesh`.

    Raises:
        InvalidError: There is none, or some of other numbers of devices.
    """
    found = [mesh, *(one.mesh for one in shardings if isinstance(one, NamedSharding)), traced.mesh,
             jax.sharding.get_abstract_mesh()]
    named = [one for one in found if one is not None and not one.empty]
    if named:
        chosen = next((one for one in named if isinstance(one, Mesh)), named[0])
        for one in shardings:
            if isinstance(one, NamedSharding) and not one.mesh.empty and one.mesh.size != chosen.size:
                raise InvalidError(f"{traced.name} is on {chosen}, of {chosen.size} devices, and an argument or result is on "
                                   f"{one.mesh}, of {one.mesh.size}; all are on the same devices: move the array with "
                                   "jax.device_put, or pass the mesh that it is on as mesh=")
        return chosen
    raise InvalidError(f"{traced.name} has no mesh: neither mesh= nor a sharding of an argument or result "
                       "nor a constraint names one; pass mesh=jax.make_mesh(...)")

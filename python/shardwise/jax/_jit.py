# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise.jax.jit`: `jax.jit` with our partitioner in place of XLA's.

A call goes to an ordinary `jax.jit` of a function that, while it is traced, traces and lowers the user's
function, has it partitioned, and calls the per-device program. So the second call is as fast as
`jax.jit`'s, and donation, caches and asynchronous results are JAX's own. There is one such `jax.jit` for
each combination of argument shardings that decide the program: JAX does not trace again for these.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import threading
import types
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy
from jax.sharding import AbstractMesh, Mesh, NamedSharding

from .. import _check
from .._warn import warn_user
from ..errors import InputTypeError, InvalidError, ProgramError, UnsupportedError
from ..plans import topology_name
from . import _uneven, _verify, _xla
from ._differentiable import DifferentiableFunction, shardings_of
from ._donated import check_donation
from ._local import LocalEngine, key_of
from ._looking import Lowered, Report
from ._mpi import MpiEngine
from ._program import LocalProgram, partition
from ._trace import Constraints, Options, mesh_of, options_of, trace

ENGINES = ("xla", "local", "mpi")

_sharding_of = operator.attrgetter("sharding")
# XLA for CPUs stops all devices for ever if too many calls wait for each other.
_CPU_CALLS_IN_FLIGHT = 16


class _Call(threading.local):
    """The call that a thread is in, for the trace that it may cause: `jax.jit` calls the function that it
    traces with tracers only, and donated arguments are gone behind the call."""

    arguments: tuple | None = None
    ready: LocalProgram | None = None
    check: Callable[[Any], None] | None = None


class JitFunction:
    """What `shardwise.jax.jit` returns. Call it as the function."""

    def __init__(self, fun: Callable, options: Options, mesh: Any, engine: str, topology: str,
                 memory_limit: int | None, uneven: str, fallback: str, verify: _verify.Policy,
                 max_in_flight: int | None, jit_options: dict):
        functools.update_wrapper(self, fun)
        self._fun = fun
        self._options = options
        self._mesh = mesh
        self._engine = engine
        self._executor = _executor(engine, topology, memory_limit, verify)
        self._topology = topology
        self._memory_limit = memory_limit
        self._uneven = uneven
        self._fallback = fallback
        self._verify = verify
        self._max_in_flight = max_in_flight
        self._jit_options = jit_options
        self._checks: dict[tuple, Callable] = {}
        self._calls = 0
        self._donates = bool(options.donate_argnums or options.donate_argnames)
        self._block_every = max_in_flight or 0
        self._engine_used = ""
        self._out_valid_shapes = None
        self._result_shardings: dict[tuple, tuple] = {}
        self._call = _Call()
        self._by_shardings: dict[tuple, Callable] = {}
        self._last: tuple[tuple, Callable | None] = ((), None)
        # Where all arguments have a sharding, theirs do not matter.
        is_complete = uneven == "error" and _are_complete(options.in_shardings)
        self._only = self._jitted(None, options) if is_complete else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if jax.config.jax_disable_jit:
            return self._fun(*args, **kwargs)
        jitted = self._only or self._jitted_for(args, kwargs)
        by_executor = self._executor is not None and not _has_tracers((args, kwargs))
        if self._donates and not by_executor:
            check_donation(getattr(self, "__name__", "the function"), args, kwargs, self._options)
        call = self._call
        call.arguments = (args, kwargs)
        try:
            if by_executor:
                return self._run_by_executor(args, kwargs)
            if self._checks:
                self._prepare_check(jitted, args, kwargs)
            results = jitted(*args, **kwargs)
            # Under a transformation of the caller, results of arrays are tracers, too.
            if call.check is not None and not _has_tracers(results):
                call.check(results)
        except ValueError as error:
            if _xla.says_uneven(error):
                self._check_even(args, kwargs)
            raise
        finally:
            call.arguments = call.check = None
        if self._block_every:
            self._calls += 1
            if self._calls % self._block_every == 0 and not _has_tracers(results):
                jax.block_until_ready(results)
        return results

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<shardwise.jax.jit of {getattr(self, '__name__', self._fun)!r}>"

    @property
    def engine_used(self) -> str:
        """Who ran the last program: `shardwise`: XLA, partitioned by us; `xla`: XLA alone, by `fallback="xla"`;
        `local` and `mpi`: our executor. Empty before a call."""
        return self._engine_used

    @property
    def out_valid_shapes(self) -> Any:
        """Shapes of the results of the last program without padding, in a pytree like the results; None before
        a call. For `unpad`, where `uneven="pad"`."""
        return self._out_valid_shapes

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Traces and partitions the function for arguments, and returns what there is to see of it.

        Args:
            args: Arrays, or `jax.ShapeDtypeStruct`s, of which `sharding` counts as that of an array does.
            kwargs: Likewise.

        Raises:
            ProgramError: The program is refused; the place is a line of the user.
        """
        leaves = jax.tree.leaves(self._options.without_static(args, kwargs))
        known = tuple(one if _decides(one) else None for one in map(_known_sharding, leaves))
        program = self._partitioned(args, kwargs, leaves, known)
        jitted = self._only or self._jitted_for(args, kwargs)

        def for_xla(make: Callable) -> Any:
            self._call.ready = program
            try:
                return make(jitted)(*args, **kwargs)
            finally:
                self._call.ready = None

        return Lowered(program, for_xla, self._topology, self._memory_limit)

    def _topology_on(self, mesh: Any) -> str:
        """The machine that decides what is cheapest: that of the caller; else, of devices that are known here, theirs."""
        runs_on_cpus = self._engine == "xla" and isinstance(mesh, Mesh) and _platform(mesh) == "cpu"
        return self._topology or ("xla-cpu" if runs_on_cpus else "")

    def text(self, *args: Any, stage: str = "partitioned", **kwargs: Any) -> str:
        """`lower(*args, **kwargs).text(stage)`."""
        return self.lower(*args, **kwargs).text(stage)

    def explain(self, *args: Any, **kwargs: Any) -> Report:
        """`lower(*args, **kwargs).explain()`."""
        return self.lower(*args, **kwargs).explain()

    def export(self, path: Any, *args: Any, **kwargs: Any) -> None:
        """`lower(*args, **kwargs).export(path)`."""
        self.lower(*args, **kwargs).export(path)

    def result_shardings(self, *args: Any, **kwargs: Any) -> tuple:
        """How the leaves of the results lie that a call with such arguments gave."""
        return self._result_shardings[self._signature(self._only or self._jitted_for(args, kwargs), args, kwargs)]

    def clear_cache(self) -> None:
        """Forgets all programs."""
        for jitted in [*self._by_shardings.values(), *([self._only] if self._only else [])]:
            jitted.clear_cache()

    # Calls.

    def _jitted_for(self, args: tuple, kwargs: Mapping[str, Any]) -> Callable:
        """The `jax.jit` for the shardings that the arguments have."""
        leaves = jax.tree.leaves(self._options.without_static(args, kwargs)
                                 if self._options.static_argnums or self._options.static_argnames
                                 else (args, kwargs))
        try:
            key = tuple(map(_sharding_of, leaves))
        except Exception:  # Tracers and plain numbers have none; what JAX raises varies.
            key = tuple(map(_known_sharding, leaves))
        if self._uneven != "error":
            key += tuple(numpy.shape(leaf) for leaf in leaves)
        last_key, last = self._last
        if key == last_key and last is not None:
            return last
        known = tuple(one if _decides(one) else None for one in key[:len(leaves)])
        own = (known, key[len(leaves):])
        if own not in self._by_shardings:
            self._by_shardings[own] = self._jitted(known, self._border_options(args, kwargs))
        self._last = (key, self._by_shardings[own])
        return self._last[1]

    def _border_options(self, args: tuple, kwargs: Mapping[str, Any]) -> Options:
        """Those of the `jax.jit` that is called: without what is uneven, where that is allowed."""
        if self._uneven == "error" or self._options.in_shardings is None:
            return self._options if self._uneven == "error" else dataclasses.replace(self._options, out_shardings=None)
        dynamic = self._options.dynamic(args)
        even = [_uneven.even_part(one, numpy.shape(leaf))
                for one, leaf in zip(self.given_shardings(args, kwargs), jax.tree.leaves(dynamic))]
        return dataclasses.replace(self._options, out_shardings=None,
                                   in_shardings=jax.tree.unflatten(jax.tree.structure(dynamic), even))

    def _jitted(self, known: tuple | None, options: Options) -> Callable:
        """A `jax.jit` for arguments with shardings `known`, None where they decide nothing."""
        @functools.wraps(self._fun)
        def call_program(*args, **kwargs):
            leaves = jax.tree.leaves(self._options.without_static(args, kwargs))
            program = self._call.ready or self._program(args, kwargs, leaves, known)
            if program is None:
                return self._fun(*args, **kwargs)
            self._note(program)
            return jax.tree.unflatten(program.traced.out_tree, program.bind(leaves))

        return jax.jit(call_program, **options.for_jit(), **self._jit_options)

    def _run_by_executor(self, args: tuple, kwargs: Mapping[str, Any]) -> Any:
        """A call by our own executor."""
        leaves, tree = jax.tree.flatten(self._options.without_static(args, kwargs))
        known = None
        if not self._only:
            # Where a sharding is given, that of the argument does not matter: the state that a loop begins with on the
            # host and what it goes on with are one program.
            given = self.given_shardings(args, kwargs)
            known = tuple(one if said is None and _decides(one) else None
                          for one, said in zip(map(_known_sharding, leaves), given, strict=True))
        self._engine_used = self._engine
        key = key_of(leaves, tree, self._options.static_values(args, kwargs), known)
        results = self._executor.call(
            key, lambda: self._with_noted_results(self._partitioned(args, kwargs, leaves, known), args, kwargs), leaves)
        self._out_valid_shapes = jax.tree.map(numpy.shape, results)
        return results

    def _with_noted_results(self, program: LocalProgram, args: tuple, kwargs: Mapping[str, Any]) -> LocalProgram:
        """`program`, of a call with such arguments. Later ones do not come by here: JAX has the program then."""
        key = self._signature(self._only or self._jitted_for(args, kwargs), args, kwargs)
        self._result_shardings[key] = shardings_of(program)
        return program

    def _note(self, program: LocalProgram) -> None:
        """Takes note of a program that is going to run, and has its results compared if that is asked for.

        Raises:
            InvalidError: It has no devices to run on.
        """
        args, kwargs = self._call.arguments or ((), {})
        has_tracers = self._call.arguments is None or _has_tracers((args, kwargs))
        if isinstance(self._mesh, AbstractMesh) and not has_tracers:
            raise InvalidError(f"{program.traced.name} is on a mesh without devices: it can be looked at, with lower "
                               "or explain, but not called; pass a jax.sharding.Mesh to call it")
        self._engine_used = "shardwise"
        if self._call.arguments is not None:
            self._with_noted_results(program, args, kwargs)
        self._out_valid_shapes = jax.tree.unflatten(program.traced.out_tree,
                                                    [one.shape for one in program.traced.out_avals])
        if self._max_in_flight is None and isinstance(program.mesh, Mesh):
            on_cpu = program.mesh.devices.flat[0].platform == "cpu"
            self._block_every = _CPU_CALLS_IN_FLIGHT if on_cpu else 0
        if has_tracers or not self._verify.is_due(jax.tree.leaves((args, kwargs))):
            return
        with _xla.outside_of_traces():
            self._call.check = self._checker(program, args, kwargs)
        if self._verify.when == "always":
            key = self._signature(self._only or self._jitted_for(args, kwargs), args, kwargs)
            self._checks[key] = functools.partial(self._checker, program)

    def _prepare_check(self, jitted: Callable, args: tuple, kwargs: Mapping[str, Any]) -> None:
        """For `verify="always"`: has the results of a program that is known compared."""
        make_check = None if _has_tracers((args, kwargs)) else self._checks.get(self._signature(jitted, args, kwargs))
        if make_check:
            self._call.check = make_check(args, kwargs)

    def _signature(self, jitted: Callable, args: tuple, kwargs: Mapping[str, Any]) -> tuple:
        """What decides the program of a call."""
        leaves, tree = jax.tree.flatten(self._options.without_static(args, kwargs))
        return jitted, key_of(leaves, tree, self._options.static_values(args, kwargs), None)

    def _checker(self, program: LocalProgram, args: tuple, kwargs: Mapping[str, Any]) -> Callable[[Any], None] | None:
        """What compares results with `jax.jit`'s, on the same devices; None, with a warning, if XLA cannot run the
        function as it partitions it. Arguments may be donated, so its results are computed at once, also those for
        disturbed arguments if these are needed: nothing is left then."""
        out_avals = program.traced.out_avals
        shardings = [None if _xla.is_key(aval) else NamedSharding(program.mesh, one.even_spec(program.mesh))
                     for one, aval in zip(program.results, out_avals)]
        options = dataclasses.replace(self._border_options(args, kwargs), donate_argnums=(), donate_argnames=(),
                                      out_shardings=jax.tree.unflatten(program.traced.out_tree, shardings))
        reference = jax.jit(self._fun, **options.for_jit())
        # On CPUs two programs in flight may wait for each other's threads for ever.
        try:
            expected = jax.block_until_ready(reference(*args, **kwargs))
        except jax.errors.JaxRuntimeError as error:
            warn_user(f"results of {program.traced.name} are not compared with jax.jit's, which fails with these "
                      f"shardings: {str(error).splitlines()[0]}")
            return None
        leaves = jax.tree.leaves(self._options.without_static(args, kwargs))
        kept = [jax.numpy.copy(leaf) if donated and isinstance(leaf, jax.Array) else leaf
                for leaf, donated in zip(leaves, program.traced.donated)]

        def disturbed(disturb: Callable[[Any], Any]) -> Any:
            new_args, new_kwargs = self._options.mapped(args, kwargs, [disturb(leaf) for leaf in kept])
            return reference(*new_args, **new_kwargs)

        names = [one.name for one in program.results]

        def check(results: Any) -> None:
            whole = [_uneven.unpad(leaf, aval.shape) for leaf, aval in zip(jax.tree.leaves(results), out_avals)]
            _verify.compare_or_decide(program, kept, names, whole, expected, disturbed)

        return check

    # Programs.

    def _program(self, args: tuple, kwargs: Mapping, leaves: list, known: tuple | None) -> LocalProgram | None:
        """The program for arguments; None if XLA has to partition it."""
        try:
            return self._partitioned(args, kwargs, leaves, known)
        except (UnsupportedError, ProgramError) as error:
            if self._fallback != "xla":
                raise
            warn_user(f"XLA partitions {getattr(self, '__name__', self._fun)}, because shardwise cannot: {error}")
            self._engine_used = "xla"
            return None

    def _partitioned(self, args: tuple, kwargs: Mapping, leaves: list, known: tuple | None) -> LocalProgram:
        avals = [leaf if isinstance(leaf, jax.ShapeDtypeStruct) else jax.typeof(leaf) for leaf in leaves]
        given = self.given_shardings(args, kwargs)
        border = Constraints(given, self._options.out_shardings, self._uneven)
        # In the type of a value where its mesh has explicit axes; of the array where nothing else is said.
        shardings = [_xla.explicit_sharding(aval) or (None if one is not None else seen)
                     for aval, one, seen in zip(avals, given, known or [None] * len(avals))]
        options = self._options if self._uneven == "error" else dataclasses.replace(
            self._options, in_shardings=None, out_shardings=None)
        if self._uneven != "error":
            shardings = [one or _uneven.even_part(own, aval.shape)
                         for one, own, aval in zip(shardings, given, avals)]
        for _ in range(3):
            shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=sharding,
                                           weak_type=getattr(aval, "weak_type", False))
                      for aval, sharding in zip(avals, shardings)]
            shape_args, shape_kwargs = self._options.mapped(args, kwargs, shapes)
            traced = trace(border.constrained(self._fun, self._options), options, shape_args, shape_kwargs,
                           _platform(self._mesh))
            out = jax.tree.leaves(self._options.out_shardings)
            mesh = mesh_of(self._mesh, [*given, *shardings, *out], traced)
            program = partition(traced, mesh, self._topology_on(mesh), self._memory_limit)
            uneven = [i for i, one in enumerate(program.arguments) if not one.is_even(program.mesh)]
            uneven_results = [i for i, one in enumerate(program.results)
                              if not one.is_even(program.mesh) and i not in border.padded_results]
            if not uneven and not uneven_results:
                return program
            # An array of JAX is cut evenly, or not. Where propagation cut it unevenly it stays whole.
            for i in uneven:
                shardings[i] = NamedSharding(program.mesh, program.arguments[i].even_spec(program.mesh))
            for i in uneven_results:
                border.closed_results[i] = NamedSharding(program.mesh, program.results[i].even_spec(program.mesh))
        raise UnsupportedError(f"{traced.name}: an argument or result is cut by axes that do not divide it, "
                               "whatever is asked for; give it a sharding")

    def given_shardings(self, args: tuple, kwargs: Mapping[str, Any]) -> list:
        """What `in_shardings` says of each leaf of the arguments.

        Raises:
            InvalidError: It does not fit them.
        """
        if self._options.in_shardings is None:
            return [None] * len(jax.tree.leaves(self._options.without_static(args, kwargs)))
        name = getattr(self, "__name__", "the function")
        by_name = [key for key, value in self._options.without_static(args, kwargs)[1].items() if jax.tree.leaves(value)]
        if by_name:
            raise InvalidError(f"{name} has in_shardings, which are for arguments by position, as those of jax.jit, and "
                               f"got {', '.join(by_name)} by name; pass them by position, or put the arrays on the mesh "
                               "with jax.device_put and leave in_shardings out")
        dynamic = self._options.dynamic(args)
        try:
            given = jax.tree.broadcast(self._options.in_shardings, dynamic, is_leaf=_is_none)
        except ValueError as error:
            difference = str(error).splitlines()[-1]
            raise InvalidError(f"in_shardings of {name} do not fit its {len(dynamic)} arguments; they are one sharding, or a "
                               f"pytree that goes as deep as it likes into a tuple of them: {difference}") from None
        return jax.tree.leaves(given, is_leaf=_is_none)

    def _check_even(self, args: tuple, kwargs: Mapping[str, Any]) -> None:
        """Names the argument or result that JAX says is not cut evenly."""
        name = getattr(self, "__name__", "the function")
        _uneven.check_leaves(f"argument of {name}, ", self._options.dynamic(args),
                             self.given_shardings(args, kwargs))
        results = jax.eval_shape(self._fun, *args, **kwargs)
        given = jax.tree.broadcast(self._options.out_shardings, results, is_leaf=_is_none)
        _uneven.check_leaves(f"result of {name}", results, jax.tree.leaves(given, is_leaf=_is_none))


def jit(fun: Callable | None = None, *, mesh: Any = None, in_shardings: Any = None, out_shardings: Any = None,
        static_argnums: Any = None, static_argnames: Any = None, donate_argnums: Any = None,
        donate_argnames: Any = None, keep_unused: bool = False, compiler_options: dict | None = None,
        engine: str = "xla", topology: Any = None, memory_limit: int | None = None, uneven: str = "error",
        fallback: str = "error", verify: str = "first", verify_bytes: int = 256 << 20,
        max_in_flight: int | None = None, differentiable: bool = False) -> Any:
    """Compiles a function as `jax.jit` does, partitioned by Shardwise and run by XLA.

    Args:
        fun: A function that `jax.jit` would take. Left out, a decorator is returned.
        mesh: The mesh of shardings that are a `PartitionSpec`, and of what is not annotated; found in
            shardings, constraints or `jax.set_mesh` if it is left out. Without devices (`AbstractMesh`)
            the function can be looked at, not called.
        in_shardings: As of `jax.jit`: `NamedSharding` or `PartitionSpec`, or pytrees of them. What is None
            is as the array is, and decided by propagation if that says nothing.
        out_shardings: Likewise, of results.
        static_argnums: As of `jax.jit`.
        static_argnames: As of `jax.jit`.
        donate_argnums: As of `jax.jit`.
        donate_argnames: As of `jax.jit`.
        keep_unused: As of `jax.jit`.
        compiler_options: As of `jax.jit`.
        engine: Who runs the program: `xla`, or `local`, our own executor with threads for devices; the mesh may
            then be an `AbstractMesh`; or `mpi`, the same with the devices dealt out to the processes of `mpirun`, each
            of which runs the same Python program. Inside of an outer `jax.jit` it is always `xla`.
        topology: As of `shardwise.compile`: the machine that decides what is cheapest. By default `xla-cpu` for CPU devices
            that XLA runs on, as a received byte costs little there beside work; else `default`: fewest bytes.
        memory_limit: As of `shardwise.compile`.
        uneven: What happens at the border to a dimension that its axes do not divide: `error`, `replicate`:
            it is whole there, and results are gathered, or `pad`: results have padding, see `unpad`, but none by
            the engines `local` and `mpi`.
        fallback: What happens to a program that Shardwise cannot partition: `error`, or `xla`: it is
            XLA's to partition, and a warning says why. With `engine="xla"` only.
        verify: Whether results are compared: in the `first` call of a program, `always`, or `never`. With engine
            `xla` it is with those of `jax.jit`, with `local` and `mpi` with the function on one device, by Shardwise's
            evaluators; over several processes of the latter arguments are compared in every call, too.
        verify_bytes: Programs whose arguments are larger are not verified.
        max_in_flight: After how many calls one waits for the results; 0 for never. By default 16 on CPUs,
            where XLA needs it, else 0.
        differentiable: Whether the function can be differentiated from outside (`jax.grad(step)`): its pull-back is
            partitioned, too. Better, and the default, is to take gradients inside.

    Returns:
        A `JitFunction`, to be called as `fun`; results are arrays of JAX.

    Raises:
        InputTypeError: An argument is of another type.
        InvalidError: There is no such policy or topology.
    """
    if fun is None:
        return functools.partial(jit, **{key: value for key, value in locals().items() if key != "fun"})
    if not callable(fun):
        raise InputTypeError(f"jit takes a function, got {fun!r}")
    options = options_of(fun, mesh, in_shardings=in_shardings, out_shardings=out_shardings,
                         static_argnums=static_argnums, static_argnames=static_argnames,
                         donate_argnums=donate_argnums, donate_argnames=donate_argnames)
    policy = _verify.Policy(_check.one_of(verify, "verify", ("first", "always", "never")),
                            _check.integer(verify_bytes, "verify_bytes", 0))
    common = {
        "mesh": mesh, "engine": _check.one_of(engine, "engine", ENGINES), "topology": topology_name(topology),
        "memory_limit": _check.optional_integer(memory_limit, "memory_limit", 1),
        "uneven": _check.one_of(uneven, "uneven", _uneven.POLICIES),
        "fallback": _check.one_of(fallback, "fallback", ("error", "xla")), "verify": policy,
        "max_in_flight": _check.optional_integer(max_in_flight, "max_in_flight", 0),
        "jit_options": {"keep_unused": bool(keep_unused), "compiler_options": compiler_options}}
    if fallback == "xla" and engine != "xla":
        raise InvalidError('fallback="xla" leaves to XLA what Shardwise cannot partition, but XLA runs nothing with '
                           f'engine="{engine}"; leave it out, or pass engine="xla"')
    function = JitFunction(fun, options, **common)
    if not differentiable:
        return function

    def make(fun: Callable, in_shardings: Any, out_shardings: Any, verify: str = policy.when) -> JitFunction:
        changed = common | {"verify": dataclasses.replace(policy, when=verify)}
        return JitFunction(fun, Options(in_shardings, out_shardings, (), (), (), ()), **changed)

    return DifferentiableFunction(fun, options, function, make)


def _executor(engine: str, topology: str, memory_limit: int | None, verify: _verify.Policy) -> LocalEngine | None:
    """Who runs programs, if that is not XLA."""
    if engine == "xla":
        return None
    return {"local": LocalEngine, "mpi": MpiEngine}[engine](topology, memory_limit, verify)


def _is_none(leaf: Any) -> bool:
    return leaf is None


def _are_complete(in_shardings: Any) -> bool:
    """Whether every argument has a sharding of its own."""
    return in_shardings is not None and all(
        leaf is not None for leaf in jax.tree.leaves(in_shardings, is_leaf=_is_none))


def _has_tracers(values: Any) -> bool:
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(values))


def _known_sharding(leaf: Any) -> Any:
    return None if isinstance(leaf, jax.core.Tracer) else getattr(leaf, "sharding", None)


def _decides(sharding: Any) -> bool:
    """Whether the sharding of an array is an annotation: those on a single device are not."""
    return isinstance(sharding, NamedSharding)


def _platform(mesh: Any) -> str:
    return mesh.devices.flat[0].platform if isinstance(mesh, Mesh) else jax.default_backend()


def explain(fun: Callable, *args: Any, mesh: Any = None, options: Mapping[str, Any] | None = None,
            **kwargs: Any) -> Report:
    """Tells of a function what `shardwise.explain` tells of a program. Nothing runs; no devices are needed.

    Args:
        fun: A function, or what `shardwise.jax.jit` returns.
        args: Arrays or `jax.ShapeDtypeStruct`s, with their shardings.
        mesh: As of `jit`; may be a `jax.sharding.AbstractMesh`.
        options: Of `jit`, if `fun` is a function: `in_shardings` and the like.
        kwargs: Arguments by name.

    Raises:
        InvalidError: `mesh` or `options` for a function that has its own.
    """
    if isinstance(fun, JitFunction):
        if mesh is not None or options:
            raise InvalidError("a function of shardwise.jax.jit has its mesh and its options; leave them out")
        return fun.explain(*args, **kwargs)
    return jit(fun, mesh=mesh, **(options or {})).explain(*args, **kwargs)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`engine="local"`: Shardwise's own executor runs the program, each device as a thread of this process.

XLA compiles nothing then. It is quick to start, and slower after that: to try a mesh of more devices than there are, or to
tell a mistake of XLA's from one of ours.
"""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy
from jax.sharding import Mesh, NamedSharding

from .. import _core
from .._arrays import from_core, to_core
from ..errors import InvalidError, ShardwiseWarning, UnsupportedError, VerificationError
from ..programs import Program, Value
from ..programs import compile as compile_program
from . import _xla
from ._kept import Kept, KeptResults
from ._program import Border, LocalProgram, with_mesh
from ._verify import Policy


class Step:
    """A program that was compiled for our executor.

    Attributes:
        local: What JAX knows of it.
        program: What the executor runs.
        is_compared: Whether its results were, once.
    """

    def __init__(self, local: LocalProgram, choices: dict[str, Any]):
        self.local = local
        self.program = compile_program(with_mesh(local.traced.text, local.user_mesh), name=local.traced.name, **choices)
        self.is_compared = False

    @property
    def loaded(self) -> _core.LoadedProgram:
        return self.program._loaded

    @functools.cached_property
    def places(self) -> list[Place]:
        return [Place(value, border, self.local.mesh) for value, border in zip(self.program.outputs, self.local.results)]


class Place:
    """Where a result is as an array of JAX: on the devices of the mesh, if it has these, else on one.

    Attributes:
        sharding: None for one device.
        is_spread: Whether its devices are those of several processes of JAX.
        devices: Which of the executor's devices in this process holds the part with this index; None unless these
            parts are the shards of the array.
    """

    def __init__(self, value: Value, border: Border, mesh: Any):
        self.shape = border.shape
        self.sharding = NamedSharding(mesh, border.even_spec(mesh)) if isinstance(mesh, Mesh) else None
        self.is_spread = is_spread(mesh)
        self.devices = None
        if self.sharding is None or value.sharding.unreduced:
            return
        own, by_device = _boxes(value), self.sharding.devices_indices_map(self.shape)
        theirs = [_box(by_device[device], self.shape) for device in mesh.devices.flat]
        # What all have alike is there as a whole.
        if len(set(theirs)) > 1 and [own.get(device) for device in range(len(theirs))] == theirs:
            self.devices = {theirs[number]: number for number in _own_devices(mesh).values()}

    def array_of(self, data: _core.DeviceArray, alone: bool) -> Any:
        """The array of JAX. Memory is shared where JAX can take it as it is."""
        if self.devices is not None and (alone or self.is_spread):
            return jax.make_array_from_callback(
                self.shape, self.sharding, lambda index: from_core(data.shard(self.devices[_box(index, self.shape)])))
        whole = from_core(data.gather(alone))
        if self.is_spread:
            return jax.make_array_from_callback(self.shape, self.sharding, lambda index: whole[index])
        return jax.numpy.asarray(whole) if self.sharding is None else jax.device_put(whole, self.sharding)


@dataclasses.dataclass(frozen=True)
class Shards:
    """An argument of which each process has parts.

    Attributes:
        data: What each device of this process has.
    """

    data: dict[int, Any]


def is_spread(mesh: Any) -> bool:
    """Whether a mesh has devices of several processes of JAX."""
    return isinstance(mesh, Mesh) and mesh.is_multi_process


def _own_devices(mesh: Any) -> dict[Any, int]:
    """The devices of this process, with their places in the mesh."""
    return {device: number for number, device in enumerate(mesh.devices.flat)
            if device.process_index == jax.process_index()}


def _box(index: tuple[slice, ...], shape: tuple[int, ...]) -> tuple:
    return tuple(one.indices(size)[:2] for one, size in zip(index, shape))


def _boxes(value: Value) -> dict[int, tuple]:
    """What each of the executor's devices has of a value."""
    return {device: _box(index, value.shape)
            for device, index in value.sharding.indices(value.mesh, value.shape).items()}


class LocalEngine:
    """Programs that were compiled for our executor, by what their arguments are."""

    #: Whether all devices are this process'.
    alone = True

    def __init__(self, topology: str, memory_limit: int | None, verify: Policy):
        self._choices = {"topology": topology or None, "memory_limit": memory_limit}
        self._verify = verify
        self._steps: dict[Any, Step] = {}
        self._results = KeptResults()

    def call(self, key: Any, partition: Callable[[], LocalProgram], leaves: list) -> Any:
        """Runs the program for arguments of the kind `key` on the leaves of these.

        Returns:
            Arrays of JAX on the devices of the mesh, if it has these, else on one.

        Raises:
            VerificationError: Results are compared, and are not those of the function.
        """
        if key not in self._steps:
            local = partition()
            if is_spread(local.user_mesh):
                self._check_spread(local.user_mesh)
            self._steps[key] = Step(local, self._choices)
        step = self._steps[key]
        arguments = self._arguments(step, leaves)
        results, _, _ = _core.run_on_devices(step.loaded, arguments, self.alone)
        if self._verify.is_due(leaves) and (self._verify.when == "always" or not step.is_compared):
            _compare(step, arguments, results, self.alone)
            step.is_compared = True
        for leaf, is_donated in zip(leaves, step.local.traced.donated):
            if is_donated and isinstance(leaf, jax.Array) and not leaf.is_deleted():
                self._results.forget(leaf)
                leaf.delete()
        return jax.tree.unflatten(step.local.traced.out_tree, [
            self._returned(*one) for one in zip(results, step.places, step.local.traced.out_avals)])

    def _check_spread(self, mesh: Any) -> None:
        """Refuses a mesh over several processes of JAX.

        Raises:
            UnsupportedError: Always: this engine has one process.
        """
        raise UnsupportedError('engine="local" has all devices in this process, and the mesh has devices of others, as '
                               'jax.distributed gives them; pass engine="mpi" or "xla", or a mesh of jax.local_devices()')

    def _arguments(self, step: Step, leaves: list) -> list[_core.DeviceArray]:
        """The arguments on the devices: there already, or cut."""
        given: list[Any] = [self._results.find(leaf) or _given(leaf, aval, value, border.name, step.local)
                            for leaf, aval, value, border in zip(leaves, step.local.traced.in_avals, step.program.inputs,
                                                                 step.local.arguments)]
        self._check(step, given)
        return [self._placed(step.loaded, i, one) for i, one in enumerate(given)]

    def _placed(self, loaded: _core.LoadedProgram, number: int, given: Any) -> _core.DeviceArray:
        if isinstance(given, Shards):
            return _core.place_shards(loaded, number, given.data)
        place = _core.replace if isinstance(given, Kept) else _core.place
        return place(loaded, number, given.data if isinstance(given, Kept) else given, self.alone)

    def _check(self, step: Step, given: list) -> None:
        """Looks at arguments before they are placed: `Kept`, `Shards`, or as `to_core` gives them."""

    def _returned(self, data: _core.DeviceArray, place: Place, aval: Any) -> Any:
        array = place.array_of(data, self.alone)
        if _xla.is_key(aval):
            return _xla.keys_of(array, aval.dtype)
        if aval.weak_type:
            array = _xla.weakly_typed(array)
        self._results.add(array, data)
        return array


def _given(leaf: Any, aval: Any, value: Value, name: str, local: LocalProgram) -> Any:
    """An argument as it is placed."""
    if isinstance(leaf, jax.Array) and not (leaf.is_fully_addressable or leaf.is_fully_replicated):
        return _shards_of(leaf, value, f"{local.traced.name}: argument {name}", local.mesh)
    return _host(leaf, aval, value, name)


def _shards_of(array: Any, value: Value, name: str, mesh: Any) -> Shards:
    """The parts of an array over several processes.

    Raises:
        InvalidError: They are not those that the program takes.
    """
    wanted = _boxes(value)
    numbers = _own_devices(mesh) if is_spread(mesh) else {}
    if not all(wanted[numbers[shard.device]] == _box(shard.index, array.shape) if shard.device in numbers else False
               for shard in array.addressable_shards):
        raise InvalidError(f"{name} is an array over several processes that lies as {array.sharding}, and the program "
                           f"takes it as {value.sharding} on {mesh}; each process has its own part alone, so pass "
                           "in_shardings= as the array lies, or move it before, with jax.device_put")
    return Shards({numbers[shard.device]: to_core(numpy.asarray(shard.data), value.dtype, name)
                   for shard in array.addressable_shards})


def _host(leaf: Any, aval: Any, value: Value, name: str) -> Any:
    array = numpy.asarray(jax.random.key_data(leaf)) if _xla.is_key(aval) else numpy.asarray(leaf, aval.dtype)
    return to_core(array, value.dtype, f"argument {name}")


def _compare(step: Step, arguments: list, results: list, alone: bool) -> None:
    """Compares results with those of the program as it was written.

    Raises:
        VerificationError: One is farther off than roundings explain.
    """
    name = step.local.traced.name
    is_compared, is_wrong, failures = _core.compare(step.loaded, arguments, results, alone)
    if is_wrong:
        where = f":\n{failures}" if failures else ", as the first process says. "
        raise VerificationError(
            f"{name}: results differ from those of the function on one device by more than roundings explain{where}"
            "If the program is meant to depend on the order of sums, pass verify=\"never\"; else this is a mistake of "
            "shardwise's: please report it with the output of .text(stage=\"global\")")
    if not is_compared:
        warnings.warn(f"the results of {name} are not compared: its shard_map leaves that to the reference evaluator, "
                      "which would take more than a minute; pass verify=\"never\" if that is as it should be",
                      ShardwiseWarning, stacklevel=2)


def key_of(leaves: list, tree: Any, static: tuple, known: tuple | None) -> Any:
    """What decides the program: structure, types, shardings and static arguments."""
    types = tuple((one.shape, one.dtype, one.weak_type) for one in map(jax.typeof, leaves))
    return tree, types, known, static

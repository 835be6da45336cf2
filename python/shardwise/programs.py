# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs: compiled for a mesh, run on virtual devices, verified."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from . import _check, _core
from ._arrays import from_core, numpy_dtype, to_core
from ._sources import ProgramSource, choices_of, load, warn
from .errors import InputTypeError, InvalidError
from .shardings import Mesh, Sharding

__all__ = [
    "Collective", "FORMS", "Program", "Report", "RunResult", "Shard", "Value", "compile", "partition",
    "propagate",
]

#: Names of the forms that per-device programs are printed in; the first is the default.
FORMS: tuple[str, ...] = tuple(_core.forms())

@dataclasses.dataclass(frozen=True)
class Value:
    """An argument or a result of a program, and how it lies on the devices.

    Attributes:
        name: Its path in the user's program, where the exporter recorded one; else empty.
        dtype: Element type, as in StableHLO: `f32`, `bf16`, `i1`.
        shape: Shape of the whole tensor, in elements.
        local_shape: Shape of the shard of one device, padding included.
        sharding: How it is cut over `mesh`.
        mesh: That of the program, another order of its devices, or one of them.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    local_shape: tuple[int, ...]
    mesh: Mesh
    sharding: Sharding

    @property
    def numpy_dtype(self) -> numpy.dtype:
        """The dtype of arrays; needs the package ml_dtypes for `bf16` and types of 8 bits and less.

        Raises:
            UnsupportedError: ml_dtypes is not installed.
        """
        return numpy_dtype(self.dtype)


@dataclasses.dataclass(frozen=True)
class Shard:
    """What one device holds of a tensor.

    Attributes:
        device: Id of the device.
        index: Which part of the tensor it is.
        data: Its elements, without padding. Of unreduced tensors a partial value.
    """

    device: int
    index: tuple[slice, ...]
    data: numpy.ndarray


@dataclasses.dataclass(frozen=True)
class Collective:
    """All collectives of one kind over the same axes in a run.

    Attributes:
        kind: `all_gather`, `all_reduce` and so on.
        axes: In sdy notation, `{"data"}`; `groups of 4` where the program lists devices.
        count: How often each device ran one.
        tensors: How many tensors took part; small collectives are combined.
        received_bytes: What the busiest device received in all of them.
    """

    kind: str
    axes: str
    count: int
    tensors: int
    received_bytes: int


@dataclasses.dataclass(frozen=True)
class RunResult:
    """The outcome of `Program.run_with_details`.

    Attributes:
        outputs: The whole tensors; empty if shards were asked for.
        shards: For each output the shards of all devices; empty unless asked for.
        collectives: What was communicated.
        seconds: Wall-clock time of the devices.
    """

    outputs: list[numpy.ndarray]
    shards: list[list[Shard]]
    collectives: tuple[Collective, ...]
    seconds: float


@dataclasses.dataclass(frozen=True)
class Report:
    """The outcome of `Program.verify`.

    Attributes:
        verified: Every output was compared and is within tolerance.
        failed: Some output is out of tolerance.
        text: The report as the command line tool prints it.
        json: The report as `shardwise run --json` prints it; README.md has the keys.
    """

    verified: bool
    failed: bool
    text: str = dataclasses.field(repr=False)
    json: Mapping[str, Any] = dataclasses.field(repr=False, compare=False, hash=False)

    @property
    def received_bytes(self) -> int:
        """What the busiest device received, in all collectives."""
        return sum(one["bytes_received_per_device"] for one in self.json["collectives"])

    def __str__(self) -> str:
        """The report as the command line tool prints it."""
        return self.text

    def __bool__(self) -> bool:
        """Whether every output is verified."""
        return self.verified


class Program:
    """A program, compiled for the devices of its mesh; `compile` makes one.

    Its methods may be called from several threads at once.
    """

    def __init__(self, loaded: _core.LoadedProgram, choices: _core.Choices, form: str):
        self._loaded = loaded
        self._choices = choices
        self._form = form
        self._inputs = tuple(_value(parts) for parts in loaded.arguments())
        self._outputs = tuple(_value(parts) for parts in loaded.results())
        axes, ids = loaded.mesh()
        self._mesh = Mesh(axes, ids)

    @property
    def mesh(self) -> Mesh:
        """The devices that it runs on."""
        return self._mesh

    @property
    def inputs(self) -> tuple[Value, ...]:
        """Types and shardings of the arguments."""
        return self._inputs

    @property
    def outputs(self) -> tuple[Value, ...]:
        """Types and shardings of the results."""
        return self._outputs

    @property
    def peak_bytes(self) -> int:
        """Memory that a device needs at once: arguments, constants, results and temporaries."""
        return self._loaded.peak_bytes()

    def text(self, form: str | None = None) -> str:
        """Returns the per-device program.

        Args:
            form: One of `FORMS`; that of `compile` by default.

        Raises:
            InvalidError: There is no such form, or the form cannot say the program.
        """
        form = self._form if form is None else _check.one_of(form, "form", FORMS)
        return self._loaded.partition(self._choices, form)

    def border(self, form: str | None = None) -> Mapping[str, Any]:
        """Returns how arguments and results lie, in terms that `jax.sharding` has: axes of a mesh, and
        names of axes per dimension. docs/concepts/forms.md has the keys.

        Args:
            form: One of `FORMS`; that of `compile` by default.

        Raises:
            InvalidError: There is no such form, or parts of axes do not make a mesh.
        """
        form = self._form if form is None else _check.one_of(form, "form", FORMS)
        return json.loads(self._loaded.border(self._choices, form))

    def random_inputs(self, seed: int = 0) -> list[numpy.ndarray]:
        """Returns arguments as `shardwise run` makes them without `--inputs`: the same for one seed.

        Args:
            seed: From 0 to 2**64 - 1.

        Raises:
            ProgramError: They do not fit in the memory of this machine.
        """
        seed = _check.integer(seed, "seed", 0, 2**64 - 1)
        return [from_core(parts) for parts in self._loaded.random_inputs(seed)]

    def run(self, inputs: Sequence[Any], *, max_iterations: int = 0) -> list[numpy.ndarray]:
        """Runs the program on as many virtual devices as the mesh has, in this process.

        Args:
            inputs: The whole arguments, in order: arrays of their types, or numbers and lists of them.
            max_iterations: A loop that runs more often is stopped; 0 for no limit.

        Returns:
            The whole results.

        Raises:
            InvalidError: An input has another shape or element type, or a loop is stopped.
            InputTypeError: An input is no array.
        """
        return self.run_with_details(inputs, max_iterations=max_iterations).outputs

    def run_shards(self, inputs: Sequence[Any], *,
                   max_iterations: int = 0) -> list[list[Shard]]:
        """Runs the program, and returns for each result the shards of all devices.

        Args:
            inputs: As of `run`.
            max_iterations: As of `run`.

        Raises:
            InvalidError: As of `run`.
        """
        return self.run_with_details(inputs, shards=True, max_iterations=max_iterations).shards

    def run_with_details(self, inputs: Sequence[Any], *, shards: bool = False,
                         max_iterations: int = 0) -> RunResult:
        """Runs the program, and returns also what was communicated, and how long it took.

        Args:
            inputs: As of `run`.
            shards: Whether to return shards in place of whole results.
            max_iterations: As of `run`.

        Raises:
            InvalidError: As of `run`.
        """
        outputs, parts, collectives, seconds = self._loaded.run(
            self._arrays(inputs, self.inputs, "input"), bool(shards),
            _check.integer(max_iterations, "max_iterations", 0))
        return RunResult(
            [from_core(one) for one in outputs],
            [_shards(value, of_output) for value, of_output in zip(self.outputs, parts)],
            tuple(Collective(*one) for one in collectives), seconds)

    def verify(self, inputs: Sequence[Any] | None = None, *,
               expected: Sequence[Any] | None = None, seed: int = 0, evaluator: str = "auto",
               rtol: float | None = None, atol: float | None = None,
               max_iterations: int | None = None) -> Report:
        """Runs the program, and compares every result with the unpartitioned program.

        Args:
            inputs: As of `run`; random ones of `seed` if they are left out.
            expected: Results to compare with as well.
            seed: Of random inputs.
            evaluator: Who evaluates the unpartitioned program: `reference`, which shares no kernel with
                the run, `compiled`, which is faster, or `auto`.
            rtol: Relative tolerance; by element type if it is left out.
            atol: Absolute tolerance; rtol times the largest magnitude if it is left out.
            max_iterations: As of `run`; 100,000 with random inputs if it is left out.

        Returns:
            The report, verified or not.

        Raises:
            InvalidError: As of `run`.

        >>> report = compile("examples/mlp_train/model.mlir").verify()
        >>> report.verified, report.received_bytes
        (True, 5734)
        """
        arrays = self.random_inputs(seed) if inputs is None else inputs
        if max_iterations is None:
            max_iterations = 100_000 if inputs is None else 0
        wanted = [] if expected is None else self._arrays(expected, self.outputs, "expected output")
        return Report(*_with_json(self._loaded.verify(
            self._arrays(arrays, self.inputs, "input"), wanted,
            _check.one_of(evaluator, "evaluator", ("auto", "reference", "compiled")),
            _check.optional_number(rtol, "rtol"), _check.optional_number(atol, "atol"),
            _check.integer(max_iterations, "max_iterations", 0))))

    def __repr__(self) -> str:
        return (f"<Program with {len(self.inputs)} inputs and {len(self.outputs)} outputs on "
                f"{self.mesh!r}>")

    @staticmethod
    def _arrays(arrays: Any, values: Sequence[Value], what: str):
        if isinstance(arrays, numpy.ndarray):
            raise InputTypeError(f"{what}s must be a list with an array for each, got a single array; "
                                 "put it into a list")
        given = _check.sequence(arrays, f"{what}s")
        if len(given) != len(values):
            raise InvalidError(f"{len(given)} {what}{'' if len(given) == 1 else 's'} given, but the "
                               f"program has {len(values)}")
        return [to_core(array, value.dtype, f"{what} {i}")
                for i, (array, value) in enumerate(zip(given, values))]


def compile(program: ProgramSource, *, form: str = FORMS[0],
            topology: str | os.PathLike[str] | None = None, memory_limit: int | None = None,
            max_devices: int | None = None, name: str | None = None) -> Program:
    """Compiles a program for the mesh that it names.

    Args:
        program: A StableHLO program with shardings: text, bytecode, or a path. A string with a line
            break or a brace is text, else a path. Also what `jax.jit(f).lower(...)` returns.
        form: What `Program.text` prints by default, one of `FORMS`.
        topology: The machine that decides what is cheapest, one of `TOPOLOGIES` or a file; bytes
            decide without one.
        memory_limit: Bytes that a device may need; loops hold less where that is necessary.
        max_devices: A program whose mesh has more devices is refused.
        name: What complaints call the program; the path, or `<string>`, if it is left out.

    Returns:
        The program, ready to run.

    Raises:
        ProgramError: The program is refused; the exception has file, line and column.
        ProgramNotFoundError: There is no such file.
        InfeasibleError: A device needs more than `memory_limit`.
        InvalidError: There is no such form or topology.
        InputTypeError: An argument is of another type.

    >>> program = compile("examples/mlp_train/model.mlir")
    >>> program.mesh, program.inputs[0].sharding, program.inputs[0].local_shape
    (Mesh('["data"=4, "model"=2]'), Sharding('[{"model"}]'), (32,))
    """
    form = _check.one_of(form, "form", FORMS)
    choices = choices_of(topology, memory_limit, max_devices)
    loaded = load(program, name)
    loaded.compile(choices)
    warn(loaded)
    return Program(loaded, choices, form)


def propagate(program: ProgramSource, *, max_devices: int | None = None,
              name: str | None = None) -> str:
    """Decides the sharding of every tensor. Returns the program with them, still global.

    Args:
        program: As of `compile`.
        max_devices: As of `compile`.
        name: As of `compile`.

    Raises:
        ProgramError: The program is refused.
        ProgramNotFoundError: There is no such file.

    >>> "sdy.sharding" in propagate("examples/mlp_train/model.mlir")
    True
    """
    loaded = load(program, name)
    text = loaded.propagate(choices_of(None, None, max_devices))
    warn(loaded)
    return text


def partition(program: ProgramSource, *, form: str = FORMS[0],
              topology: str | os.PathLike[str] | None = None, memory_limit: int | None = None,
              max_devices: int | None = None, name: str | None = None) -> str:
    """Returns the per-device program: local shapes, explicit collectives. It need not be one that can
    run here: calls of kernels that only another machine has are kept.

    Args:
        program: As of `compile`.
        form: One of `FORMS`.
        topology: As of `compile`.
        memory_limit: As of `compile`.
        max_devices: As of `compile`.
        name: As of `compile`.

    Raises:
        ProgramError: The program is refused, or the form cannot say it.
        ProgramNotFoundError: There is no such file.
        InvalidError: There is no such form or topology.

    >>> "stablehlo.all_reduce" in partition("examples/mlp_train/model.mlir", form="xla-replicas")
    True
    """
    form = _check.one_of(form, "form", FORMS)
    choices = choices_of(topology, memory_limit, max_devices)
    loaded = load(program, name)
    text = loaded.partition(choices, form)
    warn(loaded)
    return text


def _value(parts) -> Value:
    name, dtype, shape, local_shape, (axes, ids), sharding = parts
    return Value(name, dtype, tuple(shape), tuple(local_shape), Mesh(axes, ids),
                 Sharding._of(sharding))


def _with_json(parts):
    verified, failed, report, text = parts
    return verified, failed, text, json.loads(report)


def _shards(value: Value, parts) -> list[Shard]:
    shards = []
    # What is on one device alone has a sharding without dimensions.
    if value.sharding.rank == len(value.shape):
        indices = value.sharding.indices(value.mesh, value.shape)
    else:
        indices = {device: tuple(map(slice, value.shape)) for device in value.mesh.devices}
    for device, one in zip(value.mesh.devices, parts):
        index = indices[device]
        data = from_core(one)[tuple(slice(part.stop - part.start) for part in index)]
        shards.append(Shard(device, index, data))
    return shards

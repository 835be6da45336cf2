# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates a program by the reference evaluator, by the compiled path and by XLA, and compares."""

import dataclasses
import pathlib
import shutil

import numpy

from line_process import LineProcess
from random_stablehlo.error_bounds import Measured
from random_stablehlo.program import Program, Value
from random_stablehlo.tensors import ELEMENTS, TensorType, load, save
from shrinking import returning


@dataclasses.dataclass(frozen=True)
class Failure:
    """What one evaluator did otherwise than the reference evaluator.

    Attributes:
        evaluator: `reference`, `compiled` or `xla`.
        kind: `crashed`, `refused` or `differs`.
        operation: The op that computes the value that differs, if one does.
        text: The error, or where and how far the values differ.
        value: Name of the value that differs, or None.
    """

    evaluator: str
    kind: str
    operation: str
    text: str
    value: str | None = None


def measure(program: Program, arrays: list[numpy.ndarray]) -> dict[str, Measured]:
    """Returns every value under the reference evaluator with its bound; `arrays` has the results of
    all operations."""
    measured = {value.name: Measured(value.type, program.data[value.name], numpy.float64(0), True)
                for value in program.arguments}
    results = iter(arrays)
    with numpy.errstate(all="ignore"):
        for operation in program.operations:
            operands = [measured[operand.name] for operand in operation.operands]
            for value in operation.results:
                result = Measured(value.type, next(results), numpy.float64(0), value.is_exact)
                bound = numpy.asarray(operation.rule(operands, result), numpy.float64)
                result.bound = numpy.nan_to_num(bound, nan=numpy.inf)
                measured[value.name] = result
    return measured


def differing(type: TensorType, expected, actual, bound, flushes: bool) -> numpy.ndarray:
    """Returns where `actual` is not within `bound` of `expected`. With bound 0 signs of zeros count
    too. With `flushes` subnormal numbers may be zeros."""
    if not type.is_float:
        return expected != actual
    element = ELEMENTS[type.element]
    bound = numpy.broadcast_to(bound, expected.shape)
    with numpy.errstate(all="ignore"):
        wide, other = expected.astype(numpy.float64), actual.astype(numpy.float64)
        magnitude = numpy.abs(wide)
        allowed = bound + element.epsilon * magnitude
        equal = (wide == other) & ((bound > 0) | (numpy.signbit(wide) == numpy.signbit(other)))
        equal |= numpy.isnan(wide) & numpy.isnan(other)
        equal |= (bound > 0) & numpy.isfinite(wide) & (numpy.abs(wide - other) <= allowed)
        # Where rounding decides between the largest number and infinity.
        reached = numpy.minimum(magnitude, numpy.abs(other)) + bound >= element.largest
        equal |= (bound > 0) & reached & (numpy.signbit(wide) == numpy.signbit(other))
        if flushes:
            equal |= (magnitude < element.smallest) & (numpy.abs(other) <= element.smallest)
    return ~equal


def describe(value: Value, measured: Measured, actual, where) -> str:
    place = tuple(int(index) for index in numpy.argwhere(where)[0])
    bound = numpy.broadcast_to(measured.bound, measured.array.shape)[place]
    return (f"{value.name} : {value.type} in {int(where.sum())} of {where.size} elements; at "
            f"{list(place)} the reference has {measured.array[place]!r}, this {actual[place]!r}, "
            f"bound {bound:.3g}")


def for_xla(program: Program) -> Program:
    """Returns the part of a program on which XLA does not depart from the specification."""
    return returning(program, [value for value in program.returned if not value.departure])


class Evaluators:
    """The processes that evaluate, and a folder for what they exchange."""

    def __init__(self, tool, folder, xla_python=None):
        self.folder = pathlib.Path(folder)
        self.ours = LineProcess([tool, "eval", "--programs", "-"])
        script = pathlib.Path(__file__).resolve().parent / "evaluate_with_xla.py"
        self.xla = LineProcess([xla_python, script]) if xla_python else None

    def close(self) -> None:
        self.ours.close()
        if self.xla:
            self.xla.close()

    def compare(self, program: Program) -> list[Failure]:
        """Returns every failure of the program."""
        shutil.rmtree(self.folder, ignore_errors=True)
        inputs = self.folder / "inputs"
        inputs.mkdir(parents=True)
        for index, value in enumerate(program.arguments):
            save(inputs / f"{index}.npy", program.data[value.name], value.type)
        (self.folder / "all.mlir").write_text(program.text(program.values()))
        (self.folder / "returned.mlir").write_text(program.text())
        self.ask(program, inputs)
        answers = self.receive()
        failures = []
        for name, answer in answers.items():
            if "error" in answer:
                kind = "crashed" if answer.get("crashed") else "refused"
                failures.append(Failure(name, kind, "", answer["error"]))
        if any(failure.evaluator == "reference" for failure in failures):
            return failures
        arrays = [load(self.folder / f"reference/{index}.npy", value.type)
                  for index, value in enumerate(program.values())]
        measured = measure(program, arrays)
        for name, answer in answers.items():
            if name != "reference" and "error" not in answer:
                failures += self.differences(program, measured, name)
        return failures

    def ask(self, program: Program, inputs: pathlib.Path) -> None:
        if self.xla:
            part = for_xla(program)
            (self.folder / "xla.mlir").write_text(part.text())
            places = {value.name: str(inputs / f"{index}.npy")
                      for index, value in enumerate(program.arguments)}
            self.xla.send({"program": str(self.folder / "xla.mlir"),
                           "inputs": [places[value.name] for value in part.arguments],
                           "outputs": str(self.folder / "xla")})
        for evaluator, text in (("reference", "all.mlir"), ("compiled", "returned.mlir")):
            self.ours.send({"program": str(self.folder / text), "inputs": str(inputs),
                            "outputs": str(self.folder / evaluator), "evaluator": evaluator})

    def receive(self) -> dict[str, dict]:
        answers = {"reference": self.ours.receive()}
        if answers["reference"].get("crashed"):
            answers["compiled"] = {"error": "not asked: the process had ended"}
        else:
            answers["compiled"] = self.ours.receive()
        if self.xla:
            answers["xla"] = self.xla.receive()
        return answers

    def differences(self, program: Program, measured: dict[str, Measured],
                    evaluator: str) -> list[Failure]:
        failures = []
        makers = {value.name: operation.name for operation in program.operations
                  for value in operation.results}
        returned = for_xla(program).returned if evaluator == "xla" else program.returned
        for index, value in enumerate(returned):
            actual = load(self.folder / f"{evaluator}/{index}.npy", value.type)
            result = measured[value.name]
            where = differing(value.type, result.array, actual, result.bound, evaluator == "xla")
            if where.any():
                failures.append(Failure(evaluator, "differs", makers[value.name],
                                        describe(value, result, actual, where), value.name))
        return failures

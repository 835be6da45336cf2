# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions: reducers, comparators, and blocks of exact operations for branches and loops."""

import dataclasses

from random_stablehlo import error_bounds as bounds
from random_stablehlo.builder import Builder
from random_stablehlo.error_bounds import Rule
from random_stablehlo.tensors import ALL, BOOL, ELEMENTS, INTEGERS, TensorType


@dataclasses.dataclass(frozen=True)
class Reducer:
    """A commutative and associative op with its identity, for a fold of `terms` elements."""

    name: str
    elements: tuple[str, ...]

    def rule(self, terms: int) -> Rule:
        """Returns the bound of a fold."""
        if self.name == "add":
            return bounds.summed(terms)
        return bounds.product_of(terms) if self.name == "multiply" else bounds.moved

    def rounds(self, element: str) -> bool:
        return self.name in ("add", "multiply") and ELEMENTS[element].family == "float"

    def identity(self, element: str) -> str:
        """Returns the identity as the text of an element."""
        family, bits = ELEMENTS[element].family, ELEMENTS[element].bits
        if family == "bool":
            return {"add": "false", "or": "false", "xor": "false", "maximum": "false",
                    "and": "true", "multiply": "true", "minimum": "true"}[self.name]
        if family == "float":
            infinity = {"f16": "7C00", "bf16": "7F80", "f32": "7F800000",
                        "f64": "7FF0000000000000"}[element]
            negative = "F" + infinity[1:]
            return {"add": "0.0", "multiply": "1.0", "minimum": f"0x{infinity}",
                    "maximum": f"0x{negative}"}[self.name]
        smallest = -(2 ** (bits - 1)) if family == "signed" else 0
        largest = 2 ** (bits - (family == "signed")) - 1
        ones = -1 if family == "signed" else largest
        return str({"add": 0, "multiply": 1, "or": 0, "xor": 0, "and": ones, "maximum": smallest,
                    "minimum": largest}[self.name])

    def region(self, builder: Builder, type: TensorType) -> str:
        """Returns a region of two scalars; the operands may be swapped."""
        operands = ("%$r_b", "%$r_e") if not builder.chance(0.3) else ("%$r_e", "%$r_b")
        return (f"({{\n  ^bb0(%$r_b: {type}, %$r_e: {type}):\n"
                f"    %$r_s = stablehlo.{self.name} {', '.join(operands)} : {type}\n"
                f"    stablehlo.return %$r_s : {type}\n  }})")


MAXIMUM = Reducer("maximum", ALL)
MINIMUM = Reducer("minimum", ALL)

REDUCERS = (
    Reducer("add", ALL),
    Reducer("multiply", ALL),
    MAXIMUM,
    MINIMUM,
    Reducer("and", BOOL + INTEGERS),
    Reducer("or", BOOL + INTEGERS),
    Reducer("xor", BOOL + INTEGERS),
)


def reducer_for(builder: Builder, element: str) -> Reducer:
    return builder.choice([row for row in REDUCERS if element in row.elements])


def identity_operand(builder: Builder, reducer: Reducer, element: str):
    """Adds a constant: the identity of the reducer."""
    type = TensorType((), element)
    return builder.apply("stablehlo.constant",
                         f"stablehlo.constant dense<{reducer.identity(element)}> : {type}", [],
                         [type], bounds.moved)[0]


def exact_block(builder: Builder, values: list[tuple[str, TensorType]], prefix: str,
                count: int) -> tuple[list[str], list[tuple[str, TensorType]]]:
    """Returns lines of random operations without rounding, on named values, and what they add."""
    lines, values = [], list(values)
    for number in range(count):
        name, type = builder.choice(values)
        family = ELEMENTS[type.element].family
        same = [other for other, other_type in values if other_type == type]
        other = builder.choice(same)
        result = f"%{prefix}{number}"
        options = [("maximum", 2), ("minimum", 2), ("optimization_barrier", 1)]
        if family in ("signed", "unsigned"):
            options += [("add", 2), ("subtract", 2), ("multiply", 2), ("xor", 2), ("negate", 1)]
        if family == "float":
            options += [("negate", 1), ("floor", 1), ("abs", 1)]
        if family == "bool":
            options += [("not", 1), ("xor", 2)]
        op, arity = builder.choice(options)
        if type.rank and builder.chance(0.2):
            op, text = "reverse", f"{name}, dims = [{builder.integer(0, type.rank - 1)}]"
        else:
            text = ", ".join([name, other][:arity])
        lines.append(f"{result} = stablehlo.{op} {text} : {type}")
        values.append((result, type))
    return lines, values

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Known answers: small programs without arguments, and what they compute according to XLA."""

import dataclasses

import ml_dtypes
import numpy as np

ELEMENT_TYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "i2": ml_dtypes.int2,
    "i4": ml_dtypes.int4,
    "ui2": ml_dtypes.uint2,
    "ui4": ml_dtypes.uint4,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}
NAMES = {np.dtype(dtype): name for name, dtype in ELEMENT_TYPES.items()}

# Relative tolerance of results that are rounded functions of their operands.
ROUNDED = {"f64": 1e-11, "f32": 4e-6, "f16": 2e-3, "bf16": 1.6e-2}
ROUNDED |= {"complex<f32>": 1e-5, "complex<f64>": 1e-10}


def array(values, element):
    """An array of element type `element` (StableHLO text)."""
    return np.asarray(values).astype(ELEMENT_TYPES[element])


def type_of(value):
    """The tensor type of an array, in StableHLO text."""
    return "tensor<" + "".join(f"{size}x" for size in value.shape) + NAMES[value.dtype] + ">"


def _real_text(value, dtype):
    number = float(value)
    if not np.isfinite(number):
        bits = np.asarray(value, dtype).tobytes()[::-1]
        return "0x" + bits.hex().upper()
    return f"{number:.16e}" if dtype == np.float64 else f"{number:.8e}"


def _element_text(value, dtype):
    if dtype == np.bool_:
        return "true" if value else "false"
    if dtype.kind == "c":
        part = np.dtype(np.float32 if dtype == np.complex64 else np.float64)
        return f"({_real_text(value.real, part)},{_real_text(value.imag, part)})"
    if NAMES[dtype].startswith(("i", "ui")):
        return str(int(value))
    return _real_text(value, dtype)


def dense(value):
    """`dense<...> : tensor<...>` with the elements of an array."""

    def nested(part):
        if part.ndim == 0:
            return _element_text(part[()], value.dtype)
        return "[" + ", ".join(nested(row) for row in part) + "]"

    text = nested(value) if value.size else ""
    return f"dense<{text}> : {type_of(value)}"


@dataclasses.dataclass
class Case:
    """A program: `$N` in `body` is constant N, `%rN` result N. `expected` is what XLA cannot say."""

    name: str
    constants: list
    body: str
    results: list
    tolerance: float = 0.0
    functions: str = ""
    expected: list | None = None

    def module(self):
        """The program as a module with a function @main."""
        lines = [f"  %k{i} = stablehlo.constant {dense(v)}" for i, v in enumerate(self.constants)]
        lines.append(self.body.replace("$", "%k"))
        types = ", ".join(self.results)
        values = ", ".join(f"%r{i}" for i in range(len(self.results)))
        body = "\n".join(lines)
        return (f"func.func @main() -> ({types}) {{\n{body}\n"
                f"  return {values} : {types}\n}}\n{self.functions}")

    def text(self, expected):
        """The entry of the answer file."""
        lines = [f"case {self.name}"]
        if self.tolerance:
            lines.append(f"tolerance {self.tolerance:g}")
        lines += [f"const {dense(value)}" for value in self.constants]
        lines += self.body.strip().splitlines()
        lines += [f"function {line}" for line in self.functions.strip().splitlines()]
        lines += [f"expect {dense(value)}" for value in expected]
        return "\n".join(lines) + "\n"


def op_case(name, op, operands, results, tolerance=0.0, attributes="", regions="", **more):
    """A case of one op in generic form."""
    inputs = ", ".join(f"${i}" for i in range(len(operands)))
    outputs = ", ".join(f"%r{i}" for i in range(len(results)))
    types = ", ".join(type_of(value) for value in operands)
    properties = f" <{{{attributes}}}>" if attributes else ""
    region = f" ({regions})" if regions else ""
    body = f'{outputs} = "{op}"({inputs}){properties}{region} : ({types}) -> ({", ".join(results)})'
    return Case(name, list(operands), body, list(results), tolerance, **more)


def short(element):
    """A type name for use in a case name."""
    return element.replace("complex<f32>", "c64").replace("complex<f64>", "c128")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops."""

from __future__ import annotations

import math

import torch

from .._emit import Emitter, Value
from .complex_numbers import magnitude, parts
from .registry import lower


def _computed(dtype: torch.dtype) -> torch.dtype:
    """Half types are computed in f32, as kernels of PyTorch do."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def _common(*values) -> torch.dtype:
    """The type in which operands meet."""
    samples = [torch.empty((1,) * value.rank, dtype=value.dtype, device="meta") if isinstance(value, Value)
               else value for value in values]
    return torch.result_type(*samples) if len(samples) == 2 else samples[0].dtype


#: What whole numbers are left as by.
_ROUNDINGS = ("floor", "ceil", "round")


def _register_unary(name: str, op: str) -> None:
    @lower(f"{name}.default")
    def _(e: Emitter, x: Value) -> Value:
        if name in _ROUNDINGS and not x.dtype.is_floating_point:
            return x
        return e.unary(op, e.convert(x, e.outs[0].dtype))


for _name, _op in {
        "neg": "negate", "exp": "exponential", "log": "log", "sqrt": "sqrt", "rsqrt": "rsqrt", "sin": "sine",
        "cos": "cosine", "tan": "tan", "tanh": "tanh", "sigmoid": "logistic", "floor": "floor", "ceil": "ceil",
        "round": "round_nearest_even", "log1p": "log_plus_one", "expm1": "exponential_minus_one",
        "bitwise_not": "not"}.items():
    _register_unary(_name, _op)

for _name in ("erf", "erfc", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "lgamma",
              "digamma", "erf_inv"):
    @lower(f"{_name.replace('_', '')}.default")
    def _(e: Emitter, x: Value, _op=_name) -> Value:
        x = e.convert(x, e.outs[0].dtype)
        return e.general(f"chlo.{_op} {x.name} : {x.type} -> {{out}}", x.shape, x.dtype)


@lower("abs.default")
def abs_(e: Emitter, x: Value) -> Value:
    return x if x.dtype == torch.uint8 else magnitude(e, x)


@lower("sign.default", "sgn.default")
def sign(e: Emitter, x: Value) -> Value:
    if x.dtype in (torch.bool, torch.uint8):
        return e.convert(e.convert(x, torch.bool), x.dtype)
    return e.unary("sign", x)


@lower("reciprocal.default")
def reciprocal(e: Emitter, x: Value) -> Value:
    return e.div(1, e.convert(x, e.outs[0].dtype))


@lower("log2.default")
def log2(e: Emitter, x: Value) -> Value:
    return e.mul(e.unary("log", e.convert(x, e.outs[0].dtype)), 1 / math.log(2))


@lower("log10.default")
def log10(e: Emitter, x: Value) -> Value:
    return e.mul(e.unary("log", e.convert(x, e.outs[0].dtype)), 1 / math.log(10))


@lower("exp2.default")
def exp2(e: Emitter, x: Value) -> Value:
    return e.unary("exponential", e.mul(e.convert(x, e.outs[0].dtype), math.log(2)))


@lower("square.default")
def square(e: Emitter, x: Value) -> Value:
    return e.mul(x, x)


@lower("trunc.default")
def trunc(e: Emitter, x: Value) -> Value:
    if not x.dtype.is_floating_point:
        return x
    return e.mul(e.unary("sign", x), e.unary("floor", e.unary("abs", x)))


@lower("logical_not.default")
def logical_not(e: Emitter, x: Value) -> Value:
    return e.unary("not", e.convert(x, torch.bool))


@lower("isnan.default")
def isnan(e: Emitter, x: Value) -> Value:
    may_be = x.dtype.is_floating_point or x.dtype.is_complex
    return e.compare("NE", x, x) if may_be else e.constant(False, torch.bool, x.shape)


@lower("isinf.default")
def isinf(e: Emitter, x: Value) -> Value:
    if x.dtype.is_complex:
        return e.binary("or", *(isinf(e, one) for one in parts(e, x)))
    if not x.dtype.is_floating_point:
        return e.constant(False, torch.bool, x.shape)
    return e.compare("EQ", e.unary("abs", x), math.inf)


def arithmetic(e: Emitter, name: str, a, b) -> Value:
    """Writes an op of two operands in the element type of the result."""
    meta = e.outs[0]
    a, b = e.align([a, b], meta.dtype, meta.shape)
    return e.binary(name, a, b)


def scaled(e: Emitter, x, alpha) -> Value:
    """x * alpha in the element type of the result; x itself for 1."""
    if isinstance(alpha, (int, float)) and alpha == 1:
        return x
    return e.mul(e.number(x, e.outs[0].dtype), e.number(alpha, e.outs[0].dtype))


@lower("add.Tensor", "add.Scalar", numbers=True)
def add(e: Emitter, a, b, alpha=1) -> Value:
    if e.outs[0].dtype == torch.bool:
        return arithmetic(e, "or", a, b)
    return arithmetic(e, "add", a, scaled(e, b, alpha))


@lower("sub.Tensor", "sub.Scalar", numbers=True)
def sub(e: Emitter, a, b, alpha=1) -> Value:
    return arithmetic(e, "subtract", a, scaled(e, b, alpha))


@lower("rsub.Tensor", "rsub.Scalar", numbers=True)
def rsub(e: Emitter, a, b, alpha=1) -> Value:
    return arithmetic(e, "subtract", b, scaled(e, a, alpha))


@lower("mul.Tensor", "mul.Scalar", numbers=True)
def mul(e: Emitter, a, b) -> Value:
    return arithmetic(e, "and" if e.outs[0].dtype == torch.bool else "multiply", a, b)


@lower("div.Tensor", "div.Scalar", numbers=True)
def div(e: Emitter, a, b) -> Value:
    return arithmetic(e, "divide", a, b)


@lower("div.Tensor_mode", "div.Scalar_mode")
def div_mode(e: Emitter, a, b, rounding_mode=None) -> Value:
    meta = e.outs[0]
    if rounding_mode is None:
        return arithmetic(e, "divide", a, b)
    a, b = e.align([a, b], meta.dtype, meta.shape)
    quotient = e.div(a, b)
    if meta.dtype.is_floating_point:
        return e.unary("floor", quotient) if rounding_mode == "floor" else trunc(e, quotient)
    if rounding_mode == "trunc" or meta.dtype == torch.uint8:
        return quotient
    # Whole numbers round to zero: one less where that was upwards.
    rest = e.sub(a, e.mul(quotient, b))
    zero = e.constant(0, a.dtype, a.shape)
    wrong = e.binary("and", e.compare("NE", rest, zero),
                     e.binary("xor", e.compare("LT", rest, zero), e.compare("LT", b, zero)))
    return e.sub(quotient, e.convert(wrong, a.dtype))


@lower("floor_divide.default", "floor_divide.Scalar")
def floor_divide(e: Emitter, a, b) -> Value:
    return div_mode(e, a, b, "floor")


@lower("remainder.Tensor", "remainder.Scalar")
def remainder(e: Emitter, a, b) -> Value:
    meta = e.outs[0]
    a, b = e.align([a, b], meta.dtype, meta.shape)
    rest = e.binary("remainder", a, b)
    if meta.dtype == torch.uint8:
        return rest
    zero = e.constant(0, a.dtype, a.shape)
    wrong = e.binary("and", e.compare("NE", rest, zero),
                     e.binary("xor", e.compare("LT", rest, zero), e.compare("LT", b, zero)))
    return e.select(wrong, e.add(rest, b), rest)


@lower("fmod.Tensor", "fmod.Scalar")
def fmod(e: Emitter, a, b) -> Value:
    return arithmetic(e, "remainder", a, b)


@lower("atan2.default")
def atan2(e: Emitter, a, b) -> Value:
    return arithmetic(e, "atan2", a, b)


@lower("maximum.default", "fmax.default")
def maximum(e: Emitter, a, b) -> Value:
    return arithmetic(e, "maximum", a, b)


@lower("minimum.default", "fmin.default")
def minimum(e: Emitter, a, b) -> Value:
    return arithmetic(e, "minimum", a, b)


@lower("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def power(e: Emitter, a, b) -> Value:
    meta = e.outs[0]
    if b in (0.5, 1, 2, 3, -1, -0.5) if isinstance(b, (int, float)) else False:
        x = e.convert(a, meta.dtype)
        if b in (1, 2, 3):
            return x if b == 1 else e.mul(x, x) if b == 2 else e.mul(e.mul(x, x), x)
        if meta.dtype.is_floating_point:
            return e.unary({0.5: "sqrt", -0.5: "rsqrt"}[b], x) if b != -1 else e.div(1, x)
    return arithmetic(e, "power", a, b)


@lower("bitwise_and.Tensor", "bitwise_and.Scalar")
def bitwise_and(e: Emitter, a, b) -> Value:
    return arithmetic(e, "and", a, b)


@lower("bitwise_or.Tensor", "bitwise_or.Scalar")
def bitwise_or(e: Emitter, a, b) -> Value:
    return arithmetic(e, "or", a, b)


@lower("bitwise_left_shift.Tensor", "bitwise_left_shift.Tensor_Scalar", "bitwise_left_shift.Scalar_Tensor", "__lshift__.Scalar",
       "__lshift__.Tensor")
def shift_left(e: Emitter, a, b) -> Value:
    """Zero where the shift is negative or as wide as the type, as in PyTorch: a negative number is a large one without a sign."""
    return arithmetic(e, "shift_left", a, b)


@lower("bitwise_right_shift.Tensor", "bitwise_right_shift.Tensor_Scalar", "bitwise_right_shift.Scalar_Tensor", "__rshift__.Scalar",
       "__rshift__.Tensor")
def shift_right(e: Emitter, a, b) -> Value:
    return arithmetic(e, "shift_right_arithmetic" if e.outs[0].dtype.is_signed else "shift_right_logical", a, b)


@lower("bitwise_xor.Tensor", "bitwise_xor.Scalar")
def bitwise_xor(e: Emitter, a, b) -> Value:
    return arithmetic(e, "xor", a, b)


for _name, _op in {"logical_and": "and", "logical_or": "or", "logical_xor": "xor"}.items():
    @lower(f"{_name}.default")
    def _(e: Emitter, a, b, _op=_op) -> Value:
        return e.binary(_op, e.convert(a, torch.bool), e.convert(b, torch.bool))

for _name, _direction in {"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}.items():
    @lower(f"{_name}.Tensor", f"{_name}.Scalar", numbers=True)
    def _(e: Emitter, a, b, _direction=_direction) -> Value:
        kinds = {float: 0.5, int: 1}
        dtype = _common(a, kinds[type(b)] if type(b) in kinds else b)
        if dtype == torch.bool and _direction not in ("EQ", "NE"):
            dtype = torch.uint8
        a, b = e.align([a, b], dtype, e.outs[0].shape)
        return e.compare(_direction, a, b)


@lower("isin.Tensor_Tensor")
def isin(e: Emitter, x: Value, wanted: Value, *, assume_unique=False, invert=False) -> Value:
    """Each element against all that are wanted, which are few (`_ops`)."""
    count = math.prod(wanted.shape)
    dtype = torch.promote_types(x.dtype, wanted.dtype)
    shape = [*x.shape, count]
    own = e.spread(e.convert(x, dtype), shape, range(x.rank))
    others = e.spread(e.reshape(e.convert(wanted, dtype), [count]), shape, [x.rank])
    found = e.reduce(e.compare("EQ", own, others), [x.rank], "or", False)
    return e.unary("not", found) if invert else found


@lower("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def where(e: Emitter, condition: Value, a, b) -> Value:
    meta = e.outs[0]
    a, b = e.align([a, b], meta.dtype, meta.shape)
    return e.select(e.convert(condition, torch.bool), a, b)


@lower("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(e: Emitter, x: Value, mask: Value, value) -> Value:
    meta = e.outs[0]
    value, x = e.align([value, x], meta.dtype, meta.shape)
    return e.select(mask, value, x)


@lower("clamp.default", "clamp.Tensor", "clamp_min.default", "clamp_min.Tensor")
def clamp(e: Emitter, x: Value, min=None, max=None) -> Value:
    meta = e.outs[0]
    x = e.broadcast(e.convert(x, meta.dtype), meta.shape)
    if min is not None:
        x = e.binary("maximum", x, e.align([min], meta.dtype, meta.shape)[0])
    if max is not None:
        x = e.binary("minimum", x, e.align([max], meta.dtype, meta.shape)[0])
    return x


@lower("clamp_max.default", "clamp_max.Tensor")
def clamp_max(e: Emitter, x: Value, max) -> Value:
    return clamp(e, x, None, max)


@lower("addcmul.default", numbers=True)
def addcmul(e: Emitter, x: Value, a: Value, b: Value, value=1) -> Value:
    meta = e.outs[0]
    x, a, b = e.align([x, a, b], meta.dtype, meta.shape)
    return e.add(x, scaled(e, e.mul(a, b), value))


@lower("addcdiv.default", numbers=True)
def addcdiv(e: Emitter, x: Value, a: Value, b: Value, value=1) -> Value:
    meta = e.outs[0]
    x, a, b = e.align([x, a, b], meta.dtype, meta.shape)
    return e.add(x, scaled(e, e.div(a, b), value))


@lower("lerp.Scalar", "lerp.Tensor", numbers=True)
def lerp(e: Emitter, a: Value, b: Value, weight) -> Value:
    meta = e.outs[0]
    a, b, weight = e.align([a, b, weight], meta.dtype, meta.shape)
    return e.add(a, e.mul(weight, e.sub(b, a)))


@lower("relu.default")
def relu(e: Emitter, x: Value) -> Value:
    return e.binary("maximum", x, 0)


@lower("threshold_backward.default")
def threshold_backward(e: Emitter, gradient: Value, x: Value, threshold) -> Value:
    return e.select(e.compare("GT", x, threshold), gradient, e.constant(0, gradient.dtype, gradient.shape))


@lower("silu.default")
def silu(e: Emitter, x: Value) -> Value:
    wide = e.convert(x, _computed(x.dtype))
    return e.convert(e.mul(wide, e.unary("logistic", wide)), x.dtype)


@lower("silu_backward.default")
def silu_backward(e: Emitter, gradient: Value, x: Value) -> Value:
    wide, up = e.convert(x, _computed(x.dtype)), e.convert(gradient, _computed(x.dtype))
    s = e.unary("logistic", wide)
    slope = e.mul(s, e.add(e.mul(wide, e.sub(1, s)), 1))
    return e.convert(e.mul(up, slope), x.dtype)


@lower("sigmoid_backward.default")
def sigmoid_backward(e: Emitter, gradient: Value, y: Value) -> Value:
    return e.mul(gradient, e.mul(e.sub(1, y), y))


@lower("tanh_backward.default")
def tanh_backward(e: Emitter, gradient: Value, y: Value) -> Value:
    return e.mul(gradient, e.sub(1, e.mul(y, y)))


_TANH = math.sqrt(2 / math.pi)


def _erf(e: Emitter, x: Value) -> Value:
    return e.general(f"chlo.erf {x.name} : {x.type} -> {{out}}", x.shape, x.dtype)


@lower("gelu.default")
def gelu(e: Emitter, x: Value, approximate: str = "none") -> Value:
    wide = e.convert(x, _computed(x.dtype))
    if approximate == "tanh":
        cubed = e.mul(e.mul(wide, wide), wide)
        inner = e.mul(e.add(wide, e.mul(cubed, 0.044715)), _TANH)
        share = e.add(e.unary("tanh", inner), 1)
    else:
        share = e.add(_erf(e, e.mul(wide, math.sqrt(0.5))), 1)
    return e.convert(e.mul(e.mul(wide, 0.5), share), x.dtype)


@lower("gelu_backward.default")
def gelu_backward(e: Emitter, gradient: Value, x: Value, approximate: str = "none") -> Value:
    wide, up = e.convert(x, _computed(x.dtype)), e.convert(gradient, _computed(x.dtype))
    squared = e.mul(wide, wide)
    if approximate == "tanh":
        inner = e.mul(e.add(wide, e.mul(e.mul(squared, wide), 0.044715)), _TANH)
        t = e.unary("tanh", inner)
        rising = e.mul(e.add(e.mul(squared, 3 * 0.044715), 1), _TANH)
        bell = e.mul(e.mul(e.mul(wide, 0.5), e.sub(1, e.mul(t, t))), rising)
        slope = e.add(e.mul(e.add(t, 1), 0.5), bell)
    else:
        below = e.mul(e.add(_erf(e, e.mul(wide, math.sqrt(0.5))), 1), 0.5)
        bell = e.mul(e.unary("exponential", e.mul(squared, -0.5)), 1 / math.sqrt(2 * math.pi))
        slope = e.add(below, e.mul(wide, bell))
    return e.convert(e.mul(up, slope), x.dtype)


@lower("leaky_relu.default")
def leaky_relu(e: Emitter, x: Value, slope=0.01) -> Value:
    return e.select(e.compare("GT", x, 0), x, e.mul(x, slope))


@lower("leaky_relu_backward.default")
def leaky_relu_backward(e: Emitter, gradient: Value, x: Value, slope, is_result) -> Value:
    return e.select(e.compare("GT", x, 0), gradient, e.mul(gradient, slope))


@lower("hardtanh.default")
def hardtanh(e: Emitter, x: Value, low=-1, high=1) -> Value:
    return clamp(e, x, low, high)


@lower("_to_copy.default", "_convert.default")
def to_copy(e: Emitter, x: Value, **_) -> Value:
    dtype = e.outs[0].dtype
    # As PyTorch does, which warns of it.
    if x.dtype.is_complex and not dtype.is_complex and dtype != torch.bool:
        x = parts(e, x)[0]
    return e.convert(x, dtype)


@lower("clone.default", "lift_fresh_copy.default", "contiguous.default")
def clone(e: Emitter, x: Value, **_) -> Value:
    return x


@lower("zeros_like.default")
def zeros_like(e: Emitter, x: Value, **_) -> Value:
    return e.constant(0, e.outs[0].dtype, e.outs[0].shape)


@lower("ones_like.default")
def ones_like(e: Emitter, x: Value, **_) -> Value:
    return e.constant(1, e.outs[0].dtype, e.outs[0].shape)


@lower("full_like.default", "fill.Scalar", "fill.Tensor", numbers=True)
def full_like(e: Emitter, x, value, **_) -> Value:
    return e.align([value], e.outs[0].dtype, e.outs[0].shape)[0]


@lower("new_full.default", numbers=True)
def new_full(e: Emitter, x, size, value, **_) -> Value:
    return e.align([value], e.outs[0].dtype, e.outs[0].shape)[0]


@lower("shardwise.full", numbers=True)
def full(e: Emitter, value) -> Value:
    return e.align([value], e.outs[0].dtype, e.outs[0].shape)[0]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions of JAX with random shardings, made of a seed: a few arrays, then ops drawn from a table, each on
values that are there, some with a constraint that may be uneven.

A case is the same for the same seed, so a failure is repeated by its number.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy
from jax.sharding import NamedSharding, PartitionSpec

from devices import mesh_of

MESHES = ({"data": 4, "model": 2}, {"x": 2, "y": 2, "z": 2}, {"all": 8})
SIZES = (4, 6, 8, 12, 16, 5)
# Above this a program of random products would say more of rounding than of us.
_MAX_ELEMENTS = 1 << 13


@dataclasses.dataclass(frozen=True)
class Case:
    """A function of arrays, with what `jit` is told of it.

    Attributes:
        function: Of the arguments; with constraints on the mesh.
        plain: The same without constraints, for one device.
        arguments: Arrays of NumPy.
        mesh: What the shardings are over.
        in_shardings: Of each argument, None where propagation is to decide.
        names: The ops, for messages.
    """

    function: Callable
    plain: Callable
    arguments: tuple
    mesh: Any
    in_shardings: tuple
    names: tuple[str, ...]


def _normal(generator, shape):
    return generator.standard_normal(shape).astype("float32")


def _dim(generator, value):
    return int(generator.integers(value.ndim))


# Ops: each takes a generator and a value of rank 1 to 4 (made while tracing, so every draw depends on the seed and on
# shapes alone) and returns another value, or None if it does not apply.

def _matmul(generator, value):
    if value.ndim < 2:
        return None
    return jnp.tanh(value @ _normal(generator, (value.shape[-1], int(generator.choice(SIZES)))) / 4)


def _einsum(generator, value):
    if value.ndim != 3:
        return None
    return jnp.tanh(jnp.einsum("bij,bkj->bik", value, value) / 8)


def _reduce(generator, value):
    if value.ndim < 2:
        return None
    kind = (jnp.sum, jnp.max, jnp.mean, jnp.min)[generator.integers(4)]
    return kind(value, axis=_dim(generator, value))


def _softmax(generator, value):
    return jax.nn.softmax(value, axis=_dim(generator, value))


def _transpose(generator, value):
    return jnp.transpose(value, tuple(int(dim) for dim in generator.permutation(value.ndim)))


def _reshape(generator, value):
    if value.ndim >= 2:
        dim = int(generator.integers(value.ndim - 1))
        return value.reshape(value.shape[:dim] + (-1,) + value.shape[dim + 2:])
    if value.size % 2:
        return None
    return value.reshape(2, -1)


def _slice(generator, value):
    dim = _dim(generator, value)
    if value.shape[dim] < 3:
        return None
    start = int(generator.integers(2))
    return jax.lax.slice_in_dim(value, start, value.shape[dim] - 1, axis=dim)


def _stride(generator, value):
    dim = _dim(generator, value)
    return jax.lax.slice_in_dim(value, 0, None, stride=2, axis=dim) if value.shape[dim] > 2 else None


def _pad(generator, value):
    widths = [(int(low), int(high)) for low, high in generator.integers(0, 3, (value.ndim, 2))]
    return jnp.pad(value, widths, mode=("constant", "edge")[generator.integers(2)])


def _concatenate(generator, value):
    dim = _dim(generator, value)
    return jnp.concatenate([value, -value if generator.integers(2) else jnp.flip(value, dim)], axis=dim)


def _roll(generator, value):
    return jnp.roll(value, int(generator.integers(1, 4)), axis=_dim(generator, value))


def _sort(generator, value):
    return jnp.sort(value, axis=_dim(generator, value))


def _cumulative(generator, value):
    kind = (jnp.cumsum, jax.lax.cummax)[generator.integers(2)]
    return jnp.tanh(kind(value, axis=_dim(generator, value)))


def _take(generator, value):
    dim = _dim(generator, value)
    return jnp.take(value, generator.integers(0, value.shape[dim], int(generator.choice(SIZES))), axis=dim)


def _take_along(generator, value):
    dim = _dim(generator, value)
    indices = generator.integers(0, value.shape[dim], value.shape)
    return jnp.take_along_axis(value, indices, axis=dim)


def _add_at(generator, value):
    indices = generator.integers(0, value.shape[0], 5)
    return value.at[indices].add(_normal(generator, (5,) + value.shape[1:]))


def _update(generator, value):
    part = jax.lax.slice(value, (0,) * value.ndim, tuple((size + 1) // 2 for size in value.shape))
    starts = [int(generator.integers(size)) for size in value.shape]
    return jax.lax.dynamic_update_slice(value, part * 2, starts)


def _scan(generator, value):
    if value.ndim < 2:
        return None
    carried, rows = jax.lax.scan(lambda carry, row: (jnp.tanh(carry + row), carry * row), value[0], value)
    return rows + carried


def _loop(generator, value):
    return jax.lax.fori_loop(0, 3, lambda number, carry: jnp.sin(carry + number), value)


def _branch(generator, value):
    return jax.lax.cond(jnp.sum(value) > 0, lambda x: x * 2, lambda x: jnp.abs(x), value)


def _convolution(generator, value):
    if value.ndim != 3:
        return None
    kernel = _normal(generator, (3, value.shape[2], int(generator.choice(SIZES)))) / 4
    return jax.lax.conv_general_dilated(value, kernel, (int(generator.integers(1, 3)),), "SAME",
                                        dimension_numbers=("NWC", "WIO", "NWC"))


def _pool(generator, value):
    if value.ndim != 3:
        return None
    return jax.lax.reduce_window(value, -jnp.inf, jax.lax.max, (1, 3, 1), (1, 2, 1), "SAME")


def _top(generator, value):
    return jax.lax.top_k(value, min(3, value.shape[-1]))[0]


def _gradient(generator, value):
    if value.ndim < 2:
        return None
    weight = _normal(generator, (value.shape[-1], 4)) / 4
    return jax.grad(lambda x: jnp.sum(jax.nn.gelu(x @ weight) ** 2))(value)


def _one_hot(generator, value):
    return jax.nn.one_hot(jnp.argmax(value, axis=-1), value.shape[-1]) + value


def _where(generator, value):
    return jnp.where(value > jax.lax.broadcasted_iota("float32", value.shape, _dim(generator, value)) / 8, value, -value)


def _standardise(generator, value):
    dim = _dim(generator, value)
    centred = value - value.mean(dim, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(dim, keepdims=True) + 0.1)


OPS = (_matmul, _einsum, _reduce, _softmax, _transpose, _reshape, _slice, _stride, _pad, _concatenate, _roll, _sort,
       _cumulative, _take, _take_along, _add_at, _update, _scan, _loop, _branch, _convolution, _pool, _top, _gradient,
       _one_hot, _where, _standardise)


def _spec(generator, shape, mesh, is_even):
    """A random spec for a value: each axis of the mesh cuts a dimension or none."""
    entries: list[list[str]] = [[] for _ in shape]
    for axis in generator.permutation(list(mesh.shape)):
        dim = int(generator.integers(len(shape) + 1))
        if dim == len(shape):
            continue
        parts = mesh.shape[axis] * int(numpy.prod([mesh.shape[one] for one in entries[dim]]))
        if not is_even or shape[dim] % parts == 0:
            entries[dim].append(str(axis))
    return PartitionSpec(*(tuple(axes) or None for axes in entries))


def case_of(seed: int, count: int = 6) -> Case:
    """The case of a seed: `count` ops on two or three arguments, all values that nothing uses are results."""
    generator = numpy.random.default_rng([17, seed])
    mesh = mesh_of(**MESHES[int(generator.integers(len(MESHES)))])
    shapes = [tuple(int(one) for one in generator.choice(SIZES, int(generator.integers(1, 4))))
              for _ in range(int(generator.integers(2, 4)))]
    names: list[str] = []

    def build(constrain: bool) -> Callable:
        def function(*arguments):
            draws = numpy.random.default_rng([18, seed])
            names.clear()
            values, unused = list(arguments), set(range(len(arguments)))
            while len(names) < count:
                source = int(draws.integers(len(values)))
                op = OPS[int(draws.integers(len(OPS)))]
                is_cut = bool(draws.integers(4) == 0)
                value = op(draws, values[source])
                if value is None or value.ndim == 0 or value.size > _MAX_ELEMENTS or value.size == 0:
                    continue
                spec = _spec(draws, value.shape, mesh, is_even=False)
                if is_cut and constrain:
                    value = jax.lax.with_sharding_constraint(value, NamedSharding(mesh, spec))
                names.append(f"{op.__name__[1:]}{value.shape}{f' on {spec}' if is_cut else ''}")
                unused.discard(source)
                unused.add(len(values))
                values.append(value)
            return [values[number] for number in sorted(unused)]

        return function

    shardings = tuple(None if generator.integers(4) == 0 else
                      NamedSharding(mesh, _spec(generator, shape, mesh, is_even=True)) for shape in shapes)
    arguments = tuple(_normal(generator, shape) for shape in shapes)
    function = build(True)
    jax.eval_shape(function, *arguments)
    return Case(function, build(False), arguments, mesh, shardings, tuple(names))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an example program is: a function, its arguments and the shardings asked of them."""

import dataclasses
import zlib
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

# Called inside a program as `constrain(value, "data", None)`: one mesh axis name (or None) per
# dimension. It is a sharding constraint when the program is exported and the identity when the
# program runs on one device.
Constrain = Callable[..., jax.Array]


@dataclasses.dataclass(frozen=True)
class Program:
    """One example.

    Attributes:
        name: Its folder; also the name of the exported module, `@jit_NAME`.
        mesh: Axis names with sizes, major to minor. Devices are in their natural order.
        build: Makes the function to export from a `Constrain`.
        arguments: Makes the arguments, any pytrees, from a seeded generator.
        in_specs: A `PartitionSpec` for each argument leaf. JAX refuses axes that do not divide a
            dimension; these are written into the exported text, and JAX runs without them.
        out_specs: A `PartitionSpec` for each result leaf.
        tolerance: How far, absolutely and relatively, JAX's sharded run may be from its unsharded.
    """

    name: str
    mesh: dict[str, int]
    build: Callable[[Constrain], Callable[..., Any]]
    arguments: Callable[[np.random.Generator], tuple[Any, ...]]
    in_specs: tuple[Any, ...]
    out_specs: Any
    tolerance: float = 1e-5

    def generator(self) -> np.random.Generator:
        """Returns the generator of the recorded arguments; its seed depends on the name alone."""
        return np.random.default_rng(zlib.crc32(self.name.encode()))


def normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> np.ndarray:
    """Returns f32 normal values of the given standard deviation."""
    return (scale * rng.standard_normal(shape)).astype(np.float32)


def sgd(params: Any, gradients: Any, rate: float) -> Any:
    """Returns the parameters after one step of gradient descent."""
    return jax.tree.map(lambda p, g: p - rate * g, params, gradients)

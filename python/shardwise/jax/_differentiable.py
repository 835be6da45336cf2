# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`jit(..., differentiable=True)`: a function that can be differentiated from outside.

A per-device program has no derivative. So the function and the pull-back that `jax.vjp` makes of it are partitioned
both; what the first leaves for the second stays where it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
from jax.sharding import NamedSharding

from ..errors import UnsupportedError
from ._trace import Options

#: Makes a `JitFunction` of a function of leaves, `in_shardings`, `out_shardings` and perhaps another `verify`.
Make = Callable[..., Any]


class DifferentiableFunction:
    """What `shardwise.jax.jit` returns with `differentiable=True`. Call it as the function, or differentiate it,
    in reverse mode and once."""

    def __init__(self, fun: Callable, options: Options, plain: Any, make: Make):
        if options.donate_argnums or options.donate_argnames:
            raise UnsupportedError("a function that is differentiated from outside needs its arguments again and "
                                   "cannot have them donated; leave out donate_argnums, or take the gradient inside")
        functools.update_wrapper(self, fun)
        self._fun = fun
        self._options = options
        self._plain = plain
        self._make = make
        self._by_structure: dict[tuple, Callable] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree.flatten(self._options.without_static(args, kwargs))
        static = self._options.static_values(args, kwargs)
        if (tree, static) not in self._by_structure:
            self._by_structure[tree, static] = self._of_leaves(args, kwargs, leaves)
        return self._by_structure[tree, static](*leaves)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._plain, name)

    def _of_leaves(self, args: tuple, kwargs: Mapping[str, Any], leaves: list) -> Callable:
        """The function of the leaves of arguments with this structure, with its pull-back."""
        @functools.wraps(self._fun, updated=())
        def fun(*leaves):
            new_args, new_kwargs = self._options.mapped(args, kwargs, list(leaves))
            return self._fun(*new_args, **new_kwargs)

        # `jax.custom_vjp` goes by the signature, which is that of the leaves and not of the user's function.
        del fun.__wrapped__
        given = self._plain.given_shardings(args, kwargs)
        in_shardings = None if all(one is None for one in given) else tuple(given)
        # Of the pull-backs that forward passes were traced with, by the types of their arguments.
        pull_backs: dict[tuple, Any] = {}

        def forward(*leaves):
            results, pull_back = jax.vjp(fun, *leaves)
            residuals, structure = jax.tree.flatten(pull_back)
            pull_backs.setdefault(_types(leaves), structure)
            return results, residuals

        # What a pull-back keeps is not a result that jax.jit's could be compared with.
        forward_program = self._make(forward, in_shardings, (self._options.out_shardings, None), verify="never")

        @functools.cache
        def backward_program(types: tuple, shardings: tuple):
            def backward(residuals, cotangents):
                gradients = jax.tree.unflatten(pull_backs[types], residuals)(cotangents)
                return tuple(None if one.dtype == jax.dtypes.float0 else one for one in gradients)

            return self._make(backward, (list(shardings), None), None)

        differentiable = jax.custom_vjp(self._make(fun, in_shardings, self._options.out_shardings))

        def forward_rule(*leaves):
            results, residuals = forward_program(*leaves)
            count = len(jax.tree.leaves(results))
            shardings = forward_program.result_shardings(*leaves)[count:]
            return results, (residuals, _Static((_types(leaves), tuple(shardings))))

        def backward_rule(kept, cotangents):
            residuals, static = kept
            return backward_program(*static.value)(residuals, cotangents)

        differentiable.defvjp(forward_rule, backward_rule)
        return differentiable


@jax.tree_util.register_static
class _Static:
    """What a pull-back is told beside arrays."""

    def __init__(self, value: tuple):
        self.value = value

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Static) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


def _types(leaves: Any) -> tuple:
    return tuple((leaf.shape, leaf.dtype) if hasattr(leaf, "dtype") else type(leaf) for leaf in
                 map(jax.typeof, leaves))


def shardings_of(program: Any) -> tuple:
    """How the results of a program lie, for the program that takes them."""
    return tuple(NamedSharding(program.mesh, one.spec) for one in program.results)

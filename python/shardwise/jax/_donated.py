# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that are given away twice. JAX 0.10 ends the process if one that is on several CPU devices is passed after a call that
it was donated to, or in two places of one call that it is donated to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax

from ..errors import InvalidError
from ._trace import Options


def check_donation(name: str, args: tuple, kwargs: Mapping[str, Any], options: Options) -> None:
    """Names an argument that was deleted, or that is donated and passed in another place, too.

    Args:
        name: What to call the function.
        options: They say which arguments are donated.

    Raises:
        InvalidError: There is one.
    """
    leaves = jax.tree.leaves((args, kwargs))
    if len(set(map(id, leaves))) < len(leaves):
        _check_distinct(name, args, kwargs, options)
    try:  # What it costs, each call pays.
        if not any([leaf.is_deleted() for leaf in leaves]):
            return
    except AttributeError:  # Tracers, arrays of NumPy and plain numbers are never deleted.
        pass
    for path, leaf in jax.tree_util.tree_flatten_with_path((args, kwargs))[0]:
        if _is_array(leaf) and leaf.is_deleted():
            raise InvalidError(f"argument {jax.tree_util.keystr(path[1:])} of {name} is an array that was deleted, as donated "
                               "arguments are by a call; pass the result of that call on, or a copy (jax.numpy.copy), or leave "
                               "it out of donate_argnums")


def _check_distinct(name: str, args: tuple, kwargs: Mapping[str, Any], options: Options) -> None:
    """Refuses an array that is one in several places, one of them donated."""
    numbers = {number % len(args) for number in options.donate_argnums if -len(args) <= number < len(args)}
    donated = (tuple(i in numbers for i in range(len(args))), {key: key in options.donate_argnames for key in kwargs})
    places: dict[int, list[tuple[str, bool]]] = {}
    for path, leaf in jax.tree_util.tree_flatten_with_path((args, kwargs))[0]:
        if _is_array(leaf):
            is_donated = donated[path[0].idx][getattr(path[1], "idx", getattr(path[1], "key", None))]
            places.setdefault(id(leaf), []).append((jax.tree_util.keystr(path[1:]), is_donated))
    for names in places.values():
        if len(names) > 1 and any(is_donated for _, is_donated in names):
            raise InvalidError(f"arguments {' and '.join(one for one, _ in names)} of {name} are one array, which is donated, so that "
                               "its memory is used for results while it is read; pass a copy (jax.numpy.copy) in one place, or leave it "
                               "out of donate_argnums")


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer)

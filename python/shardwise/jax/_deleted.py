# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that were given away, as donated ones are: JAX 0.10 ends the process if one that is on several CPU devices is passed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax

from ..errors import InvalidError


def check_not_deleted(name: str, args: tuple, kwargs: Mapping[str, Any]) -> None:
    """Names an argument that was deleted.

    Args:
        name: What to call the function.

    Raises:
        InvalidError: There is one.
    """
    leaves = jax.tree.leaves((args, kwargs))
    try:  # What it costs, each call pays.
        if not any([leaf.is_deleted() for leaf in leaves]):
            return
    except AttributeError:  # Tracers, arrays of NumPy and plain numbers are never deleted.
        pass
    for path, leaf in jax.tree_util.tree_flatten_with_path((args, kwargs))[0]:
        if _is_deleted(leaf):
            raise InvalidError(f"argument {jax.tree_util.keystr(path[1:])} of {name} is an array that was deleted, as donated "
                               "arguments are by a call; pass the result of that call on, or a copy (jax.numpy.copy), or leave "
                               "it out of donate_argnums")


def _is_deleted(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer) and leaf.is_deleted()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardings as tables: each cell names the devices that hold the tile."""

from __future__ import annotations

from typing import Any

import numpy
import torch

from .annotate import assignment_of_tensor
from .assignment import Assignment, ShardingType, parse_assignment

__all__ = ["construct_v1_sharding_str", "visualize_sharding", "visualize_tensor_sharding"]


def construct_v1_sharding_str(t: torch.Tensor) -> str:
    """Returns the sharding of a tensor in the text form that lists the devices; empty if it has none.

    Args:
        t: A tensor on the device.
    """
    assignment = assignment_of_tensor(t)
    return "" if assignment is None else str(assignment)


def visualize_tensor_sharding(t: torch.Tensor, **options: Any) -> Any:
    """Prints and returns a table of how a tensor is sharded.

    Args:
        t: A tensor on the device that has a sharding.
        options: As of `visualize_sharding`.

    Raises:
        ValueError: The tensor has no sharding, or the package `rich` is not installed.
    """
    text = construct_v1_sharding_str(t)
    if not text:
        raise ValueError("the tensor has no sharding yet; annotate it with mark_sharding, or call sync() first")
    return visualize_sharding(text, **options)


def _cells(assignment: Assignment) -> list[list[str]]:
    """Rows of cells: the first dimension goes down, the second across; further ones are named in the cell."""
    if assignment.type == ShardingType.REPLICATED:
        return [["all devices"]]
    if assignment.type == ShardingType.MANUAL:
        return [["manual"]]
    tiles = assignment.tiles or (1,)
    grid = numpy.asarray(assignment.devices).reshape(*tiles, assignment.replicas)
    if len(tiles) == 1:
        return [[_named(grid[i]) for i in range(tiles[0])]]
    rows = []
    for i in range(tiles[0]):
        rows.append([])
        for j in range(tiles[1]):
            inner = grid[i, j]
            if inner.ndim == 1:
                rows[-1].append(_named(inner))
                continue
            parts = [f"{list(index)}: {_named(inner[index])}" for index in numpy.ndindex(*inner.shape[:-1])]
            rows[-1].append("\n".join(parts) if len(parts) > 1 else _named(inner.reshape(-1)))
    return rows


def _named(devices: numpy.ndarray) -> str:
    return "CPU " + ",".join(str(int(one)) for one in devices)


_COLOURS = ("blue", "green", "magenta", "cyan", "yellow", "red", "bright_blue", "bright_green")


def visualize_sharding(sharding: str, use_color: bool = True, scale: float = 1.0, min_width: int = 9,
                       max_width: int = 80) -> Any:
    """Prints and returns a table of a sharding.

    Args:
        sharding: A text form, as `get_sharding_spec` gives it, or the second form.
        use_color: Whether tiles have colours.
        scale: Scales the widths of cells.
        min_width: Least width of a cell.
        max_width: Greatest width of the table.

    Raises:
        ValueError: The text is no sharding, or the package `rich` is not installed.
    """
    try:
        import rich.console
        import rich.table
    except ImportError:
        raise ValueError("visualize_sharding needs the package rich; install it with `pip install rich`") from None
    rows = _cells(parse_assignment(sharding))
    table = rich.table.Table(show_header=False, show_lines=True, padding=0, highlight=not use_color, pad_edge=False)
    width = max(min_width, min(int(max_width * scale) // max(len(rows[0]), 1), max_width))
    for _ in rows[0]:
        table.add_column(justify="center", vertical="middle", min_width=min(min_width, width), max_width=width)
    for i, row in enumerate(rows):
        styled = [f"[black on {_COLOURS[(i * len(row) + j) % len(_COLOURS)]}]{text}[/]" if use_color else text
                  for j, text in enumerate(row)]
        table.add_row(*styled)
    rich.console.Console().print(table)
    return table

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts beside DTensor's own cutting, without processes."""

import itertools
import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import python_package  # noqa: E402, F401

torch = pytest.importorskip("torch")

from torch.distributed.tensor import Shard  # noqa: E402
from torch.distributed.tensor.placement_types import _StridedShard  # noqa: E402

from shardwise.torch._layout import Cut, divided, elements, layout, overlap  # noqa: E402

SEED = 20261123


def cut_by_dtensor(whole, sizes, placements, coordinate):
    """The local tensor that DTensor's placements cut, from the first mesh dimension to the last."""
    for size, placement, at in zip(sizes, placements, coordinate):
        if placement is not None:
            whole = placement._split_tensor(whole, size, with_padding=False)[0][at]
    return whole


def indices(box):
    """The global indices of a local tensor, row-major."""
    return [list(itertools.chain.from_iterable(range(*run) for run in runs)) for runs in box]


def test_layouts_are_those_of_dtensor():
    print("seed", SEED)
    generator = random.Random(SEED)
    for _ in range(300):
        sizes = tuple(generator.choice([1, 2, 3, 4]) for _ in range(generator.randint(1, 3)))
        shape = tuple(generator.randint(0, 13) for _ in range(2))
        placements = [generator.choice([Shard(0), Shard(1), None, _StridedShard(0, split_factor=generator.randint(2, 4))])
                      for _ in sizes]
        cuts = [Cut() if one is None else Cut(one.dim, getattr(one, "split_factor", 1)) for one in placements]
        whole = torch.arange(shape[0] * shape[1]).view(shape)
        made = layout(range(100), sizes, shape, cuts)
        for position, coordinate in enumerate(made.coordinates):
            rows, columns = indices(made.boxes[position])
            expected = cut_by_dtensor(whole, sizes, placements, coordinate)
            what = (sizes, shape, placements, coordinate)
            assert made.shape(position) == tuple(expected.shape), what
            assert whole[rows][:, columns].tolist() == expected.tolist(), what


def test_overlap_is_in_the_order_of_the_target():
    assert overlap(((0, 4),), ((2, 8),)) == (((2, 4),), ((0, 2),))
    assert overlap(((0, 2), (4, 6)), ((4, 8), (0, 4))) == (((2, 4), (0, 2)), ((0, 2), (4, 6)))
    assert overlap(((4, 6), (0, 2)), ((0, 6),)) == (((2, 4), (0, 2)), ((0, 2), (4, 6)))
    assert overlap(((0, 2),), ((2, 4),)) == ((), ())


def test_work_is_shared_out_once():
    for shape in ((5, 7), (1, 3), (1, 1), (0, 4), (8, 8)):
        before = layout(range(8), (2, 2, 2), shape, [Cut(0), Cut(reduce_op="sum"), Cut(reduce_op="sum")])
        after = divided(before, (2, 2, 2), (1, 2))
        assert sum(map(elements, after.boxes)) == shape[0] * shape[1]
        for first in range(0, 8, 4):
            assert sum(map(elements, after.boxes[first:first + 4])) == elements(before.boxes[first])
        assert all(terms == (0, 0, 0) for terms in after.terms)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of results that are known without PyTorch are those that PyTorch says."""

import itertools

import pytest

from torch_package import torch

from shardwise.torch import _infer
from shardwise.torch._graph import TensorSlot
from shardwise.torch._meta import meta_of

aten = torch.ops.aten
SHAPES = [(), (1,), (4,), (3, 1), (1, 4), (3, 4), (2, 3, 4), (2, 1, 4), (2, 1, 1), (1, 3, 1), (2, 3, 1), (0, 4)]
DTYPES = [torch.float32, torch.bfloat16, torch.float64]


def op_of(name):
    packet, overload = name.split(".")
    return getattr(getattr(aten, packet), overload)


def slots_of(args):
    tensors = itertools.count()
    return [TensorSlot(next(tensors), meta_of(one)) if isinstance(one, torch.Tensor) else one for one in args]


def assert_known(name, args, is_known=True):
    slots = slots_of(args)
    known = _infer._known(name, slots)
    assert (known is not None) == is_known, (name, args)
    if is_known:
        asked, many = _infer._asked(op_of(name), slots, {})
        assert many == (len(known) > 1) and [one.dtype for one in asked] == [one.dtype for one in known]
        for one, other in zip(asked, known):
            # Strides of dimensions of one element, and of no elements, say nothing.
            assert one.shape == other.shape and one.offset == other.offset == 0 and (one.is_dense or 0 in one.shape)


def empty(shape, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype, device="meta")


@pytest.mark.parametrize("name", sorted(_infer._ELEMENTWISE))
def test_element_by_element(name):
    for dtype, shape in itertools.product(DTYPES, SHAPES):
        if name in ("add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor"):
            for other in SHAPES:
                try:
                    torch.broadcast_shapes(shape, other)
                except RuntimeError:
                    assert_known(name, (empty(shape, dtype), empty(other, dtype)), False)
                    continue
                assert_known(name, (empty(shape, dtype), empty(other, dtype)))
        else:
            assert_known(name, (empty(shape, dtype), 2.5) if name.endswith("Scalar") else (empty(shape, dtype),))


def test_what_is_asked_for():
    x = empty((3, 4))
    for args in ((x, empty((3, 4), torch.float64)), (x.t(), x.t()), (x, 1j), (empty((3, 4), torch.int64), 2)):
        assert_known("mul.Tensor", args, False)
    assert_known("addmm.default", (empty((5,)), x, empty((3, 5))), False)
    assert_known("addmm.default", (empty((5,)), x, empty((4, 5), torch.float64)), False)
    assert_known("native_layer_norm.default", (x, [3], None, None, 1e-5), False)
    assert_known("native_layer_norm.default", (empty((3, 4), torch.bfloat16), [4], None, None, 1e-5), False)


def test_products_and_norms():
    for a, b in ((empty((3, 4)), empty((4, 5))), (empty((4, 3)).t(), empty((5, 4)).t()), (empty((0, 4)), empty((4, 5)))):
        assert_known("addmm.default", (empty((5,)), a, b))
    for x, sizes in ((empty((2, 3, 4)), [4]), (empty((2, 3, 4)), [3, 4]), (empty((4,)), [4])):
        assert_known("native_layer_norm.default", (x, sizes, empty(sizes), empty(sizes), 1e-5))
        assert_known("native_layer_norm.default", (x, sizes, None, None, 1e-5))

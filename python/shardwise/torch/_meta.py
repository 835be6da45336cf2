# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tensor is without its elements: shape, strides, offset and type. Interned, so that two are equal
only if they are the same object, and keys of caches are cheap."""

from __future__ import annotations

import torch

__all__ = ["DTYPE_NAMES", "Meta", "intern_meta", "meta_of"]

#: Element types as in StableHLO.
DTYPE_NAMES = {
    torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.uint8: "ui8",
    torch.uint16: "ui16", torch.uint32: "ui32", torch.uint64: "ui64", torch.bool: "i1",
    torch.complex64: "complex<f32>", torch.complex128: "complex<f64>",
}


class Meta:
    """Shape, strides, storage offset and element type of a tensor."""

    __slots__ = ("shape", "strides", "offset", "dtype", "number", "is_dense", "layout")

    def __init__(self, shape, strides, offset, dtype, number):
        self.shape, self.strides, self.offset, self.dtype, self.number = (
            shape, strides, offset, dtype, number)
        #: Whether it is contiguous in row-major order.
        self.is_dense = strides == dense_strides(shape) or all(
            size == 1 or stride == dense for size, stride, dense in zip(shape, strides, dense_strides(shape)))
        #: What a tensor is made with, beside its shape: PyTorch takes time to read strides that it would choose itself.
        plain = not offset and strides == dense_strides(shape)
        self.layout = {"dtype": dtype} if plain else {"strides": strides, "storage_offset": offset, "dtype": dtype}

    def __repr__(self) -> str:
        return f"{list(self.shape)}:{DTYPE_NAMES.get(self.dtype, self.dtype)}"

    def empty(self) -> torch.Tensor:
        """Returns a tensor like this on the meta device."""
        if not self.offset:
            return torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device="meta")
        span = self.offset + 1 + sum((size - 1) * stride for size, stride in zip(self.shape, self.strides))
        flat = torch.empty(max(span, 0), dtype=self.dtype, device="meta")
        return flat.as_strided(self.shape, self.strides, self.offset)


def dense_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the strides of a contiguous tensor."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


_metas: dict[tuple, Meta] = {}


def intern_meta(shape, strides, offset, dtype) -> Meta:
    """Returns the one object for these; strides of `None` are those of a contiguous tensor."""
    shape = tuple(shape)
    if strides is None:
        strides = dense_strides(shape)
    key = (shape, tuple(strides), offset, dtype)
    found = _metas.get(key)
    if found is None:
        found = _metas[key] = Meta(*key, len(_metas))
    return found


def meta_of(tensor: torch.Tensor) -> Meta:
    """Returns that of a tensor."""
    return intern_meta(tensor.shape, tensor.stride(), tensor.storage_offset(), tensor.dtype)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mixed precision: under `torch.autocast("shardwise")` matrix products are computed in a half type, and what needs
precision in f32."""

from __future__ import annotations

import functools
from typing import Any

import torch

from ._backend import DEVICE_TYPE

__all__ = ["register"]

_HALF = ("mm", "bmm", "addmm", "addbmm", "baddbmm", "matmul", "linear", "mv", "addmv", "chain_matmul", "prelu",
         "_convolution", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d.input",
         "conv_transpose3d.input", "convolution", "scaled_dot_product_attention")
_FULL = ("acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt",
         "sinh", "tan", "softplus", "layer_norm", "group_norm", "cosine_similarity", "poisson_nll_loss", "nll_loss",
         "cross_entropy_loss", "mse_loss", "smooth_l1_loss", "huber_loss", "kl_div", "l1_loss", "softmax.int",
         "log_softmax.int", "cumsum", "cumprod", "sum", "prod", "binary_cross_entropy_with_logits")


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor):
        eligible = value.is_floating_point() and value.dtype != torch.float64 and value.device.type == DEVICE_TYPE
        return value.to(dtype) if eligible and value.dtype != dtype else value
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(one, dtype) for one in value)
    return value


def _wrapped(func, dtype: torch.dtype | None):
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)

    @functools.wraps(func)
    def cast(*args, **kwargs):
        wanted = torch.get_autocast_dtype(DEVICE_TYPE) if dtype is None else dtype
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return func(*(_cast(one, wanted) for one in args),
                        **{name: _cast(one, wanted) for name, one in kwargs.items()})

    return cast


def register(library: torch.library.Library) -> None:
    """Tells PyTorch."""
    for names, dtype in ((_HALF, None), (_FULL, torch.float32)):
        for name in names:
            packet, _, overload = name.partition(".")
            func = getattr(getattr(torch.ops.aten, packet), overload or "default")
            library.impl(name, _wrapped(func, dtype), "AutocastPrivateUse1")

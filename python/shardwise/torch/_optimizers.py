# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers with `fused=True`, whose step is one op of PyTorch for all parameters: here it is one op for each."""

from __future__ import annotations

from typing import Any

import torch

from ._dispatch import special, write
from ._record import record
from .tensor import DeviceTensor

__all__: list[str] = []


def _given(func: Any, args, kwargs) -> dict[str, Any]:
    return dict(zip((one.name for one in func._schema.arguments), args)) | kwargs


@special("_fused_adam_.default", "_fused_adam_.tensor_lr", "_fused_adamw_.default", "_fused_adamw_.tensor_lr")
def _adam(cls, func, args, kwargs):
    given = _given(func, args, kwargs)
    decoupled = "adamw" in func._schema.name
    if given.get("grad_scale") is not None:
        torch._foreach_div_(given["grads"], given["grad_scale"])
    numbers = [one if isinstance(one, torch.Tensor) else float(one) for one in (
        given[name] for name in ("lr", "beta1", "beta2", "weight_decay", "eps"))]
    tops = given["max_exp_avg_sqs"] if given["amsgrad"] else [None] * len(given["self"])
    for param, grad, mean, square, top, step in zip(given["self"], given["grads"], given["exp_avgs"], given["exp_avg_sqs"], tops, given["state_steps"]):
        changed: list[DeviceTensor] = [param, mean, square] + ([] if top is None else [top])
        nodes, _ = record("shardwise.adam", (param, grad, mean, square, top, step, given.get("found_inf"), *numbers, decoupled, bool(given["maximize"])), {},
                          outs=tuple(one._meta for one in changed))
        for one, node in zip(changed, nodes):
            write(one, node)


@special("_fused_sgd_.default", "_fused_sgd_.tensor_lr")
def _sgd(cls, func, args, kwargs):
    given = _given(func, args, kwargs)
    params, grads, buffers, lr, found = given["self"], given["grads"], given["momentum_buffer_list"], given["lr"], given.get("found_inf")
    if given.get("grad_scale") is not None:
        torch._foreach_div_(grads, given["grad_scale"])
    changed = [*params, *buffers]
    before = [one.clone() for one in changed] if found is not None else []
    up = torch._foreach_neg(grads) if given["maximize"] else list(grads)
    if given["weight_decay"]:
        up = torch._foreach_add(up, params, alpha=given["weight_decay"])
    if given["momentum"]:
        if given["is_first_step"]:
            for buffer, one in zip(buffers, up):
                buffer.copy_(one)
        else:
            torch._foreach_mul_(buffers, given["momentum"])
            torch._foreach_add_(buffers, up, alpha=1 - given["dampening"])
        up = torch._foreach_add(up, buffers, alpha=given["momentum"]) if given["nesterov"] else buffers
    for param, one in zip(params, up):
        param.sub_(one * lr)
    for one, old in zip(changed, before):
        one.copy_(torch.where(found != 0, old, one))

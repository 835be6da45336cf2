# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of optimizers that PyTorch has as one op for all parameters (`fused=True`)."""

from __future__ import annotations

import torch

from .._emit import Emitter, Value
from .registry import lower


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


@lower("shardwise.adam", numbers=True)
def adam(e: Emitter, param: Value, grad: Value, mean: Value, square: Value, top: Value | None, step: Value, found: Value | None, lr, beta1, beta2,
         decay, eps, decoupled: bool, maximize: bool):
    """A step of Adam or, decoupled, AdamW for a parameter: what it is then, its means, and the greatest mean of squares if there is one. Nothing
    changes if `found` says that a gradient is not finite. Numbers are computed with in f64, as PyTorch does."""
    wide, exact = _wide(param.dtype), torch.float64
    lr, beta1, beta2, decay, eps, step = (e.number(one, exact) if not isinstance(one, Value) else e.convert(e.reshape(one, ()), exact)
                                          for one in (lr, beta1, beta2, decay, eps, step))

    def number(value: Value) -> Value:
        return e.convert(value, wide)

    p, g, m, v = (e.convert(one, wide) for one in (param, grad, mean, square))
    g = e.unary("negate", g) if maximize else g
    if decoupled:
        p = e.mul(p, number(e.sub(1.0, e.mul(lr, decay))))
    else:
        g = e.add(g, e.mul(p, number(decay)))
    m = e.add(m, e.mul(e.sub(g, m), number(e.sub(1.0, beta1))))
    v = e.add(e.mul(v, number(beta2)), e.mul(e.mul(g, g), number(e.sub(1.0, beta2))))
    greatest = v if top is None else e.binary("maximum", e.convert(top, wide), v)
    rate = e.div(lr, e.sub(1.0, e.binary("power", beta1, step)))
    root = e.unary("sqrt", e.sub(1.0, e.binary("power", beta2, step)))
    below = e.add(e.div(e.unary("sqrt", greatest), number(root)), number(eps))
    p = e.sub(p, e.mul(e.div(m, below), number(rate)))
    pairs = [(param, p), (mean, m), (square, v)] + ([] if top is None else [(top, greatest)])
    results = [e.convert(new, old.dtype) for old, new in pairs]
    if found is None:
        return tuple(results)
    fails = e.compare("NE", e.reshape(found, ()), 0.0)
    return tuple(e.select(fails, old, new) for (old, _), new in zip(pairs, results))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `nn.MultiheadAttention` and `nn.TransformerEncoderLayer` call when they do not train: a layer as one op. It is recorded as the ops that the layer has
in training, so that sharding sees them.

PyTorch would also drop padded positions before the first layer and fill them with zeros behind the last. This device has no tensors
of rows of several lengths: they are computed, as in training."""

from __future__ import annotations

import math

import torch

from ._dispatch import special

__all__: list[str] = []

F = torch.nn.functional
#: What a mask of the ops is for.
_OF_PAIRS, _OF_KEYS = 0, 1


@special("_nested_tensor_from_mask_left_aligned.default")
def _is_for_nested(cls, func, args, kwargs) -> bool:
    """Whether the encoder is to drop what is padded."""
    return False


def _attention_mask(mask: torch.Tensor | None, kind: int | None) -> torch.Tensor | None:
    """Which keys are not looked at, for each example, head and query: all that is not zero."""
    if mask is None:
        return None
    mask = mask.to(torch.bool)
    if kind == _OF_KEYS:
        return mask[:, None, None, :]
    return mask[None, None] if kind == _OF_PAIRS else mask


def _attention(x, num_heads: int, weights, mask, kind):
    """Returns what attention of `x` to itself gives, and the weights of each head."""
    in_weight, in_bias, out_weight, out_bias = weights
    batch, length, width = x.shape
    parts = F.linear(x, in_weight, in_bias).view(batch, length, 3, num_heads, width // num_heads)
    query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
    scores = (query / math.sqrt(width // num_heads)) @ key.mT
    hidden = _attention_mask(mask, kind)
    if hidden is not None:
        scores = scores.masked_fill(hidden, -math.inf)
    shares = scores.softmax(-1)
    return F.linear((shares @ value).transpose(1, 2).reshape(x.shape), out_weight, out_bias), shares


@special("_native_multi_head_attention.default")
def _multi_head_attention(cls, func, args, kwargs):
    """Attention of a tensor to itself: modules call this for nothing else."""
    given = dict(zip((one.name for one in func._schema.arguments), args)) | kwargs
    weights = [given[name] for name in ("qkv_weight", "qkv_bias", "proj_weight", "proj_bias")]
    out, shares = _attention(given["query"], given["num_head"], weights, given.get("mask"), given.get("mask_type"))
    if not given.get("need_weights", True):
        return out, None
    return out, shares.mean(1) if given.get("average_attn_weights", True) else shares


@special("_transformer_encoder_layer_fwd.default")
def _encoder_layer(cls, func, args, kwargs):
    given = dict(zip((one.name for one in func._schema.arguments), args)) | kwargs
    weights = [given[name] for name in ("qkv_weight", "qkv_bias", "proj_weight", "proj_bias")]

    def norm(x, number: int):
        return F.layer_norm(x, (given["embed_dim"],), given[f"norm_weight_{number}"], given[f"norm_bias_{number}"], given["eps"])

    def attend(x):
        return _attention(x, given["num_heads"], weights, given.get("mask"), given.get("mask_type"))[0]

    def feed(x):
        inner = F.linear(x, given["ffn_weight_1"], given["ffn_bias_1"])
        return F.linear(F.gelu(inner) if given["use_gelu"] else inner.relu(), given["ffn_weight_2"], given["ffn_bias_2"])

    x = given["src"]
    if given["norm_first"]:
        x = x + attend(norm(x, 1))
        return x + feed(norm(x, 2))
    x = norm(x + attend(x), 1)
    return norm(x + feed(x), 2)

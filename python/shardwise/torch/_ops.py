# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that need more than a lowering: creation, copies between host and device, reading of values, random numbers,
statistics that a layer updates on the side."""

from __future__ import annotations

import math
from typing import Any

import torch

from . import _fallback
from ._backend import DEVICE_TYPE
from ._dispatch import assign, _pure, fitted, fresh, make_alias, special, write
from ._graph import Storage
from ._meta import intern_meta, meta_of
from ._record import Varying, node_of, record
from ._seeds import next_seed
from ._views import View
from .tensor import DeviceTensor, XLAShardedTensor, from_host, make, read_host

aten = torch.ops.aten

#: Whole numbers below are exact where programs have their numbers, in f64.
_EXACT = 2 ** 53


# Copies.


@special("detach.default", "alias.default", "lift_fresh.default", "lift.default", "resolve_conj.default",
         "resolve_neg.default")
def _alias(cls, func, args, kwargs):
    source = args[0]
    tensor = make_alias(cls, source, source._meta, source._view)
    tensor._cache = source._cache
    if cls is XLAShardedTensor and isinstance(source, XLAShardedTensor) and func is not aten.detach.default:
        tensor.mesh_shape, tensor.partition_spec = source.mesh_shape, source.partition_spec
    return tensor


@special("_amp_foreach_non_finite_check_and_unscale_.default")
def _unscale(cls, func, args, kwargs):
    """What a `GradScaler` does to gradients: times the inverse scale, and a note of whether one was not finite."""
    gradients, found, inverse = args
    for gradient in gradients:
        found.copy_(torch.maximum(found, gradient.isfinite().logical_not().any().to(found.dtype)))
        gradient.mul_(inverse)


@special("_amp_update_scale_.default")
def _update_scale(cls, func, args, kwargs):
    """The next scale of a `GradScaler`: less after a step with numbers that were not finite, more after enough without."""
    scale, count, found, growth, backoff, interval = args
    failed = found > 0
    counted = torch.where(failed, 0, count + 1)
    grows = counted == interval
    grown = torch.where(torch.isfinite(scale * growth), scale * growth, scale)
    scale.copy_(torch.where(failed, scale * backoff, torch.where(grows, grown, scale)))
    count.copy_(torch.where(grows, 0, counted))
    return scale


@special("clone.default")
def _clone(cls, func, args, kwargs):
    tensor = _pure(cls, func, args, kwargs)
    source = args[0]
    if source._view is None and source._storage.annotation is not None:
        tensor._storage.annotation = source._storage.annotation
        if isinstance(source, XLAShardedTensor):
            tensor.mesh_shape, tensor.partition_spec = source.mesh_shape, source.partition_spec
    return tensor


@special("_to_copy.default")
def _to_copy(cls, func, args, kwargs):
    source = args[0]
    target = kwargs.get("device")
    if target is not None and target.type != DEVICE_TYPE:
        rest = {name: one for name, one in kwargs.items() if name not in ("device", "non_blocking")}
        host = read_host(source)
        return torch.ops.aten._to_copy.default(host, device=target, **rest) if rest or target.type != "cpu" else host
    return _pure(cls, func, args, {name: one for name, one in kwargs.items() if name == "dtype"})


@special("copy_.default")
def _copy(cls, func, args, kwargs):
    target, source = args[0], args[1]
    if not isinstance(target, DeviceTensor):
        return target.copy_(read_host(source))
    if not isinstance(source, DeviceTensor):
        if source.device.type != "cpu":
            source = source.cpu()
        source = from_host(source if source.dtype == target.dtype else source.to(target.dtype))
    write(target, fitted(node_of(source), target._meta))
    return target


@special("prims.copy_to.default")
def _copy_to(cls, func, args, kwargs):
    return _copy(cls, func, args, kwargs)


@special("_local_scalar_dense.default")
def _item(cls, func, args, kwargs):
    return read_host(args[0]).item()


@special("equal.default")
def _equal(cls, func, args, kwargs):
    a, b = (read_host(one) if isinstance(one, DeviceTensor) else one for one in args)
    return torch.equal(a, b)


@special("set_.source_Tensor")
def _set(cls, func, args, kwargs):
    args[0].data = args[1]
    return args[0]


@special("is_pinned.default")
def _is_pinned(cls, func, args, kwargs):
    return False


@special("_has_compatible_shallow_copy_type.default")
def _compatible(cls, func, args, kwargs):
    return False


# Creation.


def _filled(cls, size, value, dtype) -> DeviceTensor:
    meta = intern_meta(tuple(size), None, 0, dtype)
    node = record("shardwise.full", (value,), {}, outs=(meta,))[0][0]
    return fresh(cls, node, meta)


@special("empty_like.default", "zeros_like.default", "ones_like.default")
def _filled_like(cls, func, args, kwargs):
    sample = func(args[0]._meta.empty(), **{k: v for k, v in kwargs.items() if k != "device"})
    target = kwargs.get("device")
    if target is not None and torch.device(target).type != DEVICE_TYPE:
        return func(torch.empty(args[0].shape, dtype=args[0].dtype), **kwargs)
    value = 1 if func is aten.ones_like.default else 0
    return _filled(cls, sample.shape, value, sample.dtype)


@special("new_empty.default", "new_zeros.default", "new_ones.default", "new_empty_strided.default")
def _new(cls, func, args, kwargs):
    value = 1 if func is aten.new_ones.default else 0
    return _filled(cls, args[1], value, kwargs.get("dtype") or args[0].dtype)


def _holds(dtype: torch.dtype, value: int) -> bool:
    """Whether a whole number is one of the type."""
    if dtype == torch.bool or dtype.is_complex:
        return False
    return dtype.is_floating_point or torch.iinfo(dtype).min <= value <= torch.iinfo(dtype).max


@special("fill_.Scalar", "zero_.default")
def _fill(cls, func, args, kwargs):
    target = args[0]
    value = args[1] if len(args) > 1 else 0
    if type(value) is int and 1 < abs(value) < _EXACT and _holds(target._meta.dtype, value):
        # As floats: the time of a diffusion step is no other program each time.
        value = Varying(value)
    meta = intern_meta(target._meta.shape, None, 0, target._meta.dtype)
    write(target, record("shardwise.full", (value,), {}, outs=(meta,))[0][0])
    return target


@special("fill_.Tensor")
def _fill_tensor(cls, func, args, kwargs):
    source = args[1] if isinstance(args[1], DeviceTensor) else from_host(args[1])
    write(args[0], fitted(node_of(source), args[0]._meta))
    return args[0]


def _empty(size, dtype: torch.dtype | None) -> DeviceTensor:
    """A tensor whose elements nobody has given. It is not computed before one has or they are read: `.to(device)` makes one and copies into
    it, and a thread that sends batches is not to change the program that runs meanwhile."""
    meta = intern_meta(tuple(size), None, 0, dtype or torch.get_default_dtype())
    node = record("shardwise.full", (0,), {}, outs=(meta,))[0][0]
    return make(DeviceTensor, meta, Storage(node, meta, False))


def _create_empty(size, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return _empty(size, dtype)


def _create_strided(size, stride, dtype=None, layout=None, device=None, pin_memory=None):
    return _empty(size, dtype)


def _arange(start, end, step=1, dtype=None):
    sample = torch.arange(start, end, step, dtype=dtype, device="meta")
    meta = meta_of(sample)
    return fresh(DeviceTensor, record("arange.start_step", (start, end, step), {}, outs=(meta,))[0][0], meta)


def _copy_from(source, target, non_blocking=False):
    """`torch.tensor(..., device=...)` copies with the dispatch to classes of tensors switched off."""
    return _copy(DeviceTensor, None, (target, source), {})


@special("arange.out", "arange.start_out")
def _arange_out(cls, func, args, kwargs):
    out = kwargs["out"]
    start, end, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    assign(out, _arange(start, end, step, out.dtype))
    return out


#: Weights of a window, as of a spectrum.
_WINDOWS = [(f"{name}_window", overload) for name in ("hann", "hamming", "blackman", "bartlett", "kaiser")
            for overload in getattr(aten, f"{name}_window").overloads() if not overload.endswith("out")]


def register_creation(library: torch.library.Library) -> None:
    """Says how tensors are made on the device when no argument is on it."""
    key = "PrivateUse1"
    library.impl("empty.memory_format", _create_empty, key)
    library.impl("empty_strided", _create_strided, key)
    # What is known to be zero is so to autograd's forward mode only; here it is a tensor as others are.
    library.impl("_efficientzerotensor", lambda size, dtype=None, **_: _filled(
        DeviceTensor, size, 0, dtype or torch.get_default_dtype()), key)
    library.impl("_copy_from", _copy_from, key)
    # `torch.tensor` reads the elements of lists below the dispatch to classes of tensors.
    library.impl("_local_scalar_dense", lambda tensor: read_host(tensor).item(), key)
    library.impl("arange", lambda end, dtype=None, **_: _arange(0, end, 1, dtype), key)
    library.impl("arange.start", lambda start, end, dtype=None, **_: _arange(start, end, 1, dtype), key)
    library.impl("arange.start_step", lambda start, end, step=1, dtype=None, **_: _arange(start, end, step, dtype), key)

    def on_host(name: str, overload: str) -> None:
        func = getattr(getattr(aten, name), overload)

        def create(*args, device=None, **kwargs):
            return from_host(func(*args, device="cpu", **kwargs))

        library.impl(name if overload == "default" else f"{name}.{overload}", create, key)

    # Small tables, whose elements PyTorch makes.
    for name, overload in (("randperm", "default"), ("randperm", "generator"), ("linspace", "default"),
                           ("logspace", "default"), ("tril_indices", "default"), ("triu_indices", "default"),
                           ("eye", "default"), ("eye", "m"), *_WINDOWS):
        on_host(name, overload)


# Random numbers.


def _seed(kwargs: dict[str, Any]) -> Varying:
    """The seed of a draw: the next of the device, or what the generator that is given says."""
    generator = kwargs.get("generator")
    return Varying(next_seed() if generator is None else int(torch.randint(1 << 52, (), generator=generator)))


def _drawn(name: str, kwargs: dict[str, Any], target: DeviceTensor, *parameters: Any):
    meta = intern_meta(target._meta.shape, None, 0, target._meta.dtype)
    return record(name, (_seed(kwargs), *parameters), {}, outs=(meta,))[0][0]


@special("uniform_.default")
def _uniform(cls, func, args, kwargs):
    low = args[1] if len(args) > 1 else kwargs.get("from", 0.0)
    high = args[2] if len(args) > 2 else kwargs.get("to", 1.0)
    write(args[0], _drawn("shardwise.uniform", kwargs, args[0], low, high))
    return args[0]


@special("normal_.default")
def _normal(cls, func, args, kwargs):
    mean = args[1] if len(args) > 1 else kwargs.get("mean", 0.0)
    deviation = args[2] if len(args) > 2 else kwargs.get("std", 1.0)
    write(args[0], _drawn("shardwise.normal", kwargs, args[0], mean, deviation))
    return args[0]


@special("random_.from", "random_.to", "random_.default")
def _random(cls, func, args, kwargs):
    low, high = {2: (0, args[-1])}.get(len(args), (args[1] if len(args) > 2 else 0, args[-1]))
    if len(args) == 1 or high is None:
        high = 2 ** 24 if args[0].dtype.is_floating_point else torch.iinfo(args[0].dtype).max
    write(args[0], _drawn("shardwise.integers", kwargs, args[0], low, high))
    return args[0]


@special("bernoulli_.float", "bernoulli_.Tensor")
def _bernoulli_in_place(cls, func, args, kwargs):
    share = args[1] if len(args) > 1 else kwargs.get("p", 0.5)
    write(args[0], _drawn("shardwise.bernoulli", kwargs, args[0], share))
    return args[0]


@special("bernoulli.default")
def _bernoulli(cls, func, args, kwargs):
    return fresh(cls, _drawn("shardwise.bernoulli", kwargs, args[0], args[0]), intern_meta(
        args[0]._meta.shape, None, 0, args[0]._meta.dtype))


@special("bernoulli.p")
def _bernoulli_p(cls, func, args, kwargs):
    return fresh(cls, _drawn("shardwise.bernoulli", kwargs, args[0], args[1]), intern_meta(
        args[0]._meta.shape, None, 0, args[0]._meta.dtype))


@special("rand_like.default", "randn_like.default", "randint_like.default", "randint_like.low_dtype")
def _random_like(cls, func, args, kwargs):
    dtype = kwargs.get("dtype") or args[0].dtype
    meta = intern_meta(args[0].shape, None, 0, dtype)
    if func is aten.rand_like.default:
        name, parameters = "shardwise.uniform", (0.0, 1.0)
    elif func is aten.randn_like.default:
        name, parameters = "shardwise.normal", (0.0, 1.0)
    else:
        name, parameters = "shardwise.integers", (0, args[1]) if len(args) == 2 else (args[1], args[2])
    return fresh(cls, record(name, (_seed(kwargs), *parameters), {}, outs=(meta,))[0][0], meta)


@special("native_dropout.default")
def _dropout(cls, func, args, kwargs):
    x, share, training = args[0], args[1], args[2] if len(args) > 2 else True
    if training is False or share == 0:
        return x.clone(), _filled(cls, x.shape, True, torch.bool)
    metas = (intern_meta(x.shape, None, 0, x.dtype), intern_meta(x.shape, None, 0, torch.bool))
    nodes, _ = record("shardwise.dropout", (x, Varying(next_seed()), float(share)), {}, outs=metas)
    return tuple(fresh(cls, node, meta) for node, meta in zip(nodes, metas))


# Statistics.


def _batch_norm(cls, args, mean, variance, training, momentum, eps):
    x, weight, bias = args
    wide = torch.float32 if x.dtype in (torch.float16, torch.bfloat16) else x.dtype
    vector = intern_meta((x.shape[1],), None, 0, wide)
    outs = (intern_meta(x.shape, None, 0, x.dtype), vector, vector)
    updates = bool(training) and mean is not None
    if updates:
        outs += (intern_meta(mean.shape, None, 0, mean.dtype), intern_meta(variance.shape, None, 0, variance.dtype))
    nodes, _ = record("shardwise.batch_norm", (x, weight, bias, mean, variance, bool(training), float(momentum),
                                               float(eps)), {}, outs=outs)
    if updates:
        write(mean, nodes[3])
        write(variance, nodes[4])
    return tuple(fresh(cls, node, meta) for node, meta in zip(nodes[:3], outs))


@special("native_batch_norm.default", "_native_batch_norm_legit.default")
def _native_batch_norm(cls, func, args, kwargs):
    x, weight, bias, mean, variance, training, momentum, eps = args
    return _batch_norm(cls, (x, weight, bias), mean, variance, training, momentum, eps)


@special("_native_batch_norm_legit.no_stats")
def _no_stats(cls, func, args, kwargs):
    x, weight, bias, training, momentum, eps = args
    return _batch_norm(cls, (x, weight, bias), None, None, training, momentum, eps)


@special("_weight_norm_interface_backward.default")
def _weight_norm_backward(cls, func, args, kwargs):
    """Of a weight that is a direction `v` times a length `g` for each index of a dimension."""
    up, v, g, norms, dim = args
    others = [one for one in range(v.dim()) if one != dim % v.dim()]
    norms = norms.to(v.dtype)
    along = (up * v).sum(others, keepdim=True)
    return g / norms * (up - v * (along / norms.square())), along / norms


# Recurrent cells.


def _matrix(like, width: int):
    return intern_meta((like.shape[0], width), None, 0, like.dtype)


@special("_thnn_fused_lstm_cell.default")
def _lstm_cell(cls, func, args, kwargs):
    x, h, c, *biases = [*args, None, None][:5]
    width = c.shape[1]
    outs = (_matrix(c, width), _matrix(c, width), _matrix(c, 4 * width))
    nodes, _ = record("shardwise.lstm_cell", (x, h, c, *biases), {}, outs=outs)
    return tuple(fresh(cls, node, meta) for node, meta in zip(nodes, outs))


@special("_thnn_fused_lstm_cell_backward_impl.default")
def _lstm_cell_backward(cls, func, args, kwargs):
    up_h, up_c, c, memory, gates, has_bias = args
    outs = (_matrix(c, 4 * c.shape[1]), _matrix(c, c.shape[1]), intern_meta((4 * c.shape[1],), None, 0, c.dtype))
    nodes, _ = record("shardwise.lstm_cell_backward", (up_h, up_c, c, memory, gates), {}, outs=outs)
    tensors = [fresh(cls, node, meta) for node, meta in zip(nodes, outs)]
    return tensors[0], tensors[1], tensors[2] if has_bias else None


@special("_thnn_fused_gru_cell.default")
def _gru_cell(cls, func, args, kwargs):
    x, h, state, *biases = [*args, None, None][:5]
    outs = (_matrix(state, state.shape[1]), _matrix(state, 5 * state.shape[1]))
    nodes, _ = record("shardwise.gru_cell", (x, h, state, *biases), {}, outs=outs)
    return tuple(fresh(cls, node, meta) for node, meta in zip(nodes, outs))


@special("_thnn_fused_gru_cell_backward.default")
def _gru_cell_backward(cls, func, args, kwargs):
    up, saved, has_bias = args
    width = up.shape[1]
    vector = intern_meta((3 * width,), None, 0, up.dtype)
    outs = (_matrix(up, 3 * width), _matrix(up, 3 * width), _matrix(up, width), vector, vector)
    nodes, _ = record("shardwise.gru_cell_backward", (up, saved), {}, outs=outs)
    tensors = [fresh(cls, node, meta) for node, meta in zip(nodes, outs)]
    return (*tensors[:3], *(tensors[3:] if has_bias else (None, None)))


# Views of the storage, and views that a tensor becomes itself.


@special("as_strided.default")
def _as_strided(cls, func, args, kwargs):
    source, size, stride, *rest = args
    offset = rest[0] if rest else kwargs.get("storage_offset")
    storage = source._storage
    if source._meta.dtype != storage.meta.dtype:
        raise NotImplementedError("as_strided() of the parts of complex numbers, or of a view in another type; call contiguous() or clone() "
                                  "before it")
    meta = meta_of(func(storage.meta.empty(), size, stride, source._meta.offset if offset is None else offset))
    # PyTorch's kernel for tensors without data does not look where the storage ends.
    count, end = math.prod(storage.meta.shape), meta.offset + 1 + sum((n - 1) * step for n, step in zip(meta.shape, meta.strides))
    if math.prod(meta.shape) and end > count:
        raise RuntimeError(f"as_strided: sizes {list(meta.shape)}, strides {list(meta.strides)} and storage offset {meta.offset} need a "
                           f"storage of {end} elements, but that of the tensor has {count}")
    return make_alias(cls, source, meta, View.strided(meta))


@special("transpose_.default", "t_.default", "squeeze_.default", "squeeze_.dim", "squeeze_.dims", "unsqueeze_.default",
         "swapaxes_.default", "swapdims_.default", "as_strided_.default")
def _become_view(cls, func, args, kwargs):
    target = args[0]
    name = func._schema.name.removeprefix("aten::").removesuffix("_")
    name = {"swapaxes": "transpose", "swapdims": "transpose"}.get(name, name)
    functional = getattr(getattr(aten, name), "int" if name == "transpose" else func._overloadname)
    view = functional(target, *args[1:], **kwargs)
    # The sizes that PyTorch sees are changed by its own kernel.
    with torch._C._DisableTorchDispatch():
        func(*args, **kwargs)
    target._meta, target._view, target._cache = view._meta, view._view, view._cache
    return target


@special("max_pool2d_with_indices.default")
def _max_pool(cls, func, args, kwargs):
    nodes, metas = record(func, args, kwargs)
    index = record("shardwise.max_pool_indices", args, kwargs, outs=(metas[1],))[0][0]
    return fresh(cls, nodes[0], metas[0]), fresh(cls, index, metas[1])


@special("max_pool2d_with_indices_backward.default")
def _max_pool_backward(cls, func, args, kwargs):
    up, x, kernel, stride, padding, dilation, ceil_mode, index = args
    if all(one == 1 for one in dilation):
        # The places are found again; what does not depend on the indices does not have them computed.
        return _pure(cls, func, (*args[:-1], _filled(cls, index.shape, 0, torch.int64)), kwargs)
    planes = (*x.shape[:-2], -1)
    flat = _filled(cls, (*x.shape[:-2], x.shape[-2] * x.shape[-1]), 0, x.dtype)
    return flat.scatter_add(-1, index.reshape(planes), up.reshape(planes)).reshape(x.shape)


@special("_embedding_bag.default", "_embedding_bag_forward_only.default")
def _embedding_bag(cls, func, args, kwargs):
    weight, index, offsets, by_count, mode, sparse, weights, last, padding = [
        *args, *(False, 0, False, None, False, -1)[len(args) - 3:]]
    if mode == 2 or padding >= 0 or weight.dtype in (torch.float16, torch.bfloat16):
        return _fallback.run(cls, func, args, kwargs)
    count = offsets.shape[0] - bool(last)
    outs = (intern_meta((count, weight.shape[1]), None, 0, weight.dtype),
            intern_meta(index.shape, None, 0, torch.int64), intern_meta((count,), None, 0, torch.int64))
    nodes, _ = record("shardwise.embedding_bag", (weight, index, offsets[:count], mode == 1, weights), {}, outs=outs)
    tensors = [fresh(cls, node, meta) for node, meta in zip(nodes, outs)]
    # Places of maxima, which this mode has none of; and types as those of the indices.
    return (tensors[0], *[one.to(index.dtype) for one in tensors[1:]], _filled(cls, (0,), 0, index.dtype))


@special("_embedding_bag_backward.default")
def _embedding_bag_backward(cls, func, args, kwargs):
    up, index, _, bag, sizes, _, rows, by_count, mode, sparse, weights = args[:11]
    padding = args[11] if len(args) > 11 else -1
    if mode == 2 or by_count or sparse or padding >= 0 or up.dtype in (torch.float16, torch.bfloat16):
        return _fallback.run(cls, func, args, kwargs)
    meta = intern_meta((rows, up.shape[1]), None, 0, up.dtype)
    return fresh(cls, record("shardwise.embedding_bag_backward", (up, index, bag, sizes, mode == 1, weights), {},
                             outs=(meta,))[0][0], meta)

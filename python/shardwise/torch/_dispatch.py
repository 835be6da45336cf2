# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What happens when PyTorch calls an op on a device tensor. Ops become nodes; views share a storage; in-place ops
and those with `out=` become ops without side effects whose result the storage gets. Each op is looked at once: what
is to be done with it is a function kept in a table. Ops that need more than a lowering register theirs here
(`special`, `family`): this module knows none of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._decomp import decomposition_table

from . import _fallback
from ._checks import check_cast
from ._graph import Node, Storage, set_value
from ._meta import Meta, intern_meta, meta_of
from ._record import has_lowering, name_of, node_of, record
from ._views import View
from .tensor import DeviceTensor, XLAShardedTensor, make

__all__ = ["dispatch", "family", "fresh", "special", "update", "write"]

aten = torch.ops.aten

_handlers: dict[int, Callable[..., Any]] = {}
#: The ops of the table above: an identity must not be used again.
_known: list[Any] = []
#: Ops that need more than their lowering, by name with overload.
_special: dict[str, Callable[..., Any]] = {}
#: What makes the handler of an op, by how the names of its family begin.
_families: dict[str, Callable[[Any], Callable[..., Any]]] = {}


def special(*names: str):
    """Registers the function below as what does the ops called `names`: it gets class, op, arguments."""

    def register(function):
        for name in names:
            _special[name] = function
        return function

    return register


def family(prefix: str):
    """Registers the function below as what makes, of an op whose name begins with `prefix`, the function that does it."""

    def register(function):
        _families[prefix] = function
        return function

    return register


def dispatch(func: Any, types, args=(), kwargs=None) -> Any:
    """Does an op. Results are sharded tensors if an argument is one."""
    # By identity, as hashing an op is a call of Python.
    handler = _handlers.get(id(func))
    if handler is None:
        handler = _handlers[id(func)] = _handler_of(func)
        _known.append(func)
    return handler(XLAShardedTensor if XLAShardedTensor in types else DeviceTensor, func, args, kwargs or {})


DeviceTensor.__torch_dispatch__ = staticmethod(dispatch)


def fresh(cls, node: Node, meta: Meta) -> DeviceTensor:
    """Returns a new tensor with the value of a node."""
    return make(cls, meta, Storage(node, meta))


def write(tensor: DeviceTensor, node: Node) -> None:
    """Gives a tensor, and all that alias it, another value."""
    if tensor._view is None:
        set_value(tensor._storage, node)
    else:
        tensor._view.write(tensor._storage, node)


def fitted(node: Node, meta: Meta) -> Node:
    """Returns the node in the type and shape of `meta`, of a broadcast in-place op."""
    if node.meta.dtype != meta.dtype:
        node = record(aten._to_copy.default, (node,), {"dtype": meta.dtype})[0][0]
    if node.meta.shape != meta.shape:
        node = record(aten.expand.default, (node, list(meta.shape)), {})[0][0]
    return node


def _handler_of(func: Any) -> Callable[..., Any]:
    if name_of(func) in _special:
        return _special[name_of(func)]
    schema = func._schema
    for prefix, handler_of in _families.items():
        if schema.name.startswith(prefix):
            return handler_of(func)
    if not has_lowering(func) and not _returns_list(schema) and _is_composite(func):
        return lambda cls, func, args, kwargs: func.decompose(*args, **kwargs)
    if any(one.alias_info is not None and one.alias_info.is_write for one in schema.arguments):
        return _mutating_handler(func)
    if any(one.alias_info is not None for one in schema.returns):
        return _view_list if _returns_list(schema) else _view
    return _pure_handler(func)


def _is_composite(func: Any) -> bool:
    """Whether PyTorch says it in other ops, whatever the device."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd")


def _returns_list(schema) -> bool:
    return len(schema.returns) != 1 or "List" in str(schema.returns[0].type)


def _pure_handler(func: Any) -> Callable[..., Any]:
    if has_lowering(func):
        return _pure
    if func in decomposition_table and name_of(func) not in _fallback.NOT_DECOMPOSED:
        decomposition = decomposition_table[func]

        def decomposed(cls, func, args, kwargs):
            # Some decompositions give up on what they see; PyTorch's own kernel does not.
            result = decomposition(*args, **kwargs)
            return _fallback.run(cls, func, args, kwargs) if result is NotImplemented else result

        return decomposed
    if _is_composite(func):
        return lambda cls, func, args, kwargs: func.decompose(*args, **kwargs)
    return _fallback.run


def _pure(cls, func, args, kwargs):
    nodes, metas = record(func, args, kwargs)
    if len(nodes) == 1:
        return make(cls, metas[0], Storage(nodes[0], metas[0]))
    return tuple(None if node is None else fresh(cls, node, meta) for node, meta in zip(nodes, metas))


def _view(cls, func, args, kwargs):
    source = args[0]
    nodes, metas = record(func, args, kwargs)
    return _view_of(cls, source, func, args[1:], kwargs, metas[0], nodes[0])


def _view_of(cls, source, func, args, kwargs, meta: Meta, node: Node) -> DeviceTensor:
    view = View.of(source._view, func, args, kwargs, meta)
    tensor = make_alias(cls, source, meta, view)
    tensor._cache = (source._storage.version, node)
    return tensor


def make_alias(cls, source: DeviceTensor, meta: Meta, view: View | None) -> DeviceTensor:
    """Returns another tensor with the storage of `source`. PyTorch has it count changes with `source`, which tensors that are made in
    inference mode cannot; if `source` was made outside of it, so is what aliases it."""
    if torch.is_inference_mode_enabled() and not source.is_inference():
        with torch.inference_mode(False):
            return make(cls, meta, source._storage, view)
    return make(cls, meta, source._storage, view)


def _view_list(cls, func, args, kwargs):
    """Views of several parts: each is a slice, or what an index selects."""
    source = args[0]
    parts = func(_sample_of(source), *args[1:], **kwargs)
    name = func._schema.name.removeprefix("aten::")
    dim = kwargs.get("dim", args[2] if len(args) > 2 else (args[1] if name == "unbind" and len(args) > 1 else 0))
    dim %= max(source.dim(), 1)
    tensors, start = [], 0
    for i, part in enumerate(parts):
        if name == "unbind":
            step, arguments = aten.select.int, (dim, i)
        else:
            step, arguments = aten.slice.Tensor, (dim, start, start + part.shape[dim])
            start += part.shape[dim]
        nodes, _ = record(step, (source, *arguments), {})
        tensors.append(_view_of(cls, source, step, arguments, {}, meta_of(part), nodes[0]))
    return tensors


def _sample_of(tensor: DeviceTensor) -> torch.Tensor:
    return tensor._meta.empty()


def _functional_of(func: Any) -> Any:
    """The op without side effects: `add.Tensor` of `add_.Tensor`, and of `add.out`."""
    name = func._schema.name.removeprefix("aten::")
    overload = func._overloadname
    written = [one.name for one in func._schema.arguments if one.alias_info is not None and one.alias_info.is_write]
    in_place = name.endswith("_") and not name.endswith("__")
    packet = getattr(aten, name[:-1] if in_place else name, None)
    if packet is None:
        return None
    wanted = "default" if overload == "out" else overload.removesuffix("_out")
    # The overload that takes the same arguments, but for those that only name where results go.
    names = [(one.name, str(one.type)) for one in func._schema.arguments if in_place or one.name not in written]
    for candidate in [wanted, *packet.overloads()]:
        found = getattr(packet, candidate, None)
        if found is not None and [(one.name, str(one.type)) for one in found._schema.arguments] == names:
            return found
    # Names differ in a few: those of the same overload are taken if the first argument is a tensor.
    found = getattr(packet, wanted, None)
    fits = found is not None and str(found._schema.arguments[0].type) == "Tensor"
    return found if fits and len(found._schema.arguments) == len(names) else None


def _mutating_handler(func: Any) -> Callable[..., Any]:
    functional = _functional_of(func)
    written = [one.name for one in func._schema.arguments
               if one.alias_info is not None and one.alias_info.is_write]
    if functional is None:
        return _fallback.run_in_place
    if written == ["self"] and func._schema.arguments[0].name == "self":
        if has_lowering(functional):
            return _recording_in_place(functional)
        return lambda cls, func, args, kwargs: _copy_into(args[0], functional(*args, **kwargs))
    if not all(one.kwarg_only for one in func._schema.arguments if one.name in written):
        return _fallback.run_in_place

    def with_out(cls, func, args, kwargs):
        rest = {name: one for name, one in kwargs.items() if name not in written}
        results = functional(*args, **rest)
        many = isinstance(results, (tuple, list))
        targets = [kwargs[name] for name in written]
        for target, result in zip(targets, results if many else (results,)):
            assign(target, result)
        return tuple(targets) if many else targets[0]

    return with_out


def _recording_in_place(functional):
    def in_place(cls, func, args, kwargs):
        target = args[0]
        if not isinstance(target, DeviceTensor):
            return _copy_to_host(target, functional(*args, **kwargs))
        update(target, record(functional, args, kwargs)[0][0])
        return target

    return in_place


def update(target: DeviceTensor, node: Node) -> None:
    """Writes the result of an in-place op, in the type of what it changes."""
    meta = target._meta
    if node.meta.dtype != meta.dtype or node.meta.shape != meta.shape:
        check_cast(node.meta, meta)
        if node.meta.shape != meta.shape and tuple(torch.broadcast_shapes(node.meta.shape, meta.shape)) != meta.shape:
            raise RuntimeError(f"output with shape {list(meta.shape)} doesn't match the broadcast shape "
                               f"{list(node.meta.shape)}")
        node = fitted(node, meta)
    write(target, node)


def _copy_into(target, result):
    if not isinstance(target, DeviceTensor):
        return _copy_to_host(target, result)
    write(target, fitted(node_of(result), target._meta))
    return target


def _copy_to_host(target: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    return target.copy_(result.cpu() if isinstance(result, DeviceTensor) else result)


def assign(target: DeviceTensor, result: DeviceTensor) -> None:
    """Writes a result to what `out=` names; an empty tensor gets its shape, as in PyTorch."""
    if target.shape == result.shape:
        _copy_into(target, result)
        return
    if target.numel():
        raise RuntimeError(f"out= has shape {list(target.shape)}, the result {list(result.shape)}; give an empty tensor or "
                           "one of that shape")
    meta = intern_meta(result.shape, None, 0, target.dtype)
    torch.utils.swap_tensors(target, fresh(type(target), fitted(node_of(result), meta), meta))

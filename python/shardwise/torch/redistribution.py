# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A DTensor from one placement to another, in as few messages as that takes."""

from __future__ import annotations

import collections
import dataclasses
import threading
from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as functional
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard
from torch.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torch.distributed.tensor.placement_types import _MaskPartial, _StridedShard

from .. import _check, plans
from ..errors import InputTypeError, InvalidError, UnsupportedError
from ._exchange import Exchange
from ._layout import Cut
from ._pending import pending
from ._rounds import REDUCE_OPS
from ._routes import Placed, Route, planned, reduced_dims, route

__all__ = ["RedistributePlan", "RoundOfPlan", "clear_plans", "plan", "redistribute"]

#: So many routes are kept, the least recently used go first.
_KEPT = 4096


def redistribute(dtensor: DTensor, device_mesh: DeviceMesh | None = None,
                 placements: Sequence[Placement] | None = None, *, async_op: bool = False,
                 forward_dtype: torch.dtype | None = None,
                 backward_dtype: torch.dtype | None = None) -> DTensor:
    """Changes the placements of a DTensor, as `DTensor.redistribute` does, in at most two rounds of messages.

    All ranks of the meshes call it, with the same arguments. Sums are taken in the order of the mesh, so
    that replicas have the same bits.

    Args:
        dtensor: The tensor.
        device_mesh: The mesh afterwards; by default that of `dtensor`. It may be another one, of the same
            or of other ranks.
        placements: One for each dimension of the mesh.
        async_op: Whether to return before the messages have come: the first use of the result waits.
        forward_dtype: The dtype of what is sent, and of the result; by default that of `dtensor`.
        backward_dtype: The dtype in which gradients are sent; by default that of `dtensor`.

    Returns:
        A DTensor with the same values. Its gradient goes back to the placements of `dtensor`, but stays
        replicated where these are partial, as DTensor's does.

    Raises:
        InvalidError: A placement does not fit the tensor or the mesh.
        UnsupportedError: A placement is partial where that of `dtensor` is not, or partial values that
            combine in different ways are mixed.
        InputTypeError: An argument is of another type.
    """
    known = _known(dtensor, device_mesh, placements, forward_dtype, backward_dtype)
    if known is not None:
        return _moved(dtensor, known, async_op)
    if not isinstance(dtensor, DTensor):
        raise InputTypeError(f"dtensor must be a DTensor, got {type(dtensor).__name__}; make one with "
                             "torch.distributed.tensor.distribute_tensor or DTensor.from_local")
    mesh, wanted = _checked_target(dtensor, device_mesh, placements)
    own = dtensor._local_tensor.dtype
    for what, value in (("forward_dtype", forward_dtype), ("backward_dtype", backward_dtype)):
        if value is not None and not isinstance(value, torch.dtype):
            raise InputTypeError(f"{what} must be a torch.dtype or None, got {value!r}")
    if mesh == dtensor.device_mesh and _is_traced():
        # A compiler that traces programs knows DTensor's own collectives.
        return dtensor.redistribute(mesh, wanted, async_op=async_op, forward_dtype=forward_dtype,
                                    backward_dtype=backward_dtype)
    options = _Options(bool(async_op), forward_dtype or own, backward_dtype or own)
    if dtensor.requires_grad and torch.is_grad_enabled():
        return _Redistribute.apply(dtensor, mesh, wanted, options)
    return _moved(dtensor, _made(dtensor, mesh, wanted, options.forward_dtype), options.async_op)


@dataclasses.dataclass(frozen=True)
class RoundOfPlan:
    """One round of messages.

    Attributes:
        kind: `exchange`, or `reduce_scatter` if the receivers combine values.
        received_bytes: What the slowest rank receives.
        partners: From how many ranks one receives at most.
    """

    kind: str
    received_bytes: int
    partners: int


@dataclasses.dataclass(frozen=True)
class RedistributePlan:
    """What `redistribute` does.

    Attributes:
        rounds: The rounds of messages; none if every rank has what it needs.
        received_bytes: What the slowest rank receives in all rounds.
        lower_bound_bytes: What the slowest rank receives at least.
        plan: The plan of `shardwise.plan` for the same change, which has proofs, prices and pictures; None if a
            `_StridedShard` is no order of the mesh's dimensions.
    """

    rounds: tuple[RoundOfPlan, ...]
    received_bytes: int
    lower_bound_bytes: int
    plan: plans.Plan | None = dataclasses.field(repr=False)

    def __str__(self) -> str:
        """A line for each round, and the bytes."""
        lines = [f"  {number}. {one.kind}: receives {one.received_bytes} B from {one.partners} ranks"
                 for number, one in enumerate(self.rounds, 1)]
        head = f"{len(lines)} round{'' if len(lines) == 1 else 's'}" if lines else "nothing is sent"
        tail = f"received by the slowest rank: {self.received_bytes} B, lower bound {self.lower_bound_bytes} B"
        return "\n".join([head, *lines, tail])


def plan(dtensor: DTensor, device_mesh: DeviceMesh | None = None,
         placements: Sequence[Placement] | None = None) -> RedistributePlan:
    """What `redistribute` would do with the same arguments. Nothing is sent; one rank may ask alone.

    Args:
        dtensor: As of `redistribute`.
        device_mesh: As of `redistribute`.
        placements: As of `redistribute`.

    Returns:
        The rounds, with their bytes.

    Raises:
        ShardwiseError: As of `redistribute`.
    """
    if not isinstance(dtensor, DTensor):
        raise InputTypeError(f"dtensor must be a DTensor, got {type(dtensor).__name__}")
    mesh, wanted = _checked_target(dtensor, device_mesh, placements)
    source, target = _placed_spec(dtensor._spec), _placed(mesh, wanted)
    itemsize, shape = dtensor._local_tensor.element_size(), tuple(dtensor.shape)
    made = route(source, target, shape, itemsize)
    rounds = tuple(RoundOfPlan("reduce_scatter" if made.reduces and one is made.rounds[0] else "exchange",
                               one.largest * itemsize, one.partners)
                   for one in made.rounds if not one.is_local)
    received = sum(one.received_bytes for one in rounds)
    by_planner = planned(source, target, shape, itemsize)
    bound = received if not made.reduces else by_planner.lower_bound_bytes if by_planner else 0
    return RedistributePlan(rounds, received, min(bound, received), by_planner)


def clear_plans() -> None:
    """Forgets all routes, and with them the meshes that they are on."""
    with _lock:
        _routes.clear()


@dataclasses.dataclass(frozen=True)
class _Options:
    """How a redistribute and its backward are done."""

    async_op: bool
    forward_dtype: torch.dtype
    backward_dtype: torch.dtype


class _Redistribute(torch.autograd.Function):
    """Differentiable as often as one likes: the gradient is redistributed by the same function."""

    @staticmethod
    def forward(ctx, dtensor, mesh, placements, options):
        ctx.options = options
        ctx.mesh, ctx.placements = dtensor.device_mesh, dtensor.placements
        ctx.dtype = dtensor._local_tensor.dtype
        made = _made(dtensor, mesh, placements, options.forward_dtype)
        return _moved(dtensor, made, options.async_op, requires_grad=True)

    @staticmethod
    def backward(ctx, gradient):
        # A gradient of partial values is not made partial again: that would only have to be summed up later.
        same = gradient.device_mesh == ctx.mesh
        placements = tuple(
            Replicate() if before.is_partial() and not (same and gradient.placements[dim].is_partial())
            else before for dim, before in enumerate(ctx.placements))
        back = _Options(ctx.options.async_op, ctx.options.backward_dtype, gradient._local_tensor.dtype)
        if gradient.requires_grad and torch.is_grad_enabled():
            moved = _Redistribute.apply(gradient, ctx.mesh, placements, back)
        else:
            moved = _moved(gradient, _made(gradient, ctx.mesh, placements, back.forward_dtype), back.async_op)
        if moved._local_tensor.dtype != ctx.dtype:
            moved = moved.to(ctx.dtype)
        return moved, None, None, None


@dataclasses.dataclass(frozen=True)
class _Made:
    """All that a call needs: what this rank sends, and what the result is."""

    exchanges: tuple[Exchange, ...]
    spec: DTensorSpec
    dtype: torch.dtype
    masks: bool


_routes: collections.OrderedDict[tuple, _Made] = collections.OrderedDict()
_lock = threading.Lock()


def _known(dtensor: Any, mesh: Any, placements: Any, forward_dtype: Any, backward_dtype: Any) -> _Made | None:
    """What a call that came before with the same arguments made, if that needs neither gradients nor a dtype."""
    if (type(dtensor) is not DTensor or type(placements) not in (tuple, list) or forward_dtype is not None
            or backward_dtype is not None or (dtensor.requires_grad and torch.is_grad_enabled()) or _is_traced()):
        return None
    spec = dtensor._spec
    try:
        return _routes.get((spec, spec.mesh if mesh is None else mesh, tuple(placements), spec.tensor_meta.dtype,
                            dtensor._local_tensor.device))
    except TypeError:
        return None


def _made(dtensor: DTensor, mesh: DeviceMesh, placements: tuple[Placement, ...], dtype: torch.dtype) -> _Made:
    """Looks up a route, or makes it."""
    device = dtensor._local_tensor.device
    key = (dtensor._spec, mesh, placements, dtype, device)
    with _lock:
        made = _routes.get(key)
        if made is not None:
            _routes.move_to_end(key)
    if made is None:
        made = _make(dtensor._spec, mesh, placements, dtype, device)
        # A mask belongs to one tensor.
        if not made.masks:
            with _lock:
                _routes[key] = made
                if len(_routes) > _KEPT:
                    _routes.popitem(last=False)
    return made


def _moved(dtensor: DTensor, made: _Made, async_op: bool, requires_grad: bool = False) -> DTensor:
    """The tensor with other placements, outside of autograd."""
    with torch.no_grad():
        local = dtensor._local_tensor
        if isinstance(local, functional.AsyncCollectiveTensor):
            local = local.wait()
        if local.dtype != made.dtype:
            local = local.to(made.dtype)
        if made.masks:
            local = _masked(local, dtensor.placements, made.spec.placements)
        if made.exchanges:
            local = _exchanged(made.exchanges, local, async_op)
        return DTensor(local, made.spec, requires_grad=requires_grad)


def _exchanged(exchanges: Sequence[Exchange], local: torch.Tensor, async_op: bool) -> torch.Tensor:
    """The local tensor after one or two rounds."""
    *firsts, last = exchanges
    result = last.empty()
    for first in firsts:
        # What this rank combines goes straight to its place in the result.
        place = last.place_of_own(result)
        local = first.run(local, place if place is not None else first.empty())
    finish = last.start(local, result)
    if async_op:
        return pending(finish, result)
    finish()
    return result


def _make(before: DTensorSpec, mesh: DeviceMesh, placements: tuple[Placement, ...], dtype: torch.dtype,
          device: torch.device) -> _Made:
    meta = before.tensor_meta
    spec = DTensorSpec(mesh, placements, tensor_meta=TensorMeta(meta.shape, meta.stride, dtype))
    masks = any(isinstance(one, _MaskPartial) for one in before.placements)
    source, target = _placed_spec(before), _placed(mesh, placements)
    shape = tuple(meta.shape)
    if source == target:
        return _Made((), spec, dtype, masks)
    made = route(source, target, shape, dtype.itemsize)
    return _Made(_exchanges(made, source, target, shape, dtype, device), spec, dtype, masks)


def _exchanges(made: Route, source: Placed, target: Placed, shape: tuple[int, ...], dtype: torch.dtype,
               device: torch.device) -> tuple[Exchange, ...]:
    ops = {source.cuts[dim].reduce_op for dim in reduced_dims(source, target)}
    divisor = 1
    for dim in reduced_dims(source, target):
        if source.cuts[dim].reduce_op == "avg":
            divisor *= source.sizes[dim]
    op = "sum" if ops == {"sum", "avg"} else next(iter(ops), None)
    meaning = f"{source} to {target} of {shape} {dtype}"
    first, *others = made.rounds
    return (Exchange(first, dtype, device, f"{meaning}, 0", op, divisor),
            *(Exchange(one, dtype, device, f"{meaning}, {number}") for number, one in enumerate(others, 1)))


def _masked(local: torch.Tensor, before: Sequence[Placement], after: Sequence[Placement]) -> torch.Tensor:
    """The values of an embedding whose rows are cut: those of other ranks' rows become 0."""
    for dim, one in enumerate(before):
        if isinstance(one, _MaskPartial) and (dim >= len(after) or one != after[dim]):
            if one.mask_buffer.data is None:
                raise InvalidError(f"{one} has no mask: a tensor of masked partial values can be "
                                   "redistributed once")
            local = local.clone()
            one.mask_buffer.apply_mask(local)
            one.mask_buffer.release_mask()
    return local


def _checked_target(dtensor: DTensor, mesh: Any, placements: Any) -> tuple[DeviceMesh, tuple[Placement, ...]]:
    """Mesh and placements afterwards, looked at; dimensions count from the front."""
    own = dtensor.device_mesh
    mesh = own if mesh is None else mesh
    if not isinstance(mesh, DeviceMesh):
        raise InputTypeError(f"device_mesh must be a DeviceMesh or None, got {type(mesh).__name__}")
    if placements is None:
        raise InvalidError(f"placements are needed: one for each of the {mesh.ndim} dimensions of the mesh")
    given = _check.sequence(placements, "placements")
    if len(given) != mesh.ndim:
        raise InvalidError(f"{len(given)} placements given for a mesh of {mesh.ndim} dimensions; give one for each "
                           "dimension of the mesh, Replicate() where it does not cut")
    if mesh.device_type != own.device_type:
        raise InvalidError(f"the mesh is of {mesh.device_type}, the tensor of {own.device_type}; move the local "
                           "tensors first")
    wanted = tuple(_checked(one, dim, dtensor.ndim) for dim, one in enumerate(given))
    same = mesh == own
    for dim, one in enumerate(wanted):
        if one.is_partial() and not (same and dtensor.placements[dim] == one):
            before = dtensor.placements[dim] if same else "another mesh"
            raise UnsupportedError(f"cannot redistribute from {before} to {one} on mesh dimension {dim}: values are "
                                   "not made partial; give Replicate() or Shard(dim)")
    for what, listed in (("dtensor", dtensor.placements), ("the result", wanted)):
        ops = {one.reduce_op for one in listed if one.is_partial()}
        if len(ops) > 1 and ops != {"sum", "avg"}:
            raise UnsupportedError(f"{what} mixes partial values that combine by {' and '.join(sorted(ops))}, whose "
                                   "order would matter; redistribute one kind to Replicate() first")
        if ops - set(REDUCE_OPS):
            raise UnsupportedError(f"{what} has partial values that combine by {', '.join(sorted(ops))}; "
                                   f"known are {', '.join(REDUCE_OPS)}")
    return mesh, wanted


def _checked(placement: Any, dim: int, rank: int) -> Placement:
    if not isinstance(placement, Placement):
        raise InputTypeError(f"placement {dim} must be a Placement such as Shard(0) or Replicate(), got {placement!r}")
    if isinstance(placement, (Shard, _StridedShard)):
        if not -rank <= placement.dim < rank:
            raise InvalidError(f"placement {dim} is {placement!r}, but the tensor has {rank} dimensions")
        if placement.dim < 0 and isinstance(placement, _StridedShard):
            return _StridedShard(placement.dim + rank, split_factor=placement.split_factor)
        if placement.dim < 0:
            return Shard(placement.dim + rank)
    elif not (placement.is_replicate() or placement.is_partial()):
        raise UnsupportedError(f"placement {dim} is {placement!r}; known are Shard, Replicate and Partial")
    return placement


def _placed_spec(spec: DTensorSpec) -> Placed:
    """The placement of a tensor, with the order of its cuts if it has one of its own."""
    placed = _placed(spec.mesh, spec.placements)
    order = spec.shard_order
    if not order or all(tuple(sorted(one.mesh_dims)) == tuple(one.mesh_dims) for one in order):
        return placed
    cut = [dim for one in order for dim in one.mesh_dims]
    return dataclasses.replace(placed, order=(*cut, *(dim for dim in range(len(placed.sizes)) if dim not in cut)))


def _placed(mesh: DeviceMesh, placements: Sequence[Placement]) -> Placed:
    cuts = []
    for one in placements:
        if isinstance(one, _StridedShard):
            cuts.append(Cut(one.dim, one.split_factor))
        elif isinstance(one, Shard):
            cuts.append(Cut(one.dim))
        else:
            cuts.append(Cut(reduce_op=one.reduce_op) if one.is_partial() else Cut())
    return Placed(tuple(mesh.mesh.flatten().tolist()), tuple(mesh.shape), tuple(cuts))


def _is_traced() -> bool:
    """Whether a compiler looks on."""
    if torch.compiler.is_compiling():
        return True
    return torch._C._len_torch_dispatch_stack() > 0 and functional._are_we_tracing()

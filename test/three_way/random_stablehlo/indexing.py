# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gather and scatter with every dimension number."""

import dataclasses
import math

from random_stablehlo import error_bounds as bounds
from random_stablehlo.builder import Builder, array_attr, dims, function_type
from random_stablehlo.contractions import smooth_argument
from random_stablehlo.regions import reducer_for
from random_stablehlo.tensors import ALL, INTEGERS, TensorType


@dataclasses.dataclass
class Indexing:
    """A choice of dimension numbers, in the words of gather.

    Attributes:
        shape: Of the operand.
        sizes: Of a slice, one for each dimension of the operand.
        collapsed: Operand dimensions that slices do not keep.
        batching: Operand dimensions that run along with `index_batching` of the indices.
        index_map: The operand dimension of every number of an index vector.
        indices: Shape of the indices.
        vector_dim: Dimension of the indices that holds index vectors; its rank if they are scalars.
        offsets: Dimensions of the result that run over a slice.
        result: Shape of the result.
    """

    shape: tuple[int, ...]
    sizes: list[int]
    collapsed: list[int]
    batching: list[int]
    index_batching: list[int]
    index_map: list[int]
    indices: tuple[int, ...]
    vector_dim: int
    offsets: list[int]
    result: tuple[int, ...]


def choose(builder: Builder) -> Indexing:
    rank = builder.integer(1, 4)
    shape = [builder.integer(1, 4) for _ in range(rank)]
    order = [int(dim) for dim in builder.random.permutation(rank)]
    batching = sorted(order[:builder.integer(0, min(1, rank - 1))])
    others = [dim for dim in order if dim not in batching]
    index_map = others[:builder.integer(0, len(others))]
    sizes, collapsed = list(shape), []
    for dim in range(rank):
        if dim in batching:
            sizes[dim] = 1
        elif builder.chance(0.6) or dim not in index_map and builder.chance(0.3):
            sizes[dim] = builder.integer(1, shape[dim]) if builder.chance(0.5) else 1
    collapsed = [dim for dim in range(rank)
                 if dim not in batching and sizes[dim] == 1 and builder.chance(0.6)]
    batch_shape = [builder.integer(1, 3) for _ in range(builder.integer(0, 2))]
    if builder.chance(0.05) and batch_shape:
        batch_shape[0] = 0
    # The batching dimensions take random places among those of the indices.
    batch_places = {}
    for dim in batching:
        place = builder.integer(0, len(batch_shape))
        batch_shape.insert(place, shape[dim])
        batch_places = {d: p + (p >= place) for d, p in batch_places.items()}
        batch_places[dim] = place
    is_scalar = len(index_map) == 1 and builder.chance(0.3)
    vector_dim = len(batch_shape) if is_scalar else builder.integer(0, len(batch_shape))
    indices = list(batch_shape)
    if not is_scalar:
        indices.insert(vector_dim, len(index_map))
    index_batching = [batch_places[dim] + (not is_scalar and batch_places[dim] >= vector_dim)
                      for dim in batching]
    kept = [sizes[dim] for dim in range(rank) if dim not in collapsed + batching]
    result_rank = len(batch_shape) + len(kept)
    offsets = builder.subset(range(result_rank), len(kept))
    kept_left, batch_left = list(kept), list(batch_shape)
    result = tuple(kept_left.pop(0) if dim in offsets else batch_left.pop(0)
                   for dim in range(result_rank))
    return Indexing(tuple(shape), sizes, collapsed, batching, index_batching, index_map,
                    tuple(indices), vector_dim, offsets, result)


def index_operand(builder: Builder, chosen: Indexing, inside: bool):
    """Returns index vectors; unless `inside`, many lie outside of the operand."""
    element = builder.choice(INTEGERS)
    low, high = (0, 1) if inside else (0 if element[0] == "u" else -2, 6)
    return builder.argument(TensorType(chosen.indices, element), low, high)


def gather(builder: Builder) -> None:
    chosen = choose(builder)
    x = builder.operand(TensorType(chosen.shape, builder.choice(ALL)))
    indices = index_operand(builder, chosen, inside=False)
    numbers = [f"offset_dims = {dims(chosen.offsets)}",
               f"collapsed_slice_dims = {dims(chosen.collapsed)}"]
    if chosen.batching:
        numbers += [f"operand_batching_dims = {dims(chosen.batching)}",
                    f"start_indices_batching_dims = {dims(chosen.index_batching)}"]
    numbers += [f"start_index_map = {dims(chosen.index_map)}",
                f"index_vector_dim = {chosen.vector_dim}"]
    result = x.type.with_shape(chosen.result)
    sorted_ = "indices_are_sorted = false, " if builder.chance(0.5) else ""
    builder.apply("stablehlo.gather",
                  f'"stablehlo.gather"($0, $1) <{{dimension_numbers = '
                  f"#stablehlo.gather<{', '.join(numbers)}>, {sorted_}"
                  f"slice_sizes = {array_attr(chosen.sizes)}}}> : "
                  + function_type([x, indices], [result]), [x, indices], [result], bounds.moved)


def departure(chosen: Indexing, indices) -> str | None:
    """Returns what XLA does otherwise than the specification for a scatter."""
    if not chosen.index_map and len(chosen.indices) - len(chosen.batching) > 1:
        return "scatter without index numbers: one window is applied, not all"
    if any(chosen.sizes[dim] > 1 for dim in chosen.index_map) and indices.any():
        return "scatter: a window that sticks out is skipped as a whole"
    return None


def scatter_numbers(chosen: Indexing) -> str:
    """Returns the attribute that says which dimensions a scatter writes."""
    numbers = [f"update_window_dims = {dims(chosen.offsets)}",
               f"inserted_window_dims = {dims(chosen.collapsed)}"]
    if chosen.batching:
        numbers += [f"input_batching_dims = {dims(chosen.batching)}",
                    f"scatter_indices_batching_dims = {dims(chosen.index_batching)}"]
    numbers += [f"scatter_dims_to_operand_dims = {dims(chosen.index_map)}",
                f"index_vector_dim = {chosen.vector_dim}"]
    return f"#stablehlo.scatter<{', '.join(numbers)}>"


def scatter(builder: Builder) -> None:
    chosen = choose(builder)
    element = builder.choice(ALL)
    overwrites = builder.chance(0.3)
    reducer = reducer_for(builder, element)
    type = TensorType(chosen.shape, element)
    rounds = reducer.rounds(element) and not overwrites
    x = smooth_argument(builder, type) if rounds else builder.operand(type, exact=True)
    updates_type = type.with_shape(chosen.result)
    updates = (smooth_argument(builder, updates_type) if rounds
               else builder.operand(updates_type, exact=True))
    indices = index_operand(builder, chosen, inside=builder.chance(0.2))
    scalar = type.scalar()
    region = overwriting_region(scalar) if overwrites else reducer.region(builder, scalar)
    terms = math.prod(chosen.result) + 1
    rule = bounds.moved if overwrites else reducer.rule(terms)
    builder.apply("stablehlo.scatter",
                  f'"stablehlo.scatter"($0, $1, $2) <{{scatter_dimension_numbers = '
                  f"{scatter_numbers(chosen)}}}> {region} : "
                  + function_type([x, indices, updates], [type]), [x, indices, updates], [type],
                  rule, rounds=rounds,
                  departure=departure(chosen, builder.data[indices.name]))


def overwriting_region(scalar: TensorType) -> str:
    return (f"({{\n  ^bb0(%$r_b: {scalar}, %$r_e: {scalar}):\n"
            f"    stablehlo.return %$r_e : {scalar}\n  }})")


FAMILIES = {gather: 5, scatter: 5}

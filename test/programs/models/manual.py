# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs written per device with `shard_map`: every collective that it has, a pipeline of stages
that hand on by `ppermute` in a loop, one axis by hand beside one that propagation decides, attention
to keys and values that go round a ring, one `shard_map` in another, and branches and loops that each
device takes by its own number."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

from programs.program import Constrain, Program, normal

STAGES, PARTS, ROWS, FEATURES = 8, 4, 2, 8


def mesh_of(shape: dict[str, int]) -> Mesh:
    return Mesh(np.array(jax.devices()).reshape(tuple(shape.values())), tuple(shape))


def build_collectives(constrain: Constrain):
    def body(x, y):
        columns = lax.all_to_all(x, "model", 1, 0, tiled=True)
        whole = lax.all_gather(y, "data", axis=0, tiled=True)
        part = lax.psum_scatter(whole, "data", scatter_dimension=0, tiled=True)
        number = lax.axis_index("data").astype(jnp.float32)
        return columns, lax.pmax(y, "data"), part + number, lax.pmean(x, ("data", "model"))

    def manual_collectives(x, y):
        specs = (P(("data", "model"), None), P("data"))
        return jax.shard_map(body, mesh=mesh_of({"data": 4, "model": 2}), in_specs=specs,
                             out_specs=(P("data", "model"), P(), P("data"), P()))(x, y)

    return manual_collectives


def build_pipeline(constrain: Constrain):
    def body(weights, xs):
        stage, last = lax.axis_index("x"), STAGES - 1
        state, outputs = (lax.pcast(jnp.zeros(shape), ("x",), to="varying")
                          for shape in (xs.shape[1:], xs.shape))

        def step(time, carry):
            state, outputs = carry
            given = jnp.where(stage == 0, xs[jnp.clip(time, 0, PARTS - 1)], state)
            y = jnp.tanh(given @ weights[0])
            place = jnp.clip(time - last, 0, PARTS - 1)
            outputs = jnp.where((stage == last) & (time >= last), outputs.at[place].set(y), outputs)
            ring = [(i, (i + 1) % STAGES) for i in range(STAGES)]
            return lax.ppermute(y, "x", ring), outputs

        _, outputs = lax.fori_loop(0, PARTS + last, step, (state, outputs))
        return lax.psum(jnp.where(stage == last, outputs, 0), "x")

    def manual_pipeline(weights, xs):
        return jax.shard_map(body, mesh=mesh_of({"x": STAGES}), in_specs=(P("x"), P()),
                             out_specs=P())(weights, xs)

    return manual_pipeline


def build_one_axis(constrain: Constrain):
    def manual_axis(x, w):
        summed = jax.shard_map(lambda x, w: lax.psum(jnp.tanh(x @ w), "data"),
                               mesh=mesh_of({"data": 4, "model": 2}), in_specs=(P("data"), P()),
                               out_specs=P(), axis_names={"data"})
        return summed(x, w)

    return manual_axis


def build_ring(constrain: Constrain):
    def body(queries, keys, values):
        ring = [(i, (i + 1) % 4) for i in range(4)]

        def step(carry, _):
            outputs, largest, total, keys, values = carry
            scores = queries @ keys.T
            new_largest = jnp.maximum(largest, scores.max(-1))
            weights = jnp.exp(scores - new_largest[:, None])
            scale = jnp.exp(largest - new_largest)
            outputs = outputs * scale[:, None] + weights @ values
            total = total * scale + weights.sum(-1)
            return (outputs, new_largest, total, lax.ppermute(keys, "data", ring),
                    lax.ppermute(values, "data", ring)), None

        rows = queries.shape[:1]
        start = (jnp.zeros_like(queries), jnp.full(rows, -1e30), jnp.zeros(rows), keys, values)
        (outputs, _, total, _, _), _ = lax.scan(step, start, None, length=4)
        return outputs / total[:, None]

    def manual_ring(queries, keys, values):
        return jax.shard_map(body, mesh=mesh_of({"data": 4, "model": 2}), in_specs=(P("data"),) * 3,
                             out_specs=P("data"), check_vma=False)(queries, keys, values)

    return manual_ring


def build_nested(constrain: Constrain):
    def inner(x):
        number = lax.axis_index("model").astype(jnp.float32)
        return lax.psum(x, "model") * number + lax.psum(x, "data")

    def outer(x):
        columns = jax.shard_map(inner, in_specs=P(None, "model"), out_specs=P(None, "model"),
                                axis_names={"model"}, check_vma=False)
        return columns(jnp.tanh(x)) + lax.axis_index("data")

    def manual_nested(x):
        return jax.shard_map(outer, mesh=mesh_of({"data": 4, "model": 2}), in_specs=P("data"),
                             out_specs=P("data"), axis_names={"data"}, check_vma=False)(x)

    return manual_nested


def build_branches(constrain: Constrain):
    def body(x):
        number = lax.axis_index("data")
        summed = lax.cond(number >= 2, lambda v: lax.psum(v, "model") * 0.5,
                          lambda v: lax.psum(v * v, "model"), x)
        return summed, lax.fori_loop(0, number, lambda _, v: v * 2 + 1, x)

    def manual_branches(x):
        return jax.shard_map(body, mesh=mesh_of({"data": 4, "model": 2}),
                             in_specs=P("data", "model"),
                             out_specs=(P("data"), P("data", "model")), check_vma=False)(x)

    return manual_branches


PROGRAMS = [
    Program(
        name="manual_collectives",
        mesh={"data": 4, "model": 2},
        build=build_collectives,
        arguments=lambda rng: (normal(rng, 16, 8), normal(rng, 8, 3)),
        in_specs=(P(("data", "model")), P("data")),
        out_specs=None,
    ),
    Program(
        name="manual_pipeline",
        mesh={"x": STAGES},
        build=build_pipeline,
        arguments=lambda rng: (normal(rng, STAGES, FEATURES, FEATURES, scale=FEATURES**-0.5),
                               normal(rng, PARTS, ROWS, FEATURES)),
        in_specs=(P("x"), P()),
        out_specs=None,
    ),
    Program(
        name="manual_axis",
        mesh={"data": 4, "model": 2},
        build=build_one_axis,
        arguments=lambda rng: (normal(rng, 8, 16), normal(rng, 16, 4)),
        in_specs=(P("data"), P(None, "model")),
        out_specs=None,
    ),
    Program(
        name="manual_ring",
        mesh={"data": 4, "model": 2},
        build=build_ring,
        arguments=lambda rng: (normal(rng, 8, 4), normal(rng, 8, 4), normal(rng, 8, 4)),
        in_specs=(P("data"), P("data"), P("data")),
        out_specs=None,
    ),
    Program(
        name="manual_nested",
        mesh={"data": 4, "model": 2},
        build=build_nested,
        arguments=lambda rng: (normal(rng, 8, 6),),
        in_specs=(P("data", "model"),),
        out_specs=None,
    ),
    Program(
        name="manual_branches",
        mesh={"data": 4, "model": 2},
        build=build_branches,
        arguments=lambda rng: (normal(rng, 8, 6),),
        in_specs=(P("data", "model"),),
        out_specs=None,
    ),
]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives that the program writes itself, in `shard_map`: they are kept."""

from table import X4, X8, all_sum, f32, gather, jax, jnp, lax, row, scatter_sum, written


def mapped(function, in_specs, out_specs):
    spec = jax.sharding.PartitionSpec
    return jax.shard_map(function, in_specs=tuple(spec(*axes) for axes in in_specs), out_specs=spec(*out_specs))


# Seven hand-overs of 4 x 32, of which nobody reads the last, and the sum of 16 x 32.
@row(X4, [f32(4, 32, 32, on="x"), f32(16, 32)], [""], expert=6 * 4 * 32 * 4 + all_sum(16, 32, over=4),
     why="six hand-overs of a micro-batch; the outputs of the last stage")
def pipeline_by_permutes(w, x):
    def stages(w, x):
        stage = lax.axis_index("x")
        state, out = jnp.zeros((4, 32), jnp.float32), jnp.zeros((16, 32), jnp.float32)
        for step in range(7):
            batch = lax.dynamic_slice_in_dim(x, min(step, 3) * 4, 4, 0)
            state = jnp.tanh(jnp.where(stage == 0, batch, state) @ w[0])
            if step >= 3:
                done = jnp.where(stage == 3, state, 0)
                out = lax.dynamic_update_slice_in_dim(out, done, (step - 3) * 4, 0)
            state = lax.ppermute(state, "x", [(i, (i + 1) % 4) for i in range(4)])
        return lax.psum(out, "x")

    return mapped(stages, [("x",), ()], ())(w, x)


# Keys and values, 2 x 8 x 8 x 16 each, go around: seven hand-overs of each.
@row(X8, [f32(2, 64, 8, 16, on="- x")] * 3, ["- x"], expert=7 * 2 * 2 * 8 * 8 * 16 * 4,
     why="keys and values go once around")
def ring_attention(q, k, v):
    def body(q, k, v):
        largest = jnp.full((2, 8, 8), -jnp.inf, jnp.float32)
        total, out = jnp.zeros((2, 8, 8), jnp.float32), jnp.zeros((2, 8, 8, 16), jnp.float32)
        for step in range(8):
            scores = jnp.einsum("bshd,bthd->bhst", q, k)
            new = jnp.maximum(largest, scores.max(-1))
            weights, scale = jnp.exp(scores - new[..., None]), jnp.exp(largest - new)
            total = total * scale + weights.sum(-1)
            out = out * scale[..., None] + jnp.einsum("bhst,bthd->bhsd", weights, v)
            largest = new
            if step < 7:
                k, v = (lax.ppermute(t, "x", [(i, (i + 1) % 8) for i in range(8)]) for t in (k, v))
        return (out / total[..., None]).transpose(0, 2, 1, 3)

    cut = (None, "x")
    return mapped(body, [cut] * 3, cut)(q, k, v)


@row(X8, [f32(64, 64, on="x"), f32(64, 64, on="- x")], ["x"],
     expert=gather(64, 64, over=8) + scatter_sum(64, 64, over=8), why="as written")
def gather_and_sum_by_hand(a, b):
    def body(a, b):
        whole = lax.all_gather(a, "x", axis=0, tiled=True)
        return lax.psum_scatter(whole @ b @ b.T, "x", scatter_dimension=0, tiled=True)

    return mapped(body, [("x",), (None, "x")], ("x",))(a, b)


# 4 x 16 of 8 x 16 on each half of x.
written("manual", "nested_manual_computations", gather(4, 16, over=2), "the outer body gives out what the inner cut")

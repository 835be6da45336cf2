# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that several rows are made of."""

from table import constrain, f32, jax, jnp, lax


def perceptron_loss(x, w1, w2):
    return jnp.mean((jnp.maximum(x @ w1, 0) @ w2) ** 2)


def layer_norm(x, scale, shift):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift


def attention(x, wq, wk, wv, wo):
    """Heads are a dimension of their own: the weights are features x heads x size."""
    q, k, v = (jnp.einsum("bsd,dhk->bhsk", x, w) for w in (wq, wk, wv))
    weights = jax.nn.softmax(jnp.einsum("bhsk,bhtk->bhst", q, k) / 4.0, -1)
    return jnp.einsum("bhsk,hkd->bsd", jnp.einsum("bhst,bhtk->bhsk", weights, v), wo)


FEATURES, HEADS, HEAD, HIDDEN = 64, 8, 8, 256


def block_arguments(heads, hidden, first=""):
    """Weights of one block. `heads` and `hidden` are axes of these dimensions, `first` is one of the
    first dimension of every matrix."""
    columns, rows = f"{first or '-'} {hidden}", f"{first or hidden} -"
    project, merge = f"{first or '-'} {heads} -", f"{first or heads} - -"
    return [
        f32(FEATURES), f32(FEATURES),
        *[f32(FEATURES, HEADS, HEAD, on=project)] * 3, f32(HEADS, HEAD, FEATURES, on=merge),
        f32(FEATURES), f32(FEATURES),
        f32(FEATURES, HIDDEN, on=columns), f32(HIDDEN, FEATURES, on=rows),
    ]


def blocks_gradients(x, weights, residual):
    """Gradients of a stack of transformer blocks; the residual stream is constrained to `residual`."""

    def block(x, scale1, shift1, wq, wk, wv, wo, scale2, shift2, w1, w2):
        attended = attention(layer_norm(x, scale1, shift1), wq, wk, wv, wo)
        x = x + constrain(attended, *residual)
        hidden = jax.nn.gelu(layer_norm(x, scale2, shift2) @ w1)
        return x + constrain(hidden @ w2, *residual)

    def loss(weights):
        out = x
        for start in range(0, len(weights), 10):
            out = block(out, *weights[start : start + 10])
        return jnp.mean(out**2)

    return jax.grad(loss)(list(weights))

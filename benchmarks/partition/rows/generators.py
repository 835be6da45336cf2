# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers: every device makes its own, equal to those of one device."""

from table import DATA_MODEL, f32, jax, jnp, lax, row, u32


@row(DATA_MODEL, [u32(4)], ["data model"], expert=0, why="each device makes what it needs")
def random_bits(state):
    return lax.rng_bit_generator(state, (64, 256), dtype=jnp.uint32)[1]


@row(DATA_MODEL, [f32(64, 256, on="data model"), u32(2)], ["data model"], expert=0, why="threefry counts: no state")
def dropout(x, key):
    kept = jax.random.bernoulli(jax.random.wrap_key_data(key), 0.9, x.shape)
    return jnp.where(kept, x / 0.9, 0)

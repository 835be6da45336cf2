# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python steps.py FOLDER [NAME ...]: writes training steps with a planted mistake, and the same with the edit that `explain` advises.

The steps are those of real recipes, as large as those of GPT-2 but for the number of layers: a decoder with AdamW on four devices by two, lowered for a mesh that need not exist, without
weights. `MISTAKES` has for each mistake the step that makes it, and the step after the edit; `HARMLESS` what the compiler
cures itself; `RIGHT` the steps without any.
"""

import dataclasses
import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

# GPT-2 124M with fewer layers; nothing is allocated, so sizes cost nothing.
LAYERS, BATCH, LENGTH, WIDTH, HEADS, VOCAB = 2, 32, 1024, 768, 12, 50304
MESH = AbstractMesh((4, 2), ("data", "tensor"), axis_types=(AxisType.Auto,) * 2)


def constrain(x, *spec):
    return jax.lax.with_sharding_constraint(x, NamedSharding(MESH, P(*spec)))


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How a step is sharded. The defaults are right: batch over `data`, features over `tensor` (Megatron)."""

    batch: P = P("data")
    embed: P = P("tensor", None)
    up: P = P(None, "tensor")
    down: P = P("tensor", None)
    vocab: int = VOCAB
    # Specification of an activation by its name, what a helper looks up; None: there is none.
    activations: tuple[tuple[str, P | None], ...] = ()
    # Parameters are cut over `data` as well (ZeRO-3), or only the state of the optimizer (ZeRO-1), biases too or not.
    parameters: str = "whole"
    state: str = "parameters"


def shard(recipe, x, name):
    """The helper of a recipe: constrains an activation to what the rules say for its name."""
    spec = dict(recipe.activations).get(name)
    return x if spec is None else constrain(x, *spec)


def over_data(spec, shape):
    """The specification with the first dimension that is free, and divides, cut over `data`."""
    entries = [*spec, *[None] * (len(shape) - len(spec))]
    for dim, size in enumerate(shape):
        if entries[dim] is None and size % MESH.shape["data"] == 0:
            return P(*entries[:dim], "data", *entries[dim + 1:])
    return spec


def tables(recipe):
    """Shapes and specifications of the parameters."""
    block = {
        "norm": ((WIDTH,), P()),
        "qkv": ((WIDTH, 3, HEADS, WIDTH // HEADS), P(None, None, "tensor", None)),
        "qkv_bias": ((3, HEADS, WIDTH // HEADS), P(None, "tensor", None)),
        "out": ((HEADS, WIDTH // HEADS, WIDTH), P("tensor", None, None)),
        "up": ((WIDTH, 4 * WIDTH), recipe.up),
        "up_bias": ((4 * WIDTH,), P(*recipe.up[1:])),
        "down": ((4 * WIDTH, WIDTH), recipe.down),
    }
    return {"embed": ((recipe.vocab, WIDTH), recipe.embed), "blocks": [block] * LAYERS}


def specs(recipe):
    """Specifications of parameters and of the optimizer's state."""
    leaf = lambda entry: isinstance(entry, tuple) and isinstance(entry[1], P)
    shapes = jax.tree.map(lambda entry: jax.ShapeDtypeStruct(entry[0], jnp.float32), tables(recipe), is_leaf=leaf)
    own = jax.tree.map(lambda entry: entry[1], tables(recipe), is_leaf=leaf)
    cut = jax.tree.map(lambda shape, spec: over_data(spec, shape.shape), shapes, own)
    is_bias = jax.tree_util.tree_map_with_path(lambda path, _: "bias" in path[-1].key, shapes)
    matrices = jax.tree.map(lambda bias, whole, spec: whole if bias else spec, is_bias, own, cut)
    parameters = {"whole": own, "cut": cut}[recipe.parameters]
    state = {"parameters": parameters, "whole": jax.tree.map(lambda shape: P(), shapes), "cut": cut, "matrices": matrices}[recipe.state]
    return shapes, parameters, state


def norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def attention(recipe, w, x):
    q, k, v = jnp.einsum("ble,echd->cblhd", norm(x, w["norm"]), w["qkv"]) + w["qkv_bias"][:, None, None]
    scores = jnp.einsum("blhd,bmhd->bhlm", q, k) / q.shape[-1] ** 0.5
    mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    scores = jax.nn.softmax(jnp.where(mask, scores, -1e9), -1)
    return jnp.einsum("bhlm,bmhd,hde->ble", scores, v, w["out"])


def mlp(recipe, w, x):
    hidden = shard(recipe, jax.nn.gelu(norm(x, w["norm"]) @ w["up"] + w["up_bias"]), "hidden")
    return hidden @ w["down"]


def forward(recipe, params, tokens):
    x = shard(recipe, params["embed"][tokens], "embedded")
    for w in params["blocks"]:
        with jax.named_scope("attention"):
            x = shard(recipe, x + attention(recipe, w, x), "residual")
        with jax.named_scope("mlp"):
            x = shard(recipe, x + mlp(recipe, w, x), "residual")
    return shard(recipe, x @ params["embed"].T, "logits")


def loss(recipe, params, batch):
    logits = forward(recipe, params, batch["tokens"])
    labels = jax.nn.one_hot(batch["labels"], logits.shape[-1])
    return jnp.mean(jax.nn.logsumexp(logits, -1) - jnp.sum(logits * labels, -1))


def step(recipe):
    """The text of a training step."""
    shapes, params, state = specs(recipe)

    def train(params, m, v, batch):
        value, grads = jax.value_and_grad(lambda params: loss(recipe, params, batch))(params)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, grads)
        v = jax.tree.map(lambda v, g: 0.95 * v + 0.05 * g * g, v, grads)
        params = jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), params, m, v)
        return value, params, m, v

    batch = {name: jax.ShapeDtypeStruct((BATCH, LENGTH), jnp.int32) for name in ("tokens", "labels")}
    named = lambda tree: jax.tree.map(lambda spec: NamedSharding(MESH, spec), tree, is_leaf=lambda spec: isinstance(spec, P))
    trees = (named(params), named(state), named(state), named({name: recipe.batch for name in batch}))
    jitted = jax.jit(train, in_shardings=trees, out_shardings=(NamedSharding(MESH, P()), *trees[:3]))
    return jitted.trace(shapes, shapes, shapes, batch).lower(lowering_platforms=("cpu",)).as_text(debug_info=True)


SEQUENCE = (("residual", P("data", "tensor", None)), ("hidden", P("data", None, "tensor")))
RIGHT = {"megatron": Recipe(), "sequence": Recipe(activations=SEQUENCE), "zero3": Recipe(parameters="cut")}

LOGITS = (("logits", P("data", None, "tensor")),)
MISTAKES = {
    # What is wrong, and the step after the edit.
    "forgotten_batch": (Recipe(batch=P()), Recipe(batch=P("data"))),
    # Nothing is cut over `tensor` in its place: as few bytes as with the columns, which the recipe meant, for more memory.
    "wrong_dimension": (Recipe(up=P("tensor", None)), Recipe(up=P(None, None))),
    "uneven_vocabulary": (Recipe(vocab=50257, embed=P(), activations=LOGITS), Recipe(vocab=50258, embed=P(), activations=LOGITS)),
    # The helper has no rule for logits, and the table does not say it either.
    "lost_constraint": (Recipe(embed=P(None, "tensor")), Recipe()),
    "replicated_optimizer": (Recipe(state="whole"), Recipe()),
    # The features of the table are cut over the data, as those of T5 are: they are contracted for the logits.
    "embedding": (Recipe(embed=P(None, "data")), Recipe(embed=P(None, "data"), activations=LOGITS)),
}
# The state of a bias is cut over the data, and the gradient of the bias with it; the compiler does not let that go on to activations.
HARMLESS = {"zero1_bias": (Recipe(state="cut"), Recipe(state="matrices"))}


def write(folder, names=()):
    """Writes `NAME.mlir` of right steps, `NAME.mlir` and `NAME.cured.mlir` of mistakes."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, recipe in RIGHT.items():
        if not names or name in names:
            (folder / f"{name}.mlir").write_text(step(recipe))
    for name, (wrong, cured) in {**MISTAKES, **HARMLESS}.items():
        if not names or name in names:
            (folder / f"{name}.mlir").write_text(step(wrong))
            (folder / f"{name}.cured.mlir").write_text(step(cured))


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2:])

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries of models and optimisers as their users write them: nothing changes but the name of `jit`."""

import numpy
import pytest
from devices import MESH, jax, shardwise

import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

BATCH, FEATURES, HIDDEN, CLASSES = 32, 16, 64, 8
X = numpy.random.default_rng(0).normal(size=(BATCH, FEATURES)).astype("float32")
LABELS = numpy.random.default_rng(1).integers(0, CLASSES, BATCH)


def on(*axes):
    return NamedSharding(MESH, P(*axes))


def cut_by_size(tree):
    """Matrices are cut over `model` along their longer side, as in a plain rule for all parameters."""
    def rule(leaf):
        shape = jnp.shape(leaf)
        if len(shape) != 2 or max(shape) < HIDDEN:
            return on()
        return on("model", None) if shape[0] > shape[1] else on(None, "model")

    return jax.tree.map(rule, tree)


def same(actual, expected, tolerance=2e-4):
    for left, right in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        assert numpy.allclose(left, right, rtol=tolerance, atol=tolerance)


def run_steps(step, state, count=2):
    losses = []
    for _ in range(count):
        state, loss = step(state, X, LABELS)
        losses.append(float(loss))
    return state, losses


def compare_training(train, state, shardings):
    """Two steps by us, with donation, and by jax.jit on one device."""
    expected, expected_losses = run_steps(jax.jit(train), state)
    placed = jax.jit(lambda tree: jax.tree.map(jnp.copy, tree), out_shardings=shardings)(state)
    step = shardwise.jax.jit(train, mesh=MESH, in_shardings=(shardings, P("data"), P("data")),
                             out_shardings=(shardings, None), donate_argnums=0, verify="never")
    actual, losses = run_steps(step, placed)
    same(actual, expected)
    assert numpy.allclose(losses, expected_losses, rtol=1e-4)
    assert step.engine_used == "shardwise"
    return actual


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))


def test_flax_linen_and_optax():
    linen = pytest.importorskip("flax.linen", reason="no Flax; make setup-optional installs it")
    optax = pytest.importorskip("optax", reason="no Optax; make setup-optional installs it")
    train_state = pytest.importorskip("flax.training.train_state")

    class Model(linen.Module):
        @linen.compact
        def __call__(self, x):
            x = linen.relu(linen.Dense(HIDDEN)(x))
            x = linen.LayerNorm()(x)
            return linen.Dense(CLASSES)(x)

    model = Model()
    params = jax.jit(model.init)(jax.random.key(0), X)["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params,
                                          tx=optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-2)))

    def train(state, x, labels):
        def loss(params):
            return cross_entropy(state.apply_fn({"params": params}, x), labels)

        value, gradients = jax.value_and_grad(loss)(state.params)
        return state.apply_gradients(grads=gradients), value

    final = compare_training(train, state, cut_by_size(state))
    assert final.params["Dense_0"]["kernel"].sharding.spec == P(None, "model")


def test_logical_axis_rules():
    """As MaxText: parameters and activations have logical axes, rules map these to the mesh."""
    linen = pytest.importorskip("flax.linen", reason="no Flax; make setup-optional installs it")
    rules = (("batch", "data"), ("embed", None), ("mlp", "model"))

    class Block(linen.Module):
        @linen.compact
        def __call__(self, x):
            def kernel(name, axes, shape):
                init = linen.with_logical_partitioning(linen.initializers.lecun_normal(), axes)
                return self.param(name, init, shape)

            hidden = linen.relu(x @ kernel("wi", ("embed", "mlp"), (FEATURES, HIDDEN)))
            hidden = linen.with_logical_constraint(hidden, ("batch", "mlp"))
            return linen.with_logical_constraint(hidden @ kernel("wo", ("mlp", "embed"), (HIDDEN, FEATURES)),
                                                 ("batch", "embed"))

    block = Block()
    with MESH, linen.logical_axis_rules(rules):
        boxed = jax.jit(block.init)(jax.random.key(0), X)
        shardings = linen.logical_to_mesh_sharding(linen.get_partition_spec(boxed), MESH, rules)
        params = linen.unbox(boxed)
        step = shardwise.jax.jit(block.apply, mesh=MESH, in_shardings=(shardings, P("data")))
        same(step(params, X), jax.jit(block.apply)(params, X))
        lowered = step.lower(params, X)
    assert lowered.cost().by_collective == {'all_reduce {"model"}': BATCH // 4 * FEATURES * 4}


def nnx_and_model(has_dropout):
    nnx = pytest.importorskip("flax.nnx", exc_type=ImportError,
                              reason="no Flax that knows this version of JAX; make setup-optional installs it")

    class Model(nnx.Module):
        def __init__(self, rngs):
            self.first = nnx.Linear(FEATURES, HIDDEN, rngs=rngs)
            self.between = nnx.Dropout(0.5, rngs=rngs) if has_dropout else nnx.relu
            self.second = nnx.Linear(HIDDEN, CLASSES, rngs=rngs)

        def __call__(self, x):
            return self.second(self.between(self.first(x)))

    return nnx, Model(nnx.Rngs(0))


def test_flax_nnx():
    nnx, model = nnx_and_model(has_dropout=False)
    graph, state = nnx.split(model)

    def train(state, x, labels):
        def loss(state):
            return cross_entropy(nnx.merge(graph, state)(x), labels)

        value, gradients = jax.value_and_grad(loss)(state)
        return jax.tree.map(lambda p, g: p - 0.1 * g, state, gradients), value

    compare_training(train, state, cut_by_size(state))


def test_flax_nnx_modules_are_arguments():
    """A module is a tree of arrays; that of dropout has the key of a random generator, which nothing shards."""
    _, model = nnx_and_model(has_dropout=True)
    expected = jax.jit(lambda model, x: model(x))(model, X)
    for options in ({}, {"in_shardings": (None, P("data"))}):
        same(shardwise.jax.jit(lambda model, x: model(x), mesh=MESH, **options)(model, X), expected)


def test_equinox_and_optax():
    equinox = pytest.importorskip("equinox", reason="no Equinox; make setup-optional installs it")
    optax = pytest.importorskip("optax", reason="no Optax; make setup-optional installs it")
    model = equinox.nn.MLP(FEATURES, CLASSES, HIDDEN, 2, key=jax.random.key(0))
    params, static = equinox.partition(model, equinox.is_array)
    optimizer = optax.lion(1e-3)

    def train(state, x, labels):
        params, moments = state

        def loss(params):
            return cross_entropy(jax.vmap(equinox.combine(params, static))(x), labels)

        value, gradients = equinox.filter_value_and_grad(loss)(params)
        updates, moments = optimizer.update(gradients, moments, params)
        return (equinox.apply_updates(params, updates), moments), value

    state = params, optimizer.init(params)
    compare_training(train, state, cut_by_size(state))


def test_haiku():
    haiku = pytest.importorskip("haiku", reason="no Haiku; make setup-optional installs it")

    def forward(x):
        x = haiku.Linear(HIDDEN)(x)
        x = haiku.dropout(haiku.next_rng_key(), 0.1, jax.nn.gelu(x))
        return haiku.nets.MLP([HIDDEN, CLASSES])(x)

    model = haiku.transform(forward)
    params = jax.jit(model.init)(jax.random.key(0), X)

    def train(state, x, labels):
        params, key = state
        key, used = jax.random.split(key)
        value, gradients = jax.value_and_grad(lambda p: cross_entropy(model.apply(p, used, x), labels))(params)
        return (jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), key), value

    key = jax.random.PRNGKey(7)
    compare_training(train, (params, key), cut_by_size((params, key)))


def test_scan_over_layers_and_checkpoints():
    """As large models are written: stacked weights, a scan over them, activations computed again."""
    weights = numpy.random.default_rng(2).normal(size=(4, FEATURES, FEATURES)).astype("float32") / 4

    def train(weights, x, labels):
        @jax.checkpoint
        def layer(x, w):
            return jax.lax.with_sharding_constraint(jnp.tanh(x @ w), on("data", "model")), None

        def loss(weights):
            return cross_entropy(jax.lax.scan(layer, x, weights)[0][:, :CLASSES], labels)

        value, gradients = jax.value_and_grad(loss)(weights)
        return weights - 0.1 * gradients, value

    shardings = on(None, None, "model")
    placed = jax.jit(jnp.copy, out_shardings=shardings)(weights)
    step = shardwise.jax.jit(train, in_shardings=(shardings, on("data"), on("data")), out_shardings=(shardings, None),
                             donate_argnums=0)
    _, losses = run_steps(step, placed)
    reference = jax.jit(train, in_shardings=(shardings, on("data"), on("data")), out_shardings=(shardings, None))
    assert numpy.allclose(losses, run_steps(reference, weights)[1], rtol=1e-4)


def test_pallas_in_shard_map():
    """A kernel on the part of each device; here its interpreter runs it."""
    pallas = pytest.importorskip("jax.experimental.pallas")

    def double(x_ref, y_ref):
        y_ref[...] = x_ref[...] * 2

    def on_device(x):
        return pallas.pallas_call(double, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)

    def kernel(x, w):
        part = jax.shard_map(on_device, mesh=MESH, in_specs=P("data", "model"), out_specs=P("data", "model"),
                             check_vma=False)(x @ w)
        return part.sum(0)

    w = numpy.ones((FEATURES, CLASSES), "float32")
    step = shardwise.jax.jit(kernel, in_shardings=(on("data"), on(None, "model")))
    same(step(X, w), 2 * (X @ w).sum(0))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong is refused as jax.jit refuses it: by an exception of the same type that says what to do."""

import numpy
import pytest
from devices import MESH, jax, shardwise

import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

X = numpy.ones((32, 16), "float32")


def on_mesh(spec):
    return NamedSharding(MESH, spec)


CALLS = {
    "an argument that is no array": (lambda x: x, {}, ("abc",)),
    "an argument too few": (lambda x, y: x, {}, (X,)),
    "shapes that do not fit": (lambda x: x @ x, {}, (X,)),
    "a value that decides in Python": (lambda x: x if x.sum() > 0 else -x, {}, (X,)),
    "a result that is no array": (lambda x: object(), {}, (X,)),
    "a static argument without hash": (lambda x, y: x, {"static_argnums": 1}, (X, [1])),
    "more shardings than arguments": (lambda x: x, {"in_shardings": (P("data"), P("data"))}, (X,)),
    "more shardings than results": (lambda x: x, {"out_shardings": (P("data"), P("data"))}, (X,)),
    "more dimensions than the argument has": (lambda x: x, {"in_shardings": P("data", None, "model")}, (X,)),
    "a cut scalar": (lambda x: x, {"in_shardings": P("data")}, (1.0,)),
}


@pytest.mark.parametrize("what", CALLS)
def test_refused_as_by_jax(what):
    function, options, arguments = CALLS[what]
    with pytest.raises(Exception) as expected:
        over_mesh = {key: jax.tree.map(on_mesh, value, is_leaf=lambda one: isinstance(one, P))
                     if key.endswith("shardings") else value for key, value in options.items()}
        jax.jit(function, **over_mesh)(*arguments)
    with pytest.raises(expected.type) as actual:
        shardwise.jax.jit(function, mesh=MESH, **options)(*arguments)
    assert str(actual.value).split("0x")[0] == str(expected.value).split("0x")[0]


def test_axes_that_the_mesh_does_not_have():
    with pytest.raises(ValueError, match="foo.*is not found in mesh"):
        shardwise.jax.jit(lambda x: x, mesh=MESH, in_shardings=P("foo"))


@pytest.mark.parametrize("given", [3, "f"])
def test_what_is_no_function(given):
    with pytest.raises(TypeError):
        jax.jit(given)
    with pytest.raises(TypeError, match=f"jit takes a function, got {given!r}"):
        shardwise.jax.jit(given, mesh=MESH)


def test_an_engine_that_there_is_not():
    with pytest.raises(ValueError, match="engine must be one of xla, local, mpi; got 'tpu'"):
        shardwise.jax.jit(jnp.sin, mesh=MESH, engine="tpu")
    with pytest.raises(ValueError, match='XLA runs nothing with engine="mpi"; leave it out, or pass engine="xla"'):
        shardwise.jax.jit(jnp.sin, mesh=MESH, engine="mpi", fallback="xla")


def test_transformations_around_it():
    """Derivatives and batches are refused with advice; what looks at values only passes."""
    from jax.experimental import checkify

    total = shardwise.jax.jit(lambda x: (x * 2).sum(), mesh=MESH)
    for transformation in (jax.grad, jax.vmap):
        with pytest.raises(NotImplementedError, match="inside of it"):
            transformation(total)(X)
    error, value = checkify.checkify(total)(X)
    assert error.get() is None and value == 2 * X.size


def test_without_jit_it_is_the_function():
    """For debuggers, as jax.jit."""
    seen = []
    double = shardwise.jax.jit(lambda x: seen.append(x) or x * 2, mesh=MESH)
    with jax.disable_jit():
        assert (double(X) == 2 * X).all() and seen[0] is X
    assert (double(X) == 2 * X).all() and seen[-1] is not X


def test_nothing_but_keys():
    """JAX then names a mesh without axes."""
    key = jax.random.key(7)
    draw = shardwise.jax.jit(lambda key: jax.random.normal(key, (8,)), mesh=MESH)
    assert numpy.allclose(draw(key), jax.random.normal(key, (8,)), atol=1e-6)
    assert "stablehlo" in draw.text(key)

def test_an_array_that_was_donated_is_passed_again():
    """JAX 0.10 ends the process for such an array on several CPU devices."""
    step = shardwise.jax.jit(lambda state, x: {"w": state["w"] + x}, mesh=MESH, in_shardings=(P("data"), P("data")),
                             donate_argnums=0)
    state = jax.jit(lambda: {"w": jnp.ones((32, 16))}, out_shardings=on_mesh(P("data")))()
    new = step(state, X)
    with pytest.raises(ValueError, match=r"argument \[0\]\['w'\] of <lambda> is an array that was deleted, as donated.*; pass the"):
        step(state, X)
    assert (step(new, X)["w"] == 3).all()


def test_an_array_that_is_donated_and_passed_twice():
    """JAX 0.10 ends the process for such an array on several CPU devices."""
    step = shardwise.jax.jit(lambda state, *, x: state["w"] + x, mesh=MESH, donate_argnames="state")
    array = jax.jit(lambda: jnp.ones((32, 16)), out_shardings=on_mesh(P("data")))()
    with pytest.raises(ValueError, match=r"arguments \[0\]\['w'\] and \['x'\] of <lambda> are one array, which is donated.*; pass a copy"):
        step({"w": array}, x=array)
    plain = shardwise.jax.jit(lambda x, y: x + y, mesh=MESH)
    assert (plain(array, array) == 2).all()
    # The first device of several that have all of it has the array's own memory.
    on_one = jnp.ones((32, 16))
    with pytest.raises(ValueError, match="are one array"):
        step({"w": on_one}, x=on_one)
    assert (step({"w": array}, x=jnp.copy(array)) == 2).all()


def test_an_array_on_fewer_devices():
    few = jax.sharding.Mesh(numpy.array(jax.devices()[:4]), ("z",))
    x = jax.device_put(X, NamedSharding(few, P("z")))
    with pytest.raises(ValueError, match=r"of 8 devices, and an argument or result is on Mesh\('z': 4.*, of 4; .*jax.device_put"):
        shardwise.jax.jit(lambda x: x * 2, mesh=MESH)(x)


@pytest.mark.parametrize("engine", ["xla", "local"])
def test_sizes_that_do_not_divide(engine):
    with pytest.raises(ValueError, match=r'argument of <lambda>, \[0\]: dimension 0 has size 6 .* 4 or 8 would fit; or pass uneven='):
        shardwise.jax.jit(lambda x: x * 2, mesh=MESH, in_shardings=P("data"), engine=engine)(X[:6])


def test_a_factorization_that_has_no_kernel():
    """JAX writes it as a function of its own, without the user's lines."""
    values = shardwise.jax.jit(lambda x: jnp.linalg.svd(x, compute_uv=False), mesh=MESH, in_shardings=P("data"), engine="local")
    with pytest.raises(ValueError, match=rf"^{__file__}:\d+:\d+: error: .*'lapack_sgesdd_ffi' has no kernel"):
        values(X)

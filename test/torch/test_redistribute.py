# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shardwise.torch.redistribute on 8 processes, beside DTensor.redistribute."""

import doctest
import functools
import itertools
import os
import pathlib
import random
import signal
import sys
import threading
import time

import pytest

# The folder of python_package is that of the tests of the package.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import python_package  # noqa: E402, F401
from conftest import ROOT  # noqa: E402

torch = pytest.importorskip("torch")

import torch.distributed as dist  # noqa: E402
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh  # noqa: E402
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor  # noqa: E402
from torch.distributed.tensor.placement_types import _StridedShard  # noqa: E402

import shardwise.torch as xs  # noqa: E402
from ranks import Ranks  # noqa: E402

SEED = 20261123


#: Ranks of other hosts share no memory.
BY_MESSAGES = {"SHARDWISE_SHARED_MEMORY": "0"}


@pytest.fixture(scope="module", params=["memory", "messages"])
def ranks(request):
    with Ranks(8, environment=BY_MESSAGES if request.param == "messages" else None) as processes:
        yield processes


def grid(*sizes):
    """The mesh of the first ranks."""
    count = 1
    for size in sizes:
        count *= size
    return DeviceMesh("cpu", torch.arange(count).view(sizes))


def values(shape, seed=0, dtype=torch.float32):
    """Small integers, so that sums are exact in any order."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-8, 9, shape, generator=generator).to(dtype)


@functools.lru_cache(maxsize=None)
def tensor_with(mesh, placements, shape, dtype=torch.float32):
    """A DTensor: its shards are cut from a tensor that depends on the terms that a rank has."""
    coordinate = mesh.get_coordinate()
    seed = 1 + sum((at + 1) * 10**dim for dim, (at, one) in enumerate(zip(coordinate or (), placements))
                   if one.is_partial())
    whole = values(shape, seed, dtype)
    local = distribute_tensor(whole, mesh, [Replicate() if one.is_partial() else one for one in placements],
                              src_data_rank=None).to_local()
    return DTensor.from_local(local, mesh, placements, run_check=False, shape=whole.shape, stride=whole.stride())


@functools.lru_cache(maxsize=None)
def combined(mesh, placements, shape, op):
    """What the terms make together, by itertools."""
    terms = []
    axes = [range(size) if one.is_partial() else [None] for size, one in zip(mesh.shape, placements)]
    for chosen in itertools.product(*axes):
        seed = 1 + sum((at + 1) * 10**dim for dim, at in enumerate(chosen) if at is not None)
        terms.append(values(shape, seed, torch.float64))
    stacked = torch.stack(terms)
    return {"sum": lambda: stacked.sum(0), "avg": lambda: stacked.mean(0), "max": lambda: stacked.amax(0),
            "min": lambda: stacked.amin(0), "product": lambda: stacked.prod(0)}[op]()


@functools.lru_cache(maxsize=None)
def expected_local(mesh, before, after, shape, dtype, op):
    """What a rank holds of the whole tensor afterwards, as DTensor cuts it."""
    whole = combined(mesh, before, shape, op).to(dtype)
    return distribute_tensor(whole, mesh, after, src_data_rank=None).to_local()


def kinds(rank, op="sum"):
    return [*map(Shard, range(rank)), Replicate(), Partial(op)]


def is_allowed(before, after):
    return not any(one.is_partial() and one != other for one, other in zip(after, before))


def check(mesh, before, after, shape, dtype=torch.float32, beside=True, moved=None):
    """Redistributes, compares with DTensor's result, and with the whole tensor."""
    source = tensor_with(mesh, before, shape, dtype)
    moved = xs.redistribute(source, mesh, after) if moved is None else moved
    what = f"{before} -> {after}, {shape}, {dtype}, mesh {tuple(mesh.shape)}"
    assert moved.placements == tuple(after) and moved.shape == source.shape, what
    if beside:
        expected = source.redistribute(mesh, after)
        assert torch.equal(moved.to_local(), expected.to_local()), what
        assert moved._spec == expected._spec, what
    if not any(one.is_partial() for one in after):
        op = next((one.reduce_op for one in before if one.is_partial()), "sum")
        # Of equal values without partial ones there is one.
        terms = before if any(one.is_partial() for one in before) else (Replicate(),) * len(before)
        expected = expected_local(mesh, terms, after, shape, dtype, op)
        # A mean over three is rounded.
        rtol = 1e-12 if op == "avg" else 0
        torch.testing.assert_close(moved.to_local(), expected, rtol=rtol, atol=0, msg=what)
    return moved


def every_pair(sizes, shape, beside_one_in=1):
    """Every pair of placements, one in so many beside DTensor, which takes several times as long."""
    mesh = grid(*sizes)
    if mesh.get_coordinate() is None:
        return 0
    pairs = [(before, after)
             for before, after in itertools.product(itertools.product(kinds(len(shape)), repeat=len(sizes)), repeat=2)
             if is_allowed(before, after)]
    for first in range(0, len(pairs), 50):
        # Many at once: processes that wait for each other take most of the time.
        started = [(before, after, xs.redistribute(tensor_with(mesh, before, shape), mesh, after, async_op=True))
                   for before, after in pairs[first:first + 50]]
        for number, (before, after, moved) in enumerate(started):
            check(mesh, before, after, shape, beside=number % beside_one_in == 0, moved=moved)
    return len(pairs)


def test_every_pair_on_four(ranks):
    assert ranks.run(every_pair, (2, 2), (4, 6), 2)[0] == 13**2


def test_every_pair_on_eight(ranks):
    assert ranks.run(every_pair, (2, 2, 2), (8, 8), 40)[0] == 13**3


def in_two_rounds(sizes, shape):
    """Pairs with sums, on the way that large tensors take."""
    from shardwise.torch import _routes
    usual, _routes._ROUND_BYTES = _routes._ROUND_BYTES, -1000
    xs.clear_plans()
    try:
        mesh = grid(*sizes)
        rounds = set()
        for before, after in itertools.product(itertools.product(kinds(len(shape)), repeat=len(sizes)), repeat=2):
            if is_allowed(before, after) and any(one.is_partial() for one in before):
                moved = check(mesh, before, after, shape, beside=False)
                rounds.add(len(xs.plan(tensor_with(mesh, before, shape), mesh, moved.placements).rounds))
        return rounds
    finally:
        _routes._ROUND_BYTES = usual
        xs.clear_plans()


def test_sums_in_two_rounds(ranks):
    assert ranks.run(in_two_rounds, (2, 4), (5, 7))[0] == {0, 1, 2}


def by_parts(sizes, shape):
    """Every pair as large tensors go: part by part, not by positions of elements."""
    from shardwise.torch import _rounds
    usual, _rounds._FEW_ELEMENTS = _rounds._FEW_ELEMENTS, 0
    xs.clear_plans()
    try:
        return every_pair(sizes, shape, 50)
    finally:
        _rounds._FEW_ELEMENTS = usual
        xs.clear_plans()


def test_large_tensors_go_by_parts(ranks):
    assert ranks.run(by_parts, (2, 4), (5, 7))[0] == 13**2


def random_pairs(seed, count):
    """Meshes of 1 to 3 dimensions of some of the ranks in any order, sizes that do not divide, strided shards."""
    generator = random.Random(seed)
    for _ in range(count):
        sizes = generator.choice([(2,), (3,), (5,), (8,), (2, 2), (2, 3), (3, 2), (4, 2), (1, 4), (2, 2, 2), (2, 1, 3)])
        chosen = generator.sample(range(8), torch.Size(sizes).numel())
        shape = tuple(generator.choice([1, 2, 3, 5, 7, 8, 12]) for _ in range(generator.randint(1, 3)))
        op = generator.choice(["sum", "sum", "avg", "max", "min", "product"])
        dtype = generator.choice([torch.float32, torch.float64, torch.bfloat16] if op == "avg" else
                                 [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int16])
        if op in ("avg", "product"):
            dtype = torch.float64
        cuts = [*kinds(len(shape), op), *kinds(len(shape), op),
                *(_StridedShard(dim, split_factor=generator.choice([2, 3])) for dim in range(len(shape)))]
        before = tuple(generator.choice(cuts) for _ in sizes)
        after = tuple(generator.choice([one for one in cuts if not one.is_partial() or one == own]) for own in before)
        if torch.tensor(chosen).numel() and dist.get_rank() in chosen:
            check(DeviceMesh("cpu", torch.tensor(chosen).view(sizes), _init_backend=False), before, after, shape, dtype,
                  beside=False)


def test_random_pairs(ranks):
    print("seed", SEED)
    ranks.run(random_pairs, SEED, 200)


def uneven_beside_dtensor(seed, count):
    """Sizes that do not divide, as DTensor has them."""
    generator = random.Random(seed)
    meshes = [grid(8), grid(2, 4), grid(2, 2, 2)]
    for _ in range(count):
        mesh = generator.choice(meshes)
        shape = tuple(generator.choice([1, 3, 5, 9, 13]) for _ in range(2))
        before = tuple(generator.choice(kinds(2)) for _ in mesh.shape)
        after = tuple(generator.choice([one for one in kinds(2) if not one.is_partial() or one == own]) for own in before)
        check(mesh, before, after, shape, generator.choice([torch.float32, torch.float64, torch.int32]))


def test_uneven_sizes_beside_dtensor(ranks):
    print("seed", SEED)
    ranks.run(uneven_beside_dtensor, SEED, 60)


def other_meshes():
    everyone = DeviceMesh("cpu", torch.arange(8).view(2, 4))
    turned = DeviceMesh("cpu", torch.arange(8).view(2, 4).t().contiguous())
    line = DeviceMesh("cpu", torch.tensor([3, 1, 7, 0, 2, 5, 4, 6]))
    left, right = (DeviceMesh("cpu", torch.arange(4) + first) for first in (0, 4))
    whole = values((6, 10), 3)
    cases = [(everyone, [Shard(0), Shard(1)], turned, [Shard(0), Shard(1)]),
             (everyone, [Shard(0), Replicate()], line, [Shard(1)]),
             (line, [Shard(1)], turned, [Replicate(), Shard(0)]),
             (left, [Shard(0)], right, [Shard(1)]),
             (left, [Shard(0)], everyone, [Replicate(), Shard(1)]),
             (everyone, [Shard(0), Shard(0)], right, [Replicate()])]
    for mesh, before, other, after in cases:
        moved = xs.redistribute(distribute_tensor(whole, mesh, before, src_data_rank=None), other, after)
        assert moved.device_mesh == other
        expected = distribute_tensor(whole, other, after, src_data_rank=None)
        if other.get_coordinate() is not None:
            assert torch.equal(moved.to_local(), expected.to_local()), (mesh, before, other, after)
    terms = tensor_with(everyone, (Partial(), Shard(1)), (6, 10))
    summed = xs.redistribute(terms, line, [Shard(0)])
    expected = distribute_tensor(combined(everyone, (Partial(), Shard(1)), (6, 10), "sum").float(), line, [Shard(0)],
                                 src_data_rank=None)
    assert torch.equal(summed.to_local(), expected.to_local())


def test_between_meshes(ranks):
    ranks.run(other_meshes)


def gradients():
    mesh = grid(2, 4)
    for before, after in [((Shard(0), Shard(1)), (Shard(1), Replicate())), ((Partial(), Shard(0)), (Shard(1), Shard(0))),
                          ((Replicate(), Shard(1)), (Shard(0), Shard(0))), ((Partial(), Partial()), (Partial(), Shard(1)))]:
        results = []
        for function in (xs.redistribute, lambda t, *to, **more: t.redistribute(*to, **more)):
            source = tensor_with(mesh, before, (5, 7)).detach().requires_grad_()
            moved = function(source, mesh, after)
            assert moved.requires_grad
            (moved * moved).to_local().sum().backward()
            results.append(source.grad)
            half = tensor_with(mesh, before, (5, 7)).detach().requires_grad_()
            moved = function(half, mesh, after, forward_dtype=torch.bfloat16, backward_dtype=torch.float64)
            assert moved.dtype == torch.bfloat16
            (moved * 2).to_local().sum().backward()
            results.append(half.grad)
        ours, ours_half, theirs, theirs_half = results
        assert ours._spec == theirs._spec and torch.equal(ours.to_local(), theirs.to_local()), (before, after)
        assert ours_half.dtype == theirs_half.dtype == torch.float32
        assert ours_half._spec == theirs_half._spec and torch.equal(ours_half.to_local(), theirs_half.to_local())
    source = tensor_with(mesh, (Shard(0), Shard(1)), (4, 8)).requires_grad_()
    moved = xs.redistribute(source, mesh, (Shard(1), Replicate()))
    first, = torch.autograd.grad((moved**3).sum(), source, create_graph=True)
    second, = torch.autograd.grad(first.sum(), source)
    assert torch.equal(second.to_local(), 6 * source.to_local())
    with torch.no_grad():
        assert not xs.redistribute(source, mesh, (Shard(1), Replicate())).requires_grad


def test_gradients_beside_dtensor(ranks):
    ranks.run(gradients)


def asynchronous():
    from torch.distributed._functional_collectives import AsyncCollectiveTensor
    mesh = grid(2, 2, 2)
    source = tensor_with(mesh, (Partial(), Shard(0), Shard(1)), (9, 6))
    first = xs.redistribute(source, mesh, [Replicate()] * 3, async_op=True)
    second = xs.redistribute(source, mesh, (Shard(0), Replicate(), Shard(1)), async_op=True)
    assert isinstance(first._local_tensor, AsyncCollectiveTensor)
    whole = combined(mesh, source.placements, (9, 6), "sum").float()
    # In another order than they were started in.
    assert torch.equal(xs.redistribute(second, mesh, [Replicate()] * 3).to_local(), whole)
    assert torch.equal((first + 0).to_local(), whole)
    xs.redistribute(source, mesh, [Replicate()] * 3, async_op=True)


def test_asynchronous(ranks):
    ranks.run(asynchronous)


def drop_in():
    mesh = grid(8)
    table = distribute_tensor(values((16, 4)), mesh, [Shard(0)], src_data_rank=None)
    where = distribute_tensor(torch.arange(10), mesh, [Replicate()], src_data_rank=None)
    for after in ([Replicate()], [Shard(0)]):
        rows = torch.nn.functional.embedding(where, table)
        assert rows.placements[0].is_partial()
        moved = xs.redistribute(rows, placements=after)
        assert torch.equal(moved.full_tensor(), values((16, 4))[:10])
    # Nothing to do, another memory order, scalars, nothing at all.
    assert xs.redistribute(table, mesh, [Shard(-2)]).to_local().data_ptr() == table.to_local().data_ptr()
    turned = DTensor.from_local(values((6, 2)).t(), mesh, [Shard(1)], run_check=False)
    assert torch.equal(xs.redistribute(turned, mesh, [Replicate()]).to_local(), turned.full_tensor())
    check(mesh, (Partial(),), (Replicate(),), ())
    for before, after in itertools.product([Shard(0), Shard(1), Replicate()], repeat=2):
        check(mesh, (before,), (after,), (0, 3))
    complex_values = distribute_tensor(torch.view_as_complex(values((8, 3, 2))).conj(), mesh, [Shard(0)],
                                       src_data_rank=None)
    assert torch.equal(xs.redistribute(complex_values, mesh, [Replicate()]).to_local(), complex_values.full_tensor())
    wrong = [
        (lambda: xs.redistribute(torch.ones(2), mesh, [Shard(0)]), TypeError, "distribute_tensor"),
        (lambda: xs.redistribute(table, "cpu", [Shard(0)]), TypeError, "DeviceMesh"),
        (lambda: xs.redistribute(table), ValueError, "placements are needed"),
        (lambda: xs.redistribute(table, mesh, [Shard(0), Shard(1)]), ValueError, "one for each dimension"),
        (lambda: xs.redistribute(table, mesh, Shard(0)), TypeError, "list or tuple"),
        (lambda: xs.redistribute(table, mesh, [0]), TypeError, "Shard(0)"),
        (lambda: xs.redistribute(table, mesh, [Shard(2)]), ValueError, "2 dimensions"),
        (lambda: xs.redistribute(table, mesh, [Partial()]), NotImplementedError, "not made partial"),
        (lambda: xs.redistribute(table, mesh, [Shard(0)], forward_dtype="f32"), TypeError, "torch.dtype"),
        (lambda: xs.plan(torch.ones(2), mesh, [Shard(0)]), TypeError, "DTensor"),
    ]
    for call, kind, words in wrong:
        with pytest.raises(kind) as error:
            call()
        assert words in str(error.value), error.value
        assert isinstance(error.value, python_package.shardwise.ShardwiseError)


def test_drop_in(ranks):
    ranks.run(drop_in)


def plans():
    mesh = grid(2, 2, 2)
    source = tensor_with(mesh, (Shard(0), Shard(1), Replicate()), (64, 64))
    for after in itertools.product([Shard(0), Shard(1), Replicate()], repeat=3):
        made = xs.plan(source, mesh, after)
        assert len(made.rounds) <= 1 and made.received_bytes == made.lower_bound_bytes
        assert made.received_bytes == made.plan.lower_bound_bytes, after
    large = tensor_with(mesh, (Partial(),) * 3, (1024, 1024))
    made = xs.plan(large, mesh, [Replicate()] * 3)
    assert [one.kind for one in made.rounds] == ["reduce_scatter", "exchange"]
    assert made.received_bytes == made.lower_bound_bytes == 2 * 7 * 1024 * 1024 * 4 // 8
    assert "lower bound 7340032 B" in str(made)
    nothing = xs.plan(large, mesh, [Partial()] * 3)
    assert nothing.rounds == () and "nothing is sent" in str(nothing)


def test_plan(ranks):
    ranks.run(plans)


def page():
    mesh = grid(2, 2, 2)
    given = {"torch": torch, "mesh": mesh, "dtensor": tensor_with(mesh, (Shard(0), Partial(), Replicate()), (8, 8)),
             "gradients": tensor_with(mesh, (Partial(),) * 3, (1024, 1024))}
    return doctest.testfile(str(ROOT / "docs/torch-redistribute.md"), module_relative=False, extraglobs=given,
                            optionflags=doctest.ELLIPSIS)


def test_page(ranks):
    assert all(result.attempted > 5 and result.failed == 0 for result in ranks.run(page))


def way_of(mesh):
    """How messages on a mesh go at present."""
    from shardwise.torch import _near
    ranks = mesh.mesh.flatten().tolist()
    shared = _near._present_neighbours().shared_by(ranks, [rank for rank in ranks if rank != dist.get_rank()])
    return "messages" if shared is None else "memory"


def test_the_way_that_is_taken(ranks, request):
    assert set(ranks.run(way_of_all)) == {request.node.callspec.params["ranks"]}


def way_of_all():
    return way_of(grid(8))


def float_sums():
    """Sums of floats, to the bit: terms are added in the order of the mesh, by steps of the type."""
    for dtype, sizes in itertools.product([torch.float32, torch.bfloat16, torch.float16, torch.complex64], [(8,), (4, 2)]):
        mesh = grid(*sizes)
        generator = torch.Generator().manual_seed(5)
        terms = torch.randn((8, 6, 10), generator=generator, dtype=torch.float64).to(dtype)
        expected = functools.reduce(torch.add, terms)
        source = DTensor.from_local(terms[dist.get_rank()].clone(), mesh, [Partial()] * len(sizes), run_check=False)
        for after in ([Replicate()] * len(sizes), [Shard(0)] * len(sizes)):
            moved = xs.redistribute(source, mesh, after)
            assert torch.equal(moved.full_tensor(), expected), (dtype, sizes, after)


def test_float_sums(ranks):
    ranks.run(float_sums)


def bitwise():
    mesh = grid(8)
    terms = torch.randint(0, 1 << 30, (8, 5, 3), generator=torch.Generator().manual_seed(9))
    for op, combine in (("band", torch.bitwise_and), ("bor", torch.bitwise_or), ("bxor", torch.bitwise_xor)):
        source = DTensor.from_local(terms[dist.get_rank()].clone(), mesh, [Partial(op)], run_check=False)
        moved = xs.redistribute(source, mesh, [Replicate()]).to_local()
        assert torch.equal(moved, functools.reduce(combine, terms)), op


def test_bitwise(ranks):
    ranks.run(bitwise)


def too_large_to_copy():
    from shardwise.torch import _near
    usual, _near._MOST_BYTES = _near._MOST_BYTES, 64
    xs.clear_plans()
    try:
        every_pair((2, 2), (4, 6), 4)
    finally:
        _near._MOST_BYTES = usual
        xs.clear_plans()


def test_what_is_too_large_to_copy_goes_by_messages(ranks):
    ranks.run(too_large_to_copy)


def a_new_group(folder):
    """Groups come and go; what is kept of routes is not of one of them."""
    rank, count = dist.get_rank(), dist.get_world_size()
    for number in range(3):
        mesh = grid(count)
        moved = xs.redistribute(tensor_with(mesh, (Shard(0),), (9, 5)), mesh, [Shard(1)])
        assert torch.equal(moved.full_tensor(), values((9, 5), 1))
        dist.barrier()
        dist.destroy_process_group()
        tensor_with.cache_clear()
        dist.init_process_group("gloo", init_method=f"file://{folder}/store{number}", rank=rank, world_size=count)


def test_a_new_group(tmp_path):
    with Ranks(3) as three:
        three.run(a_new_group, str(tmp_path))


def disagree():
    mesh = grid(2)
    source = tensor_with(mesh, (Shard(0),), (4, 4))
    with pytest.raises(ValueError) as error:
        xs.redistribute(source, mesh, [Replicate() if dist.get_rank() else Shard(1)])
    return str(error.value)


def test_ranks_that_disagree_are_told():
    with Ranks(2) as two:
        told = two.run(disagree)
        for rank, text in enumerate(told):
            assert f"rank {1 - rank} does something else than rank {rank}" in text, text


def leave_alone():
    mesh = init_device_mesh("cpu", (2,))
    source = tensor_with(mesh, (Shard(0),), (4, 4))
    if dist.get_rank() == 1:
        return None
    with pytest.raises((TimeoutError, RuntimeError)) as error:
        xs.redistribute(source, mesh, [Replicate()])
    return str(error.value)


@pytest.mark.parametrize("environment", [None, BY_MESSAGES], ids=["memory", "messages"])
def test_a_missing_peer_ends_in_a_timeout(environment):
    with Ranks(2, timeout_s=2, environment=environment) as two:
        assert "imed out" in two.run(leave_alone)[0]


def come_once(how):
    """The second redistribute of rank 0 waits for one of rank 1 that does not come."""
    mesh = init_device_mesh("cpu", (2,))
    source = tensor_with(mesh, (Shard(0),), (4, 4))
    xs.redistribute(source, mesh, [Replicate()])
    if dist.get_rank() == 1:
        if how == "ends":
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return None
    if how == "is interrupted":
        signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        signal.setitimer(signal.ITIMER_REAL, 0.3)
    start = time.monotonic()
    with pytest.raises((TimeoutError, KeyboardInterrupt)) as error:
        xs.redistribute(source, mesh, [Replicate()])
    return error.typename, str(error.value), time.monotonic() - start


@pytest.mark.parametrize("how, timeout_s, kind, text", [
    ("is late", 1, "TimeoutExpired", "rank 1 has not come to this exchange within 1000 ms"),
    ("ends", 60, "TimeoutExpired", "rank 1 has ended"),
    ("is interrupted", 60, "KeyboardInterrupt", ""),
])
def test_waits_for_who_does_not_come(how, timeout_s, kind, text):
    with Ranks(2, timeout_s=timeout_s) as two:
        typename, told, seconds = two.run(come_once, how)[0]
        assert typename == kind and text in told
        assert seconds < 30

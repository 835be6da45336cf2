# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is kept of ops until a program runs: nodes and storages."""

import gc
import threading
import weakref

import pytest

from torch_package import DEVICE, torch, xs
from shardwise import _core
from shardwise.torch._graph import Node, Storage, become_leaf
from shardwise.torch._meta import intern_meta
from shardwise.torch._record import record

META = intern_meta((2,), None, 0, torch.float32)


def leaf():
    return Node(None, (), (), META, torch.ones(2))


def chain(length):
    node = leaf()
    for _ in range(length):
        node = record("shardwise.group", (node,), {}, outs=(META,))[0][0]
    return node


def test_a_graph_in_order():
    """Ops as they were recorded, each leaf before its first use; places of inputs are part of the key."""
    a, b = leaf(), leaf()
    first = record("shardwise.group", (b,), {}, outs=(META,))[0][0]
    second = record("shardwise.group", (a,), {}, outs=(META,))[0][0]
    unused = record("shardwise.group", (a,), {}, outs=(META,))[0][0]
    nodes, key, places, leaves, scalars = _core.read_graph([second, first])
    assert nodes == [b, first, a, second] and places == [3, 1] and leaves == [b, a] and scalars == []
    assert unused not in nodes and key[0] == (META, ("", "")) and key[2] == 0 and key[5] == 2
    a.wanted = ("mesh", "[{}]")
    assert _core.read_graph([second])[1][0] == (META, ("mesh", "[{}]"))


def test_what_is_recorded_is_nothing_to_the_garbage_collector():
    node = chain(1)
    assert not gc.is_tracked(node) and not gc.is_tracked(Storage(node, META))
    assert node.inputs[0].spec is None and node.seq > node.inputs[0].seq


def test_long_chains_end_without_recursion():
    node = chain(300_000)
    first = weakref.ref(node.inputs[0])
    become_leaf(node, torch.ones(2), ("", ""))
    assert first() is None and node.inputs == () and node.spec is None


def test_storages_are_pending_while_they_live():
    xs.sync()
    node = chain(1)
    kept, dropped = Storage(node, META), Storage(node, META)
    assert kept in _core.pending_storages()
    gone = weakref.ref(dropped)
    del dropped
    assert gone() is None and _core.pending_storages() == [kept]
    assert Storage(leaf(), META) not in _core.pending_storages()
    become_leaf(kept.node, torch.ones(2), ("", ""))
    assert _core.pending_storages() == []


@pytest.mark.parametrize("call, message", [
    (lambda: Node(None, [3], (), META), "an input is a node, not 3"), (lambda: Node(None, 3, (), META), "inputs are a list of nodes"),
    (lambda: Node(None), "takes 4 to 6 arguments, got 1"), (lambda: Node(None, (), (), META, data=1), "by position"), (lambda: Storage(3, META), "has a node, not 3"),
    (lambda: _core.read_graph([3]), "a root is a node")])
def test_what_is_no_graph_is_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_batches_that_are_sent_meanwhile_are_no_part_of_a_program():
    """`.to(device)` makes an empty tensor and copies into it: in between it is not to be computed."""
    xs.sync()
    x, stop, counts = torch.ones(16).to(DEVICE), threading.Event(), set()

    def send():
        while not stop.is_set():
            torch.ones(8, 4).to(DEVICE)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        for _ in range(200):
            y = x * 2
            counts.add(len(_core.pending_storages()))
            del y
    finally:
        stop.set()
        thread.join()
    assert counts == {1}
    empty = torch.empty(4, device=DEVICE)
    assert _core.pending_storages() == [] and empty.tolist() == [0.0] * 4

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is raised while autograd's backward runs reaches the user as it was raised."""

import threading

import pytest
from torch.utils.checkpoint import checkpoint

from torch_package import DEVICE, torch, xs

import shardwise

nn = torch.nn


@pytest.fixture
def failing(monkeypatch):
    """Runs fail, from when it is called, with the exception that it is given."""
    import shardwise.torch._run as run

    def plant(error):
        def fail():
            raise error

        monkeypatch.setattr(run, "connect", fail)

    return plant


def bags_of():
    """A value whose gradient PyTorch computes on the host, so that backward runs what is pending."""
    bag = nn.EmbeddingBag(10, 4, mode="max").to(DEVICE)
    return bag, bag(torch.tensor([[1, 2], [3, 4]]).to(DEVICE)).sum()


@pytest.mark.parametrize("error", [shardwise.ShardwiseError("planted"), ValueError("planted"), KeyboardInterrupt("planted")], ids=repr)
@pytest.mark.filterwarnings("ignore:.*is not translated")
def test_ours_in_a_step(failing, error):
    bag, loss = bags_of()
    failing(error)
    # Once is not enough: what was lost ended the process some time later.
    for _ in range(300):
        with pytest.raises(type(error), match="planted") as caught:
            loss.backward(retain_graph=True)
        assert caught.value is error
    with pytest.raises(type(error), match="planted"):
        torch.autograd.grad(loss, bag.weight)


@pytest.mark.filterwarnings("ignore:.*is not translated")
def test_in_another_thread(failing):
    _, loss = bags_of()
    failing(ValueError("planted"))
    found = []

    def work():
        try:
            loss.backward()
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert isinstance(found[0], ValueError) and str(found[0]) == "planted"


@pytest.mark.filterwarnings("ignore:.*is not translated")
def test_in_a_backward_in_a_backward(failing):
    bag = nn.EmbeddingBag(10, 4, mode="max").to(DEVICE)
    x = torch.tensor([[1, 2]]).to(DEVICE)
    loss = checkpoint(lambda weight: nn.functional.embedding_bag(x, weight * 2, mode="max").sum(), bag.weight, use_reentrant=True)
    failing(ValueError("planted"))
    with pytest.raises(ValueError, match="planted"):
        loss.backward()


class Refusing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, up):
        raise LookupError("of the user")


def test_of_the_user():
    x = torch.ones(2, requires_grad=True, device=DEVICE)
    with pytest.raises(LookupError, match="of the user"):
        Refusing.apply(x * 2).sum().backward()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.filterwarnings("ignore:.*is not translated")
def test_of_an_op(monkeypatch):
    """An op of the backward pass that is refused when it is recorded."""
    from shardwise.torch import _record

    x = torch.ones(3, 3, requires_grad=True, device=DEVICE)
    loss = x.logcumsumexp(0).sum()
    monkeypatch.setattr(_record, "_specs", {})

    def refuse(*_):
        raise TypeError("no such types")

    monkeypatch.setattr(_record, "check_call", refuse)
    with pytest.raises(TypeError, match="no such types"):
        loss.backward()


def test_without_one():
    """An error that is not ours stays what it is."""
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.ones(2, device=DEVICE).sum().backward()
    xs.sync()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`as_strided` counts from where the storage begins, whatever view it is asked of, when it is read and when it is written;
so do ops that PyTorch makes of it, as `fill_diagonal_`. Beside eager PyTorch, on the host and compiled."""

import os
import random

import pytest

from torch_package import DEVICE, mesh, torch, xs

from shardwise.torch import _hosted

MESH = mesh((4, 2), ("x", "y"))
COUNT = int(os.environ.get("SHARDWISE_RANDOM_VIEWS", "60"))

VIEWS = {
    "select": lambda x, r: x.select(r.randrange(x.dim()), -1), "step": lambda x, r: x[::2], "narrow": lambda x, r: x[1:],
    "transpose": lambda x, r: x.transpose(0, -1), "unsqueeze": lambda x, r: x.unsqueeze(1),
    "permute": lambda x, r: x.permute(r.sample(range(x.dim()), x.dim())), "diagonal": lambda x, r: x.diagonal(),
    "expand": lambda x, r: x[:1].expand(3, *x.shape[1:]), "as_strided": lambda x, r: strided(x, r),
}


@pytest.fixture(params=["host", "compiled"], autouse=True)
def where(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setattr(_hosted, "_FEW_NODES", 0)


def strided(x, r):
    """Parts of the storage, which all tensors here have of 60 elements; without an offset that of `x`."""
    size, stride = r.choice([((2, 3), (5, 1)), ((3, 2), (1, 4)), ((4,), (3,)), ((2, 2, 2), (8, 3, 1)), ((), ())])
    span = 1 + sum((n - 1) * s for n, s in zip(size, stride))
    if x.storage_offset() + span <= 60 and r.random() < 0.5:
        return x.as_strided(size, stride)
    return x.as_strided(size, stride, r.randrange(60 - span + 1))


def changed_views(base, seed, dtype):
    """Walks through views of `base`, and changes some of them; returns what was seen on the way."""
    r = random.Random(seed)
    view, seen = base, []
    for _ in range(r.randrange(1, 5)):
        name = r.choice(list(VIEWS))
        if view.dim() < (2 if name in ("transpose", "permute", "diagonal", "select") else 1) or 0 in view.shape:
            continue
        view = VIEWS[name](view, r)
        seen.append(view.clone())
        if r.random() < 0.5 and not any(step == 0 and size > 1 for size, step in zip(view.shape, view.stride())):
            view.mul_(2).add_(1) if r.random() < 0.5 else view.copy_(torch.arange(view.numel(), dtype=dtype).reshape(view.shape))
    return [*seen, view, base]


def same(ours, theirs):
    return len(ours) == len(theirs) and all(
        tuple(a.stride()) == tuple(b.stride()) and a.storage_offset() == b.storage_offset() and torch.equal(a.cpu(), b)
        for a, b in zip(ours, theirs))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_random_views(order):
    for seed in range(COUNT):
        dtype = random.Random(seed).choice([torch.float32, torch.int64])
        shape = random.Random(seed).choice([(3, 4, 5), (5, 2, 6), (10, 3, 2)])
        theirs = torch.arange(60, dtype=dtype).reshape(shape).permute(order)
        ours = torch.arange(60, dtype=dtype).reshape(shape).to(DEVICE).permute(order)
        if seed % 3 == 0:
            # A base that lies in another order than its dimensions have.
            theirs, ours = theirs + 0, ours + 0
        if seed % 2:
            xs.mark_sharding(ours, MESH, ("x", None, "y"))
        assert same(changed_views(ours, seed, dtype), changed_views(theirs, seed, dtype)), f"seed {seed}, order {order}"


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 5, 5), (2, 7, 3), (3, 4, 4, 4)])
@pytest.mark.parametrize("wrap", [False, True])
def test_diagonal_of_a_part(shape, wrap):
    theirs = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
    ours = theirs.to(DEVICE)
    for x in (theirs, ours):
        x[1].fill_diagonal_(-1, wrap=wrap)
        x[0].transpose(0, -1).fill_diagonal_(-2)
    assert torch.equal(ours.cpu(), theirs)


def test_gradients():
    def loss(x):
        y = x * 2
        return (y[1].as_strided((2, 3), (1, 2)) ** 2).sum() + (y.as_strided((3, 3), (2, 1), 4) * x.sum()).sum()

    theirs = torch.arange(12.).reshape(3, 4).requires_grad_()
    ours = theirs.detach().to(DEVICE).requires_grad_()
    loss(theirs).backward()
    loss(ours).backward()
    torch.testing.assert_close(ours.grad.cpu(), theirs.grad)


def test_errors():
    x = torch.zeros(4, 4).to(DEVICE)
    with pytest.raises(RuntimeError, match="need a storage of 21 elements, but that of the tensor has 16"):
        x[2].as_strided((4,), (4,))
    with pytest.raises(RuntimeError, match="more than one element"):
        x.as_strided((4, 4), (0, 1)).add_(1)
    with pytest.raises(NotImplementedError, match="as_strided.. of the parts of complex numbers"):
        torch.view_as_real(torch.zeros(4, dtype=torch.complex64).to(DEVICE)).as_strided((2,), (1,))

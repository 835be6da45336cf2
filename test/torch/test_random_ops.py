# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on tensors of random shapes, types and shardings give the values, types, shapes and kinds of errors of eager PyTorch."""

import os
import random
import warnings

import pytest

from torch_package import DEVICE, mesh, torch, xs

from shardwise.torch import _hosted

F = torch.nn.functional
MESH = mesh((4, 2), ("x", "y"))
SEEDS = int(os.environ.get("SHARDWISE_RANDOM_OPS", "2"))
SHAPES = [(), (1,), (8,), (7,), (0,), (8, 4), (7, 5), (4, 1), (0, 3), (1, 6), (4, 8, 2), (3, 5, 7), (2, 0, 4), (2, 3, 4, 5)]
DTYPES = [torch.float32, torch.float32, torch.float64, torch.int64, torch.int32, torch.bool, torch.bfloat16, torch.uint8]

#: Functions of one tensor and a generator of choices. Each makes its choices from what the tensor is.
UNARY = {
    "neg": lambda x, r: -x, "abs": lambda x, r: x.abs(), "sign": lambda x, r: x.sign(), "exp": lambda x, r: x.exp(),
    "sqrt": lambda x, r: x.abs().sqrt(), "tanh": lambda x, r: x.tanh(), "floor": lambda x, r: x.floor(),
    "round": lambda x, r: x.round(), "logical_not": lambda x, r: x.logical_not(), "not": lambda x, r: ~x,
    "reciprocal": lambda x, r: (x + 3).reciprocal(), "frac": lambda x, r: x.frac(), "trunc": lambda x, r: x.trunc(),
    "isnan": lambda x, r: x.isnan(), "isfinite": lambda x, r: x.isfinite(), "square": lambda x, r: x.square(),
    "relu": lambda x, r: x.relu(), "gelu": lambda x, r: F.gelu(x), "silu": lambda x, r: F.silu(x),
    "softplus": lambda x, r: F.softplus(x), "hardtanh": lambda x, r: F.hardtanh(x), "elu": lambda x, r: F.elu(x),
    "sum": lambda x, r: x.sum(), "sum_dim": lambda x, r: x.sum(dim(x, r), keepdim=coin(r)),
    "sum_dims": lambda x, r: x.sum(dims(x, r)), "mean": lambda x, r: x.mean(dim(x, r)),
    "prod": lambda x, r: x.prod(dim(x, r)), "any": lambda x, r: x.any(dim(x, r)), "all": lambda x, r: x.all(),
    "amax": lambda x, r: x.amax(dim(x, r), keepdim=coin(r)), "amin": lambda x, r: x.amin(dims(x, r)),
    "max": lambda x, r: x.max(), "max_dim": lambda x, r: x.max(dim(x, r))[0], "argmax": lambda x, r: x.argmax(dim(x, r)),
    "argmin": lambda x, r: x.argmin(), "var": lambda x, r: x.var(dim(x, r), correction=r.choice([0, 1])),
    "std": lambda x, r: x.std(), "norm": lambda x, r: x.norm(), "vector_norm": lambda x, r: torch.linalg.vector_norm(x, r.choice([1, 2, 3, float("inf")]), dim(x, r)),
    "logsumexp": lambda x, r: x.logsumexp(dim(x, r)), "softmax": lambda x, r: x.softmax(dim(x, r)),
    "log_softmax": lambda x, r: x.log_softmax(dim(x, r)), "cumsum": lambda x, r: x.cumsum(dim(x, r)),
    "cumprod": lambda x, r: x.cumprod(dim(x, r)), "cummax": lambda x, r: x.cummax(dim(x, r))[0],
    "count_nonzero": lambda x, r: x.count_nonzero(), "sort": lambda x, r: x.sort(dim(x, r), descending=coin(r))[0],
    "topk": lambda x, r: x.topk(min(2, x.shape[-1] if x.dim() else 1))[0], "flip": lambda x, r: x.flip(dims(x, r)),
    "roll": lambda x, r: x.roll(r.choice([1, -2, 5]), dim(x, r)), "roll_all": lambda x, r: x.roll(3),
    "transpose": lambda x, r: x.transpose(dim(x, r), dim(x, r)), "permute": lambda x, r: x.permute(r.sample(range(x.dim()), x.dim())),
    "t": lambda x, r: x.t(), "reshape": lambda x, r: x.reshape(-1), "view": lambda x, r: x.view(-1, 1),
    "flatten": lambda x, r: x.flatten(), "unsqueeze": lambda x, r: x.unsqueeze(dim(x, r)), "squeeze": lambda x, r: x.squeeze(),
    "squeeze_dim": lambda x, r: x.squeeze(dim(x, r)), "expand": lambda x, r: x.expand(3, *x.shape),
    "repeat": lambda x, r: x.repeat(2, *([1] * x.dim())), "repeat_interleave": lambda x, r: x.repeat_interleave(2, dim(x, r)),
    "unfold_last": lambda x, r: x.unfold(-1, 2, 2), "view_bytes": lambda x, r: x.view(torch.int8), "view_ints": lambda x, r: x.view(torch.int32),
    "unflatten": lambda x, r: x.unflatten(0, (2, -1)), "movedim": lambda x, r: x.movedim(0, -1),
    "select": lambda x, r: x.select(dim(x, r), r.choice([0, -1, 1])), "slice": lambda x, r: x[r.choice([0, 1, -2]):r.choice([2, 5, -1, 100])],
    "step": lambda x, r: x[::r.choice([2, 3])], "last": lambda x, r: x[..., -1], "none": lambda x, r: x[None, ..., None],
    "narrow": lambda x, r: x.narrow(dim(x, r), 0, r.choice([0, 1, 2])), "chunk": lambda x, r: x.chunk(3, dim(x, r))[-1],
    "split": lambda x, r: x.split(2, dim(x, r))[0], "unbind": lambda x, r: x.unbind(dim(x, r))[0],
    "tensor_split": lambda x, r: x.tensor_split(3)[1], "unfold": lambda x, r: x.unfold(0, 2, 1),
    "diagonal": lambda x, r: x.diagonal(r.choice([0, 1, -1])), "diag": lambda x, r: x.diag(), "tril": lambda x, r: x.tril(r.choice([0, 1, -1])),
    "triu": lambda x, r: x.triu(), "trace": lambda x, r: x.trace(), "index": lambda x, r: x[index_of(x, r)],
    "index_two": lambda x, r: x[index_of(x, r), index_of(x, r) % max(x.shape[1] if x.dim() > 1 else 1, 1)],
    "index_select": lambda x, r: x.index_select(0, index_of(x, r).abs() % max(x.shape[0] if x.dim() else 1, 1)), "take": lambda x, r: x.take(index_of(x, r)),
    "gather": lambda x, r: x.gather(0, torch.zeros_like(x, dtype=torch.int64)), "mask": lambda x, r: x[x > 1],
    "masked_fill": lambda x, r: x.masked_fill(x > 0, r.choice([0, 2, -1])), "where": lambda x, r: torch.where(x > 0, x, 1),
    "nonzero": lambda x, r: x.nonzero(), "clamp": lambda x, r: x.clamp(-1, 1), "clamp_min": lambda x, r: x.clamp(min=0.5),
    "pad": lambda x, r: F.pad(x, (1, 2), value=r.choice([0, 3])), "pad_cut": lambda x, r: F.pad(x, (-1, 1)),
    "one_hot": lambda x, r: F.one_hot(x.long().abs(), 12), "to_int": lambda x, r: x.int(), "to_bool": lambda x, r: x.bool(),
    "to_half": lambda x, r: x.to(torch.bfloat16), "to_double": lambda x, r: x.double(), "cat": lambda x, r: torch.cat([x, x], dim(x, r)),
    "stack": lambda x, r: torch.stack([x, x + 1], dim(x, r)), "outer": lambda x, r: torch.outer(x, x), "matmul": lambda x, r: x @ x.mT,
    "layer_norm": lambda x, r: F.layer_norm(x, x.shape[-1:]), "max_pool": lambda x, r: F.max_pool1d(x, 2),
    "max_pool_indices": lambda x, r: F.max_pool2d(x, 2, return_indices=True)[1], "avg_pool": lambda x, r: F.avg_pool1d(x, 2),
    "interpolate": lambda x, r: F.interpolate(x, scale_factor=2), "cdist": lambda x, r: torch.cdist(x, x), "unique": lambda x, r: x.unique(),
    "bincount": lambda x, r: x.abs().bincount(), "histc": lambda x, r: x.histc(4), "median": lambda x, r: x.median(),
    "kthvalue": lambda x, r: x.kthvalue(1)[0], "quantile": lambda x, r: x.quantile(0.5), "searchsorted": lambda x, r: torch.searchsorted(x.sort()[0], x),
    "addmm": lambda x, r: torch.addmm(x, x, x.mT), "einsum": lambda x, r: torch.einsum("ij,kj->ik", x, x), "normalize": lambda x, r: F.normalize(x, dim=dim(x, r)),
}

#: Functions of one tensor that say something of complex numbers alone.
COMPLEX = {
    "conj": lambda x, r: x.conj(), "conj_used": lambda x, r: x.conj() * x, "physical": lambda x, r: x.conj_physical(), "real": lambda x, r: x.real,
    "imag": lambda x, r: x.imag, "imag_of_conj": lambda x, r: x.conj().imag, "angle": lambda x, r: x.angle(), "sgn": lambda x, r: x.sgn(),
    "view_as_real": lambda x, r: torch.view_as_real(x), "and_back": lambda x, r: torch.view_as_complex(torch.view_as_real(x) * 2),
    "mH": lambda x, r: x.mH, "complex": lambda x, r: torch.complex(x.abs(), x.abs() + 1), "polar": lambda x, r: torch.polar(x.abs(), x.abs() + 1),
    "to_complex": lambda x, r: x.abs().to(torch.complex64), "to_real": lambda x, r: x.to(torch.float32), "times_j": lambda x, r: x.abs() * 2j,
    "plus_j": lambda x, r: x + 1j, "fft": lambda x, r: torch.fft.fft(x), "ifft": lambda x, r: torch.fft.ifft(x, dim=dim(x, r)),
    "vdot": lambda x, r: torch.vdot(x.flatten(), x.flatten()), "herm": lambda x, r: x @ x.mH, "isinf": lambda x, r: (x / 0).isinf(),
    "isreal": lambda x, r: x.isreal(), "log": lambda x, r: (x + 3).log(), "sigmoid": lambda x, r: x.sigmoid(), "cos": lambda x, r: x.cos(),
    "as_ints": lambda x, r: torch.view_as_real(x).view(torch.int32 if x.dtype == torch.complex64 else torch.int64),
    "floats": lambda x, r: x.view(torch.float32), "bytes": lambda x, r: x.view(torch.uint8),
}

#: Functions of two tensors, whose shapes may not fit.
BINARY = {
    "add": lambda x, y, r: x + y, "sub": lambda x, y, r: x - y, "mul": lambda x, y, r: x * y, "div": lambda x, y, r: x / (y + 9),
    "floordiv": lambda x, y, r: x // (y.abs() % 7 + 1), "mod": lambda x, y, r: x % (y.abs() % 7 + 1), "pow": lambda x, y, r: (x.abs() + 1) ** 2,
    "maximum": lambda x, y, r: torch.maximum(x, y), "minimum": lambda x, y, r: torch.minimum(x, y), "lt": lambda x, y, r: x < y,
    "eq": lambda x, y, r: x == y, "and": lambda x, y, r: x & y, "or": lambda x, y, r: x | y, "xor": lambda x, y, r: x ^ y,
    "shift": lambda x, y, r: x << (y.abs() % 4), "atan2": lambda x, y, r: torch.atan2(x, y), "where": lambda x, y, r: torch.where(x > y, x, y),
    "add_alpha": lambda x, y, r: torch.add(x, y, alpha=2), "rsub": lambda x, y, r: 2 - y, "lerp": lambda x, y, r: torch.lerp(x, y, 0.3),
    "addcmul": lambda x, y, r: torch.addcmul(x, x, y, value=2), "remainder": lambda x, y, r: torch.remainder(x, 3), "fmod": lambda x, y, r: torch.fmod(x, 3),
    "cat": lambda x, y, r: torch.cat([x, y]), "matmul": lambda x, y, r: x @ y, "mv": lambda x, y, r: torch.mv(x, y), "dot": lambda x, y, r: torch.dot(x, y),
    "logical_and": lambda x, y, r: x.logical_and(y), "isclose": lambda x, y, r: torch.isclose(x, y), "hypot": lambda x, y, r: torch.hypot(x, y),
    "mse": lambda x, y, r: F.mse_loss(x, y), "cross_entropy": lambda x, y, r: F.cross_entropy(x, y.abs().long() % max(x.shape[1] if x.dim() > 1 else 1, 1)),
}

#: Changes in place, of a tensor and another one; what counts is the tensor afterwards.
IN_PLACE = {
    "add_": lambda x, y, r: x.add_(y), "mul_": lambda x, y, r: x.mul_(2), "imul": lambda x, y, r: x.__imul__(0.5), "sub_row": lambda x, y, r: x[0].sub_(1),
    "copy_": lambda x, y, r: x.copy_(y), "fill_": lambda x, y, r: x.fill_(3), "zero_": lambda x, y, r: x.zero_(), "clamp_": lambda x, y, r: x.clamp_(max=1),
    "set_row": lambda x, y, r: x.__setitem__(r.choice([0, -1]), 5), "set_slice": lambda x, y, r: x.__setitem__(slice(1, 3), 7),
    "set_column": lambda x, y, r: x.__setitem__((slice(None), 1), 2), "set_mask": lambda x, y, r: x.__setitem__(x > 0, 4),
    "set_index": lambda x, y, r: x.__setitem__(index_of(x, r), 6), "set_step": lambda x, y, r: x.__setitem__((..., slice(None, None, 2)), 1),
    "transposed": lambda x, y, r: x.transpose(0, -1).mul_(3), "diagonal": lambda x, y, r: x.diagonal().add_(1), "view": lambda x, y, r: x.view(-1)[1:].neg_(),
    "index_add_": lambda x, y, r: x.index_add_(0, torch.tensor([0, 0], device=x.device), x[:2].clone()),
    "index_fill_": lambda x, y, r: x.index_fill_(0, torch.tensor([0], device=x.device), 9), "masked_fill_": lambda x, y, r: x.masked_fill_(x == 0, 2),
    "scatter_": lambda x, y, r: x.scatter_(0, torch.zeros_like(x, dtype=torch.int64), 8), "swap": lambda x, y, r: x[:1].copy_(x[-1:]),
    "expanded": lambda x, y, r: x.unsqueeze(0).expand(2, *x.shape).add_(1), "squeeze_": lambda x, y, r: x.squeeze_(), "t_": lambda x, y, r: x.t_(),
    "pow_": lambda x, y, r: x.pow_(2), "floor_divide_": lambda x, y, r: x.floor_divide_(2), "and_": lambda x, y, r: x.__iand__(1), "relu_": lambda x, y, r: x.relu_(),
    "real_": lambda x, y, r: x.real.mul_(2), "imag_": lambda x, y, r: x.imag.fill_(1), "conj_": lambda x, y, r: x.conj().add_(1j),
    "parts_": lambda x, y, r: torch.view_as_real(x)[..., 1].neg_(), "addcdiv_": lambda x, y, r: x.addcdiv_(x, x.abs() + 1), "cumsum_": lambda x, y, r: x.cumsum_(0), "chunks": lambda x, y, r: x.chunk(2)[-1].add_(10),
}


#: Where PyTorch on the CPU looks at elements before types, so that tensors without elements differ from others.
NOT_EMPTY = {"softmax", "log_softmax", "interpolate", "index_fill_", "expanded", "cumsum_"}


def coin(r):
    return r.random() < 0.5


def dim(x, r):
    return r.randrange(-x.dim(), x.dim()) if x.dim() and r.random() < 0.95 else r.choice([0, -1, 4])


def dims(x, r):
    return r.sample(range(x.dim()), r.randrange(1, x.dim() + 1)) if x.dim() else []


def index_of(x, r):
    size = x.shape[0] if x.dim() else 1
    return torch.tensor([r.randrange(-size, size) if size else 0 for _ in range(3)]).to(x.device)


def drawn(r, dtypes=DTYPES):
    shape, dtype = r.choice(SHAPES), r.choice(dtypes)
    generator = torch.Generator().manual_seed(r.randrange(1 << 30))
    if dtype.is_complex:
        return (torch.randn((*shape, 2), generator=generator) * 2).double().contiguous().view(torch.complex128).reshape(shape).to(dtype)
    if dtype.is_floating_point:
        return (torch.randn(shape, generator=generator) * 2).to(dtype)
    low, high = {torch.bool: (0, 2), torch.uint8: (0, 9)}.get(dtype, (-4, 9))
    return torch.randint(low, high, shape, generator=generator).to(dtype)


def other_of(x, r, dtypes):
    """A tensor that often, but not always, fits."""
    y = drawn(r, dtypes)
    if r.random() < 0.6:
        y = torch.randint(-3, 4, x.shape, generator=torch.Generator().manual_seed(r.randrange(99))).to(y.dtype)
    elif x.dim() and r.random() < 0.5:
        y = y.flatten()[:1].reshape([1] * x.dim()) if y.numel() else y
    return y


def placed(host, r):
    tensor = host.clone().to(DEVICE)
    axes = r.sample([None, "x", "y", ("x", "y")], min(host.dim(), 4)) + [None] * max(host.dim() - 4, 0)
    used = set()
    spec = []
    for axis in axes:
        names = {axis} if isinstance(axis, str) else set(axis or ())
        spec.append(None if names & used else axis)
        used |= names if spec[-1] else set()
    if host.dim() and r.random() < 0.8:
        xs.mark_sharding(tensor, MESH, tuple(spec))
    return tensor


def outcome(function):
    """What a function gives: a CPU tensor, or the kind of error. A view is read by an op, as most are: the value of a base that is
    known would be looked at on the host."""
    try:
        result = function()
        if isinstance(result, torch.Tensor):
            result = result.clone()
            xs.sync()
        return result.cpu() if isinstance(result, torch.Tensor) else result
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as error:
        return error


def check(name, expected, own, told):
    if isinstance(expected, Exception) or isinstance(own, Exception):
        # A NotImplementedError is a RuntimeError; PyTorch has some ops for fewer types on the CPU, and no transforms of tensors without elements.
        if isinstance(expected, NotImplementedError) or "not implemented for" in str(expected) or "MKL FFT error" in str(expected):
            return
        same = isinstance(own, type(expected)) or isinstance(expected, Exception) and isinstance(expected, type(own))
        if not same:
            raise AssertionError(f"{told}: eager {expected!r}, here {own!r}")
        return
    if own.dtype != expected.dtype or own.shape != expected.shape:
        raise AssertionError(f"{told}: eager {expected.dtype} {expected.shape}, here {own.dtype} {own.shape}")
    # Sums in bf16 round at each step on one side.
    if expected.dtype.is_complex:
        expected, own = (torch.view_as_real(one.resolve_conj()) for one in (expected, own))
    loose = 6e-2 if expected.dtype in (torch.bfloat16, torch.float16) else 2e-4 if expected.dtype == torch.float32 else 1e-9
    if not torch.allclose(own.double(), expected.double(), rtol=loose, atol=loose, equal_nan=True):
        raise AssertionError(f"{told}: eager {expected}, here {own}")


def run(name, kind, function, seed, dtypes):
    r = random.Random(seed)
    x = drawn(r, dtypes)
    if name in NOT_EMPTY and not x.numel():
        return
    y = other_of(x, r, dtypes)
    told = f"{name} seed {seed} of {tuple(x.shape)} {x.dtype}, {tuple(y.shape)} {y.dtype}"
    own_x, own_y = placed(x, r), placed(y, r)
    state = r.getstate()
    results = []
    for one, other in ((x.clone(), y), (own_x, own_y)):
        r.setstate(state)
        if kind == "unary":
            results.append(outcome(lambda: function(one, r)))
        elif kind == "binary":
            results.append(outcome(lambda: function(one, other, r)))
        else:
            result = outcome(lambda: function(one, other, r))
            results.append(result if isinstance(result, Exception) else one.cpu())
    check(name, *results, told)


CASES = [(name, kind, function) for kind, table in (("unary", UNARY), ("binary", BINARY), ("in place", IN_PLACE))
         for name, function in table.items()]


def failures_of(cases, seeds, dtypes):
    """Runs the cases; graphs of a few ops, which the host runs, are compiled for odd seeds."""
    failures, few = [], _hosted._FEW_NODES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, (name, kind, function) in cases:
            for seed in range(seeds):
                _hosted._FEW_NODES = 0 if seed % 2 else few
                try:
                    run(name, kind, function, 1000 * number + seed, dtypes)
                except AssertionError as error:
                    failures.append(str(error)[:600])
                finally:
                    _hosted._FEW_NODES = few
    return failures


@pytest.mark.parametrize("part", range(8))
def test_random_ops(part):
    failures = failures_of(list(enumerate(CASES))[part::8], SEEDS + 1, DTYPES)
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("part", range(4))
def test_complex_numbers(part):
    cases = CASES + [(name, "unary", function) for name, function in COMPLEX.items()]
    failures = failures_of(list(enumerate(cases))[part::4], SEEDS, [torch.complex64, torch.complex64, torch.complex128])
    assert not failures, "\n".join(failures)

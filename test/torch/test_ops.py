# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on sharded tensors give what PyTorch gives, as do their gradients, without a fallback."""

import pytest

from torch_package import DEVICE, mesh, torch, xs

F = torch.nn.functional
MESH = mesh((4, 2), ("x", "y"))


def inputs(*shapes):
    torch.manual_seed(3)
    return [torch.randn(shape) for shape in shapes]


def check(function, hosts, spec=("x",), gradients=True, tolerance=2e-5):
    """Compares values and gradients; the first argument is sharded."""
    results = []
    before = dict(xs.fallback_counts())
    for device in (None, DEVICE):
        tensors = [one.clone() if device is None else one.to(device) for one in hosts]
        if device is not None and tensors[0].dim():
            xs.mark_sharding(tensors[0], MESH, tuple(spec) + (None,) * (tensors[0].dim() - len(spec)))
        leaves = [one.requires_grad_() for one in tensors if gradients and one.is_floating_point()]
        out = function(*tensors)
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        differentiable = [one for one in outs if one.requires_grad]
        if differentiable:
            sum((one * one).sum() for one in differentiable).backward()
            outs += [one.grad for one in leaves if one.grad is not None]
        results.append([one.detach().cpu() for one in outs])
    for eager, ours in zip(*results, strict=True):
        assert eager.dtype == ours.dtype and eager.shape == ours.shape
        torch.testing.assert_close(ours, eager, rtol=tolerance, atol=tolerance, equal_nan=True)
    assert xs.fallback_counts() == before


UNARY = {
    name: getattr(torch, name) for name in (
        "neg", "abs", "exp", "sin", "cos", "tanh", "sigmoid", "erf", "floor", "ceil", "round", "sign", "trunc",
        "square", "expm1", "isnan", "isinf", "isfinite", "logical_not", "tan", "atan", "sinh", "cosh", "asinh", "relu")}
UNARY.update({
    "log": lambda x: (x.abs() + 1).log(), "sqrt": lambda x: (x * x + 1).sqrt(), "rsqrt": lambda x: (x * x + 1).rsqrt(),
    "log1p": lambda x: (x * x).log1p(), "reciprocal": lambda x: (x * x + 1).reciprocal(), "gelu": F.gelu,
    "gelu tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu, "leaky": F.leaky_relu, "elu": F.elu,
    "softplus": F.softplus, "hardtanh": F.hardtanh, "mish": F.mish, "hardswish": F.hardswish, "log2": lambda x: (
        x * x + 1).log2(), "exp2": torch.exp2, "pow 2": lambda x: x ** 2, "pow 3": lambda x: x ** 3, "pow -1": lambda x: (
        x * x + 1) ** -1, "clamp": lambda x: x.clamp(-0.5, 0.5), "clamp_min": lambda x: x.clamp_min(0.1),
    "half": lambda x: x.half().float(), "int": lambda x: (x * 10).int(), "nan_to_num": torch.nan_to_num})

BINARY = {
    "add": lambda a, b: a + b, "alpha": lambda a, b: torch.add(a, b, alpha=0.5), "sub": lambda a, b: a - b,
    "rsub": lambda a, b: 1.5 - a + b, "mul": lambda a, b: a * b, "div": lambda a, b: a / (b * b + 1),
    "floor": lambda a, b: torch.div(a, b, rounding_mode="floor"), "remainder": torch.remainder, "fmod": torch.fmod,
    "maximum": torch.maximum, "minimum": torch.minimum, "pow": lambda a, b: (a * a + 1) ** b, "atan2": torch.atan2,
    "lt": torch.lt, "eq": torch.eq, "where": lambda a, b: torch.where(a > b, a, b), "lerp": lambda a, b: torch.lerp(
        a, b, 0.3), "addcmul": lambda a, b: torch.addcmul(a, a, b, value=0.5), "addcdiv": lambda a, b: torch.addcdiv(
        a, b, a * a + 1, value=2), "masked_fill": lambda a, b: a.masked_fill(b > 0, -1.5), "and": lambda a, b: (
        a > 0) & (b > 0), "or": lambda a, b: torch.logical_or(a > 0, b > 0), "ints": lambda a, b: (
        (a * 9).int() // ((b * 9).int().abs() + 1)), "mix": lambda a, b: a.double() + b}


@pytest.mark.parametrize("name", UNARY)
def test_of_one(name):
    check(UNARY[name], inputs((8, 6)))


@pytest.mark.parametrize("name", BINARY)
def test_of_two(name):
    check(BINARY[name], inputs((8, 6), (6,)))


REDUCTIONS = {
    "sum": torch.sum, "sum dim": lambda x: x.sum(0), "sum keep": lambda x: x.sum((0, 2), keepdim=True),
    "mean": lambda x: x.mean(1), "mean all": torch.mean, "prod": lambda x: x.prod(1), "amax": lambda x: x.amax(1),
    "max": torch.max, "min": torch.min, "max dim": lambda x: x.max(1), "min dim": lambda x: x.min(0, keepdim=True),
    "argmax": lambda x: x.argmax(1), "argmin": lambda x: x.argmin(), "any": lambda x: (x > 2).any(1), "all": lambda x: (
        x > -9).all(), "var": lambda x: x.var(1), "std": lambda x: x.std(), "var_mean": lambda x: torch.var_mean(x, 1),
    "norm": lambda x: x.norm(), "norm dim": lambda x: torch.linalg.vector_norm(x, 1, 1), "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(0), "logsumexp": lambda x: x.logsumexp(1), "cumsum": lambda x: x.cumsum(1),
    "sort": lambda x: x.sort(-1), "sort down": lambda x: x.sort(0, descending=True), "topk": lambda x: x.topk(2, 1),
    "count_nonzero": lambda x: torch.count_nonzero(x > 0), "bf16": lambda x: x.bfloat16().sum().float()}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    check(REDUCTIONS[name], inputs((8, 5, 4)), tolerance=1e-4)


SHAPES = {
    "view": lambda x: x.view(4, 2, 30), "flatten": lambda x: x.flatten(), "reshape": lambda x: x.transpose(0, 1).reshape(-1),
    "permute": lambda x: x.permute(2, 0, 1), "unsqueeze": lambda x: x[:, None], "squeeze": lambda x: x[:, :1].squeeze(1),
    "expand": lambda x: x[:1].expand(3, -1, -1), "slice": lambda x: x[1:7:2, :, -3:], "select": lambda x: x[:, 2],
    "cat": lambda x: torch.cat([x, x * 2], 1), "stack": lambda x: torch.stack([x, x], 1), "split": lambda x: x.split(3),
    "chunk": lambda x: x.chunk(4, 2), "unbind": lambda x: x.unbind(1), "flip": lambda x: x.flip(0, 2), "roll": lambda x: x.roll(
        2, 0), "repeat": lambda x: x.repeat(2, 1, 3), "pad": lambda x: F.pad(x, (1, 2, 0, 1)), "tril": lambda x: x.tril(),
    "triu": lambda x: x.triu(1), "diagonal": lambda x: x.diagonal(0, 1, 2), "repeat_interleave": lambda x: x.repeat_interleave(
        2, 1), "unfold": lambda x: x.unfold(0, 4, 2), "movedim": lambda x: x.movedim(0, 2), "narrow": lambda x: x.narrow(
        0, 2, 3), "meshgrid": lambda x: torch.meshgrid(x[0, 0], x[0, 1], indexing="ij"), "einsum": lambda x: torch.einsum(
        "abc,dbc->ad", x, x), "contiguous": lambda x: x.transpose(0, 2).contiguous(), "index_select": lambda x: x.index_select(
        0, torch.tensor([3, 0, 3], device=x.device)), "advanced": lambda x: x[torch.tensor([1, 2], device=x.device), :, torch.tensor(
        [0, 5], device=x.device)], "gather": lambda x: x.gather(1, x.argsort(1)), "scatter": lambda x: torch.zeros_like(
        x).scatter(1, x.argsort(1), x), "one_hot": lambda x: F.one_hot(x.argmax(1), 9)}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    gradients = name not in ("unfold",)
    check(SHAPES[name], inputs((8, 5, 6)), gradients=gradients)


LAYERS = {
    "linear": (F.linear, (8, 5, 6), (4, 6), (4,)), "bmm": (torch.bmm, (8, 3, 4), (8, 4, 5)),
    "matmul": (torch.matmul, (8, 3, 4), (4, 5)), "mv": (torch.mv, (8, 4), (4,)), "baddbmm": (torch.baddbmm, (
        8, 3, 5), (8, 3, 4), (8, 4, 5)),
    "conv": (lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1), (8, 4, 9, 9), (6, 4, 3, 3), (6,)),
    "conv groups": (lambda x, w: F.conv2d(x, w, groups=2, dilation=2), (8, 4, 9, 9), (6, 2, 3, 3)),
    "conv groups strided": (lambda x, w: F.conv2d(x, w, groups=4, stride=2, padding=1), (8, 4, 8, 8), (4, 1, 3, 3)),
    "conv 1d": (lambda x, w: F.conv1d(x, w, padding=2), (8, 4, 9), (6, 4, 5)),
    "conv transposed": (lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1), (8, 4, 5, 5), (
        4, 6, 3, 3)),
    "max_pool": (lambda x: F.max_pool2d(x, 3, 2, 1), (8, 4, 9, 9)), "avg_pool": (lambda x: F.avg_pool2d(x, 3, 2, 1), (
        8, 4, 9, 9)),
    "avg_pool even": (lambda x: F.avg_pool2d(x, 3, 2, 1), (8, 4, 12, 10)),
    "avg_pool ceil": (lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), (8, 4, 12, 9)),
    "avg_pool ceil uncounted": (lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False), (8, 4, 12, 9)),
    "avg_pool strides": (lambda x: F.avg_pool2d(x, (2, 3), (3, 2), (1, 0)), (8, 4, 7, 8)),
    "avg_pool1d": (lambda x: F.avg_pool1d(x, 3, 2, 1), (8, 4, 12)),
    "avg_pool uncounted": (lambda x: F.avg_pool2d(x, 2, 2, count_include_pad=False, ceil_mode=True), (8, 4, 9, 9)),
    "adaptive": (lambda x: F.adaptive_avg_pool2d(x, (3, 2)), (8, 4, 7, 6)),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (6,), w, b), (8, 5, 6), (6,), (6,)),
    "rms_norm": (lambda x, w: F.rms_norm(x, (6,), w), (8, 5, 6), (6,)),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), (8, 4, 5, 5), (4,), (4,)),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), (8, 4, 5, 5), (4,), (4,)),
    "batch_norm eval": (lambda x, m, v: F.batch_norm(x, m.detach(), v.detach() ** 2 + 1), (8, 4, 5), (4,), (4,)),
    "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), (8, 2, 5, 4), (8, 2, 5, 4), (
        8, 2, 5, 4)),
    "mse": (F.mse_loss, (8, 6), (8, 6)), "smooth_l1": (F.smooth_l1_loss, (8, 6), (8, 6)), "bce": (
        lambda a, b: F.binary_cross_entropy_with_logits(a, b.sigmoid()), (8, 6), (8, 6)),
    "cosine": (F.cosine_similarity, (8, 6), (8, 6)), "glu": (F.glu, (8, 6))}


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    function, *shapes = LAYERS[name]
    check(function, inputs(*shapes), tolerance=1e-4)


@pytest.mark.parametrize("p", [1.0, 2.0])
@pytest.mark.parametrize("rows", [5, 40])
def test_distances_of_pairs(p, rows):
    """Of equal rows too, whose gradient is zero."""
    a, b = inputs((8, rows, 6), (8, 7, 6))
    check(lambda a, b: torch.cdist(a, b, p=p), [a, b], tolerance=1e-4)
    same = b.clone()
    same[:, 1] = a[:, 0]
    for mode in ("donot_use_mm_for_euclid_dist", "use_mm_for_euclid_dist"):
        check(lambda a, b: torch.cdist(a, b, p=p, compute_mode=mode).clamp_min(1e-2), [a, same], tolerance=1e-3)


@pytest.mark.parametrize("padding", [(2, 1), (2, 1, 0, 3), (1, 2, 3, 0, 1, 1), (-1, 2), (0, -2, 1, -1)])
def test_edges_that_are_repeated(padding):
    check(lambda x: F.pad(x, padding, mode="replicate"), inputs((8, 2, *[5] * (len(padding) // 2))))


def test_signs():
    x = torch.tensor([0.0, -0.0, 1.5, -2.5, torch.inf, -torch.inf, torch.nan, -torch.nan])
    ones = torch.tensor([1.0, -1.0]).repeat(4)
    check(lambda x, y: (x.signbit(), torch.copysign(y, x), torch.copysign(x, y), torch.copysign(x, -2.0), torch.copysign(x, -0.0)), [x, ones],
          gradients=False)
    check(lambda x: (x.signbit(), x.half().signbit(), x.double().signbit(), torch.copysign(x.int(), -x)), [x[:4].clone()], gradients=False)
    check(lambda x: (F.softshrink(x, 0.4), F.hardshrink(x, 0.4), (x.tanh() * 0.9).erfinv()), inputs((8, 6)), tolerance=1e-4)


def test_a_loss_whose_decomposition_is_wrong():
    """PyTorch's kernel runs on the host: its decomposition has other numbers."""
    (x,) = inputs((8, 6))
    target = torch.tensor([[0, 2, -1, 0, 0, 0]] * 4 + [[5, 4, 3, 1, 0, 2]] * 4)
    with pytest.warns(UserWarning, match="multilabel_margin_loss_forward"):
        found = F.multilabel_margin_loss(x.to(DEVICE), target.to(DEVICE))
    torch.testing.assert_close(found.cpu(), F.multilabel_margin_loss(x, target))


def test_losses_of_classes():
    x, weight = inputs((8, 5), (5,))
    target = torch.tensor([0, 4, 2, 2, -100, 1, 3, 0])
    check(F.cross_entropy, [x, target])
    check(lambda x, t, w: F.cross_entropy(x, t, w.detach().abs(), label_smoothing=0.1), [x, target, weight])
    check(lambda x, t: F.cross_entropy(x, t, reduction="none"), [x, target])
    check(lambda x: F.cross_entropy(x, torch.zeros(8, 3, dtype=torch.int64, device=x.device)), inputs((8, 5, 3)))
    check(lambda i, w: F.embedding(i, w, padding_idx=0), [target.clamp_min(0), torch.randn(5, 4)])


def in_place(x):
    y = x.clone()
    y[1:3] = 0.5
    y[:, 2] += 1
    y.t()[0].mul_(3)
    y.diagonal().zero_()
    z = y.view(-1)
    z[::5] = -1
    y.masked_fill_(y > 2, 2.0)
    y[[0, 4]] = y[[4, 0]]
    y[y < -1] = -1
    torch.add(y, 1, out=y)
    y.unsqueeze(0).clamp_(max=1.5)
    return y, z, y.t().contiguous().add_(1), y


def test_in_place_and_views():
    check(in_place, inputs((8, 8)), gradients=False)
    check(lambda x: (lambda y: (y[2:4].mul_(2), y)[1])(x * 3), inputs((8, 8)))


def test_creation():
    for make in (lambda d: torch.arange(2, 9, 2, device=d), lambda d: torch.arange(0, 1, 0.25, device=d), lambda d: torch.eye(
            3, device=d), lambda d: torch.full((2, 2), 2.5, device=d), lambda d: torch.linspace(0, 1, 5, device=d),
            lambda d: torch.zeros(2, 3, dtype=torch.int32, device=d), lambda d: torch.tensor([[1, 2], [3, 4]], device=d)):
        torch.testing.assert_close(make(DEVICE).cpu(), make("cpu"))
    with DEVICE:
        assert torch.ones(2).device == DEVICE
    drawn = torch.randn(4000, device=DEVICE)
    assert abs(drawn.mean().item()) < 0.1 and abs(drawn.std().item() - 1) < 0.1
    assert sorted(torch.randperm(9, device=DEVICE).tolist()) == list(range(9))
    assert set(torch.randint(2, 5, (100,), device=DEVICE).tolist()) == {2, 3, 4}


def test_what_depends_on_values_is_run_by_pytorch():
    x = torch.tensor([0.0, 2.0, 0.0, 3.0])
    before = xs.fallback_counts().get("aten.nonzero.default", 0)
    xs._fallback._counts.clear()
    with pytest.warns(UserWarning, match="aten.nonzero.default is not translated"):
        assert (x.to(DEVICE)).nonzero().tolist() == [[1], [3]]
    assert x.to(DEVICE)[x.to(DEVICE) > 1].tolist() == [2, 3]
    assert xs.fallback_counts()["aten.nonzero.default"] == 1 >= 0 <= before


def test_numbers_are_inputs_of_the_program():
    x = torch.ones(4).to(DEVICE)
    values, counts = [], []
    for rate in (0.5, 0.25, 0.125):
        values.append((x * rate + rate).sum().item())
        counts.append(xs.compile_count())
    assert values == [4.0, 2.0, 1.0] and counts[0] == counts[2]


def test_whole_numbers_that_fill_are_inputs_of_the_program():
    """As the time of a step of diffusion, which a loop counts down."""
    x = xs.mark_sharding(torch.ones(8, 4).to(DEVICE), MESH, ("x", None))
    values, counts, hosted = [], [], xs.host_step_count()
    for time in (999, 7, -3, 2 ** 40 + 1):
        times = torch.full((8,), time, device=DEVICE)
        values.append((((x * 0).to(torch.int64) + times[:, None]) * 2).sum().item())
        counts.append(xs.compile_count())
    assert values == [64 * one for one in (999, 7, -3, 2 ** 40 + 1)]
    assert counts[0] == counts[-1] and xs.host_step_count() == hosted
    for dtype, value in ((torch.uint8, -3), (torch.int8, 300), (torch.int64, 2 ** 62 + 1), (torch.bool, 2), (torch.float16, 2049), (torch.int32, 2)):
        eager = torch.zeros(4, dtype=dtype)
        try:
            eager.fill_(value)
        except RuntimeError:
            continue
        assert torch.equal(torch.zeros(4, dtype=dtype, device=DEVICE).fill_(value).cpu(), eager), (dtype, value)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("weighted", [False, True])
def test_embedding_bag(mode, weighted):
    if weighted and mode != "sum":
        pytest.skip("PyTorch weights sums only")
    before = dict(xs.fallback_counts())
    results = []
    for device in (torch.device("cpu"), DEVICE):
        torch.manual_seed(0)
        table = torch.randn(20, 6).to(device).requires_grad_()
        index = torch.randint(0, 20, (14,)).to(device)
        weights = torch.rand(14).to(device).requires_grad_() if weighted else None
        # The second bag is empty; behind it one of nine.
        offsets = torch.tensor([0, 5, 5]).to(device)
        if device == DEVICE:
            xs.mark_sharding(table, mesh(), ("x", None))
        out = torch.nn.functional.embedding_bag(index, table, offsets, mode=mode, per_sample_weights=weights)
        fixed = torch.nn.functional.embedding_bag(index.view(2, 7), table, mode=mode)
        last = torch.nn.functional.embedding_bag(index, table, torch.tensor([0, 4, 14]).to(device), mode=mode,
                                                 include_last_offset=True)
        ((out ** 2).sum() + (fixed ** 3).sum() + last.sum()).backward()
        results.append([one.detach().cpu() for one in (out, fixed, last, table.grad)])
        if weighted:
            results[-1].append(weights.grad.cpu())
    for expected, own in zip(*results):
        assert torch.allclose(expected, own, atol=1e-5)
    if mode != "max" and not weighted:
        assert xs.fallback_counts() == before


@pytest.mark.parametrize("include", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
def test_scatter_reduce(reduce, include):
    x, source = inputs((8, 6), (8, 9))
    # All different, so that gradients of extremes have one place to go to.
    index = torch.randint(0, 6, (8, 5))
    check(lambda x, source, index: x.scatter_reduce(1, index, source[:, :5], reduce, include_self=include), [x, source, index])
    whole = (x * 10).int()
    check(lambda x, index: x.scatter_reduce(1, index, x.flip(1)[:, :5], reduce, include_self=include), [whole, index], gradients=False)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("dim", [0, -1])
def test_softmax_of_rows_that_are_masked(dim, dtype):
    (x,) = inputs((8, 8))
    masked = torch.arange(8) % 3 == 0
    x[masked] = x[:, masked] = -torch.inf
    tolerance = 2e-5 if dtype == torch.float32 else 1e-2
    check(lambda x: torch._safe_softmax(x, dim), [x.to(dtype)], tolerance=tolerance)
    check(lambda x: torch._safe_softmax(x, dim, dtype=torch.float32), [x.to(dtype)], tolerance=tolerance)


@pytest.mark.parametrize("part", [
    lambda x: x[:, 2:5], lambda x: x[1:7:3], lambda x: x[:, -4::2], lambda x: x[-1], lambda x: x[:, 3], lambda x: x[8:], lambda x: x.narrow(1, 0, 6),
    lambda x: torch.view_as_real(torch.complex(x, x * 2)[2:, ::5])])
@pytest.mark.parametrize("spec", [("x",), (None, "y"), (("x", "y"),)])
def test_gradients_of_parts(part, spec):
    check(lambda x: part(x * 2), inputs((8, 6)), spec)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.int64])
def test_shifts(dtype):
    x = (torch.arange(48).reshape(8, 6) * 5 - (0 if dtype == torch.uint8 else 100)).to(dtype)
    amounts = (torch.arange(48).reshape(8, 6) % 7).to(dtype)
    check(lambda x, y: (x << 1, x >> 2, x << y, x >> y, torch.bitwise_left_shift(x, 3), torch.bitwise_right_shift(x, y), torch.bitwise_left_shift(
        1, y)), [x, amounts])


@pytest.mark.parametrize("count", [0, 1, 5, 64])
def test_isin(count):
    x, wanted = torch.arange(48).reshape(8, 6) % 7, torch.arange(count) * 2
    check(lambda x, wanted: (torch.isin(x, wanted), torch.isin(x, wanted, invert=True), torch.isin(x.float(), wanted)), [x, wanted])
    many = torch.arange(100) * 2
    assert torch.equal(torch.isin(x.to(DEVICE), many.to(DEVICE)).cpu(), torch.isin(x, many))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_mse_loss(reduction):
    x, y = inputs((8, 6), (8, 6))
    check(lambda x, y: F.mse_loss(x, y, reduction=reduction), [x, y])
    check(lambda x, y: F.mse_loss(x, y, reduction=reduction), [x.bfloat16(), y.bfloat16()], tolerance=2e-2)
    check(lambda x, y: F.mse_loss(x, y.double(), reduction=reduction), [x, y])


def test_weight_norm():
    torch.manual_seed(0)
    layers = [torch.nn.Linear(6, 8, bias=False), torch.nn.Conv1d(4, 8, 3, bias=False)]
    for layer, shape in zip(layers, ((8, 6), (8, 4, 7))):
        normed = torch.nn.utils.parametrizations.weight_norm(layer)
        hosts = [torch.randn(shape), *(one.detach() for one in normed.parameters())]
        names = [name for name, _ in normed.named_parameters()]
        check(lambda x, *own, normed=normed, names=names: torch.func.functional_call(normed, dict(zip(names, own)), (x,)), hosts)


RESIZED = {
    "nearest": {"scale_factor": 2}, "nearest-exact": {"size": (9, 4)}, "nearest down": {"mode": "nearest", "size": (3, 5)},
    "bilinear": {"scale_factor": (2, 1.5)}, "bilinear aligned": {"mode": "bilinear", "size": (11, 3), "align_corners": True},
    "bilinear down": {"mode": "bilinear", "size": (2, 3)}, "bilinear recomputed": {
        "mode": "bilinear", "scale_factor": 1.7, "recompute_scale_factor": True}, "one": {"mode": "bilinear", "size": (1, 1), "align_corners": True}}


@pytest.mark.parametrize("name", RESIZED)
@pytest.mark.parametrize("spec", [("x",), (None, "y"), ("y", None, "x")])
def test_resized(name, spec):
    options = {"mode": name, **RESIZED[name]}
    check(lambda x: F.interpolate(x, **options), inputs((4, 4, 5, 6)), spec)


@pytest.mark.parametrize("mode,shape", [("nearest", (4, 2, 5)), ("linear", (4, 2, 5)), ("nearest", (4, 2, 3, 2, 5)),
                                        ("nearest-exact", (4, 2, 3, 2, 5)), ("trilinear", (4, 2, 3, 2, 5))])
def test_resized_in_one_and_three_dimensions(mode, shape):
    check(lambda x: F.interpolate(x, scale_factor=2.5, mode=mode), inputs(shape))


def test_what_returns_something_beside_what_it_changes():
    (x,) = inputs((8, 6))
    y = xs.mark_sharding(x.to(DEVICE), MESH, ("x", None))
    torch.testing.assert_close(F.rrelu(y, training=False).cpu(), F.rrelu(x, training=False))
    slopes = (F.rrelu(y, training=True).cpu() / x)[x < 0]
    assert ((slopes >= 1 / 8) & (slopes <= 1 / 3)).all() and slopes.unique().numel() > 1


@pytest.mark.parametrize("draw", [
    lambda x, g: x.normal_(generator=g), lambda x, g: x.uniform_(generator=g), lambda x, g: x.random_(0, 9, generator=g),
    lambda x, g: x.bernoulli_(0.5, generator=g), lambda x, g: torch.bernoulli(x.uniform_(generator=g), generator=g),
    lambda x, g: torch.randn(8, 6, generator=g, device=DEVICE), lambda x, g: torch.nn.init.xavier_normal_(x, generator=g)])
def test_generators_decide_what_is_drawn(draw):
    generator, drawn = torch.Generator(), []
    for seed in (5, 5, 6):
        generator.manual_seed(seed)
        drawn.append(draw(torch.zeros(8, 6, device=DEVICE), generator).cpu())
    assert torch.equal(drawn[0], drawn[1]) and not torch.equal(drawn[0], drawn[2])


FOURIER = {name: lambda x, norm, name=name: getattr(torch.fft, name)(x, norm=norm) for name in (
    "fft", "ifft", "fft2", "ifftn", "irfft", "hfft", "irfft2", "irfftn")}
FOURIER |= {"along others": lambda x, norm: torch.fft.fft(x, dim=1, norm=norm), "odd": lambda x, norm: torch.fft.irfft(x, n=7, norm=norm),
            "of reals": lambda x, norm: torch.fft.rfft(x.real, norm=norm), "of reals, 2d": lambda x, norm: torch.fft.rfft2(x.imag, norm=norm),
            "of reals, both sides": lambda x, norm: torch.fft.fft(x.real, norm=norm), "long": lambda x, norm: torch.fft.rfftn(x.abs(), (3, 9), norm=norm),
            "four dimensions": lambda x, norm: torch.fft.fftn(x, norm=norm)}


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("name", FOURIER)
def test_fourier_transforms(name, norm):
    def transformed(x):
        y = FOURIER[name](torch.view_as_complex(x), norm)
        return torch.view_as_real(y) if y.is_complex() else y

    check(transformed, inputs((8, 3, 5, 4, 2)), tolerance=1e-4)


def test_spectra_of_windows():
    def there_and_back(x):
        window = torch.hann_window(8, device=x.device)
        spectrum = torch.stft(x, 8, 4, window=window, return_complex=True)
        return spectrum.abs(), torch.istft(spectrum, 8, 4, window=window)

    check(there_and_back, inputs((8, 40)), tolerance=1e-4)


def test_masked_scatter():
    x, source = inputs((8, 6), (50,))
    mask, rows = torch.arange(48).reshape(8, 6) % 3 == 0, (torch.arange(8) % 2 == 0)[:, None]
    check(lambda x, source, mask: x.masked_scatter(mask, source), [x, source, mask])
    check(lambda x, source, rows: x.masked_scatter(rows, source), [x, source, rows])
    check(lambda x, source, mask: (x * 2).masked_scatter_(mask, source), [x, source, mask])
    check(lambda x, source, mask: x.masked_scatter(mask & False, source), [x, source, mask])


def test_indices_that_are_none():
    """And a tensor without elements, and one without dimensions."""
    none = torch.zeros(0, dtype=torch.int64)
    x, empty, row = torch.randn(8, 6), torch.randn(0, 6), torch.zeros(1, dtype=torch.int64)
    check(lambda x, none: (x.gather(1, none.view(8, 0)), x.gather(1, none), x.scatter_add(1, none.view(8, 0), x.detach()), x[none], x.index_select(0, none), x.take(none)),
          [x, none])
    check(lambda x, none: (x[none], x.index_put((none,), x), x.put(none, x[:, 0]), x.index_select(0, none), F.embedding(none, x)), [empty, none])
    check(lambda x, row: (x.index_select(0, row), x.index_add(0, row, x * 2, alpha=3.0)), [torch.tensor(1.5), row])


@pytest.mark.parametrize("accumulate", [False, True])
def test_put(accumulate):
    x, source = inputs((8, 6), (2, 3))
    index = torch.tensor([[0, 5, 47], [8, -2, 9]])
    check(lambda x, source, index: x.put(index, source, accumulate), [x, source, index])


def test_forward_mode():
    (weight,) = inputs((6, 6))
    results = []
    before = dict(xs.fallback_counts())
    for device in ("cpu", DEVICE):
        w, x = weight.to(device), torch.arange(6.0).to(device) / 6
        _, tangent = torch.func.jvp(lambda x: torch.tanh(x @ w), (x,), (torch.ones_like(x),))
        results.append([tangent.cpu(), torch.func.jacfwd(lambda x: (x @ w).sin())(x).cpu(), torch.func.hessian(
            lambda x: (x @ w).tanh().pow(2).sum())(x).cpu()])
    for expected, own in zip(*results):
        torch.testing.assert_close(own, expected, rtol=1e-4, atol=1e-5)
    assert xs.fallback_counts() == before


def test_numbers_in_lists():
    count, scale = torch.tensor(3).to(DEVICE), torch.tensor(0.5).to(DEVICE) * 3
    assert torch.equal(torch.tensor([count, 4]), torch.tensor([3, 4]))
    assert torch.equal(torch.as_tensor([[scale], [2.0]], device=DEVICE).cpu(), torch.tensor([[1.5], [2.0]]))
    assert torch.zeros([count, 2], device=DEVICE).shape == (3, 2)

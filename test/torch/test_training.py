# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models train on sharded tensors as they do eagerly, and nothing is compiled after the second step."""

import pytest

from torch_package import DEVICE, mesh, torch, xs

nn, F = torch.nn, torch.nn.functional
MESH = mesh((4, 2), ("data", "model"))


def steps_of(make, batch, optimizer, loss_of, device=None, mark=None, steps=20):
    """Losses of training steps, and the compilations behind each."""
    torch.manual_seed(1)
    model = make()
    if device is not None:
        model.to(device)
        mark(model)
    opt = optimizer(model.parameters())
    losses, compiled = [], []
    for i in range(steps):
        torch.manual_seed(100 + i)
        x, y = batch()
        if device is not None:
            x, y = x.to(device), y.to(device)
            xs.mark_sharding(x, MESH, ("data",) + (None,) * (x.dim() - 1))
        opt.zero_grad()
        loss = loss_of(model, x, y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
        compiled.append(xs.compile_count())
    return losses, compiled


def check(make, batch, optimizer, loss_of, mark, steps=20):
    before = dict(xs.fallback_counts())
    expected, _ = steps_of(make, batch, optimizer, loss_of, steps=steps)
    losses, compiled = steps_of(make, batch, optimizer, loss_of, DEVICE, mark, steps=steps)
    assert losses == pytest.approx(expected, rel=1e-4)
    assert compiled[1] == compiled[-1] and xs.fallback_counts() == before


def classify(model, x, y):
    return F.cross_entropy(model(x), y)


def mlp():
    return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 48), nn.Tanh(), nn.Linear(48, 10))


def vectors():
    return torch.randn(16, 32), torch.randint(0, 10, (16,))


def tensor_parallel(model):
    xs.mark_sharding(model[0].weight, MESH, ("model", None))
    xs.mark_sharding(model[2].weight, MESH, (None, "model"))


def fully_sharded(model):
    for parameter in model.parameters():
        largest = max(range(parameter.dim()), key=lambda i: parameter.shape[i])
        xs.mark_sharding(parameter, MESH, tuple(("data", "model") if i == largest else None
                                                for i in range(parameter.dim())))


@pytest.mark.parametrize("name, optimizer, mark", [
    ("data parallel", lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True), lambda model: None),
    ("tensor parallel", lambda p: torch.optim.AdamW(p, 1e-2), tensor_parallel),
    ("fully sharded", lambda p: torch.optim.Adam(p, 1e-2, foreach=True), fully_sharded)])
def test_mlp(name, optimizer, mark):
    check(mlp, vectors, optimizer, classify, mark)


def test_a_loader_whose_last_batch_is_smaller():
    """Its size is compiled for when it comes first, in one program; nothing is when it comes again."""
    shardings = {"x": xs.ShardingSpec(MESH, ("data", None)), "y": xs.ShardingSpec(MESH, ("data",))}

    def epochs():
        for _ in range(4):
            batches = [{"x": torch.randn(size, 32), "y": torch.randint(0, 10, (size,))} for size in (16, 16, 16, 12)]
            yield from zip(batches, xs.MpDeviceLoader(batches, DEVICE, shardings))

    torch.manual_seed(0)
    host, model = mlp(), mlp().to(DEVICE)
    model.load_state_dict(host.state_dict())
    ours, theirs = torch.optim.AdamW(model.parameters(), 1e-2), torch.optim.AdamW(host.parameters(), 1e-2)
    before, compiled = xs.compile_count(), []
    for given, sent in epochs():
        losses = []
        for one, optimizer, batch in ((host, theirs, given), (model, ours, sent)):
            optimizer.zero_grad()
            loss = classify(one, batch["x"], batch["y"])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert losses[1] == pytest.approx(losses[0], rel=1e-4)
        compiled.append(xs.compile_count() - before)
    assert len(compiled) == 16
    assert compiled[1] == compiled[2] and compiled[3] == compiled[15] == compiled[2] + 1


def test_learning_rate_is_no_constant():
    def optimizer(parameters):
        own = torch.optim.AdamW(parameters, 1e-2)
        schedule = torch.optim.lr_scheduler.ExponentialLR(own, 0.9)
        own.register_step_post_hook(lambda *_: schedule.step())
        return own

    check(mlp, vectors, optimizer, classify, tensor_parallel, steps=5)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.inner = nn.Conv2d(16, 16, 3, padding=1, groups=4, bias=False)
        self.down, self.head = nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.Linear(32, 10)

    def forward(self, x):
        x = F.max_pool2d(self.norm(self.first(x)).relu(), 2)
        x = self.inner(x).relu() + x
        x = F.adaptive_avg_pool2d(self.down(x).relu(), 1)
        return self.head(x.flatten(1))


def test_residual_network():
    check(Residual, lambda: (torch.randn(8, 3, 12, 12), torch.randint(0, 10, (8,))),
          lambda p: torch.optim.SGD(p, 0.05, momentum=0.9), classify, lambda model: None, steps=6)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.qkv(self.before(x)).view(batch, length, 3, 4, -1).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.between(x))))


class Language(nn.Module):
    """A decoder whose head shares the weight of the embedding."""

    def __init__(self, width=64, layers=2, words=96):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(32, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, x):
        hidden = self.words(x) + self.places(torch.arange(x.shape[1], device=x.device))
        for block in self.blocks:
            hidden = block(hidden)
        return self.head(self.norm(hidden))


def test_language_model():
    def mark(model):
        assert model.head.weight is model.words.weight
        for block in model.blocks:
            xs.mark_sharding(block.qkv.weight, MESH, ("model", None))
            xs.mark_sharding(block.out.weight, MESH, (None, "model"))
            xs.mark_sharding(block.up.weight, MESH, ("model", None))
            xs.mark_sharding(block.down.weight, MESH, (None, "model"))

    check(Language, lambda: (torch.randint(0, 96, (8, 16)), torch.randint(0, 96, (8, 16))),
          lambda p: torch.optim.AdamW(p, 1e-3), lambda model, x, y: F.cross_entropy(model(x).flatten(0, 1), y.flatten()),
          mark)


def test_dropout_is_seeded_and_spares_the_right_share():
    layer = nn.Dropout(0.25)
    x = torch.ones(64, 64, device=DEVICE)
    torch.manual_seed(7)
    first, second = layer(x).cpu(), layer(x).cpu()
    xs.manual_seed(7)
    assert torch.equal(first, layer(x).cpu()) and not torch.equal(first, second)
    assert abs((first == 0).float().mean().item() - 0.25) < 0.03 and first.max().item() == pytest.approx(4 / 3)
    sharded = xs.mark_sharding(torch.ones(64, 64).to(DEVICE), MESH, ("data", "model"))
    xs.manual_seed(7)
    assert torch.equal(first, layer(sharded).cpu())


def test_state_dict_goes_both_ways():
    source, target = mlp(), mlp().to(DEVICE)
    target.load_state_dict(source.state_dict())
    for name, value in target.state_dict().items():
        assert torch.equal(value.cpu(), source.state_dict()[name])
    assert all(one.device.type == "cpu" for one in target.cpu().state_dict().values())


def test_what_does_not_fit_in_memory_is_refused():
    huge = torch.ones(8).to(DEVICE).sum().expand(1 << 22, 1 << 22) * 1.0
    with pytest.raises(ValueError, match="TiB, this machine has"):
        (huge @ huge).sum().item()


@pytest.mark.parametrize("kind, options", [
    (torch.optim.AdamW, {}), (torch.optim.Adam, {"amsgrad": True, "weight_decay": 0.1}), (torch.optim.Adam, {"maximize": True}),
    (torch.optim.SGD, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01}), (torch.optim.SGD, {"momentum": 0.9, "dampening": 0.5, "maximize": True}), (
        torch.optim.SGD, {})])
def test_fused_optimizers(kind, options):
    """Their step is one op of PyTorch for all parameters."""
    def optimizer(parameters):
        own = kind(parameters, lr=1e-2, fused=True, **options)
        schedule = torch.optim.lr_scheduler.ExponentialLR(own, 0.9)
        own.register_step_post_hook(lambda *_: schedule.step())
        return own

    check(mlp, vectors, optimizer, classify, tensor_parallel, steps=6)


@pytest.mark.parametrize("kind", [torch.optim.AdamW, torch.optim.SGD])
def test_fused_optimizers_with_scaled_gradients(kind):
    """A step whose gradients are not finite changes nothing."""
    results = []
    for device in (torch.device("cpu"), DEVICE):
        torch.manual_seed(0)
        model = mlp().to(device)
        optimizer = kind(model.parameters(), lr=1e-2, fused=True, **({"momentum": 0.9} if kind is torch.optim.SGD else {}))
        scaler = torch.amp.GradScaler(device.type, init_scale=8.0)
        for step in range(4):
            x, y = (one.to(device) for one in vectors())
            loss = classify(model, x * (float("inf") if step == 1 else 1.0), y)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        results.append([one.detach().cpu() for one in model.parameters()] + [torch.tensor(scaler.get_scale())])
    for expected, own in zip(*results):
        torch.testing.assert_close(own, expected, rtol=1e-4, atol=1e-5)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs whose shapes or numbers are new each time: few are compiled, and values stay those of eager PyTorch."""

import pytest

from torch_package import DEVICE, mesh, torch, xs

nn, F = torch.nn, torch.nn.functional
MESH = mesh((4, 2), ("data", "model"))


class Counted:
    """Compilations and steps on the host in a block."""

    def __enter__(self):
        self.begin = xs.compile_count(), xs.host_step_count()
        return self

    def __exit__(self, *_):
        self.compiled = xs.compile_count() - self.begin[0]
        self.hosted = xs.host_step_count() - self.begin[1]


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.norm = nn.Embedding(50, 32), nn.LayerNorm(32)
        self.attention, self.head = nn.MultiheadAttention(32, 4, batch_first=True), nn.Linear(32, 50)

    def forward(self, tokens):
        x = self.words(tokens)
        mask = torch.full((x.shape[1], x.shape[1]), float("-inf"), device=x.device).triu(1)
        return self.head(self.norm(x + self.attention(x, x, x, attn_mask=mask, need_weights=False)[0]))


def generated(model, tokens, count, device):
    tokens = tokens.to(device)
    if device.type != "cpu":
        xs.mark_sharding(tokens, MESH, ("data", None))
    chosen = []
    with torch.no_grad():
        for _ in range(count):
            token = model(tokens)[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat([tokens, token], 1)
            chosen.append(token.flatten().tolist())
    return chosen


def test_growing_sequence_compiles_twice():
    torch.manual_seed(0)
    model = Decoder().eval()
    start = torch.randint(0, 50, (8, 5))
    expected = generated(model, start, 12, torch.device("cpu"))
    model = model.to(DEVICE)
    xs.mark_sharding(model.words.weight, MESH, ("model", None))
    xs.mark_sharding(model.head.weight, MESH, ("model", None))
    with Counted() as first:
        assert generated(model, start, 12, DEVICE) == expected
    assert first.compiled <= 3 and first.hosted >= 8
    # Lengths that come again are compiled, once.
    with Counted() as second:
        assert generated(model, start, 12, DEVICE) == expected
    with Counted() as third:
        assert generated(model, start, 12, DEVICE) == expected
    assert second.compiled <= 12 and (third.compiled, third.hosted) == (0, 0)


def test_training_on_lengths_that_change():
    def losses_of(device):
        torch.manual_seed(1)
        model = Decoder().to(device)
        if device.type != "cpu":
            xs.mark_sharding(model.head.weight, MESH, ("model", None))
        optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
        losses = []
        for step in range(9):
            torch.manual_seed(step)
            tokens = torch.randint(0, 50, (8, 6 + step)).to(device)
            if device.type != "cpu":
                xs.mark_sharding(tokens, MESH, ("data", None))
            optimizer.zero_grad()
            loss = F.cross_entropy(model(tokens)[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses, model

    expected, _ = losses_of(torch.device("cpu"))
    with Counted() as counted:
        losses, model = losses_of(DEVICE)
    assert losses == pytest.approx(expected, rel=1e-4)
    assert counted.compiled <= 4 and counted.hosted >= 5
    # What the host has computed lies as it was annotated.
    weight = xs.wrap_if_sharded(model.head.weight)
    assert weight.sharding_spec.startswith("{devices=[2,1,4]") and weight.local_shards[1].data.shape == (25, 32)


def test_other_rows_each_time():
    host, table = torch.zeros(40, 6), torch.zeros(40, 6).to(DEVICE)
    xs.mark_sharding(table, MESH, ("data", None))
    with Counted() as counted:
        for i in range(20):
            for one in (host, table):
                one[i].add_(i)
                one[2 * i:2 * i + 2, 1] *= 2
            assert torch.equal(table.cpu(), host)
    assert counted.compiled <= 3


def test_views_of_transposed_values():
    """Strides of PyTorch's kernels differ from those that were recorded."""
    for size in range(3, 11):
        x = torch.randn(size, 4, 6)
        on_device = x.to(DEVICE)
        out = [F.softmax(one.transpose(0, 1), -1).permute(2, 0, 1).reshape(-1).view(6, -1).t().contiguous().view(-1)
               for one in (x, on_device)]
        assert torch.allclose(out[0], out[1].cpu(), atol=1e-6)


def test_autocast_of_the_host_does_not_reach_in():
    for size in range(3, 9):
        x = torch.randn(size, 16)
        with torch.autocast("cpu", torch.bfloat16):
            out = x.to(DEVICE) @ torch.ones(16, 2).to(DEVICE)
            assert out.dtype == torch.float32 and torch.allclose(out.cpu(), x.sum(1, keepdim=True).expand(-1, 2), atol=1e-5)


def test_what_only_we_have_is_compiled():
    """Random numbers, manual regions."""
    whole = xs.get_1d_mesh("all")
    with Counted() as counted:
        for size in range(8, 40, 8):
            torch.manual_seed(0)
            kept = F.dropout(torch.ones(size, 4).to(DEVICE), 0.5)
            assert set(kept.flatten().tolist()) == {0.0, 2.0}
            inside = xs.enable_manual_sharding(torch.ones(size, 2).to(DEVICE), ("all", None), mesh=whole)
            out = xs.disable_manual_sharding(xs.spmd_all_reduce("sum", inside), (None, None), (size // 8, 2), mesh=whole)
            assert (out.cpu() == 8).all()
    assert counted.compiled == 8 and counted.hosted == 0


def runs_of(work):
    from shardwise.torch import _run
    before = xs.compile_count(), _run.runs()
    work()
    return xs.compile_count() - before[0], _run.runs() - before[1]


def test_numbers_that_are_read_between_updates():
    """As an optimizer does it: they are read alone, and the updates are one program."""
    torch.manual_seed(0)
    hosts = [torch.randn(16, 8) for _ in range(6)]
    tables = [xs.mark_sharding(one.to(DEVICE), MESH, ("data", "model")) for one in hosts]

    def update(those):
        for one in those:
            if one.norm() / one.numel() ** 0.5 > 0.5:
                one.mul_(0.5)
            else:
                one.add_(one.abs().max().item())

    for tables_or_hosts in (tables, hosts):
        update(tables_or_hosts)
    xs.sync()
    for step in range(3):
        update(hosts)

        def step_of_ours():
            update(tables)
            xs.sync()

        compiled, runs = runs_of(step_of_ours)
        assert compiled <= 1 and runs >= 7
        for one, other in zip(hosts, tables):
            assert torch.allclose(one, other.cpu(), rtol=1e-6)
            assert xs.get_sharding_spec(other) == "{devices=[4,2]0,1,2,3,4,5,6,7}"


def test_numbers_of_the_next_batch_end_a_step():
    """Else a loop that reads nothing but its inputs would become one program."""
    x, compiled = torch.ones(8).to(DEVICE), []
    for step in range(5):
        batch = torch.full((4,), step).to(DEVICE)
        assert batch.max().item() == step
        x = x * 2 + batch[0]
        compiled.append(xs.compile_count())
    # Of the first steps, and not one for each that was added.
    assert compiled[4] == compiled[2]
    assert x.tolist() == [32.0 + 8 + 8 + 6 + 4] * 8


def test_a_counter_that_is_read_ends_a_step():
    count, x, compiled = torch.zeros(()).to(DEVICE), torch.ones(8).to(DEVICE), []
    xs.sync()
    for step in range(6):
        x = x * 2
        x = x - x.mean() + 1
        count += 1
        assert count.item() == step + 1
        compiled.append(xs.compile_count())
    assert compiled[5] == compiled[3]
    assert x.tolist() == [1.0] * 8


class Adaptive(torch.optim.Optimizer):
    """Makes its state on the host in the first step, and scales updates by the norm of the parameter, which it reads."""

    def __init__(self, parameters):
        super().__init__(parameters, {})

    @torch.no_grad()
    def step(self):
        for one in self.param_groups[0]["params"]:
            state = self.state[one]
            if not state:
                state["square"] = torch.zeros(one.shape).to(one)
            state["square"].mul_(0.9).add_(one.grad ** 2, alpha=0.1)
            scale = max(1e-3, one.norm() / one.numel() ** 0.5)
            one.sub_(one.grad / (state["square"].sqrt() + 1e-3) * scale * 0.1)


def test_first_step_ends_where_the_others_do():
    """Parameters, batch and state come from the host in it; none of them ends a step."""
    def train(device):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 4)).to(device)
        own, losses, compiled = Adaptive(model.parameters()), [], []
        for step in range(6):
            torch.manual_seed(step)
            x, y = torch.randn(8, 16).to(device), torch.randint(0, 4, (8,)).to(device)
            if device.type != "cpu":
                xs.mark_sharding(x, MESH, ("data", None))
            own.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            own.step()
            losses.append(loss.item())
            compiled.append(xs.compile_count())
        return losses, compiled

    before = xs.compile_count()
    expected, _ = train(torch.device("cpu"))
    losses, compiled = train(DEVICE)
    assert losses == pytest.approx(expected, rel=1e-5)
    assert [count - before for count in compiled] == [1] * 6


def test_what_is_read_again_ends_a_step():
    """Else what a loop leaves pending, beside a number that it reads, would be one program that grows."""
    fixed, x, compiled = torch.ones(4).to(DEVICE), torch.ones(8).to(DEVICE), []
    xs.sync()
    for step in range(8):
        x = (x * 2).roll(1) - x
        assert fixed.norm().item() == 2
        compiled.append(xs.compile_count())
    assert compiled[7] == compiled[3]
    assert x.tolist() == [1.0] * 8

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manual regions: shapes, round trips, collectives, gradients, and what is refused."""

import pytest

from torch_package import DEVICE, mesh, torch, xs

ALL = xs.get_1d_mesh("all")


def test_round_trip():
    host = torch.randn(8, 8)
    inside = xs.enable_manual_sharding(host.to(DEVICE), ("x", "y"), mesh=mesh())
    assert inside.shape == (4, 2) and inside.sharding_type == xs.ShardingType.MANUAL
    assert inside.sharding_spec == "{manual}"
    outside = xs.disable_manual_sharding(inside + 1, ("x", "y"), (8, 8), mesh=mesh())
    assert torch.allclose(outside.cpu(), host + 1) and outside.sharding_spec == "{devices=[2,4]0,1,2,3,4,5,6,7}"
    # A run between does not lose what the devices have.
    inside = inside * 2
    xs.sync()
    assert torch.allclose(xs.disable_manual_sharding(inside, ("x", "y"), (8, 8), mesh=mesh()).cpu(), host * 2)


def test_each_device_works_for_itself():
    host = torch.randn(8, 4)
    inside = xs.enable_manual_sharding(host.to(DEVICE), ("all", None), mesh=ALL)
    own = inside / inside.norm() @ torch.ones(4, 3).to(DEVICE)
    out = xs.disable_manual_sharding(own, ("all", None), (8, 3), mesh=ALL)
    assert torch.allclose(out.cpu(), host / host.norm(dim=1, keepdim=True) @ torch.ones(4, 3), atol=1e-6)


def test_collectives():
    inside = xs.enable_manual_sharding(torch.ones(8, 8).to(DEVICE), (None, None), mesh=ALL)
    part = xs.spmd_reduce_scatter("sum", inside, 1.0, 0, 8, [list(range(8))])
    assert part.shape == (1, 8)
    assert (xs.disable_manual_sharding(part, ("all", None), (8, 8), mesh=ALL).cpu() == 8).all()
    assert xs.spmd_reduce_scatter("sum", inside, 1.0, -1, 8).shape == (8, 1)
    whole = xs.spmd_all_reduce("sum", inside, 0.5)
    assert (xs.disable_manual_sharding(whole, (None, None), (8, 8), mesh=ALL).cpu() == 4).all()
    pairs = xs.spmd_all_reduce("sum", inside, 1.0, [[0, 1], [2, 3], [4, 5], [6, 7]])
    assert (xs.disable_manual_sharding(pairs, (None, None), (8, 8), mesh=ALL).cpu() == 2).all()


def test_lower_level():
    host = torch.randn(8, 8)
    tensor = xs.mark_sharding(host.to(DEVICE), ALL, (None, "all"))
    inside = xs.spmd_full_to_shard_shape(tensor)
    assert inside.shape == (8, 1)
    out = xs.spmd_shard_to_full_shape(inside, ALL.get_op_sharding((None, "all")), (8, 8), torch.float32)
    assert torch.equal(out.cpu(), host)
    copies = xs.spmd_full_to_shard_shape(xs.mark_sharding(host.to(DEVICE), ALL, (None, None)))
    assert copies.shape == (8, 8)


def test_refused():
    plain = torch.ones(8, 8).to(DEVICE)
    with pytest.raises(RuntimeError, match="has no sharding; annotate it"):
        xs.spmd_full_to_shard_shape(plain)
    with pytest.raises(RuntimeError, match="expected a tensor of a manual region"):
        xs.disable_manual_sharding(plain, (None, None), (8, 8), mesh=ALL)
    with pytest.raises(RuntimeError, match="only what is computed"):
        xs.mark_manual_sharding(plain)
    with pytest.raises(RuntimeError, match="no global mesh"):
        xs.enable_manual_sharding(plain, (None, None))
    with pytest.raises(ValueError, match="does not divide by 8"):
        xs.enable_manual_sharding(torch.ones(9).to(DEVICE), ("all",), mesh=ALL)
    inside = xs.enable_manual_sharding(plain, ("all", None), mesh=ALL)
    with pytest.raises(RuntimeError, match="leave the region"):
        inside.cpu()
    with pytest.raises(RuntimeError, match="leave the region"):
        inside.local_shards
    with pytest.raises(RuntimeError, match="devices have .1, 8. each"):
        xs.disable_manual_sharding(inside, (None, "all"), (8, 8), mesh=ALL)
    with pytest.raises(ValueError, match="expected 'sum'"):
        xs.spmd_all_reduce("max", inside)
    with pytest.raises(ValueError, match="each of the devices 0 to 7 once"):
        xs.spmd_all_reduce("sum", inside, 1.0, [[0, 1]])
    with pytest.raises(ValueError, match="count is 4, but groups have 8 devices"):
        xs.spmd_reduce_scatter("sum", inside, 1.0, 1, 4)
    with pytest.raises(IndexError, match="out of range"):
        xs.spmd_reduce_scatter("sum", inside, 1.0, 2, 8)


def gradients(function, *hosts):
    """The value of a function of tensors, and its gradients, on the host. The function gets a number that no gradient leaves
    unweighted."""
    leaves = [host.clone().requires_grad_() for host in hosts]
    out = function(*leaves)
    (out * torch.arange(1.0, out.numel() + 1).reshape(out.shape)).sum().backward()
    return [out.detach()] + [leaf.grad for leaf in leaves]


def check_gradients(region, whole, *hosts):
    """Compares a function that has a manual region with the same computation on whole tensors."""
    def on_devices(*leaves):
        return region(*[leaf.to(DEVICE) for leaf in leaves]).cpu()

    for own, expected in zip(gradients(on_devices, *hosts), gradients(whole, *hosts)):
        assert own.shape == expected.shape and torch.allclose(own, expected, rtol=1e-5, atol=1e-5)


MESHES = [mesh(), mesh((4, 2)), mesh((2, 4), ids=[7, 2, 4, 1, 0, 3, 6, 5])]


@pytest.mark.parametrize("place", MESHES)
@pytest.mark.parametrize("spec", [("x", "y"), ("y", None), (None, ("y", "x")), (None, None)])
def test_gradients_cross_the_borders(place, spec):
    """Each device has copies over the axes that the spec does not name: their gradients are added at the entry, and what
    leaves gives each copy its part."""
    def region(x):
        return xs.disable_manual_sharding(torch.sin(xs.enable_manual_sharding(x, spec, mesh=place)) * 3, spec, (8, 8), mesh=place)

    check_gradients(region, lambda x: torch.sin(x) * 3, torch.randn(8, 8))


@pytest.mark.parametrize("place", MESHES)
def test_gradients_of_what_comes_from_outside(place):
    """Weights that enter by name, and weights that simply meet a tensor of the region: copies both."""
    size = place.mesh_shape[0]
    copies = 8 // size

    def region(x, w, b):
        inside = xs.enable_manual_sharding(x, ("x", None), mesh=place)
        weight = xs.enable_manual_sharding(w, (None, None), mesh=place)
        own = torch.nn.functional.linear(inside, weight, b).tanh()
        total = xs.spmd_all_reduce("sum", own.sum(0), 1 / copies)
        return xs.disable_manual_sharding(2 * total, (None,), (3,), mesh=place)

    check_gradients(region, lambda x, w, b: 2 * torch.nn.functional.linear(x, w, b).tanh().sum(0), torch.randn(8, 5),
                    torch.randn(3, 5), torch.randn(3))


def test_gradients_of_collectives_in_groups():
    """A product split along what is contracted, summed over "y": all_reduce, and reduce_scatter of its columns."""
    place = mesh()
    rows = [[0, 1, 2, 3], [4, 5, 6, 7]]

    def reduced(x, w):
        own = xs.enable_manual_sharding(x, ("x", "y"), mesh=place) @ xs.enable_manual_sharding(w, ("y", None), mesh=place)
        return xs.disable_manual_sharding(xs.spmd_all_reduce("sum", own, 1.0, rows).exp(), ("x", None), (8, 4), mesh=place)

    def scattered(x, w):
        own = xs.enable_manual_sharding(x, ("x", "y"), mesh=place) @ xs.enable_manual_sharding(w, ("y", None), mesh=place)
        part = xs.spmd_reduce_scatter("sum", own, 0.5, -1, 4, rows)
        return xs.disable_manual_sharding((2 * part).exp(), ("x", "y"), (8, 4), mesh=place)

    hosts = torch.randn(8, 8) / 4, torch.randn(8, 4) / 4
    for region in (reduced, scattered):
        check_gradients(region, lambda x, w: (x @ w).exp(), *hosts)


def test_gradients_that_begin_in_a_region():
    """`backward` of what each device has adds over the devices."""
    x, w = torch.randn(8, 4).to(DEVICE).requires_grad_(), torch.randn(4).to(DEVICE).requires_grad_()
    inside = xs.enable_manual_sharding(x, ("all", None), mesh=ALL)
    (inside * w).square().sum().backward()
    assert torch.allclose(x.grad.cpu(), (2 * x * w * w).detach().cpu(), atol=1e-5)
    assert torch.allclose(w.grad.cpu(), (2 * x * x * w).sum(0).detach().cpu(), atol=1e-5)


def test_gradients_of_gradients():
    place = mesh()

    def function(x, w, device):
        if device:
            own = xs.enable_manual_sharding(x, ("x", None), mesh=place) ** 2 * w
            own = xs.spmd_all_reduce("sum", own, 0.25)
            return xs.disable_manual_sharding(own, (None, None), (4, 8), mesh=place)
        return x[:4] ** 2 * w + x[4:] ** 2 * w

    found = []
    for device in (True, False):
        torch.manual_seed(3)
        x, w = torch.randn(8, 8), torch.randn(8)
        if device:
            x, w = x.to(DEVICE), w.to(DEVICE)
        x.requires_grad_(), w.requires_grad_()
        first, = torch.autograd.grad(function(x, w, device).sin().sum(), x, create_graph=True)
        first.square().sum().backward()
        found.append((x.grad.cpu(), w.grad.cpu()))
    for own, expected in zip(*found):
        assert torch.allclose(own, expected, rtol=1e-4, atol=1e-4)


def test_training_with_a_region_equals_training_without():
    """A tensor-parallel block, written by hand as in Megatron, in a model of which the rest is not."""
    place = mesh((2, 4))

    class Block(torch.nn.Module):
        def __init__(self, manual):
            super().__init__()
            self.up, self.down, self.head = torch.nn.Linear(8, 16), torch.nn.Linear(16, 8), torch.nn.Linear(8, 3)
            self.manual = manual

        def forward(self, x):
            if not self.manual:
                return self.head(x + self.down(self.up(x).relu()))
            own = xs.enable_manual_sharding(x, ("x", None), mesh=place)
            up = torch.nn.functional.linear(own, xs.enable_manual_sharding(self.up.weight, ("y", None), mesh=place),
                                            xs.enable_manual_sharding(self.up.bias, ("y",), mesh=place)).relu()
            down = up @ xs.enable_manual_sharding(self.down.weight, (None, "y"), mesh=place).T
            down = xs.spmd_all_reduce("sum", down, 1.0, [[0, 1, 2, 3], [4, 5, 6, 7]]) + self.down.bias
            return self.head(xs.disable_manual_sharding(own + down, ("x", None), tuple(x.shape), mesh=place))

    losses = []
    for manual in (True, False):
        torch.manual_seed(0)
        model = Block(manual)
        data, labels = torch.randn(16, 8), torch.randint(0, 3, (16,))
        if manual:
            model, data, labels = model.to(DEVICE), data.to(DEVICE), labels.to(DEVICE)
        optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
        losses.append([])
        for step in range(6):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(data), labels)
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.item())
            if step == 2:
                compiled = xs.compile_count()
        assert xs.compile_count() == compiled
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)

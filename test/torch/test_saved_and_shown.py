# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors as text and in files, and scaled gradients: what a training script does beside its steps."""

import io

import numpy
import pytest

from torch_package import DEVICE, mesh, torch, xs

MESH = mesh((4, 2), ("x", "y"))


def saved(value):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return file


def test_a_number_is_formatted_as_one():
    loss = torch.arange(6.0, device=DEVICE).sum()
    assert f"{loss:.2f} {loss} {loss:.1e}" == "15.00 15.0 1.5e+01"
    assert f"{torch.ones(2, device=DEVICE)}" == f"tensor([1., 1.], device='{DEVICE}')"
    with pytest.raises(TypeError, match="unsupported format string"):
        format(torch.ones(2, device=DEVICE), ".2f")


def test_arrays_of_numpy_want_a_copy():
    x = torch.arange(4.0, device=DEVICE)
    with pytest.raises(TypeError, match=r"use t.cpu\(\) first"):
        x.numpy()
    assert (x.numpy(force=True) == numpy.arange(4)).all()


def test_saved_states_load_as_they_do_elsewhere():
    """`weights_only` is the default of `torch.load`; a place is obeyed."""
    model = torch.nn.Linear(8, 4).to(DEVICE)
    xs.mark_sharding(model.weight, MESH, ("x", None))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 8, device=DEVICE)).sum().backward()
    optimizer.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    there = torch.load(saved(state))
    assert there["model"]["weight"].device == DEVICE and type(there["model"]["weight"]) is not torch.Tensor
    here = torch.load(saved(state), map_location="cpu")
    assert type(here["model"]["weight"]) is torch.Tensor
    for key, value in model.state_dict().items():
        assert torch.equal(here["model"][key], value.cpu()) and torch.equal(there["model"][key].cpu(), value.cpu())
    moment = optimizer.state[model.weight]["exp_avg"]
    assert torch.equal(here["optimizer"]["state"][0]["exp_avg"], moment.cpu())
    other = torch.nn.Linear(8, 4).to(DEVICE)
    other.load_state_dict(here["model"])
    assert torch.equal(other.weight.cpu(), model.weight.cpu())


def test_saved_modules():
    model = torch.nn.Linear(8, 4).to(DEVICE)
    loaded = torch.load(saved(model), weights_only=False)
    assert isinstance(loaded.weight, torch.nn.Parameter) and loaded.weight.requires_grad and loaded.weight.device == DEVICE
    assert torch.equal(loaded.weight.cpu(), model.weight.cpu())
    on_host = torch.load(saved(model), weights_only=False, map_location="cpu")
    assert isinstance(on_host.weight, torch.nn.Parameter) and on_host.weight.device.type == "cpu"


def test_scaled_gradients():
    """A scaler leaves a step out whose gradients are not finite, and scales down; grows after enough steps."""
    runs = []
    for device in (torch.device("cpu"), DEVICE):
        torch.manual_seed(0)
        model = torch.nn.Linear(4, 2).to(device)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
        told = []
        for factor in (1.0, float("inf"), 2.0, 3.0, float("nan"), 1.0):
            optimizer.zero_grad()
            loss = (model(torch.ones(2, 4, device=device)) ** 2).sum() * factor
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            told.append((scaler.get_scale(), model.weight.detach().cpu().clone()))
        runs.append(told)
    assert [scale for scale, _ in runs[0]] == [scale for scale, _ in runs[1]]
    for (_, eager), (_, own) in zip(*runs):
        torch.testing.assert_close(own, eager, rtol=1e-6, atol=1e-7)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of many architectures have on a mesh the loss and the gradients that they have eagerly. `SHARDWISE_ARCHITECTURES=all` for all of
them, which takes some minutes; else one of each kind."""

import copy
import os

import pytest

from torch_package import DEVICE, mesh, torch, xs

transformers = pytest.importorskip("transformers", reason="transformers is not installed; `make setup-optional` does it")

from architectures import ARCHITECTURES  # noqa: E402

MESH = mesh((4, 2), ("data", "model"))
CHOSEN = [one for one in ARCHITECTURES if one.is_quick or os.environ.get("SHARDWISE_ARCHITECTURES") == "all"]


def made(architecture, dtype):
    """The model without dropout, and a batch."""
    whole = getattr(transformers, architecture.name + "Config")
    text = getattr(transformers, architecture.name + "TextConfig", whole)
    config = (text if architecture.head == "ForCausalLM" else whole)(**architecture.config)
    for one in (config, *(part for part in vars(config).values() if isinstance(part, transformers.PretrainedConfig))):
        for name, value in list(vars(one).items()):
            if "drop" in name and isinstance(value, float):
                setattr(one, name, 0.0)
    torch.manual_seed(0)
    model = getattr(transformers, architecture.name + architecture.head)(config).to(dtype).train()
    given = {name: one.to(dtype) if isinstance(one, torch.Tensor) and one.is_floating_point() else one
             for name, one in architecture.batch().items()}
    return model, given


def loss_of(model, given):
    # Models that draw numbers draw them on the host.
    torch.manual_seed(1)
    return model(**given).loss


def made_and_run(architecture):
    """The model, a copy of it that has not run, the batch, and the loss: in double precision, where sums in another order change nothing
    that is seen, if PyTorch runs the model so."""
    for dtype in (torch.float64, torch.float32):
        model, given = made(architecture, dtype)
        other = copy.deepcopy(model)
        try:
            loss = loss_of(model, given)
        except RuntimeError as error:
            assert dtype == torch.float64 and "type" in str(error), error
            continue
        # Masks of some are made for single precision: then all is masked.
        if loss.isfinite():
            return model, other, given, loss
    raise AssertionError(f"{architecture.name} has no finite loss")


def sharded(model):
    """Matrices by rows on `model`."""
    model.to(DEVICE)
    for parameter in model.parameters():
        if parameter.dim() == 2 and parameter.shape[0] % 2 == 0 and not xs.get_sharding_spec(parameter):
            xs.mark_sharding(parameter, MESH, ("model", None))
    return model


def on_mesh(given):
    """The batch on `data`, where it divides."""
    moved = {name: one.to(DEVICE) if isinstance(one, torch.Tensor) else one for name, one in given.items()}
    for one in moved.values():
        if isinstance(one, torch.Tensor) and one.shape[0] % 4 == 0:
            xs.mark_sharding(one, MESH, ("data",) + (None,) * (one.dim() - 1))
    return moved


@pytest.mark.parametrize("architecture", CHOSEN, ids=lambda one: one.name)
def test_architecture(architecture):
    theirs, ours, given, expected = made_and_run(architecture)
    expected.backward()
    loss = loss_of(sharded(ours), on_mesh(given))
    loss.backward()
    assert loss.item() == pytest.approx(expected.item(), rel=1e-6)
    # Parts that models have in single precision whatever they are given are less exact.
    tolerance = 1e-4 if next(theirs.parameters()).dtype == torch.float64 else 2e-3
    for (name, mine), (_, wanted) in zip(ours.named_parameters(), theirs.named_parameters()):
        assert (mine.grad is None) == (wanted.grad is None), name
        if wanted.grad is not None:
            torch.testing.assert_close(mine.grad.cpu(), wanted.grad, rtol=tolerance, atol=tolerance * float(wanted.grad.abs().max()) + 1e-7,
                                       msg=lambda text, name=name: f"{name}: {text}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a program runs: eagerly, or on the virtual devices. Programs are written once, for both."""

import numpy
import torch

import shardwise.torch as xs

xs.use_spmd()
MESH = xs.Mesh(numpy.arange(8), (4, 2), ("data", "model"))


class Eager:
    """PyTorch on the CPU: nothing moves and nothing is sharded."""

    device = torch.device("cpu")

    def model(self, model, spec_of=None):
        return model

    def batch(self, tensor, sharded=True):
        return tensor

    def mark(self, tensor, spec):
        return tensor

    def loader(self, batches):
        return batches


class Devices:
    """Eight virtual devices, a mesh of four by two."""

    device = xs.device()

    def model(self, model, spec_of=None):
        """Moves a model; `spec_of` gives the spec of a parameter, or `None`."""
        model.to(self.device)
        for parameter in model.parameters():
            if spec_of is not None and (spec := spec_of(parameter)) is not None and not xs.get_sharding_spec(parameter):
                xs.mark_sharding(parameter, MESH, spec)
        return model

    def batch(self, tensor, sharded=True):
        """Moves a batch, whose first dimension is split over `data`."""
        tensor = tensor.to(self.device)
        if sharded:
            xs.mark_sharding(tensor, MESH, ("data",) + (None,) * (tensor.dim() - 1))
        return tensor

    def mark(self, tensor, spec):
        """Annotates a tensor."""
        xs.mark_sharding(tensor, MESH, spec)
        return tensor

    def loader(self, batches):
        """A loader that splits batches on their way."""
        matrices, vectors = xs.ShardingSpec(MESH, ("data", None)), xs.ShardingSpec(MESH, ("data",))
        for x, y in batches:
            yield (xs.send_cpu_data_to_device(x, self.device, matrices), xs.send_cpu_data_to_device(y, self.device, vectors))


# How parameters are split.


def rows(parameter):
    """Rows of matrices that divide, over `model`."""
    return ("model", None) if parameter.dim() == 2 and parameter.shape[0] % 2 == 0 else None


def rows_uneven(parameter):
    """Rows of matrices over both axes, whether they divide or not."""
    return (("data", "model"), None) if parameter.dim() == 2 else None


def largest(parameter):
    """The largest dimension over all devices."""
    dim = max(range(parameter.dim()), key=lambda i: parameter.shape[i])
    return tuple(("data", "model") if i == dim else None for i in range(parameter.dim()))


def channels(parameter):
    """Output channels of convolutions over `model`."""
    return ("model", None, None, None) if parameter.dim() == 4 and parameter.shape[0] % 2 == 0 else None

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eight virtual devices of `shardwise.torch`."""

import numpy

import shardwise.torch as xs

xs.use_spmd()
MESH = xs.Mesh(numpy.arange(8), (4, 2), ("data", "model"))


class Devices:
    """Eight virtual devices, a mesh of four by two; `sent` are the shapes of batches that came."""

    device = xs.device()

    def __init__(self):
        self.sent = []

    def model(self, model, spec_of=None):
        """Moves a model; `spec_of` gives the spec of a parameter, or `None`."""
        model.to(self.device)
        for parameter in model.parameters():
            if spec_of is not None and (spec := spec_of(parameter)) is not None and not xs.get_sharding_spec(parameter):
                xs.mark_sharding(parameter, MESH, spec)
        return model

    def batch(self, tensor, sharded=True):
        """Moves a batch, whose first dimension is split over `data`."""
        self.sent.append(tensor.shape)
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
            self.sent += [x.shape, y.shape]
            yield (xs.send_cpu_data_to_device(x, self.device, matrices), xs.send_cpu_data_to_device(y, self.device, vectors))

    def read(self, tensor):
        """The number in a tensor, at the end of a step; the step runs."""
        return tensor.item()

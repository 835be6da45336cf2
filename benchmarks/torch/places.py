# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a program runs: eagerly, on the virtual devices (`shardwise_place`), or on those of torch_xla (`torch_xla_place`).
Programs are written once, for all. Here is what all have: the eager place, and how parameters are split."""

import torch


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

    def read(self, tensor):
        """The number in a tensor, at the end of a step."""
        return tensor.item()


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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers and wrappers that programs for torch_xla use: a linear layer that keeps dimensions apart, and modules whose
parameters are sharded each over all devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .._warn import warn_user
from .annotate import get_sharding_spec, mark_sharding
from .mesh import Mesh, get_global_mesh
from .tensor import DeviceTensor

__all__ = [
    "EinsumLinear", "SpmdFullyShardedDataParallel", "XLAPatchedLinear", "apply_backward_optimization_barrier",
    "apply_xla_patch_to_nn_linear", "xla_patched_nn_linear_forward",
]


class XLAPatchedLinear(torch.autograd.Function):
    """`x @ weight.T + bias` without flattening the dimensions of `x`, in the forward and in the backward pass."""

    @staticmethod
    def forward(ctx, input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None):
        if torch.is_autocast_enabled(input.device.type):
            dtype = torch.get_autocast_dtype(input.device.type)
            input, weight = input.to(dtype), weight.to(dtype)
            bias = None if bias is None else bias.to(dtype)
        ctx.save_for_backward(input, weight)
        ctx.has_bias = bias is not None
        with torch.autocast(input.device.type, enabled=False):
            product = torch.einsum("...n,mn->...m", input, weight)
            return product if bias is None else product + bias

    @staticmethod
    def backward(ctx, gradient: torch.Tensor):
        input, weight = ctx.saved_tensors
        of_input = torch.einsum("...m,mn->...n", gradient, weight) if ctx.needs_input_grad[0] else None
        of_weight = torch.einsum("...m,...n->mn", gradient, input) if ctx.needs_input_grad[1] else None
        of_bias = None
        if ctx.has_bias and ctx.needs_input_grad[2]:
            of_bias = gradient.sum(tuple(range(gradient.dim() - 1)))
        return of_input, of_weight, of_bias


def xla_patched_nn_linear_forward(module: torch.nn.Linear, input: torch.Tensor) -> torch.Tensor:
    """Returns what `module` does to `input`, computed by `XLAPatchedLinear`."""
    return XLAPatchedLinear.apply(input, module.weight, module.bias)


class EinsumLinear(torch.nn.Linear):
    """A linear layer computed by `XLAPatchedLinear`."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Returns `input @ weight.T + bias`."""
        return xla_patched_nn_linear_forward(self, input)


def apply_xla_patch_to_nn_linear(module: torch.nn.Module) -> torch.nn.Module:
    """Makes every `nn.Linear` inside of a module an `EinsumLinear`, with the same parameters.

    Args:
        module: Changed in place, and returned.

    >>> import torch
    >>> type(apply_xla_patch_to_nn_linear(torch.nn.Sequential(torch.nn.Linear(2, 2)))[0]).__name__
    'EinsumLinear'
    """
    for one in module.modules():
        if type(one) is torch.nn.Linear:
            one.__class__ = EinsumLinear
    return module


def apply_backward_optimization_barrier(module: torch.nn.Module) -> torch.nn.Module:
    """Accepted for code written for torch_xla: there is no fusion across modules to be stopped.

    Args:
        module: Returned as it is.
    """
    return module


class SpmdFullyShardedDataParallel(torch.nn.Module):
    """A module whose parameters are each split over the mesh axis `fsdp`, along their largest dimension, and so are its
    outputs, along the first."""

    def __init__(self, module: torch.nn.Module, *, mesh: Mesh | None = None,
                 shard_output: Callable[[Any, Mesh], None] | None = None,
                 auto_wrap_policy: Callable[..., bool] | None = None,
                 auto_wrapper_callable: Callable[..., torch.nn.Module] | None = None,
                 extra_data_axis: str | None = None):
        """Wraps a module.

        Args:
            module: Moved to the device already, or not: it is moved then.
            mesh: Has an axis `fsdp`; the global mesh by default.
            shard_output: Annotates the outputs, in place of the default.
            auto_wrap_policy: Which submodules are wrapped by themselves: a policy of `torch.distributed.fsdp.wrap`.
            auto_wrapper_callable: Wraps these in place of this class.
            extra_data_axis: A mesh axis over which outputs are split as well.

        Raises:
            ValueError: There is no mesh, no axis `fsdp`, or no axis called `extra_data_axis`.
            RuntimeError: The module is wrapped already, or has no `forward`.
        """
        super().__init__()
        if isinstance(module, SpmdFullyShardedDataParallel):
            raise RuntimeError("the module is wrapped already; wrap it once")
        if type(module).forward is torch.nn.Module.forward:
            raise RuntimeError(f"{type(module).__name__} has no forward and cannot be wrapped; wrap the modules that it holds")
        mesh = get_global_mesh() if mesh is None else mesh
        if mesh is None:
            raise ValueError("no mesh is given and no global mesh is set; call set_global_mesh(mesh) or pass mesh=")
        if mesh.axis_names is None or "fsdp" not in mesh.axis_names:
            raise ValueError(f"the mesh needs an axis called 'fsdp', it has {mesh.axis_names}")
        if extra_data_axis is not None and extra_data_axis not in mesh.axis_names:
            raise ValueError(f"the mesh has no axis {extra_data_axis!r}, it has {mesh.axis_names}")
        self._mesh, self._extra_data_axis = mesh, extra_data_axis
        self._shard_output = shard_output or self._shard_first_tensor
        if auto_wrap_policy is not None:
            wrapper = auto_wrapper_callable or SpmdFullyShardedDataParallel
            _wrap_inner(module, auto_wrap_policy, lambda one: wrapper(
                one, mesh=mesh, shard_output=shard_output, extra_data_axis=extra_data_axis))
        self.module = module
        _shard_parameters(module, mesh)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the module and annotates what it returns."""
        output = self.module(*args, **kwargs)
        self._shard_output(output, self._mesh)
        return output

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("module"), name)

    def __getitem__(self, key: int) -> torch.nn.Module:
        """Returns a member of the module, if that is a sequence."""
        return self.module[key]

    def _shard_first_tensor(self, output: Any, mesh: Mesh) -> None:
        if isinstance(output, (tuple, list)):
            warn_user("the module returns several values; only the first is sharded. Pass shard_output= to shard others")
            output = output[0]
        if not isinstance(output, DeviceTensor):
            raise RuntimeError(f"the module returns {type(output).__name__}; pass shard_output= to say how it is sharded")
        first = "fsdp" if self._extra_data_axis is None else (self._extra_data_axis, "fsdp")
        mark_sharding(output, mesh, (first,) + (None,) * (output.dim() - 1))


def _shard_parameters(module: torch.nn.Module, mesh: Mesh) -> None:
    from ._device import device
    parameters = list(module.parameters())
    if any(not isinstance(one, DeviceTensor) for one in parameters):
        module.to(device())
        parameters = list(module.parameters())
    for parameter in parameters:
        if parameter.dim() == 0 or get_sharding_spec(parameter):
            continue
        largest = max(range(parameter.dim()), key=lambda i: parameter.shape[i])
        mark_sharding(parameter, mesh, tuple("fsdp" if i == largest else None for i in range(parameter.dim())))


def _wrap_inner(module: torch.nn.Module, policy: Callable[..., bool], wrap: Callable[[torch.nn.Module], torch.nn.Module]) -> None:
    """Wraps the submodules that the policy chooses, the innermost first."""
    for name, child in list(module.named_children()):
        _wrap_inner(child, policy, wrap)
        if _chosen(policy, child):
            setattr(module, name, wrap(child))


def _chosen(policy: Callable[..., bool], module: torch.nn.Module) -> bool:
    size = sum(one.numel() for one in module.parameters())
    for names in ({"nonwrapped_numel": size}, {"unwrapped_params": size}):
        try:
            return bool(policy(module=module, recurse=False, **names))
        except TypeError as error:
            if "unexpected keyword argument" not in str(error) and "missing" not in str(error):
                raise
    raise ValueError("auto_wrap_policy takes (module, recurse, nonwrapped_numel), as those of torch.distributed.fsdp.wrap do")



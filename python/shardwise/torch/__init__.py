# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch on virtual devices: a few tensors are annotated on a mesh, Shardwise does the rest.

`.to(device())` moves tensors and modules to the device, which stands for all virtual devices;
`mark_sharding` says how they are sharded. What is computed is recorded and runs when a value is read, or at
`sync`. Names are those of torch_xla; docs/torch.md has the guide and a table from the old names to these.
"""

from __future__ import annotations

try:
    import torch as _torch
except ImportError as error:
    raise ImportError("shardwise.torch needs PyTorch; install it with `pip install torch` (in a checkout: "
                      "`make setup-optional`)") from error
del _torch

from . import _device

_device.register()

from ._device import (  # noqa: E402
    addressable_device_count, addressable_runtime_device_count, device, global_device_count, global_ordinal,
    global_runtime_device_attributes, global_runtime_device_count, is_auto_spmd, is_spmd, local_device_count,
    local_ordinal, local_process_count, process_count, process_index, use_spmd, world_size)
from ._fallback import fallback_counts  # noqa: E402
from ._hosted import host_step_count  # noqa: E402
from .._processes import mpi_processes  # noqa: E402
from ._run import compile_count  # noqa: E402
from ._seeds import manual_seed  # noqa: E402
from ._sync import sync, wait_device_ops  # noqa: E402
from .annotate import (  # noqa: E402
    MarkShardingFunction, ShardingSpec, annotate_custom_sharding, clear_sharding, get_sharding_spec, get_sharding_type,
    global_tensor_from_cpu_shards, mark_sharding, mark_sharding_with_gradients, unwrap_sharded_tensor,
    wrap_as_sharded_tensor, wrap_if_sharded)
from .assignment import OpSharding, ShardingType  # noqa: E402
from .explain import StepExplanation, explain, last_program  # noqa: E402
from .groups import shard_as  # noqa: E402
from .layers import (  # noqa: E402
    EinsumLinear, SpmdFullyShardedDataParallel, XLAPatchedLinear, apply_backward_optimization_barrier,
    apply_xla_patch_to_nn_linear, xla_patched_nn_linear_forward)
from .manual import (  # noqa: E402
    disable_manual_sharding, enable_manual_sharding, mark_manual_sharding, spmd_all_reduce, spmd_full_to_shard_shape,
    spmd_reduce_scatter, spmd_shard_to_full_shape)
from .mesh import HybridMesh, Mesh, get_1d_mesh, get_global_mesh, set_global_mesh  # noqa: E402
from .tensor import XLAShard, XLAShardedTensor  # noqa: E402
from .visualize import construct_v1_sharding_str, visualize_sharding, visualize_tensor_sharding  # noqa: E402

__all__ = [
    "HybridMesh", "MarkShardingFunction", "Mesh", "OpSharding", "ShardingSpec", "ShardingType", "XLAShard",
    "XLAShardedTensor", "addressable_device_count", "addressable_runtime_device_count", "annotate_custom_sharding",
    "clear_sharding", "compile_count", "device", "fallback_counts", "get_1d_mesh", "get_global_mesh",
    "get_sharding_spec", "get_sharding_type", "global_device_count", "global_ordinal",
    "global_runtime_device_attributes", "global_runtime_device_count", "global_tensor_from_cpu_shards", "host_step_count", "is_auto_spmd",
    "is_spmd", "local_device_count", "local_ordinal", "local_process_count", "manual_seed", "mark_sharding",
    "mark_sharding_with_gradients", "mpi_processes", "process_count", "process_index", "set_global_mesh", "shard_as", "sync",
    "unwrap_sharded_tensor",
    "use_spmd", "wait_device_ops", "world_size", "wrap_as_sharded_tensor", "wrap_if_sharded",
]
__all__ += ["StepExplanation", "explain", "last_program"]
__all__ += ["EinsumLinear", "SpmdFullyShardedDataParallel", "XLAPatchedLinear", "apply_backward_optimization_barrier",
            "apply_xla_patch_to_nn_linear", "xla_patched_nn_linear_forward"]
__all__ += ["disable_manual_sharding", "enable_manual_sharding", "mark_manual_sharding", "spmd_all_reduce",
            "spmd_full_to_shard_shape", "spmd_reduce_scatter", "spmd_shard_to_full_shape"]
__all__ += ["construct_v1_sharding_str", "visualize_sharding", "visualize_tensor_sharding"]

from . import _autocast, _dispatch, _foreach, _library  # noqa: E402

_library.install()
_foreach.offer_to_optimizers()
del _autocast, _dispatch, _foreach

# What needs torch.distributed is loaded when it is asked for: that takes as long as the rest together.
_LAZY = {
    "checkpoint": ["CpuShards", "SPMDLoadPlanner", "SPMDSavePlanner", "is_sharded_tensor", "prime_optimizer",
                   "sharded_cpu_state_dict"],
    "dtensor": ["auto_policy", "convert_to_xla_mesh", "xla_distribute_module", "xla_distribute_tensor"],
    "loader": ["MpDeviceLoader", "send_cpu_data_to_device"],
    "manager": ["CheckpointManager"],
    "redistribution": ["RedistributePlan", "RoundOfPlan", "clear_plans", "plan", "redistribute"],
}
__all__ += [name for names in _LAZY.values() for name in names]


def __getattr__(name: str):
    import importlib

    for module, names in _LAZY.items():
        if name in names:
            value = getattr(importlib.import_module(f".{module}", __name__), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})

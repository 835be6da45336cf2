# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX functions, partitioned by Shardwise and run by XLA.

    step = shardwise.jax.jit(train_step, mesh=mesh, in_shardings=..., donate_argnums=0)
    state, loss = step(state, batch)               # as with jax.jit

`import shardwise` needs no JAX; this package does.
"""

from ._xla import TESTED as TESTED_VERSIONS
from ._xla import check_version as _check_version

_check_version()

from .._processes import mpi_processes  # noqa: E402
from ._jit import JitFunction, explain, jit  # noqa: E402
from ._looking import Cost, Lowered, Memory, Report  # noqa: E402
from ._pictures import ValueSharding  # noqa: E402
from ._uneven import unpad  # noqa: E402

__all__ = ["Cost", "JitFunction", "Lowered", "Memory", "Report", "TESTED_VERSIONS", "ValueSharding", "explain", "jit",
           "mpi_processes", "unpad"]

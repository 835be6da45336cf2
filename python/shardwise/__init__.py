# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardwise: a standalone sharding compiler and resharding engine.

    program = shardwise.compile("model.mlir")      # StableHLO with shardings, as JAX prints it
    outputs = program.run(inputs)                  # on as many virtual devices as the mesh has
    print(shardwise.explain("model.mlir"))         # what is moved between devices, and why

    mesh = shardwise.Mesh({"x": 2, "y": 3})
    print(shardwise.plan((6, 6), "float32", mesh, ("x", "y"), ("y", "x")))

Every exception is a `ShardwiseError`. While the compiler or the devices work, other threads of Python
run. `python -m shardwise` is the command line tool.
"""

try:
    from . import _core  # noqa: F401  Everything below needs it: what is wrong with it is said here, once.
except ImportError as error:
    raise ImportError(
        f"the compiled part of shardwise cannot be loaded from {__path__[0]} ({error}); in a checkout, "
        "`make build` makes it in build/python for the Python of .venv; elsewhere, `pip install .` or a "
        "wheel of `make wheel` brings it, for the Python that runs pip") from error

from . import _blas
from .errors import (FileMissingError, InfeasibleError, InputTypeError, InternalError, InvalidError,
                     ProgramError, ProgramFileError, ProgramNotFoundError, ShardwiseError,
                     ShardwiseWarning, TimeoutExpired, UnsupportedError, VerificationError)
from .explanations import Explanation, Transfer, explain
from .files import FileReport, reshard_files
from .plans import STRATEGIES, TOPOLOGIES, Plan, PlanStep, plan, reshard
from .programs import (FORMS, Collective, Program, Report, RunResult, Shard, Value, compile, partition,
                       propagate)
from .shardings import Axis, DimSharding, Mesh, Sharding

_blas.choose()

__version__ = "0.1.0"

__all__ = [
    "Axis", "Collective", "DimSharding", "Explanation", "FORMS", "FileReport", "InfeasibleError",
    "InputTypeError", "InternalError", "InvalidError", "Mesh", "Plan", "PlanStep", "Program", "ProgramError",
    "ProgramFileError", "ProgramNotFoundError", "Report", "RunResult", "STRATEGIES", "Shard",
    "Sharding", "ShardwiseError", "ShardwiseWarning", "TOPOLOGIES", "TimeoutExpired", "Transfer",
    "UnsupportedError", "Value", "VerificationError", "compile", "explain", "partition", "plan", "propagate",
    "reshard", "reshard_files",
]

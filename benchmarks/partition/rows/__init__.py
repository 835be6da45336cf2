# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of the table, one module for each idea; importing them fills `table.ROWS`."""

from rows import (  # noqa: F401
    batches,
    tensor_parallel,
    sequence_parallel,
    reductions,
    reshards,
    neighbours,
    convolutions,
    scans_and_sorts,
    indexing,
    loops,
    linear_algebra,
    uneven,
    generators,
    manual,
    meshes,
)
from table import ROWS  # noqa: F401

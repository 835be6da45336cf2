# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX on 8 CPU devices, and the package as the build folder has it. Modules that import this are skipped
where one of them is missing."""

import os
import sys

import pytest

from conftest import BUILD, ROOT, skip_without_package

jax = pytest.importorskip("jax", reason="no JAX; make setup-optional installs it")
skip_without_package()
sys.path[:0] = [str(BUILD / "python")]

# Read when JAX first looks for devices. A test with small programs needs no threads for each product.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 8)

import numpy  # noqa: E402
import shardwise.jax  # noqa: E402, F401
from jax.sharding import Mesh  # noqa: E402


def mesh_of(**axes: int) -> Mesh:
    """A mesh of the first devices, with axes that are not explicit."""
    count = int(numpy.prod(list(axes.values())))
    return Mesh(numpy.array(jax.devices()[:count]).reshape(tuple(axes.values())), tuple(axes))


MESH = mesh_of(data=4, model=2)


def addresses(array) -> list[int]:
    """Where the shards of an array are."""
    return [shard.data.unsafe_buffer_pointer() for shard in array.addressable_shards]

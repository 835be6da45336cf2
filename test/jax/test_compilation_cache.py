# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's persistent compilation cache knows a program again, also if its source lies elsewhere."""

import numpy
from devices import MESH, jax, shardwise

from jax.sharding import PartitionSpec as P

SOURCE = """
def step(x, w):
    return (jnp.tanh(x @ w) ** 2).sum()
"""


def test_a_program_from_another_file_is_known(tmp_path):
    options = {"jax_compilation_cache_dir": str(tmp_path), "jax_persistent_cache_min_compile_time_secs": 0.0,
               "jax_persistent_cache_min_entry_size_bytes": -1}
    before = {name: getattr(jax.config, name) for name in options}
    from jax.experimental.compilation_cache import compilation_cache

    try:
        for name, value in options.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()

        def entries_for(path):
            names = {"jnp": jax.numpy}
            exec(compile(SOURCE, path, "exec"), names)
            step = shardwise.jax.jit(names["step"], mesh=MESH, in_shardings=(P("data"), P(None, "model")), verify="never")
            text = step.text(numpy.ones((32, 16), "f"), numpy.ones((16, 8), "f"), stage="xla")
            # What was found has the lines of whoever compiled it.
            assert "/first/model.py" in text
            return {entry.name for entry in tmp_path.iterdir() if "step" in entry.name and "atime" not in entry.name}

        first = entries_for("/first/model.py")
        jax.clear_caches()
        assert len(first) == 1 and entries_for("/second/model.py") == first
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes with a gloo process group, which run functions of test modules."""

import datetime
import multiprocessing
import os
import tempfile
import time
import traceback

TIMEOUT_S = 60


def serve(rank, count, store, timeout_s, environment, calls, answers):
    """Runs what comes in `calls` until None comes."""
    import torch
    import torch.distributed as dist
    os.environ.update(environment)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=count,
                            timeout=datetime.timedelta(seconds=timeout_s))
    for function, arguments in iter(calls.get, None):
        try:
            answers.put((rank, function(*arguments), None))
        except BaseException:
            answers.put((rank, None, traceback.format_exc()))
    dist.destroy_process_group()


class Ranks:
    """So many processes; close it, or use it in a `with`."""

    def __init__(self, count, timeout_s=TIMEOUT_S, environment=None):
        # Forked from one process that has imported PyTorch: importing it takes seconds.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["torch.distributed.tensor"])
        self.count = count
        self._folder = tempfile.TemporaryDirectory()
        self._calls = [context.Queue() for _ in range(count)]
        self._answers = context.Queue()
        self._processes = [
            context.Process(target=serve, daemon=True,
                            args=(rank, count, f"{self._folder.name}/store", timeout_s, environment or {}, calls,
                                  self._answers))
            for rank, calls in enumerate(self._calls)]
        for process in self._processes:
            process.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for calls in self._calls:
            calls.put(None)
        end = time.monotonic() + 10
        for process in self._processes:
            process.join(max(0, end - time.monotonic()))
            process.kill()
        self._folder.cleanup()

    def run(self, function, *arguments):
        """Calls a function of a module on all ranks; returns the results by rank."""
        for calls in self._calls:
            calls.put((function, arguments))
        results = [None] * self.count
        for _ in range(self.count):
            rank, result, error = self._answers.get(timeout=4 * TIMEOUT_S)
            assert error is None, f"rank {rank}:\n{error}"
            results[rank] = result
        return results

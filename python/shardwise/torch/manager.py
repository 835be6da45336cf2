# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints by step: when to save, in the background or not, and which to keep."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import pathlib
import shutil
import signal
import threading
import time
from typing import Any

import torch.distributed as dist
import torch.distributed.checkpoint as dist_cp

from .. import _check
from ..errors import InvalidError
from .checkpoint import SPMDLoadPlanner, SPMDSavePlanner, sharded_cpu_state_dict

__all__ = ["CheckpointManager"]

#: The file of a step that says when it was saved; it is written last.
_STAMP = ".saved"


@dataclasses.dataclass(frozen=True)
class _Saved:
    step: int
    seconds: float


class CheckpointManager:
    """Saves a state dictionary every so many steps under a folder, and restores it, whatever its sharding is then.

    A step is listed when all of it is written, also that of another run. With `max_to_keep` those saved first go first.
    """

    def __init__(self, path: str | os.PathLike[str], save_interval: int, max_to_keep: int | None = 0,
                 max_pending_async: int = 1, num_of_threads: int = 1,
                 process_group: dist.ProcessGroup | None = None, chkpt_on_preemption: bool = True):
        """Opens a folder.

        Args:
            path: The folder; it is made if need be.
            save_interval: Steps that are multiples of it are saved.
            max_to_keep: How many steps are kept; 0 keeps all.
            max_pending_async: How many may wait to be written; `save_async` waits when there are more.
            num_of_threads: How many write at once.
            process_group: Of CPU tensors, if several processes save together; the default group if there is one.
            chkpt_on_preemption: Whether the signal SIGTERM makes the next step one that is saved.

        Raises:
            InvalidError: A number is too small.
        """
        self._path = pathlib.Path(path)
        self._interval = _check.integer(save_interval, "save_interval", 1)
        self._keep = _check.integer(max_to_keep or 0, "max_to_keep", 0)
        self._pending = threading.Semaphore(_check.integer(max_pending_async, "max_pending_async", 1))
        self._threads = concurrent.futures.ThreadPoolExecutor(_check.integer(num_of_threads, "num_of_threads", 1),
                                                              thread_name_prefix="shardwise-checkpoint")
        self._futures: list[concurrent.futures.Future] = []
        self._lock = threading.Lock()
        self._group = process_group
        self._preempted = threading.Event()
        self._path.mkdir(parents=True, exist_ok=True)
        if chkpt_on_preemption and threading.current_thread() is threading.main_thread():
            self._listen()

    def _listen(self) -> None:
        """The first SIGTERM asks for a checkpoint, the next one does what it did before."""
        before = signal.getsignal(signal.SIGTERM)

        def note(number, frame):
            self._preempted.set()
            signal.signal(signal.SIGTERM, before if before is not None else signal.SIG_DFL)

        signal.signal(signal.SIGTERM, note)

    def should_save(self, step: int) -> bool:
        """Returns whether `save` would save this step."""
        return _check.integer(step, "step", 0) % self._interval == 0 or self._preempted.is_set()

    def save(self, step: int, state_dict: dict[str, Any], force: bool = False) -> bool:
        """Saves a step, if it is one to be saved; returns whether it was.

        Args:
            step: Its number; a step that is there already is replaced.
            state_dict: As `torch.distributed.checkpoint.save` takes it.
            force: Saves it anyway.
        """
        if not (self.should_save(step) or force):
            return False
        self._write(step, state_dict)
        return True

    def save_async(self, step: int, state_dict: dict[str, Any], force: bool = False) -> bool:
        """Saves a step in the background; the values are those of now. Returns whether it will be saved.

        Args:
            step: As of `save`.
            state_dict: As of `save`.
            force: As of `save`.
        """
        if not (self.should_save(step) or force):
            return False
        held = sharded_cpu_state_dict(state_dict)
        self._pending.acquire()
        future = self._threads.submit(self._write, step, held)
        future.add_done_callback(lambda _: self._pending.release())
        self._futures.append(future)
        return True

    def restore(self, step: int, state_dict: dict[str, Any]) -> None:
        """Loads a step into a state dictionary, in place.

        Args:
            step: One of `all_steps()`.
            state_dict: Tensors of the same names and shapes, with any sharding.

        Raises:
            InvalidError: There is no such step.
        """
        if step not in self.all_steps():
            raise InvalidError(f"there is no checkpoint of step {step} in {self._path}; there are {self.all_steps()}")
        dist_cp.load(state_dict, storage_reader=dist_cp.FileSystemReader(self._folder(step)), planner=SPMDLoadPlanner(),
                     process_group=self._group, no_dist=not dist.is_initialized())

    def all_steps(self) -> list[int]:
        """Returns the steps that are there, in the order in which they were saved."""
        return [one.step for one in self._saved()]

    def join(self) -> None:
        """Waits until all is written; raises what went wrong."""
        futures, self._futures = self._futures, []
        for future in futures:
            future.result()

    def reached_preemption(self, step: int) -> bool:
        """Returns whether the process was asked to end; call it each step, then save and leave.

        Args:
            step: The number of the step.
        """
        return self._preempted.is_set()

    def _folder(self, step: int) -> pathlib.Path:
        return self._path / str(step)

    def _saved(self) -> list[_Saved]:
        found = []
        for stamp in self._path.glob(f"*/{_STAMP}"):
            if stamp.parent.name.isdecimal():
                found.append(_Saved(int(stamp.parent.name), float(stamp.read_text())))
        return sorted(found, key=lambda one: (one.seconds, one.step))

    def _write(self, step: int, state_dict: dict[str, Any]) -> None:
        folder = self._folder(step)
        is_first = not dist.is_initialized() or dist.get_rank(self._group) == 0
        if is_first:
            (folder / _STAMP).unlink(missing_ok=True)
        dist_cp.save(state_dict, storage_writer=dist_cp.FileSystemWriter(folder), planner=SPMDSavePlanner(),
                     process_group=self._group, no_dist=not dist.is_initialized())
        if is_first:
            with self._lock:
                unfinished = folder / f"{_STAMP}.new"
                unfinished.write_text(repr(time.time()))
                unfinished.rename(folder / _STAMP)
                kept = self._saved()
                for one in kept[:max(0, len(kept) - self._keep)] if self._keep else []:
                    shutil.rmtree(self._folder(one.step))

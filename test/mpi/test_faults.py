# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A rank that throws, is killed, hangs or leaves ends all in time, with one message, and nothing is left."""

import os
import pathlib
import random
import re
import time

import pytest

from conftest import BUILD

PROGRAM = BUILD / "mpitests" / "FaultyRanks"
# What the message must say of each kind of fault, with the rank and the process that fail.
MESSAGES = {
    "kill": r"process {process}, of ranks \d to \d, has died; when last seen rank \d .*",
    "leave": r"process {process}, of ranks \d to \d, has died; when last seen rank \d .*",
    "throw": r"rank {rank}: exception: boom",
    "hang": r"step {step}: .*(all_gather|all_reduce).* waited 1000 ms: .*rank {rank} is in no collective",
    "freeze": r"step {step}: .*(all_gather|all_reduce).* waited 1000 ms: .*rank \d",
}


def running():
    """Programs of ours that run."""
    names = (path / "comm" for path in pathlib.Path("/proc").iterdir() if path.name.isdigit())
    return sum(1 for name in names if name.exists() and name.read_text().strip() == "FaultyRanks")


def check_fault(mpirun, kind, processes, rank, step):
    before = set(os.listdir("/dev/shm"))
    start = time.time()
    done = mpirun(processes, PROGRAM, kind, rank, step, 1000, timeout=60)
    text = done.stdout
    if kind == "late":
        assert done.returncode == 0, text
        return
    assert done.returncode != 0, text
    assert time.time() - start < 30, text
    messages = re.findall(r"^FaultyRanks: .*", text, re.M)
    assert len(messages) == 1, text
    first = next(p for p in range(processes) if rank * processes // 8 == p)
    pattern = MESSAGES[kind].format(rank=rank, step=step, process=first)
    assert re.search(pattern, messages[0]), text
    for _ in range(50):
        if not running() and set(os.listdir("/dev/shm")) <= before:
            break
        time.sleep(0.1)
    assert not running()
    assert set(os.listdir("/dev/shm")) <= before


@pytest.mark.parametrize("kind, processes, rank, step", [
    ("kill", 2, 5, 3), ("kill", 4, 0, 7), ("throw", 3, 6, 0), ("hang", 2, 6, 4), ("freeze", 8, 3, 2),
    ("leave", 8, 7, 5), ("late", 2, 2, 2)])
def test_a_fault_ends_all(mpirun, kind, processes, rank, step):
    check_fault(mpirun, kind, processes, rank, step)


def test_random_faults(mpirun):
    count = int(os.environ.get("SHARDWISE_RANDOM_FAULTS", "3"))
    chosen = random.Random(20_261_124)
    for _ in range(count):
        check_fault(mpirun, chosen.choice([*MESSAGES, "late"]), chosen.choice([2, 3, 4, 8]), chosen.randrange(8),
                    chosen.randrange(20))

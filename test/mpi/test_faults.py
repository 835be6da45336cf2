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
    # It is a step ahead of the others from then on, which shows at the end.
    "drop": r"step 19: .*(all_gather|all_reduce).* (can never complete: rank {rank} has ended|waited 1000 ms: .*)",
}


def started_with(folder):
    """Our programs that have `folder` for what is temporary."""
    found = []
    for path in pathlib.Path("/proc").iterdir():
        try:
            if path.name.isdigit() and (path / "comm").read_text().strip() == PROGRAM.name:
                if f"TMPDIR={folder}".encode() in (path / "environ").read_bytes().split(b"\0"):
                    found.append(path.name)
        except OSError:
            pass
    return found


def what_is_left(folder):
    """Programs that run, and files: all that MPI and the programs make has its place in the folder."""
    return [*started_with(folder), *(path for path in folder.rglob("*") if not path.is_dir())]


def check_fault(mpirun, folder, kind, processes, rank, step):
    start = time.time()
    done = mpirun(processes, PROGRAM, kind, rank, step, 1000, timeout=60, TMPDIR=str(folder),
                  OMPI_MCA_btl_vader_backing_directory=str(folder))
    text = done.stdout
    if kind == "late":
        assert done.returncode == 0, text
    else:
        assert done.returncode != 0, text
        assert time.time() - start < 30, text
        messages = re.findall(r"^FaultyRanks: .*", text, re.M)
        assert len(messages) == 1, text
        first = next(p for p in range(processes) if rank * processes // 8 == p)
        pattern = MESSAGES[kind].format(rank=rank, step=step, process=first)
        assert re.search(pattern, messages[0]), text
    for _ in range(50):
        if not what_is_left(folder):
            return
        time.sleep(0.1)
    assert not what_is_left(folder), text


@pytest.mark.parametrize("kind, processes, rank, step", [
    ("kill", 2, 5, 3), ("kill", 4, 0, 7), ("throw", 3, 6, 0), ("hang", 2, 6, 4), ("freeze", 8, 3, 2),
    ("leave", 8, 7, 5), ("drop", 4, 2, 9), ("late", 2, 2, 2)])
def test_a_fault_ends_all(mpirun, tmp_path, kind, processes, rank, step):
    check_fault(mpirun, tmp_path, kind, processes, rank, step)


@pytest.mark.parametrize("kind, call", [("early", "MPI_Init"), ("last", "MPI_Finalize")])
@pytest.mark.parametrize("processes, rank", [(2, 1), (4, 7)])
def test_a_process_that_is_stopped_within_mpi_ends_all(mpirun, tmp_path, kind, call, processes, rank):
    done = mpirun(processes, PROGRAM, kind, rank, 0, 1000, timeout=60, SHARDWISE_MPI_SECONDS="2", TMPDIR=str(tmp_path),
                  OMPI_MCA_btl_vader_backing_directory=str(tmp_path))
    assert done.returncode != 0, done.stdout
    messages = re.findall(r"^process \d has waited .*", done.stdout, re.M)
    assert len(messages) == 1, done.stdout
    first = 1 if rank * processes // 8 == 0 else 0
    assert messages[0].startswith(f"process {first} has waited 2 s in {call} for the others"), done.stdout
    for _ in range(50):
        if not what_is_left(tmp_path):
            return
        time.sleep(0.1)
    assert not what_is_left(tmp_path), done.stdout


def test_random_faults(mpirun, tmp_path):
    count = int(os.environ.get("SHARDWISE_RANDOM_FAULTS", "3"))
    chosen = random.Random(int(os.environ.get("SHARDWISE_RANDOM_SEED", "20261124")))
    for number in range(count):
        fault = (chosen.choice([*MESSAGES, "late"]), chosen.choice([2, 3, 4, 8]), chosen.randrange(8), chosen.randrange(20))
        print(number, *fault, flush=True)
        check_fault(mpirun, tmp_path, *fault)

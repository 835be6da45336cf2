# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two hosts with a slow link, played by network namespaces: plans that know them are as much faster as predicted."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from conftest import BUILD, ROOT

SCRIPT = ROOT / "scripts" / "on_two_hosts.py"
CANNOT = 77


def on_two_hosts(*arguments, timeout=300):
    done = subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=timeout)
    if done.returncode == CANNOT:
        pytest.skip(done.stdout.strip())
    return done


def spaces():
    """Network namespaces of all processes."""
    found = set()
    for path in pathlib.Path("/proc").iterdir():
        try:
            if path.name.isdigit():
                found.add(os.readlink(path / "ns/net"))
        except OSError:
            pass
    return found


def test_plans_that_know_the_hosts_are_as_much_faster_as_predicted(mpirun):
    program = BUILD / "benchmarks" / "mpi_benchmark"
    before = spaces()
    done = on_two_hosts("--rate", "80mbit", program, 5, "hosts", 10e6)
    assert done.returncode == 0, done.stdout
    rows = re.findall(r"^(<.*?) +(\d+) ms +(\d+) ms +(\d+\.\d+) +(\d+\.\d+)$", done.stdout, re.M)
    assert len(rows) == 7, done.stdout
    assert max(float(predicted) for *_, predicted in rows) > 3, done.stdout
    for change, _, _, measured, predicted in rows:
        assert abs(float(measured) / float(predicted) - 1) < 0.2, f"{change}\n{done.stdout}"
    assert spaces() <= before


def test_ranks_of_two_hosts_exchange_messages(mpirun):
    done = on_two_hosts("--rate", "1gbit", "--processes", 4, BUILD / "mpitests" / "ShardwiseMpiTests", "--gtest_brief=1",
                        "--gtest_filter=ExchangeTest.*:MessagesTest.*:MpiReshardTest.*:MpiProcessesTest.*:"
                        "StartCollectivesTest.*")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("[  PASSED  ]") == 4, done.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_hosts_that_are_ended(mpirun, number):
    before = spaces()
    process = subprocess.Popen([sys.executable, SCRIPT, "sleep", "60"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    for _ in range(100):
        if len(spaces() - before) == 2 or process.poll() is not None:
            break
        time.sleep(0.1)
    time.sleep(1)
    if process.poll() == CANNOT:
        pytest.skip(process.stdout.read().decode().strip())
    process.send_signal(number)
    process.wait(timeout=30)
    for _ in range(200):
        if spaces() <= before:
            break
        time.sleep(0.1)
    assert spaces() <= before

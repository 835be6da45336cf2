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


def programs_by_space():
    """The network namespace of every process, by its number."""
    found = {}
    for path in pathlib.Path("/proc").iterdir():
        try:
            if path.name.isdigit():
                found[path] = os.readlink(path / "ns/net")
        except OSError:
            pass
    return found


def spaces():
    return set(programs_by_space().values())


def ranks_outside(known):
    """Ranks in other namespaces than those that are known."""
    count = 0
    for path, space in programs_by_space().items():
        try:
            count += space not in known and (path / "comm").read_text().strip() == "FaultyRanks"
        except OSError:
            pass
    return count


def wait_until(happens, seconds):
    for _ in range(10 * seconds):
        if happens():
            return True
        time.sleep(0.1)
    return False


def measured_rows():
    """By change: the quickest times of the flat plan and of that by hosts in ms, and the factor that was predicted."""
    done = on_two_hosts("--rate", "80mbit", BUILD / "benchmarks" / "mpi_benchmark", 5, "hosts", 10e6)
    assert done.returncode == 0, done.stdout
    rows = re.findall(r"^(<.*?) +(\d+) ms +(\d+) ms +\d+\.\d+ +(\d+\.\d+)$", done.stdout, re.M)
    return {change: (int(flat), int(by_hosts), float(predicted)) for change, flat, by_hosts, predicted in rows}


def test_plans_that_know_the_hosts_are_as_much_faster_as_predicted(mpirun):
    before = spaces()
    quickest = measured_rows()
    assert len(quickest) == 9, quickest
    assert min(predicted for *_, predicted in quickest.values()) < 1.1
    assert sum(predicted > 3.8 for *_, predicted in quickest.values()) == 7
    for attempt in range(3):
        wrong = {change: row for change, row in quickest.items() if abs(row[0] / row[1] / row[2] - 1) >= 0.2}
        if not wrong or attempt == 2:
            break
        # What else the machine does only adds to times: those of another run may be quicker.
        again = measured_rows()
        quickest = {change: (min(flat, again[change][0]), min(by_hosts, again[change][1]), predicted)
                    for change, (flat, by_hosts, predicted) in quickest.items()}
    assert not wrong, wrong
    assert spaces() <= before


def test_ranks_of_two_hosts_exchange_messages(mpirun):
    done = on_two_hosts("--rate", "1gbit", "--processes", 4, BUILD / "mpitests" / "ShardwiseMpiTests", "--gtest_brief=1",
                        "--gtest_filter=ExchangeTest.*:MessagesTest.*:MpiReshardTest.*:MpiProcessesTest.*:"
                        "StartCollectivesTest.*")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("[  PASSED  ]") == 4, done.stdout


def test_all_ranks_end_where_the_link_is_cut(mpirun):
    """mpirun itself does not notice, and is ended by hand."""
    program = BUILD / "mpitests" / "FaultyRanks"
    before = spaces()
    process = subprocess.Popen([sys.executable, SCRIPT, "--rate", "1gbit", "--cut-after", "3", program, "none", "0", "0",
                                "1000"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        assert wait_until(lambda: ranks_outside(before) == 8 or process.poll() is not None, 20)
        if process.poll() == CANNOT:
            pytest.skip(process.stdout.read().strip())
        assert wait_until(lambda: ranks_outside(before) == 0, 60)
    finally:
        process.terminate()
        text = process.communicate(timeout=60)[0]
    messages = re.findall("^FaultyRanks: .*", text, re.M)
    assert len(messages) == 1, text
    assert re.search(r"from rank \d of 16000 B waited 1000 ms: rank \d is in process \d", messages[0]), text
    assert wait_until(lambda: spaces() <= before, 20)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_hosts_that_are_ended(mpirun, number):
    before = spaces()
    process = subprocess.Popen([sys.executable, SCRIPT, "sleep", "60"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wait_until(lambda: len(spaces() - before) == 2 or process.poll() is not None, 10)
    time.sleep(1)
    if process.poll() == CANNOT:
        pytest.skip(process.stdout.read().decode().strip())
    process.send_signal(number)
    process.wait(timeout=30)
    assert wait_until(lambda: spaces() <= before, 20)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program by mpirun on two hosts that this machine plays: on_two_hosts.py --rate 200mbit PROGRAM [ARGUMENT...]

A host is a network namespace with a host name of its own. A pair of virtual network cards joins the two, which
tc slows down to the rate, each way. Half of the processes are on each: with 8, ranks 0 to 3 on one, 4 to 7 on the other.
Open MPI then shares memory within a host and uses TCP between them, as on two machines.

Nothing has a name outside: namespaces go with the processes in them, and these with this script, however it ends.
The exit status is mpirun's; 77, with a reason, where hosts cannot be played.
"""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

CANNOT = 77
ADDRESSES = ("10.77.0.1", "10.77.0.2")
# A host: ends when its standard input does, which is held by this script.
HOST = "hostname {name} && ip link set lo up && echo ready && read -r end"


class CannotPlay(Exception):
    """The system does not allow it, or lacks a tool."""


def run(*command):
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True)
    if done.returncode:
        raise CannotPlay(f"`{' '.join(map(str, command))}`: {done.stderr.strip()}")


class Host:
    """A network namespace with a host name, as long as this process or its own programs live."""

    def __init__(self, name):
        self.process = subprocess.Popen(["unshare", "--net", "--uts", "sh", "-c", HOST.format(name=name)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if self.process.stdout.readline() != "ready\n":
            raise CannotPlay(f"no network namespace: {self.process.stderr.read().strip()}")
        self.space = os.readlink(f"/proc/{self.process.pid}/ns/net")

    def enter(self):
        """What to write before a command that runs here."""
        return ["nsenter", "--target", str(self.process.pid), "--net", "--uts"]

    def programs(self):
        """Numbers of the processes that are here, but for the host itself."""
        found = []
        for path in pathlib.Path("/proc").iterdir():
            try:
                if path.name.isdigit() and os.readlink(path / "ns/net") == self.space:
                    found.append(int(path.name))
            except OSError:
                pass
        return [program for program in found if program != self.process.pid]

    def end(self):
        for program in self.programs():
            try:
                os.kill(program, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.stdin.close()
        self.process.wait()


def join(hosts, rate):
    """A link between the two, of so many bits a second each way."""
    first, second = hosts
    run(*first.enter(), "ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", second.process.pid)
    for host, address in zip(hosts, ADDRESSES):
        run(*host.enter(), "ip", "address", "add", f"{address}/24", "dev", "eth0")
        run(*host.enter(), "ip", "link", "set", "eth0", "up")
        run(*host.enter(), "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", rate, "burst", "64kb", "limit",
            "64mb")


def mpirun_on(hosts, processes, folder, command):
    program = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if not program:
        raise CannotPlay("mpirun is not installed (`scripts/setup --optional` installs it)")
    # What mpirun calls in place of ssh: the name of the host, then a command for its shell.
    agent = folder / "agent"
    agent.write_text(f"#!/bin/sh\nshift\nexec {' '.join(hosts[1].enter())} sh -c \"$*\"\n")
    agent.chmod(0o700)
    settings = {"plm_rsh_agent": agent, "pml": "ob1", "btl": "self,vader,tcp", "btl_tcp_if_include": "eth0",
                "oob_tcp_if_include": "eth0", "rmaps_base_oversubscribe": 1,
                # Messages go off at once: an answer that allows them would queue up behind those of others.
                "btl_tcp_eager_limit": 1 << 24, "btl_tcp_rndv_eager_limit": 1 << 24,
                # The hosts share the cores of this machine.
                "mpi_yield_when_idle": 1}
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       **{f"OMPI_MCA_{name}": str(value) for name, value in settings.items()})
    slots = ",".join(f"{address}:{processes // 2}" for address in ADDRESSES)
    # Should this script be killed, mpirun ends its processes and then itself.
    return subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *hosts[0].enter(), program, "--host", slots, "--bind-to",
                             "none", "-n", str(processes), *command], env=environment)


def cut_later(host, seconds):
    """Takes the link away, without a word to either end."""
    def cut():
        run(*host.enter(), "tc", "qdisc", "replace", "dev", "eth0", "root", "blackhole")

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()


def play(options):
    hosts = []
    mpirun = None
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name in ("shardwise-a", "shardwise-b"):
                hosts.append(Host(name))
            join(hosts, options.rate)
            mpirun = mpirun_on(hosts, options.processes, pathlib.Path(folder), options.command)
            if options.cut_after:
                for host in hosts:
                    cut_later(host, options.cut_after)
            return mpirun.wait()
        finally:
            if mpirun and mpirun.poll() is None:
                mpirun.terminate()
                try:
                    mpirun.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    pass
            for host in hosts:
                host.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", default="200mbit", help="of the link, as tc writes it (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=8, help="on both hosts together (default: %(default)s)")
    parser.add_argument("--cut-after", type=float, metavar="SECONDS", help="nothing passes the link from then on")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="a program and its arguments")
    options = parser.parse_args()
    if not options.command or options.processes < 2 or options.processes % 2:
        parser.error("expected a program, and an even number of processes")

    ends = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)

    def leave(number, _):
        # Once: what is being cleaned up is not to be interrupted.
        for end in ends:
            signal.signal(end, signal.SIG_IGN)
        sys.exit(128 + number)

    for number in ends:
        signal.signal(number, leave)
    try:
        sys.exit(play(options))
    except (CannotPlay, FileNotFoundError) as error:
        print(f"on_two_hosts: cannot play two hosts here: {error}", file=sys.stderr)
        sys.exit(CANNOT)


if __name__ == "__main__":
    main()

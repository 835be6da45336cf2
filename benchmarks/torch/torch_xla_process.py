# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of a program in the process of another Python (`torch_xla_place`)."""

import json
import os
import pathlib
import subprocess
import tempfile


class Steps:
    """A program that waits for its next step.

    Attributes:
        wall: Seconds of each step.
        losses: Their losses.
        error: Why there are no more; empty if there is no reason.
    """

    def __init__(self, python, name):
        self.wall, self.losses, self.error = [], [], ""
        self._said = tempfile.TemporaryFile("w+")
        # What is found for us, as our own package, is not for the other Python.
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        place = pathlib.Path(__file__).with_name("torch_xla_place.py")
        self._process = subprocess.Popen([python, str(place), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=self._said, text=True, env=environment)

    def run(self, seed):
        if self.error:
            return
        try:
            self._process.stdin.write(f"{seed}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self._process.stdout.readline()
        # What the libraries print beside.
        while line and not line.startswith("{"):
            line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._said.seek(0)
            lines = [one for one in self._said.read().splitlines() if one.strip()]
            self.error = lines[-1] if lines else f"ended with {self._process.returncode}"
            return
        told = json.loads(line)
        self.wall.append(told["wall"])
        self.losses.append(told["loss"])

    def close(self):
        self._process.kill()
        self._process.communicate()
        self._said.close()

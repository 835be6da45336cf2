# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two processes of 4 devices give what one process gives."""

import json
import signal
import socket
import subprocess
import sys

import numpy
from conftest import BUILD, ROOT
from devices import jax
from training_step import WEIGHTS, X, train


def test_two_processes():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = ROOT / "test/jax/one_of_two_processes.py"
    processes = [subprocess.Popen([sys.executable, program, BUILD / "python", str(port), str(number)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for number in range(2)]
    try:
        answers = [process.communicate(timeout=240) for process in processes]
    finally:
        for process in processes:  # JAX catches SIGTERM.
            process.send_signal(signal.SIGKILL)
    assert [process.returncode for process in processes] == [0, 0], answers
    first, second = (json.loads(output.splitlines()[-1]) for output, _ in answers)
    assert first["losses"] == second["losses"]
    weights, step = WEIGHTS, jax.jit(train)
    for loss in first["losses"]:
        weights, expected = step(weights, X)
        assert numpy.isclose(loss, expected, rtol=1e-4)
    # Each value is on 4 devices.
    for name, value in weights.items():
        assert numpy.isclose(first["sums"][name] + second["sums"][name], 4 * value.sum(), rtol=1e-3, atol=1e-3)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C, from outside."""

import signal
import subprocess
import time


def errors_after_ctrl_c(command, **options):
    """What a process writes to standard error that is interrupted some time after it has printed `starts`, and would not end
    by itself."""
    # Shells have background jobs ignore the signal, and Python then goes on doing so.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options)
    try:
        assert process.stdout.readline() == "starts\n"
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        return process.communicate(timeout=60)[1]
    finally:
        process.kill()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that answers a JSON line with a JSON line, kept for many questions."""

import json
import os
import select
import subprocess
import tempfile

PATIENCE_SECONDS = 120


class LineProcess:
    """Starts when first asked, and again after it ended or hung; that is an error as answer."""

    def __init__(self, command):
        self.command = [str(word) for word in command]
        self.process = None
        self.errors = None
        self.unread = b""

    def send(self, question: dict) -> None:
        if self.process is None:
            self.errors = tempfile.TemporaryFile("w+")
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=self.errors,
                                            bufsize=0)
            self.unread = b""
        try:
            self.process.stdin.write(json.dumps(question).encode() + b"\n")
        except BrokenPipeError:
            pass  # The answer will say so.

    def receive(self) -> dict:
        output = self.process.stdout
        hangs = False
        while b"\n" not in self.unread and not hangs:
            hangs = not select.select([output], [], [], PATIENCE_SECONDS)[0]
            read = b"" if hangs else os.read(output.fileno(), 1 << 16)
            if not read:
                break
            self.unread += read
        line, end, self.unread = self.unread.partition(b"\n")
        if end:
            return json.loads(line)
        self.process.kill()
        status = self.process.wait()
        self.errors.seek(0)
        complaint = self.errors.read()[-2000:]
        self.process = None
        reason = f"hung for {PATIENCE_SECONDS} s" if hangs else f"ended with status {status}"
        return {"error": f"{reason}: {complaint}", "crashed": True}

    def close(self) -> None:
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process = None

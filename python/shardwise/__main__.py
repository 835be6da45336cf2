# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m shardwise`: the command line tool, which is a program of its own in this package."""

from __future__ import annotations

import os
import pathlib
import sys


def main() -> int:
    """Becomes the tool, with the arguments and the exit code of this process. Returns only if it is not
    there."""
    tool = pathlib.Path(__file__).parent / "bin" / "shardwise"
    try:
        sys.stdout.flush()
        os.execv(tool, ["shardwise", *sys.argv[1:]])
    except OSError as error:
        print(f"shardwise: error: cannot start {tool}: {error.strerror}; install the package again",
              file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(main())

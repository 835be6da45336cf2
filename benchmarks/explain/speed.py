# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python speed.py PROGRAM.mlir ...: CPU seconds and peak memory of `shardwise explain`, as text, with changes, as a page and as a timeline.

The least of `--runs` runs, since other work on the machine only adds; pages with their sizes.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile


def measure(command):
    """CPU seconds and peak MiB of a process."""
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, command))} ends with {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    parser.add_argument("--tool", default="build/bin/shardwise")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"{'program':28} {'lines':>7} {'text s':>7} {'MiB':>5} {'changes s':>10} {'page s':>7} {'MiB on disk':>11} {'timeline s':>10} {'MiB on disk':>11}")
    for program in options.programs:
        with tempfile.TemporaryDirectory() as folder:
            page, timeline = pathlib.Path(folder) / "page.html", pathlib.Path(folder) / "step.json"
            kinds = {"text": ["--suggest", "0"], "changes": [], "page": ["--suggest", "0", "--html", page],
                     "timeline": ["--suggest", "0", "--topology", "tpu-v5p", "--choose-by", "bytes", "--perfetto", timeline]}
            least = {name: min(measure([options.tool, "explain", program, *arguments]) for _ in range(options.runs if name != "changes" else 1))
                     for name, arguments in kinds.items()}
            lines = program.read_text().count("\n")
            print(f"{program.stem:28} {lines:7} {least['text'][0]:7.2f} {least['text'][1]:5.0f} {least['changes'][0]:10.2f} {least['page'][0]:7.2f} "
                  f"{page.stat().st_size / 2**20:11.2f} {least['timeline'][0]:10.2f} {timeline.stat().st_size / 2**20:11.2f}", flush=True)


if __name__ == "__main__":
    main()

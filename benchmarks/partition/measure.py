# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a program: with `shardwise run`, and with XLA in a process of its own, which may abort."""

import dataclasses
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Rounds of loops that run until a condition on data holds: of these inputs, as our runs count them.
ROUNDS = {"decode_loop": 9, "loop_until_small": 4}


@dataclasses.dataclass(frozen=True)
class Program:
    """`expert` is None where nobody has counted; inputs and expected outputs lie beside a model.mlir."""

    name: str
    idea: str
    path: pathlib.Path
    expert: int | None = None
    why: str = ""
    options: tuple[str, ...] = ()


def recorded(folder: pathlib.Path, idea: str) -> list[Program]:
    """The programs of examples/ or test/programs, with the values that JAX recorded."""
    return [Program(path.parent.name, idea, path,
                    options=("--inputs", f"{path.parent}/inputs", "--expect", f"{path.parent}/outputs"))
            for path in sorted(folder.glob("*/model.mlir"))]


def table(rows) -> list[Program]:
    """The rows of the table, from their exported or written texts."""
    folders = {True: HERE / "texts", False: HERE / "written"}
    return [Program(row.name, row.idea, folders[row.function is not None] / f"{row.name}.mlir",
                    int(row.expert), row.why, row.options)
            for row in rows]


def run_shardwise(tool: pathlib.Path, program: Program) -> dict:
    """`verified` is True, False or None (not compared); `refusal` is there instead where it was refused."""
    try:
        process = subprocess.run([tool, "run", program.path, "--json", *program.options],
                                 capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return {"refusal": "took more than 300 s"}
    try:
        report = json.loads(process.stdout)
    except json.JSONDecodeError:
        lines = [line for line in process.stderr.splitlines() if "error:" in line] or process.stderr.splitlines()
        message = lines[0] if lines else f"ended with status {process.returncode}"
        return {"refusal": message.split("error: ", 1)[-1]}
    # An output that was compared says how far it is off.
    is_compared = any(output.get(key) is not None for output in report["outputs"]
                      for key in ("max_abs_error", "expected_max_abs_error"))
    return {
        "verified": report["verified"] if is_compared else None,
        "collectives": [{"kind": entry["kind"], "axes": entry["axes"], "count": entry["count"],
                         "bytes": entry["bytes_received_per_device"]} for entry in report["collectives"]],
        "received": sum(entry["bytes_received_per_device"] for entry in report["collectives"]),
        "peak": report["peak_bytes_per_device"],
        # A program with a manual computation has no unpartitioned form.
        "unpartitioned_peak": report.get("unpartitioned_peak_bytes"),
        "seconds": report["compile_seconds"] + report["run_seconds"],
    }


def has_jax(python: pathlib.Path) -> bool:
    try:
        return subprocess.run([python, "-c", "import jax"], capture_output=True).returncode == 0
    except OSError:
        return False


def run_xla(python: pathlib.Path, programs: list[Program]):
    """Yields XLA's answer for each program in order. A process that aborts is started again behind
    the program at fault."""
    rest = list(programs)
    while rest:
        files = [f"{program.path}*{ROUNDS.get(program.name, '')}" for program in rest]
        command = [python, HERE / "xla.py", *files]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            for line in process.stdout:
                rest.pop(0)
                answer = json.loads(line)
                if "error" not in answer:
                    answer["received"] = sum(entry["bytes"] for entry in answer["collectives"])
                yield answer
        if rest:
            rest.pop(0)
            yield {"error": f"XLA ended with status {process.returncode}"}

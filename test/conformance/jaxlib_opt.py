#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sdy_opt's command line on the passes inside jaxlib (PyPI), as a living reference.

    jaxlib_opt.py [-PASS | -PASS=OPTIONS]... FILE     FILE '-' reads standard input
    jaxlib_opt.py --serve                             many programs in one process

Needs a Python with jaxlib.  Prints the module, or FILE:LINE:COL: error: lines with exit
status 1; exit status 2 means a pass that this jaxlib does not have.

With --serve every line of standard input is a JSON object with "flags", "text" and "path",
answered by one line with "returncode", "stdout" and "stderr"; with "repetitions" it is
answered by the figures of `time_passes` instead.  The first line is {"jaxlib": VERSION}.
"""

import functools
import json
import os
import re
import resource
import subprocess
import sys
import time

import jaxlib.version
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, sdy, stablehlo

IGNORED = {"split-input-file", "mlir-print-debuginfo"}
GENERIC = "mlir-print-op-generic"


class UnknownPass(Exception):
    """A flag that is neither a module pass nor a function pass."""


def new_context():
    """A context with the dialects that a sharded program uses."""
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.enable_multithreading(False)  # diagnostics in program order
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for dialect in (sdy, chlo, stablehlo):
        dialect.register_dialect(context)
    return context


@functools.lru_cache(maxsize=None)
def pipeline_element(flag):
    """The pipeline text of '-PASS' or '-PASS=OPTIONS', nested in func.func where needed."""
    name, _, options = flag.lstrip("-").partition("=")
    options = options.strip('"')
    text = "%s{%s}" % (name, options) if options else name
    context = new_context()
    for element in (text, "func.func(%s)" % text):
        try:
            passmanager.PassManager.parse("builtin.module(%s)" % element, context=context)
            return element
        except Exception:  # the bindings raise several types
            continue
    raise UnknownPass("unknown pass %s" % text)


def pass_manager(flags, context):
    """The passes of a command line, or None if it names none."""
    elements = [pipeline_element(f) for f in flags if f.lstrip("-") not in IGNORED | {GENERIC}]
    if not elements:
        return None
    return passmanager.PassManager.parse("builtin.module(%s)" % ",".join(elements), context=context)


def diagnostics(error, path):
    """The error as a compiler prints it: one PATH:LINE:COL: error: line per diagnostic."""
    lines = []
    for diagnostic in getattr(error, "error_diagnostics", []):
        where = re.search(r'"?([^"(]*)"?:(\d+):(\d+)', str(diagnostic.location))
        line, column = (where.group(2), where.group(3)) if where else (1, 1)
        lines.append("%s:%s:%s: error: %s" % (path, line, column, diagnostic.message))
    return "\n".join(lines or ["%s:1:1: error: %s" % (path, error)]) + "\n"


def run(flags, text, path="input.mlir"):
    """Parses, runs the passes and prints; returns a CompletedProcess like a run of sdy_opt."""
    generic = any(f.lstrip("-") == GENERIC for f in flags)
    status, out, err = 1, "", ""
    with new_context() as context:
        try:
            passes = pass_manager(flags, context)
            module = ir.Module.parse(text)
            if module.operation.verify():
                if passes:
                    passes.run(module.operation)
                status = 0
                out = module.operation.get_asm(enable_debug_info=False,
                                               print_generic_op_form=generic) + "\n"
        except UnknownPass as error:
            status, err = 2, "%s\n" % error
        except Exception as error:  # the bindings raise several types
            err = diagnostics(error, path)
    return subprocess.CompletedProcess(list(flags), status, out, err)


def peak_rss():
    """Peak resident memory of this process so far, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def time_passes(flags, text, repetitions):
    """Seconds of each parse and print and of each run of the passes, both with verification, and
    peak memory in MiB before and after; the memory includes that for printing the result."""
    result = {"parse": [], "passes": [], "rss_before": peak_rss()}
    for _ in range(repetitions):
        with new_context() as context:
            passes = pass_manager(flags, context)
            start = time.perf_counter()
            module = ir.Module.parse(text)
            module.operation.get_asm(enable_debug_info=False)
            parsed = time.perf_counter()
            if passes:
                passes.run(module.operation)
            result["parse"].append(parsed - start)
            result["passes"].append(time.perf_counter() - parsed)
            module.operation.get_asm(enable_debug_info=False)
    result["rss"] = peak_rss()
    return result


def answer(request):
    """The reply to one request of --serve."""
    if "repetitions" in request:
        try:
            return time_passes(request["flags"], request["text"], request["repetitions"])
        except Exception as error:  # the bindings raise several types
            return {"error": diagnostics(error, request["path"])}
    done = run(request["flags"], request["text"], request["path"])
    return {"returncode": done.returncode, "stdout": done.stdout, "stderr": done.stderr}


def serve():
    """Answers requests until standard input ends."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever the passes print must not mix with the replies
    print(json.dumps({"jaxlib": jaxlib.version.__version__}), file=replies, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=replies, flush=True)


def main():
    arguments = sys.argv[1:]
    if arguments == ["--serve"]:
        serve()
        return 0
    flags = [a for a in arguments if a.startswith("-") and a != "-"]
    files = [a for a in arguments if a not in flags]
    if len(files) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    text = sys.stdin.read() if files[0] == "-" else open(files[0], encoding="utf-8").read()
    done = run(flags, text, files[0])
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

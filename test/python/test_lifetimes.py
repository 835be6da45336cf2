# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that call the Python package at once, and memory that comes back."""

import concurrent.futures
import gc
import subprocess
import sys
import threading
import time

import numpy

from conftest import ROOT
from python_package import MLP, PACKAGE, PRODUCT, shardwise as package


def test_threads_call_everything_at_once():
    program = package.compile(MLP)
    inputs = program.random_inputs()
    expected = [one.tolist() for one in program.run(inputs)]
    text = program.text()
    mesh = package.Mesh({"x": 2, "y": 3})

    def work(number):
        kind = number % 6
        if kind == 0:
            return [one.tolist() for one in program.run(inputs)] == expected
        if kind == 1:
            return program.text() == text
        if kind == 2:
            return package.compile(PRODUCT).verify(seed=number).verified
        if kind == 3:
            return package.plan((6, 6), "f32", mesh, ("x", "y"), ("y", "x")).received_bytes == 24
        if kind == 4:
            return program.verify(inputs).verified
        try:
            package.compile(f"module {{ {number} }}", name=f"{number}.mlir")
        except package.ProgramError as error:
            return error.file == f"{number}.mlir"
        return False

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(60)))


def test_other_threads_run_meanwhile():
    """A thread that only counts goes on while the compiler works."""
    counts = []
    done = threading.Event()

    def count():
        while not done.is_set():
            counts.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        start = time.perf_counter()
        package.explain(ROOT / "examples/transformer_train/model.mlir", all_values=True)
        end = time.perf_counter()
    finally:
        done.set()
        thread.join()
    inside = [moment for moment in counts if start < moment < end]
    assert len(inside) >= 3, (len(inside), end - start)


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_memory_comes_back():
    text = "".join(["module {\n  func.func @main(%a: tensor<1048576xf32>) -> tensor<1048576xf32> {\n",
                    "    %b = stablehlo.negate %a : tensor<1048576xf32>\n",
                    "    return %b : tensor<1048576xf32>\n  }\n}\n"])
    program = package.compile(text)
    array = numpy.ones(1 << 20, numpy.float32)
    references = sys.getrefcount(array)

    def rounds(count):
        for _ in range(count):
            program.run([array])
            package.compile(PRODUCT)
            try:
                package.compile("module { x }")
            except package.ProgramError:
                pass
        gc.collect()

    rounds(10)
    before = resident_bytes()
    rounds(100)  # 400 MiB of results, 100 contexts.
    assert resident_bytes() - before < 64 << 20
    assert sys.getrefcount(array) == references


def test_results_outlive_their_program():
    program = package.compile(PRODUCT)
    inputs = program.random_inputs()
    out, = program.run(inputs)
    shards, = program.run_shards(inputs)
    del program
    gc.collect()
    numpy.testing.assert_allclose(out, inputs[0] @ inputs[1], rtol=1e-5)
    numpy.testing.assert_array_equal(shards[0].data, out[shards[0].index])


def test_nothing_is_leaked_at_the_end():
    script = f"""
import shardwise
program = shardwise.compile({PRODUCT!r})
out = program.run_shards(program.random_inputs())
"""
    process = subprocess.run([sys.executable, "-c", script], env={"PYTHONPATH": str(PACKAGE)}, text=True,
                             capture_output=True, timeout=120)
    assert (process.returncode, process.stderr) == (0, "")

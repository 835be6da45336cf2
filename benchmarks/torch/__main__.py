# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps on eight virtual devices, as multiples of eager PyTorch in the same run.

    PYTHONPATH=build/python .venv/bin/python benchmarks/torch [--steps N] [--threads N] [--torch-xla PYTHON] [NAME ...]

A step reads its loss. Eager steps and ours alternate; those behind the fourth count. Shown are the first step, medians of
wall time, their ratio, that of the processor's time (all threads), what torch_xla takes, compilations in all and behind the
second step with batches of these shapes (the last batch of an epoch may be smaller), the largest relative difference of a
loss to eager, and ops that PyTorch ran on the host.

With `--torch-xla`, the Python of an environment that has torch_xla, the same program runs there on 8 CPU devices, in turns
with ours, and "xla" is its wall time over ours in this run. Without, it is the ratio to eager PyTorch that torch_xla 2.9 had on
a program of this name (wall time, idle machine, sizes of its own).
"""

import argparse
import collections
import math
import statistics
import time
import warnings

import torch

import places
import programs
import shardwise_place
import torch_xla_process

import shardwise.torch as xs

try:
    import transformer_programs
except ImportError:
    transformer_programs = None

#: Wall time of torch_xla 2.9 over that of eager PyTorch, 8 CPU devices.
TORCH_XLA = {
    "mlp_data_parallel": 12, "mlp_loader": 12, "mlp_tensor_parallel": 8, "mlp_2d": 8, "mlp_uneven": 7, "mlp_dropout": 19,
    "mlp_autocast": 6, "checkpoint_roundtrip": 15, "resnet_data_parallel": 5, "resnet_channels": 7, "conv_autoencoder": 7,
    "embedding_bag": 19, "lstm_language": 76, "transformer_encoder": 9, "inplace_and_views": 350, "gpt2_2d": 6,
    "gpt2_greedy": 156, "gpt2_generate": 24, "llama_fsdp": 3, "bert_2d": 9, "t5_adafactor": 15, "vit_data_parallel": 236,
    "dense_experts": 6, "mixtral_experts": 338,
}


class Runner:
    """A program in a place: its steps, and what each took."""

    def __init__(self, program, place):
        torch.manual_seed(0)
        self.step = program(place)
        self.wall, self.cpu, self.losses = [], [], []

    def run(self, seed):
        torch.manual_seed(seed)
        wall, cpu = time.perf_counter(), time.process_time()
        self.losses.append(self.step())
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)


def measured(program, steps, python):
    """Runs a program eagerly, on the devices and, if `python` has torch_xla, there, in turns; returns what is shown of it."""
    before, fallbacks = xs.compile_count(), sum(xs.fallback_counts().values())
    devices = shardwise_place.Devices()
    eager, ours = Runner(program, places.Eager()), Runner(program, devices)
    theirs = torch_xla_process.Steps(python, program.__name__) if python else None
    seen, late = collections.Counter(), 0
    for step in range(steps):
        eager.run(step)
        devices.sent.clear()
        compiled = xs.compile_count()
        ours.run(step)
        seen[tuple(devices.sent)] += 1
        late += xs.compile_count() - compiled if seen[tuple(devices.sent)] > 2 else 0
        if theirs:
            theirs.run(step)
    wall, base = statistics.median(ours.wall[4:]), statistics.median(eager.wall[4:])
    cpu = statistics.median(ours.cpu[4:]) / max(statistics.median(eager.cpu[4:]), 1e-9)
    apart = max(abs(a - b) / max(abs(b), 1e-6) for a, b in zip(ours.losses, eager.losses))
    return {"first": ours.wall[0], "wall": wall, "eager": base, "ratio": wall / base, "cpu": cpu, "compiled": xs.compile_count() - before,
            "late": late, "apart": apart, "host": sum(xs.fallback_counts().values()) - fallbacks,
            "xla": told_of(theirs, wall) if theirs else str(TORCH_XLA.get(program.__name__, "-"))}


def told_of(theirs, wall):
    """Wall time of torch_xla's steps over `wall`; why there is none, if it failed."""
    theirs.close()
    if theirs.error:
        print(f"torch_xla: {theirs.error}")
        return "fails"
    return f"{statistics.median(theirs.wall[4:]) / wall:.1f}"


def mean_of(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def main():
    known = {one.__name__: one for one in programs.PROGRAMS + (transformer_programs.PROGRAMS if transformer_programs else [])}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"programs; all by default: {', '.join(known)}")
    parser.add_argument("--steps", type=int, default=20, help="steps of each program; 20 by default")
    parser.add_argument("--threads", type=int, help="threads of eager PyTorch; its own choice by default")
    parser.add_argument("--torch-xla", metavar="PYTHON", help="a Python that has torch_xla, to run the programs there, too")
    options = parser.parse_args()
    unknown = set(options.names) - set(known)
    if unknown:
        parser.error(f"there is no program {sorted(unknown)[0]!r}; the programs are {', '.join(known)}")
    if options.steps < 5:
        parser.error("--steps must be 5 or more: those behind the fourth are measured")
    if options.threads:
        torch.set_num_threads(options.threads)
    warnings.simplefilter("ignore")
    if transformer_programs is None:
        print("transformers is not installed: its models are left out (make setup-optional installs it)")
    print(f"{'program':22}{'first s':>8}{'ms/step':>9}{'eager':>8}{'ratio':>7}{'cpu':>7}{'xla':>6}  compiled (late)  apart    host")
    rows = []
    for name in options.names or known:
        row = measured(known[name], options.steps, options.torch_xla)
        rows.append(row)
        print(f"{name:22}{row['first']:8.2f}{row['wall'] * 1e3:9.1f}{row['eager'] * 1e3:8.1f}{row['ratio']:7.2f}{row['cpu']:7.2f}"
              f"{row['xla']:>6}  {row['compiled']:3} ({row['late']}){'':9}{row['apart']:.0e}{row['host']:6}", flush=True)
    print(f"geometric means: {mean_of([row['ratio'] for row in rows]):.2f} times eager's wall time, "
          f"{mean_of([row['cpu'] for row in rows]):.2f} times its processor time")
    beside = [float(row["xla"]) for row in rows if row["xla"] != "fails"] if options.torch_xla else []
    if beside:
        print(f"torch_xla takes {mean_of(beside):.1f} times our wall time, {min(beside):.1f} times at least")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times shardwise.torch.redistribute beside DTensor.redistribute, on processes with gloo.

Both redistribute the same tensors in turn; a time is that of the slowest rank, processor time that of all ranks together, of
each pair the median. Prints the geometric means of DTensor's over ours, and the pairs in which ours takes longest. Where
other work shares the machine, processor time says more.
"""

import argparse
import itertools
import logging
import math
import pathlib
import random
import statistics
import sys
import tempfile
import time
import warnings

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pairs_of(mesh_dims, tensor_dims):
    """All pairs of different placements between which DTensor redistributes."""
    kinds = [*map(Shard, range(tensor_dims)), Replicate(), Partial()]
    placements = list(itertools.product(kinds, repeat=mesh_dims))
    return [(before, after) for before, after in itertools.product(placements, repeat=2)
            if before != after and not any(one.is_partial() and one != own for own, one in zip(before, after))]


def timed(function, calls, source, mesh, after):
    """Time and processor time of a call on this rank, of several in a row."""
    dist.barrier()
    start, processor = time.perf_counter(), time.process_time()
    for _ in range(calls):
        function(source, mesh, after)
    return torch.tensor([time.perf_counter() - start, time.process_time() - processor], dtype=torch.float64) / calls


def theirs(source, mesh, after):
    return source.redistribute(mesh, after)


def work(rank, options, store):
    """One rank; the first prints."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    sys.path.insert(0, str(options.package))
    import shardwise.torch as xs
    torch.set_num_threads(1)
    sizes = options.mesh
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=math.prod(sizes))
    mesh = init_device_mesh("cpu", sizes, mesh_dim_names=tuple(f"d{dim}" for dim in range(len(sizes))))
    if options.flatten:
        # DTensor then merges collectives of neighbouring dimensions.
        for count in range(2, len(sizes) + 1):
            for names in itertools.combinations(mesh.mesh_dim_names, count):
                mesh[names]._flatten()
    pairs = pairs_of(len(sizes), len(options.shape))
    if options.pairs < len(pairs):
        pairs = random.Random(options.seed).sample(pairs, options.pairs)
    times = torch.zeros(len(pairs), options.repeats, 2, 2, dtype=torch.float64)
    for number, (before, after) in enumerate(pairs):
        shape, _ = compute_local_shape_and_global_offset(options.shape, mesh, before)
        source = DTensor.from_local(torch.randn(shape), mesh, before, run_check=False,
                                    shape=torch.Size(options.shape), stride=torch.empty(options.shape, device="meta").stride())
        functions = (xs.redistribute, theirs)
        results = [function(source, mesh, after).to_local() for function in functions]
        torch.testing.assert_close(*results, rtol=1e-4, atol=1e-4)
        for repeat in range(options.repeats):
            for which in (0, 1) if repeat % 2 else (1, 0):
                times[number, repeat, which] = timed(functions[which], options.calls, source, mesh, after)
    slowest, together = times[..., 0].clone(), times[..., 1].clone()
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    dist.all_reduce(together)
    if rank == 0:
        report(options, pairs, slowest.median(1).values, together.median(1).values)
    dist.destroy_process_group()


def report(options, pairs, times, processor):
    size = math.prod(options.shape) * 4
    print(f"{len(pairs)} pairs of {'x'.join(map(str, options.shape))}xf32 ({size} B) on a mesh {options.mesh}"
          f"{', DTensor with flattened meshes' if options.flatten else ''}, DTensor's time over ours")
    is_move = torch.tensor([not any(one.is_partial() and one != to for one, to in zip(*pair)) for pair in pairs])
    for what, medians in (("time", times), ("processor time", processor)):
        ratios = medians[:, 1] / medians[:, 0]
        means = [statistics.geometric_mean(ratios[chosen].tolist()) if chosen.any() else math.nan
                 for chosen in (torch.ones_like(is_move), is_move, ~is_move)]
        print(f"  {what + ':':16} geometric mean {means[0]:.2f} (moves {means[1]:.2f}, sums {means[2]:.2f}), "
              f"worst {ratios.min():.2f}, best {ratios.max():.2f}; {int((ratios < 1).sum())} below 1")
        for number in ratios.argsort()[:options.top].tolist():
            ours, dtensor = medians[number].tolist()
            names = " -> ".join("(" + ", ".join(map(str, placements)) + ")" for placements in pairs[number])
            print(f"    {ratios[number]:6.2f}  DTensor {dtensor * 1e3:8.2f} ms, ours {ours * 1e3:8.2f} ms  {names}")


def sizes(text):
    return tuple(map(int, text.split("x")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=pathlib.Path, default=ROOT / "build/python", help="folder of shardwise")
    parser.add_argument("--mesh", type=sizes, default=(2, 2, 2))
    parser.add_argument("--shape", type=sizes, nargs="*", default=[(128, 128), (1024, 1024)])
    parser.add_argument("--pairs", type=int, default=10**9, help="so many random ones; by default all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--calls", type=int, default=4, help="so many in a row are timed together")
    parser.add_argument("--top", type=int, default=5, help="so many of the worst pairs are listed")
    parser.add_argument("--flatten", action="store_true", help="let DTensor merge collectives of several dimensions")
    options = parser.parse_args()
    for options.shape in options.shape:
        with tempfile.TemporaryDirectory() as folder:
            multiprocessing.start_processes(work, (options, f"{folder}/store"), nprocs=math.prod(options.mesh),
                                            start_method="fork")


if __name__ == "__main__":
    main()

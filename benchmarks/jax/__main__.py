# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shardwise.jax.jit beside jax.jit, on 8 CPU devices: time of a step, time to compile, received bytes.

    python benchmarks/jax [--package build/python] [--only NAME ...] [--rounds 30] [--topology NAME] [--json FILE]

Both are measured in one run, in turns. Programs that are timed are in timed_programs.py; bytes and time to compile
are taken of them and of the rows of benchmarks/partition that are functions. Bytes are what a device receives, counted
in `compiled.as_text()` on both sides by the same table. Time to compile is from the function to the executable, in seconds
of the processor, which other work on the machine does not change much. "alone" is the time of `jax.jit` for the same program on one
device: what XLA takes where there is nothing to partition and nothing to send.
"""

import argparse
import json
import math
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# On these XLA's own partitioner ends the process: fft_handler.cc, "size_per_partition % num_partitions == 0".
ABORTS = {"fourier_transform_of_a_cube"}

import jax  # noqa: E402

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 8)


def arguments_of(shapes, generator):
    import numpy
    return jax.tree.map(lambda shape: (generator.standard_normal(shape) * 0.1).astype(numpy.float32), shapes,
                        is_leaf=lambda one: isinstance(one, tuple) and all(isinstance(size, int) for size in one))


def mesh_of(axes):
    import numpy
    count = math.prod(axes.values())
    return jax.sharding.Mesh(numpy.array(jax.devices()[:count]).reshape(tuple(axes.values())), tuple(axes))


def on_mesh(specs, mesh):
    return jax.tree.map(lambda spec: jax.sharding.NamedSharding(mesh, spec), specs,
                        is_leaf=lambda one: isinstance(one, jax.sharding.PartitionSpec))


def cases(only, done):
    """Name, mesh, function, in_shardings, out_shardings, arguments, kind of each program."""
    import numpy
    from timed_programs import TIMED
    from rows import ROWS

    generator = numpy.random.default_rng(0)
    for one in TIMED:
        if one.name in done or only and one.name not in only:
            continue
        mesh = mesh_of(one.mesh)
        ins, outs = on_mesh(one.specs, mesh), on_mesh(one.results, mesh)
        arguments = jax.device_put(tuple(arguments_of(list(one.shapes), generator)), tuple(ins))
        yield one.name, mesh, one.function, ins, outs, arguments, "gathered" if one.is_gathered else "step"
    for row in ROWS:
        if not row.function or row.name in ABORTS or row.name in done or only and row.name not in only:
            continue
        mesh = mesh_of(row.mesh)
        ins = tuple(on_mesh(spec_of(one.on), mesh) for one in row.arguments)
        outs = tuple(on_mesh(spec_of(on), mesh) for on in row.results)
        arguments = [jax.ShapeDtypeStruct(one.shape, one.dtype) for one in row.arguments]
        yield (row.name, mesh, lambda *given, row=row: tuple(jax.tree.leaves(row.function(*given))), ins, outs,
               arguments, "row")


def spec_of(on):
    axes = [tuple(word.split(",")) if "," in word else word for word in on.split()]
    return jax.sharding.PartitionSpec(*(None if word == "-" else word for word in axes))


def compiled_by(make, arguments):
    """The executable, and processor seconds from the function to it."""
    start = time.process_time()
    compiled = make().lower(*arguments).compile()
    return compiled, time.process_time() - start


def compiled_alone(mesh, function, ins, outs, arguments):
    """Processor seconds from the function to XLA's executable for one device."""
    alone = mesh_of(dict.fromkeys(mesh.axis_names, 1))
    ins, outs = jax.tree.map(lambda one: jax.sharding.NamedSharding(alone, one.spec), (ins, outs))
    shapes = jax.tree.map(lambda one: jax.ShapeDtypeStruct(one.shape, one.dtype), arguments)
    with jax.set_mesh(alone):
        return compiled_by(lambda: jax.jit(lambda *given: function(*given), in_shardings=ins, out_shardings=outs),
                           shapes)[1]


def measure(name, mesh, function, ins, outs, arguments, kind, rounds, topology):
    import shardwise.jax
    from hlo_received import busiest

    makers = {
        "xla": lambda: jax.jit(lambda *given: function(*given), in_shardings=ins, out_shardings=outs),
        "ours": lambda: shardwise.jax.jit(lambda *given: function(*given), mesh=mesh, in_shardings=ins,
                                          out_shardings=outs, verify="never", topology=topology),
    }
    result = {"name": name, "kind": kind}
    with jax.set_mesh(mesh):
        executables = {}
        for who, make in makers.items():
            executables[who], result[f"{who}_compile"] = compiled_by(make, arguments)
            result[f"{who}_bytes"] = busiest(executables[who].as_text(), mesh.size)
        try:
            result["alone_compile"] = compiled_alone(mesh, function, ins, outs, arguments)
        except (TypeError, ValueError):
            pass  # Written for this number of devices, as are bodies of shard_map.
        if kind == "row":
            return result
        times = {who: [] for who in makers}
        for number in range(rounds + 3):
            # Neither is always the one behind the other.
            for who in list(makers)[::1 if number % 2 else -1]:
                start = time.perf_counter()
                jax.block_until_ready(executables[who](*arguments))
                if number >= 3:
                    times[who].append(time.perf_counter() - start)
        for who, seconds in times.items():
            result[f"{who}_seconds"] = statistics.median(seconds)
        # Pairs that ran one behind the other saw the same machine.
        result["time_ratio"] = statistics.median(a / b for a, b in zip(times["ours"], times["xla"]))
    return result


def mean(values):
    values = list(values)
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def summary(results):
    both = [one for one in results if one["xla_bytes"] and one["ours_bytes"]]
    lines = [f"{len(results)} programs"]
    for kind, what in (("step", "steps"), ("gathered", "programs for which XLA gathers or rematerialises")):
        ratios = [one["time_ratio"] for one in results if one["kind"] == kind]
        if ratios:
            lines.append(f"time of {what}: {mean(ratios):.2f} of jax.jit's, "
                         f"from {min(ratios):.2f} to {max(ratios):.2f}")
    slower = sorted(results, key=lambda one: -one["xla_compile"])[:len(results) // 3]
    for what, some in (("", results), (" of the third that takes jax.jit longest", slower)):
        alone = mean(one["alone_compile"] / one["xla_compile"] for one in some if "alone_compile" in one)
        lines.append(f"time to compile{what}: {mean(one['ours_compile'] / one['xla_compile'] for one in some):.2f} of "
                     f"jax.jit's; alone {alone:.2f}")
    if results:
        whole = {who: sum(one[f"{who}_compile"] for one in results) for who in ("ours", "xla")}
        lines.append(f"time to compile in sum: {whole['ours'] / whole['xla']:.2f} of jax.jit's")
    lines.append(f"received bytes where both receive some ({len(both)}): "
                 f"{mean(one['ours_bytes'] / one['xla_bytes'] for one in both):.2f} of jax.jit's")
    lines.append("nothing instead of something: "
                 f"{sum(one['xla_bytes'] > 0 and not one['ours_bytes'] for one in results)} programs")
    above = [one["name"] for one in results if one["ours_bytes"] > one["xla_bytes"]]
    lines.append(f"more than jax.jit's: {', '.join(above) or 'none'}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", default=str(ROOT / "build/python"), help="folder with the package shardwise")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--topology", help="as of shardwise.jax.jit")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--resume", action="store_true", help="go on with what --json has; XLA may end the process")
    options = parser.parse_args()
    sys.path[:0] = [options.package, str(HERE), str(ROOT / "benchmarks/partition")]
    results = []
    if options.resume and options.json and options.json.exists():
        results = json.loads(options.json.read_text())
    # Written after each program, so that an interrupted run is not lost.
    write = lambda: options.json and options.json.write_text(json.dumps(results, indent=1))  # noqa: E731
    print(f"{'program':48} {'time':>6} {'compile':>8} {'bytes':>12} {'of XLA':>12}")
    for case in cases(options.only, {one["name"] for one in results}):
        try:
            one = measure(*case, options.rounds, options.topology)
        except Exception as error:  # XLA and JAX raise what they like; the table goes on.
            print(f"{case[0]:48} {type(error).__name__}: {str(error).splitlines()[0][:120]}", flush=True)
            continue
        results.append(one)
        ratio = f"{one['time_ratio']:6.2f}" if "time_ratio" in one else " " * 6
        print(f"{one['name']:48} {ratio} {one['ours_compile'] / one['xla_compile']:8.2f} {one['ours_bytes']:12,}"
              f" {one['xla_bytes']:12,}", flush=True)
        write()
    print("\n".join(summary(results)))


if __name__ == "__main__":
    main()

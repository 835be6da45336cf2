# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardings with unreduced axes: each device has a partial value in its file, and `shardwise reshard` writes what they
combine to."""

import functools
import itertools
import json
import os
import random
import subprocess
import sys

import numpy
import pytest

from conftest import BUILD, IS_SANITIZED
from safetensors_files import Raw, load, save
from sharded_files import NAMES, axes_of, boxes, random_sharding

FOLDS = {"sum": numpy.add, "max": numpy.maximum, "min": numpy.minimum}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def summand_of(position, mesh, unreduced):
    """The coordinates along the unreduced axes, which are full ones in mesh order."""
    coordinates = next(itertools.islice(itertools.product(*map(range, axes_of(mesh).values())), position, None))
    return tuple(at for name, at in zip(axes_of(mesh), coordinates) if name in unreduced)


def write_summands(folder, draw, shape, dtype, mesh, sharding, unreduced, reduction):
    """Random partial values, replicas alike. Returns what they combine to, one after the other by coordinates."""
    axes = ", ".join(f'"{name}"' for name in unreduced)
    text = f'{sharding}, unreduced={"" if reduction == "sum" else reduction}{{{axes}}}'
    folder.mkdir()
    numbers = sorted({summand_of(position, mesh, unreduced) for position in range(numpy.prod(list(axes_of(mesh).values())))})
    wholes = {number: numpy.array(draw.choices(range(-999, 999), k=int(numpy.prod(shape))), "f8")
              .reshape(shape).astype(dtype) / numpy.array(7).astype(dtype) for number in numbers}
    wholes = {number: whole.astype(dtype) for number, whole in wholes.items()}
    for position, box in enumerate(boxes(shape, mesh, sharding)):
        numpy.save(folder / f"{position}.npy", numpy.asarray(wholes[summand_of(position, mesh, unreduced)][box],
                                                             order=draw.choice("CF")))
    (folder / "index.json").write_text(json.dumps(
        {"mesh": mesh, "sharding": text, "shape": list(shape), "dtype": NAMES[numpy.dtype(dtype).name]}))
    return functools.reduce(FOLDS[reduction], (wholes[number] for number in numbers))


@pytest.mark.parametrize("seed", range(10))
def test_random_partial_values(shardwise, here, seed):
    """The bits are those of adding the devices' values one by one, whatever tiles, replicas and orders in memory."""
    draw = random.Random(seed)
    shape = tuple(draw.choice((1, 3, 5, 8, 13)) for _ in range(draw.randint(1, 3)))
    mesh = draw.choice(('["x"=2, "y"=3]', '["x"=3, "y"=2, "z"=2]', '["x"=5, "y"=2]'))
    unreduced = [name for name in axes_of(mesh) if draw.random() < 0.6] or ["x"]
    free = ", ".join(f'"{name}"={size}' if name not in unreduced else f'"_{name}"={size}'
                     for name, size in axes_of(mesh).items())
    cut = random_sharding(draw, f"[{free}]", len(shape))
    # Axes that are unreduced cut nothing.
    for name in unreduced:
        cut = cut.replace(f'"_{name}"', "").replace(", , ", ", ").replace("{, ", "{").replace(", }", "}")
    dtype, reduction = draw.choice(("float32", "float64", "float16", "int32")), draw.choice(list(FOLDS))
    expected = write_summands(here / "in", draw, shape, dtype, mesh, cut, unreduced, reduction)
    to = random_sharding(draw, '["p"=4]', len(shape))
    run = shardwise("reshard", "in", "out", "--to-mesh", '["p"=4]', "--to", to, "--json",
                    "--memory", draw.choice(("64B", "1KiB", "1MiB")))
    assert run.returncode == 0, run.stderr
    for position, box in enumerate(boxes(shape, '["p"=4]', to)):
        found = numpy.load(here / f"out/{position}.npy")
        assert found.dtype == expected.dtype and found.tobytes() == numpy.ascontiguousarray(expected[box]).tobytes()
    count = numpy.prod([axes_of(mesh)[name] for name in unreduced])
    assert json.loads(run.stdout)["read_bytes"] == expected.nbytes * count


def test_the_order_is_that_of_the_coordinates(shardwise, here):
    """(1e8 + 1) - 1e8 is 0 in f32; the other orders give 1."""
    (here / "in").mkdir()
    for position, value in enumerate((1e8, 1, -1e8)):
        numpy.save(here / f"in/{position}.npy", numpy.full(3, value, "f4"))
    call = ("reshard", "in", "sum.npy", "--mesh", '["x"=3]', "--from", '[{}], unreduced={"x"}')
    assert shardwise(*call).returncode == 0
    assert (numpy.load(here / "sum.npy") == 0).all()


def test_a_checkpoint_with_gradients_that_are_not_summed(shardwise, here):
    mesh = '["data"=4]'
    gradients = [numpy.random.default_rng(i).standard_normal((6, 5)).astype("f4") for i in range(4)]
    weight = numpy.arange(8.0)
    (here / "in").mkdir()
    for position, gradient in enumerate(gradients):
        save(here / f"in/{position}.safetensors", {"grad": gradient, "weight": weight[2 * position:2 * position + 2]})
    (here / "specs.json").write_text(json.dumps({"mesh": mesh, "tensors": [
        {"name": "grad", "from": '[{}, {}], unreduced={"data"}', "to": '[{"data"}, {}]'},
        {"name": "*", "from": '[{"data"}]', "to": "replicated"}]}))
    run = shardwise("reshard", "in", "out", "--spec", "specs.json")
    assert run.returncode == 0, run.stderr
    total = functools.reduce(numpy.add, gradients)
    for position in range(4):
        shard = load(here / f"out/{position}.safetensors")
        assert (shard["grad"] == total[2 * position:2 * position + 2]).all()
        assert (shard["weight"] == weight).all()


def test_booleans_and_complex(shardwise, here):
    for values, expected in (([[True, False], [False, False]], [True, False]), ([[1 + 2j, 3], [4, 5j]], [5 + 2j, 3 + 5j])):
        (here / "in").mkdir(exist_ok=True)
        for position, value in enumerate(values):
            numpy.save(here / f"in/{position}.npy", numpy.array(value))
        run = shardwise("reshard", "in", "out.npy", "--mesh", '["x"=2]', "--from", '[{}], unreduced={"x"}')
        assert run.returncode == 0, run.stderr
        assert numpy.load(here / "out.npy").tolist() == expected


@pytest.mark.parametrize("arguments, message", [
    (("in", "out", "--to", '[{}], unreduced={"x"}'),
     '--to: sharding [{}], unreduced={"x"}: partial values are read, but not written; leave "unreduced" out'),
    (("whole.npy", "out.npy", "--mesh", '["x"=2]', "--from", '[{}], unreduced={"x"}'),
     "the input has whole values in one file"),
    (("packed", "out.safetensors"), "tensor 'a': the sharding [{}], unreduced={\"x\"} says that devices have partial "
                                    "values: elements of f4E2M1FN, packed 2 in 1 bytes, are moved but not combined"),
])
def test_what_is_refused(shardwise, here, arguments, message):
    numpy.save(here / "whole.npy", numpy.zeros(4))
    for folder in ("in", "packed"):
        (here / folder).mkdir()
        for position in range(2):
            numpy.save(here / f"{folder}/{position}.npy", numpy.zeros(4))
            save(here / f"{folder}/{position}.safetensors", {"a": Raw("F4", (4,), b"ab")})
    entry = {"sharding": '[{}], unreduced={"x"}', "shape": [4]}
    (here / "in/index.json").write_text(json.dumps({"mesh": '["x"=2]', "dtype": "f64", **entry}))
    (here / "packed/index.json").write_text(
        json.dumps({"mesh": '["x"=2]', "tensors": {"a": {"dtype": "f4E2M1FN", **entry}}}))
    before = sorted(os.listdir(here))
    run = shardwise("reshard", *arguments)
    assert run.returncode == 1 and message in run.stderr, run.stderr
    assert sorted(os.listdir(here)) == before


def test_many_summands_take_the_memory_of_one(here):
    """64 partial values of 8 MiB, with buffers of 1 MiB: the process stays far below the 512 MiB of them all."""
    (here / "in").mkdir()
    value = numpy.arange(2**21, dtype="i4")
    for position in range(64):
        numpy.save(here / f"in/{position}.npy", value + position)
    command = [BUILD / "bin/shardwise", "reshard", "in", "out.npy", "--mesh", '["x"=64]', "--from",
               '[{}], unreduced={"x"}', "--memory", "1MiB"]
    # A process begins with the peak of the one that starts it; this one's is far above the tool's.
    small = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=2);"
             "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    kib = int(subprocess.run([sys.executable, "-c", small, *command], check=True, stdout=subprocess.PIPE).stdout)
    assert (numpy.load(here / "out.npy") == value * 64 + 64 * 63 // 2).all()
    assert kib < (40 if not IS_SANITIZED else 120) * 1024

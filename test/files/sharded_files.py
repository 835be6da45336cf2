# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which part of a tensor a device has, written once more, from the definition; and folders of such parts."""

import itertools
import json
import math
import re
import shutil

import numpy

MESHES = ['["x"=2]', '["x"=3]', '["x"=4, "y"=2]', '["x"=2, "y"=3]', '["x"=2, "y"=2, "z"=2]']


def axes_of(mesh):
    return {name: int(size) for name, size in re.findall(r'"(\w+)"=(\d+)', mesh)}


def boxes(shape, mesh, sharding):
    """Slices of each device, by position. Blocks are ceil(N/k) long, by the coordinate along the axes."""
    axes = axes_of(mesh)
    dims = [re.findall(r'"(\w+)"(?::\((\d+)\)(\d+))?', dim) for dim in re.findall(r"\{(.*?)\}", sharding)]
    for coordinates in itertools.product(*map(range, axes.values())):
        at = dict(zip(axes, coordinates))
        box = []
        for size, cut in zip(shape, dims):
            count, block = 1, 0
            for name, before, part in cut:
                before, part = int(before or 1), int(part or axes[name])
                block = block * part + at[name] // (axes[name] // before // part) % part
                count *= part
            width = math.ceil(size / count)
            box.append(slice(min(size, block * width), min(size, (block + 1) * width)))
        yield tuple(box)


def random_sharding(draw, mesh, rank):
    axes = [f'"{name}"' for name in axes_of(mesh)]
    if draw.random() < 0.3:
        axes = [axis for name, size in axes_of(mesh).items() for axis in
                ([f'"{name}":(2)2', f'"{name}":(1)2'] if size == 4 else [f'"{name}"'])]
    draw.shuffle(axes)
    dims = [[] for _ in range(rank)]
    for axis in axes:
        if rank and draw.random() < 0.8:
            dims[draw.randrange(rank)].append(axis)
    return "[" + ", ".join("{" + ", ".join(dim) + "}" for dim in dims) + "]"


NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "int8": "i8", "bool": "i1",
         "complex64": "complex<f32>", "int32": "i32", "uint8": "ui8"}


def write_folder(folder, whole, mesh, sharding, with_index=True, order="C", dtype=None):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for position, box in enumerate(boxes(whole.shape, mesh, sharding)):
        # A scalar has no order.
        numpy.save(folder / f"{position}.npy", numpy.asarray(whole[box], order=order))
    if with_index:
        (folder / "index.json").write_text(json.dumps(
            {"mesh": mesh, "sharding": sharding, "shape": list(whole.shape),
             "dtype": dtype or NAMES[whole.dtype.name]}))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a device has to receive, by counting: independent of the compiler.

Every value is an array of sets, as rows of booleans: which elements of the arguments it is made of. A
device has the elements in its blocks of the arguments, and needs those of which its blocks of the
results are made. What it needs and does not have is the least that it can receive.
"""

import re

import numpy

MESHES = {
    "x2": '["x"=2]',
    "x3": '["x"=3]',
    "x4": '["x"=4]',
    "x5": '["x"=5]',
    "x8": '["x"=8]',
    "x16": '["x"=16]',
    "x2y2": '["x"=2, "y"=2]',
    "x2y3": '["x"=2, "y"=3]',
    "x2y4": '["x"=2, "y"=4]',
    "x4y2": '["x"=4, "y"=2]',
    "x2y2z2": '["x"=2, "y"=2, "z"=2]',
    "x3y2": '["x"=3, "y"=2]',
    # The same devices in other orders.
    "x4_turned": '["x"=4], device_ids=[2, 0, 3, 1]',
    "x4_back": '["x"=4], device_ids=[3, 2, 1, 0]',
    "x2y2_turned": '["x"=2, "y"=2], device_ids=[2, 0, 3, 1]',
    "x2y3_turned": '["x"=2, "y"=3], device_ids=[0, 2, 4, 1, 3, 5]',
    # Single devices.
    "d0": "[], device_ids=[0]",
    "d2": "[], device_ids=[2]",
}


def axes_of(mesh):
    return {name: int(size) for name, size in re.findall(r'"(\w+)"=(\d+)', MESHES[mesh])}


def devices_of(mesh):
    """Ids of devices by position."""
    listed = re.search(r"device_ids=\[([^]]*)\]", MESHES[mesh])
    if listed:
        return [int(number) for number in listed.group(1).split(",")]
    return list(range(numpy.prod(list(axes_of(mesh).values()), dtype=int)))


def cuts_of(mesh, sharding, position):
    """By dimension the number of parts and the number of the device's part."""
    sizes = axes_of(mesh)
    coordinates = dict(zip(sizes, numpy.unravel_index(position, list(sizes.values())))) if sizes else {}
    cuts = []
    for dim in re.findall(r"\{([^}]*)\}", sharding):
        parts, number = 1, 0
        for name, before, size in re.findall(r'"(\w+)"(?::\((\d+)\)(\d+))?', dim):
            count = int(size) if size else sizes[name]
            minor = sizes[name] // (int(before or 1) * count)
            number = number * count + coordinates[name] // minor % count
            parts *= count
        cuts.append((parts, number))
    return cuts


def block(shape, cuts):
    """The part of a tensor as slices: ceil(size / parts) elements each, the last ones shorter."""
    slices = []
    for size, (parts, number) in zip(shape, cuts or [(1, 0)] * len(shape)):
        width = -(-size // parts)
        slices.append(slice(min(size, number * width), min(size, (number + 1) * width)))
    return tuple(slices)


def by_device(place, array):
    """By device id the part of `array`, whose last dimension is of sets, as one set."""
    mesh, sharding = place
    parts = {}
    for position, device in enumerate(devices_of(mesh)):
        part = array[block(array.shape[:-1], cuts_of(mesh, sharding, position))]
        parts[device] = part.reshape(-1, array.shape[-1]).any(axis=0)
    return parts


def received_elements(arguments, results, num_devices):
    """Of the busiest device; both are lists of a place, (mesh, sharding), and an array of sets."""
    num_sources = arguments[0][1].shape[-1]
    most = 0
    owned = [by_device(*argument) for argument in arguments]
    needed = [by_device(*result) for result in results]
    nothing = numpy.zeros(num_sources, dtype=bool)
    for device in range(num_devices):
        have, need = nothing.copy(), nothing.copy()
        for parts in owned:
            have |= parts.get(device, nothing)
        for parts in needed:
            need |= parts.get(device, nothing)
        most = max(most, int((need & ~have).sum()))
    return most

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reader and a writer of .safetensors files, from the description of the format."""

import json

import numpy

NAMES = {"float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32", "int16": "I16",
         "int8": "I8", "uint8": "U8", "bool": "BOOL", "complex64": "C64"}
TYPES = {name: dtype for dtype, name in NAMES.items()}


class Raw:
    """A tensor of a type that NumPy lacks: bytes."""

    def __init__(self, name, shape, data):
        self.name, self.shape, self.data = name, tuple(shape), data

    def __eq__(self, other):
        return (self.name, self.shape, self.data) == (other.name, other.shape, other.data)


def raw(tensor):
    if isinstance(tensor, Raw):
        return tensor
    return Raw(NAMES[tensor.dtype.name], tensor.shape, tensor.tobytes())


def save(path, tensors, metadata=None):
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, tensor in tensors.items():
        tensor = raw(tensor)
        header[name] = {"dtype": tensor.name, "shape": tensor.shape,
                        "data_offsets": [len(data), len(data) + len(tensor.data)]}
        data += tensor.data
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def load(path, with_metadata=False):
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8:8 + length]), content[8 + length:]
    metadata = header.pop("__metadata__", {})
    tensors, covered = {}, 0
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        covered += end - begin
        tensors[name] = Raw(entry["dtype"], entry["shape"], data[begin:end])
        if entry["dtype"] in TYPES:
            tensors[name] = numpy.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    assert covered == len(data)
    return (tensors, metadata) if with_metadata else tensors

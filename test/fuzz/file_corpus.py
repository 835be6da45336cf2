#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes first inputs for FuzzFiles: headers and texts of files with tensors, each behind a byte that says
which it is.

    file_corpus.py FOLDER
"""

import pathlib
import sys

NPY = b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }          \n" + bytes(8)
SAFETENSORS = [
    b'{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}',
    b'{"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},'
    b'"b":{"dtype":"I4","shape":[3,8],"data_offsets":[4,16]},"c":{"dtype":"U8","shape":[0],"data_offsets":[16,16]}}']
INDICES = [
    rb'{"mesh": "[\"x\"=2, \"y\"=3]", "sharding": "[{\"x\":(1)2, \"y\"}, {}]", "shape": [5, 4], "dtype": "f32"}',
    rb'{"mesh": "[\"x\"=2], device_ids=[1, 0]", "tensors": {"a": {"sharding": "[{\"x\"}]", "shape": [8], "dtype": "i4",'
    rb'"segments": {"dim": 0, "sizes": [4, 2, 2]}}, "b": {"sharding": "replicated", "shape": [], "dtype": "bf16"}},'
    rb'"crc32": {"0.safetensors": "0000beef"}}']
SPECS = [
    rb'{"mesh": "[\"x\"=4]", "to_mesh": "[\"y\"=2]", "tensors": [{"name": "*.we[if]ght?", "from": "replicated",'
    rb'"to": "[{\"y\"}]", "segments": {"dim": 0, "sizes": [4, 2, 2]}}, {"name": "*"}]}']


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    for kind, texts in enumerate(([NPY], SAFETENSORS, INDICES, SPECS)):
        for number, text in enumerate(texts):
            (folder / f"seed-{kind}-{number}").write_bytes(bytes([kind]) + text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

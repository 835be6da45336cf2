# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors in files, from one sharding to another, within a limit of memory."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from . import _check, _core
from .errors import FileMissingError, InputTypeError, InvalidError
from .shardings import Mesh, Sharding, Spec, _mesh

__all__ = ["FileReport", "reshard_files"]

_FORMS = ("npy", "safetensors", "huggingface")


@dataclasses.dataclass(frozen=True)
class FileReport:
    """What `reshard_files` has done.

    Attributes:
        tensors: Number of tensors.
        resumed_tensors: Of these, tensors that an interrupted call had written before.
        files: Number of files with elements.
        tensor_bytes: Bytes of all tensors.
        read_bytes: Bytes of elements that were read.
        written_bytes: Bytes of elements that were written; more than once, if there are replicas.
        verified_files: Files of the input whose checksums are right.
        unused_patterns: Those of the specs that are not the first to fit the name of a tensor, as mistyped ones.
        recovered: An interrupted call had only names left to change, which is all that was done.
        seconds: Time.
    """

    tensors: int
    resumed_tensors: int
    files: int
    tensor_bytes: int
    read_bytes: int
    written_bytes: int
    verified_files: int
    unused_patterns: tuple[str, ...]
    recovered: bool
    seconds: float


def reshard_files(input: str | os.PathLike[str], output: str | os.PathLike[str],
                  mesh: Mesh | None = None, from_: str | Spec | Sharding | None = None,
                  to: str | Spec | Sharding | None = None, *, to_mesh: Mesh | None = None,
                  specs: str | os.PathLike[str] | Mapping[str, Any] | None = None,
                  form: str | None = None, file_size: int = 5 * 2**30, memory: int = 2**28,
                  checksum: bool = False, sync: bool = False,
                  progress: Callable[[int, int], None] | None = None) -> FileReport:
    """Rewrites tensors in files from one sharding to another; docs/files.md has the forms of files.

    What is at `output` stays until all of the new is there. If the call is interrupted, also by Ctrl-C,
    the same call goes on later.

    Args:
        input: A .npy or .safetensors file with whole tensors, a folder with a file for each device, or a
            folder in Hugging Face's form.
        output: The same; may be `input`.
        mesh: The devices of the input. Not needed where the input says it.
        from_: The sharding of the input. Likewise.
        to: The sharding of the output; `"replicated"` for none.
        to_mesh: The devices of the output, if they are others.
        specs: How tensors are cut, by patterns of names: a JSON file, or what it would have.
        form: Of an output folder: `npy` or `safetensors` for each device, or `huggingface`. As the input
            if it is not given.
        file_size: Of Hugging Face's form, the bytes of a file's tensors.
        memory: Bytes that buffers may take.
        checksum: Verifies the checksums that the input has, and writes those of the output.
        sync: Waits until the output is on the disk before it gets its name.
        progress: Called about ten times a second with the bytes that are done, and all.

    Returns:
        What has been done.

    Raises:
        InvalidError: An input is not what its header or index says, a sharding does not fit, or a file
            cannot be read or written.
        FileMissingError: There is no such input, or file with specs.
        UnsupportedError: A cut goes through a byte with several elements, `to` is unreduced, or partial values of a
            packed type would have to be combined.
        InputTypeError: An argument is of another type.

    >>> import numpy, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> numpy.save(f"{folder}/whole.npy", numpy.arange(24).reshape(4, 6))
    >>> report = reshard_files(f"{folder}/whole.npy", f"{folder}/shards", Mesh({"x": 3}), to=(None, "x"))
    >>> report.files, report.written_bytes
    (3, 192)
    >>> numpy.load(f"{folder}/shards/1.npy")[0].tolist()
    [2, 3]
    """
    if progress is not None and not callable(progress):
        raise InputTypeError(f"progress must be a function, got {progress!r}")
    is_mapping = isinstance(specs, Mapping)
    options = {
        "mesh": _mesh_text(mesh), "from": _sharding_text(from_), "to_mesh": _mesh_text(to_mesh),
        "to": _sharding_text(to), "specs": "" if specs is None or is_mapping else _path(specs, "specs"),
        "specs_text": _specs_text(specs) if is_mapping else "",
        "form": "" if form is None else _check.one_of(form, "form", _FORMS),
        "file_size": _check.integer(file_size, "file_size", 1),
        "memory": _check.integer(memory, "memory", 1), "checksum": bool(checksum), "sync": bool(sync)}
    source = _path(input, "input")
    try:
        return FileReport(**_core.reshard_files(source, _path(output, "output"), options, progress))
    except InvalidError as error:
        if any(path and not os.path.exists(path) for path in (source, options["specs"])):
            raise FileMissingError(str(error)) from None
        raise


def _path(value: Any, what: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise InputTypeError(f"{what} must be a path, got {value!r}")
    path = _check.string(os.fspath(value), what)
    if not path or "\0" in path:
        raise InvalidError(f"{what} is no path: {value!r}")
    return path


def _mesh_text(mesh: Any) -> str:
    return "" if mesh is None else str(_mesh(mesh))


def _sharding_text(sharding: Any) -> str:
    if sharding is None or sharding == "replicated":
        return sharding or ""
    return str(Sharding(sharding))


def _specs_text(specs: Mapping[str, Any]) -> str:
    """The JSON of `specs`, in which meshes and shardings may be values of this package."""
    try:
        return json.dumps(dict(specs), default=str)
    except (TypeError, ValueError) as error:
        raise InvalidError(f"specs are not what a JSON file can have: {error}") from None

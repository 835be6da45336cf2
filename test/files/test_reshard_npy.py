# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise reshard` on .npy files: what arrives is what was there, whatever the shardings, and what is
wrong is refused before anything is written."""

import json
import random
import zlib

import numpy
import pytest

from sharded_files import MESHES, boxes, random_sharding, write_folder

WHOLE = numpy.arange(10 * 7 * 6, dtype="float32").reshape(10, 7, 6)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numpy.save("whole.npy", WHOLE)
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_from_file_to_folder_to_folder_to_file(shardwise, here):
    run = shardwise("reshard", "whole.npy", "a", "--mesh", '["x"=4, "y"=2]', "--to", '[{"x"}, {}, {"y"}]')
    assert run.returncode == 0, run.stderr
    assert "1 tensor in 8 files, 1.6 KiB" in run.stdout
    assert json.loads((here / "a/index.json").read_text()) == {
        "mesh": '["x"=4, "y"=2]', "sharding": '[{"x"}, {}, {"y"}]', "shape": [10, 7, 6], "dtype": "f32"}
    for position, box in enumerate(boxes(WHOLE.shape, '["x"=4, "y"=2]', '[{"x"}, {}, {"y"}]')):
        assert (numpy.load(here / f"a/{position}.npy") == WHOLE[box]).all()
    run = shardwise("reshard", "a", "b", "--to-mesh", '["p"=3]', "--to", '[{}, {"p"}, {}]', "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert (report["files"], report["tensor_bytes"], report["read_bytes"], report["written_bytes"]) == \
        (3, 1680, 1680, 1680)
    assert shardwise("reshard", "b/", "back.npy").returncode == 0
    assert (numpy.load(here / "back.npy") == WHOLE).all()
    assert names(here) == ["a", "b", "back.npy", "whole.npy"]


@pytest.mark.parametrize("seed", range(12))
def test_random_shardings_and_meshes(shardwise, here, seed):
    """Uneven sizes, empty shards, replicas, sub-axes, either order of memory, tiny tiles."""
    draw = random.Random(seed)
    shape = tuple(draw.choice((1, 2, 3, 5, 8, 13, 0 if seed == 11 else 4)) for _ in range(draw.randint(0, 4)))
    dtype = draw.choice(("float64", "int8", "float16", "complex64", "bool"))
    whole = numpy.random.default_rng(seed).integers(0, 100, shape).astype(dtype)
    mesh, other = draw.choice(MESHES), draw.choice(MESHES)
    before, after = random_sharding(draw, mesh, len(shape)), random_sharding(draw, other, len(shape))
    write_folder(here / "in", whole, mesh, before, with_index=seed % 2 == 0,
                 order=draw.choice(("C", "F")))
    given = () if seed % 2 == 0 else ("--mesh", mesh, "--from", before)
    run = shardwise("reshard", "in", "out", *given, "--to-mesh", other, "--to", after,
                    "--memory", draw.choice(("64", "1KiB", "1MiB")))
    assert run.returncode == 0, run.stderr
    for position, box in enumerate(boxes(shape, other, after)):
        shard = numpy.load(here / f"out/{position}.npy")
        assert shard.dtype == whole.dtype and shard.shape == whole[box].shape
        assert (shard == whole[box]).all()


def test_in_place_and_over_other_shards(shardwise, here):
    assert shardwise("reshard", "whole.npy", "a", "--mesh", '["x"=5]', "--to", '[{"x"}, {}, {}]').returncode == 0
    assert shardwise("reshard", "a", "a", "--to-mesh", '["x"=3]', "--to", '[{}, {"x"}, {}]').returncode == 0
    assert names(here / "a") == ["0.npy", "1.npy", "2.npy", "index.json"]
    assert (numpy.load(here / "a/1.npy") == WHOLE[:, 3:6]).all()
    assert shardwise("reshard", "a", "whole.npy").returncode == 0
    assert (numpy.load(here / "whole.npy") == WHOLE).all()
    assert names(here) == ["a", "whole.npy"]


def test_links_are_followed(shardwise, here):
    (here / "data").mkdir()
    (here / "data/real.npy").write_bytes(b"old")
    (here / "link.npy").symlink_to("data/real.npy")
    assert shardwise("reshard", "whole.npy", "link.npy").returncode == 0
    assert (here / "link.npy").is_symlink()
    assert (numpy.load(here / "data/real.npy") == WHOLE).all()


def test_types_that_numpy_does_not_have(shardwise, here):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype, name in ((ml_dtypes.bfloat16, "bf16"), (ml_dtypes.float8_e4m3fn, "f8E4M3FN")):
        whole = numpy.arange(24).reshape(4, 6).astype(dtype)
        write_folder(here / "in", whole, '["x"=2]', '[{"x"}, {}]', dtype=name)
        run = shardwise("reshard", "in", "out", "--to", '[{}, {"x"}]')
        assert run.returncode == 0, run.stderr
        assert json.loads((here / "out/index.json").read_text())["dtype"] == name
        assert (numpy.load(here / "out/1.npy").view(dtype) == whole[:, 3:]).all()


def test_checksums(shardwise, here):
    assert shardwise("reshard", "whole.npy", "a", "--mesh", '["x"=2]', "--to", '[{"x"}, {}, {}]',
                     "--checksum").returncode == 0
    sums = json.loads((here / "a/index.json").read_text())["crc32"]
    assert sums == {name: f"{zlib.crc32((here / 'a' / name).read_bytes()):08x}" for name in ("0.npy", "1.npy")}
    run = shardwise("reshard", "a", "whole.npy", "--checksum")
    assert "checksums of 2 input files verified" in run.stdout
    assert (here / "whole.npy.crc32").read_text() == \
        f"{zlib.crc32((here / 'whole.npy').read_bytes()):08x}  whole.npy\n"
    for place in ("a/1.npy", "whole.npy"):
        data = bytearray((here / place).read_bytes())
        data[-5] ^= 1
        (here / place).write_bytes(data)
        run = shardwise("reshard", place.split("/")[0], "c.npy", "--checksum")
        assert run.returncode == 1
        assert f"'{place}' is damaged: its checksum is" in run.stderr
        assert not (here / "c.npy").exists()
    # Without checksums, that of the former file goes.
    assert shardwise("reshard", "a", "whole.npy").returncode == 0
    assert names(here) == ["a", "whole.npy"]


def spoil(here, text):
    (here / "a/index.json").write_text(text)


INDEX = '{"mesh": "[\\"x\\"=2]", "sharding": "[{\\"x\\"}, {}, {}]", "shape": [10, 7, 6], "dtype": "f32"}'
REFUSED = {
    "no file": (lambda here: (here / "a/1.npy").unlink(),
                "cannot read 'a/1.npy': No such file or directory; the mesh <[\"x\"=2]> has 2 devices"),
    "short file": (lambda here: (here / "a/1.npy").write_bytes((here / "a/1.npy").read_bytes()[:-1]),
                   "'a/1.npy' ends early: tensor<5x7x6xf32> needs 840 bytes, the file has 839"),
    "short header": (lambda here: (here / "a/1.npy").write_bytes((here / "a/1.npy").read_bytes()[:50]),
                     "'a/1.npy' ends inside the .npy header: that has 128 bytes, the file 50"),
    "empty file": (lambda here: (here / "a/0.npy").write_bytes(b""), "'a/0.npy' is not a .npy file"),
    "other shape": (lambda here: numpy.save(here / "a/1.npy", numpy.zeros((4, 7, 6), "f4")),
                    "'a/1.npy' has f32[4, 7, 6]; device 1 of <[\"x\"=2]> holds f32[5, 7, 6]"),
    "other type": (lambda here: numpy.save(here / "a/1.npy", numpy.zeros((5, 7, 6), "f8")),
                   "'a/1.npy' has elements of f64, expected f32"),
    "all of other type": (lambda here: spoil(here, INDEX.replace("f32", "f64")),
                          "'a/0.npy' has elements of f32, expected f64"),
    "no JSON": (lambda here: spoil(here, INDEX[:-1]), "'a/index.json' is not the JSON that was expected: parse error "
                "at line 1, column"),
    "a key twice": (lambda here: spoil(here, INDEX[:-1] + ', "shape": [1]}'), 'the key "shape" is there twice'),
    "deep": (lambda here: spoil(here, "[" * 100000), "it nests deeper than 32"),
    "no mesh": (lambda here: spoil(here, INDEX.replace("mesh", "maze")), "'a/index.json' lacks \"mesh\""),
    "no sharding": (lambda here: spoil(here, INDEX.replace('\\"x\\"}', '\\"z\\"}')),
                    'unknown axis name: "z" is not in the mesh'),
    "negative size": (lambda here: spoil(here, INDEX.replace("7", "-7")),
                      "'a/index.json': \"shape\" is no list of whole numbers"),
    "huge size": (lambda here: spoil(here, INDEX.replace("7", "99999999999999999")), "is no tensor that fits a file"),
    "unknown type": (lambda here: spoil(here, INDEX.replace("f32", "f33")), "element type 'f33' is not known"),
    "no object": (lambda here: spoil(here, "[1]"), "'a/index.json': expected an object, got array"),
    "partial values": (lambda here: spoil(here, INDEX.replace('{}]', '{}], unreduced={}').replace(
        '[{\\"x\\"}', '[{}').replace('unreduced={}', 'unreduced={\\"x\\"}')),
                       "device 0 of <[\"x\"=2]> holds f32[10, 7, 6]"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_input_is_refused_before_anything_is_written(shardwise, here, case):
    write_folder(here / "a", WHOLE, '["x"=2]', '[{"x"}, {}, {}]')
    change, message = REFUSED[case]
    change(here)
    (here / "out.npy").write_text("old")
    run = shardwise("reshard", "a", "out.npy")
    assert run.returncode == 1
    assert message in run.stderr
    assert (here / "out.npy").read_text() == "old"
    assert names(here) == ["a", "out.npy", "whole.npy"]


@pytest.mark.parametrize("arguments, message", [
    (("none.npy", "b.npy"), "cannot read 'none.npy': No such file or directory"),
    (("whole.npy", "none/b.npy"), "cannot write 'none/b.npy': there is no folder"),
    (("whole.npy", "b"), "say which devices with --mesh or --to-mesh"),
    (("whole.npy", "b", "--mesh", '["x"=2]'), "say how the shards are cut with --to or --spec"),
    (("whole.npy", "b", "--mesh", '["x"=2', "--to", "[]"), "--mesh"),
    (("whole.npy", "b", "--mesh", '["x"=2]', "--to", '[{"x"}]'), "sharding doesn't match tensor rank: 1 != 3"),
    (("a", "b", "--mesh", '["x"=3]', "--to", '[{"x"}, {}, {}]'), '--mesh is ["x"=3], but index.json says ["x"=2]'),
    (("a", "b", "--from", "[{}, {}, {}]", "--to", '[{"x"}, {}, {}]'), "--from is [{}, {}, {}], but index.json says"),
    (("bare", "b", "--to", '[{"x"}, {}, {}]'), "say how they are cut with --mesh and --from"),
    (("empty", "b.npy"), "the folder 'empty' has no tensors: none of index.json, "),
    (("whole.npy", "own", "--mesh", '["x"=2]', "--to", '[{"x"}, {}, {}]'), "has 'notes.txt', which is no shard"),
    (("whole.npy", "a.npy"), "it is a folder, not a regular file"),
    (("whole.npy", "file", "--mesh", '["x"=2]', "--to", '[{"x"}, {}, {}]'), "it is a file, not a folder"),
    (("/dev/null", "b.npy"), "cannot read '/dev/null': it is no regular file"),
    (("whole.npy", "busy.npy"), "'busy.npy.partial' is in the way"),
    (("whole.npy", "b.npy", "--mesh", '["x"=2]', "--to", '[{"x"}, {}, {}]'), "whole tensors, but --to is"),
    (("whole.npy", "b.npy", "--mesh", "x=2", "--to", "[{x}, {}, {}]"), "whole tensors, but --to is [{x}, {}, {}]"),
    (("whole.npy", "b.npy", "--to", "[{x"), "--to: sharding [{x: column 4: expected \"}\", found end of text"),
    (("whole.npy", "b", "--mesh", "x=99999999999", "--to", "[{x}, {}, {}]"),
     "the mesh has 99999999999 devices, and a file for each is written, but this process may have "),
    (("whole.npy", "b", "--form", "huggingface", "--to", '[{"x"}, {}, {}]'), "whole tensors, but --to is"),
    (("whole.npy", "b.npy", "--form", "safetensors"), "the output 'b.npy' is one file"),
    (("bare", "b.npy", "--mesh", "[]", "--from", "[{}, {}, {}]"), "the folder 'bare' has '1.npy', too, but the mesh"),
])
def test_wrong_calls_are_refused(shardwise, here, arguments, message):
    write_folder(here / "a", WHOLE, '["x"=2]', '[{"x"}, {}, {}]')
    write_folder(here / "bare", WHOLE, '["x"=2]', '[{"x"}, {}, {}]', with_index=False)
    for folder in ("own", "a.npy", "busy.npy.partial", "empty"):
        (here / folder).mkdir()
    for file in ("own/notes.txt", "file", "busy.npy.partial/mine.txt"):
        (here / file).write_text("mine")
    before = names(here)
    run = shardwise("reshard", *arguments)
    assert run.returncode == 1
    assert message.replace("'busy", f"'{here}/busy") in run.stderr
    assert names(here) == before


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_of_the_format(shardwise, here, version):
    with open("v.npy", "wb") as file:
        numpy.lib.format.write_array(file, WHOLE, version=version)
    assert shardwise("reshard", "v.npy", "b.npy").returncode == 0
    assert (numpy.load("b.npy") == WHOLE).all()


def test_wrong_usage(shardwise, here):
    for arguments in (("whole.npy",), ("whole.npy", ""), ("whole.npy", "b.npy", "--memory", "much")):
        assert shardwise("reshard", *arguments).returncode == 2

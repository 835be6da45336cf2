# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise reshard` on checkpoints: many tensors, in .safetensors files of every form."""

import json
import random

import numpy
import pytest

from safetensors_files import NAMES, Raw, load, raw, save
from sharded_files import MESHES, boxes, random_sharding

RANDOM = numpy.random.default_rng(3)
MODEL = {
    "embed.weight": RANDOM.standard_normal((50, 8)).astype("f4"),
    "layers.0.qkv.weight": RANDOM.standard_normal((12, 8)).astype("f2"),
    "layers.0.qkv.bias": RANDOM.standard_normal(12).astype("f8"),
    "layers.0.mask": RANDOM.integers(0, 2, (3, 5)).astype(bool),
    "steps": numpy.array(7),
    "nothing": numpy.zeros((0, 4), "i4"),
}
SPECS = {"to_mesh": '["x"=2, "y"=2]', "tensors": [
    {"name": "*.qkv.weight", "to": '[{"x"}, {}]', "segments": {"dim": 0, "sizes": [6, 3, 3]}},
    {"name": "*.qkv.bias", "to": '[{"x", "y"}]'},
    {"name": "embed.*", "to": '[{"y"}, {"x"}]'},
    {"name": "*", "to": "replicated"}]}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "model.safetensors", MODEL, {"format": "pt"})
    (tmp_path / "specs.json").write_text(json.dumps(SPECS))
    return tmp_path


def same(found, expected):
    assert set(found) == set(expected)
    for name, tensor in expected.items():
        assert raw(found[name]) == raw(tensor), name


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def cut(here, shardwise, *more):
    run = shardwise("reshard", "model.safetensors", "shards", "--spec", "specs.json", *more)
    assert run.returncode == 0, run.stderr
    return run


def test_a_checkpoint_is_cut_by_specs_and_put_together(shardwise, here):
    assert "6 tensors in 4 files" in cut(here, shardwise).stdout
    index = json.loads((here / "shards/index.json").read_text())
    assert index["mesh"] == SPECS["to_mesh"]
    assert index["tensors"]["layers.0.qkv.weight"] == {
        "sharding": '[{"x"}, {}]', "shape": [12, 8], "dtype": "f16", "segments": {"dim": 0, "sizes": [6, 3, 3]}}
    weight = MODEL["layers.0.qkv.weight"]
    for position in range(4):
        shard = load(here / f"shards/{position}.safetensors")
        x = position // 2
        q, k, v = slice(3 * x, 3 * x + 3), slice(6 + 2 * x, 8 + x), slice(9 + 2 * x, 11 + x)
        assert (shard["layers.0.qkv.weight"] == numpy.concatenate([weight[q], weight[k], weight[v]])).all()
        rows = slice(25 * (position % 2), 25 * (position % 2) + 25)
        assert (shard["embed.weight"] == MODEL["embed.weight"][rows, 4 * x:4 * x + 4]).all()
        assert shard["steps"] == 7
    run = shardwise("reshard", "shards", "back.safetensors")
    assert run.returncode == 0, run.stderr
    tensors, metadata = load(here / "back.safetensors", with_metadata=True)
    same(tensors, MODEL)
    assert metadata == {"format": "pt"}
    assert names(here) == ["back.safetensors", "model.safetensors", "shards", "specs.json"]


def test_files_are_those_of_the_library(shardwise, here):
    safetensors = pytest.importorskip("safetensors.numpy")
    tensors = {name: tensor for name, tensor in MODEL.items()}
    safetensors.save_file(tensors, here / "model.safetensors")
    cut(here, shardwise)
    assert shardwise("reshard", "shards", "back.safetensors").returncode == 0
    same(safetensors.load_file(here / "back.safetensors"), tensors)


def test_hugging_face(shardwise, here):
    run = shardwise("reshard", "model.safetensors", "hf", "--form", "huggingface", "--file-size", "1KiB")
    assert run.returncode == 0, run.stderr
    index = json.loads((here / "hf/model.safetensors.index.json").read_text())
    assert index["metadata"]["total_size"] == sum(tensor.nbytes for tensor in MODEL.values())
    assert set(index["weight_map"]) == set(MODEL)
    assert set(index["weight_map"].values()) | {"model.safetensors.index.json"} == set(names(here / "hf"))
    for file in set(index["weight_map"].values()):
        tensors, metadata = load(here / "hf" / file, with_metadata=True)
        assert metadata == {"format": "pt"}
        assert set(tensors) == {name for name, place in index["weight_map"].items() if place == file}
    # To shards of devices, to other shards, and back, with other files in the place of the first.
    assert shardwise("reshard", "hf", "a", "--spec", "specs.json").returncode == 0
    assert shardwise("reshard", "a", "b", "--to-mesh", '["z"=3]', "--to", "replicated").returncode == 0
    run = shardwise("reshard", "b", "hf", "--form", "huggingface")
    assert run.returncode == 0, run.stderr
    assert names(here / "hf") == ["model-00001-of-00001.safetensors", "model.safetensors.index.json"]
    same(load(here / "hf/model-00001-of-00001.safetensors"), MODEL)


def test_a_folder_with_one_file_and_no_index(shardwise, here):
    (here / "hf").mkdir()
    (here / "model.safetensors").rename(here / "hf/model.safetensors")
    assert shardwise("reshard", "hf", "shards", "--spec", "specs.json").returncode == 0
    (here / "shards/index.json").unlink()
    specs = {"mesh": SPECS["to_mesh"], "tensors": [
        {**{key: value for key, value in spec.items() if key != "to"}, "from": spec["to"]}
        for spec in SPECS["tensors"]]}
    (here / "from.json").write_text(json.dumps(specs))
    run = shardwise("reshard", "shards", "back.safetensors", "--spec", "from.json")
    assert run.returncode == 0, run.stderr
    same(load(here / "back.safetensors"), MODEL)


@pytest.mark.parametrize("dtype, bits", [("BF16", 16), ("F8_E4M3", 8), ("F8_E5M2", 8), ("F8_E8M0", 8), ("F4", 4),
                                         ("I4", 4), ("U4", 4), ("F6_E2M3", 6), ("F6_E3M2", 6)])
def test_types_that_numpy_lacks(shardwise, here, dtype, bits):
    """Packed elements are moved in whole bytes: 4 rows of 16 elements, cut into 2 along both dimensions."""
    row = 16 * bits // 8
    data = numpy.arange(4 * row, dtype="u1")
    save(here / "a.safetensors", {"a": Raw(dtype, (4, 16), data.tobytes())})
    run = shardwise("reshard", "a.safetensors", "shards", "--mesh", '["x"=2, "y"=2]', "--to", '[{"x"}, {"y"}]')
    assert run.returncode == 0, run.stderr
    shard = load(here / "shards/1.safetensors")["a"]
    assert shard == Raw(dtype, (2, 8), data.reshape(4, row)[:2, row // 2:].tobytes())
    assert shardwise("reshard", "shards", "b.safetensors").returncode == 0
    assert load(here / "b.safetensors")["a"] == Raw(dtype, (4, 16), data.tobytes())
    if bits in (4, 6):
        run = shardwise("reshard", "a.safetensors", "c", "--mesh", '["x"=6]', "--to", '[{}, {"x"}]')
        assert run.returncode == 1 and "cuts the last dimension, of 16, elsewhere than at multiples of" in run.stderr
        run = shardwise("reshard", "a.safetensors", "c.npy")
        assert run.returncode == 1 and "which .npy files cannot have" in run.stderr


def test_between_npy_and_safetensors(shardwise, here):
    numpy.save("a.npy", MODEL["embed.weight"])
    assert shardwise("reshard", "a.npy", "a.safetensors").returncode == 0
    same(load(here / "a.safetensors"), {"tensor": MODEL["embed.weight"]})
    assert shardwise("reshard", "a.safetensors", "n", "--form", "npy", "--mesh", '["x"=3]', "--to",
                     '[{"x"}, {}]').returncode == 0
    assert (numpy.load("n/1.npy") == MODEL["embed.weight"][17:34]).all()
    assert shardwise("reshard", "n", "s", "--form", "safetensors", "--to", '[{}, {"x"}]').returncode == 0
    same(load(here / "s/2.safetensors"), {"tensor": MODEL["embed.weight"][:, 6:]})
    run = shardwise("reshard", "model.safetensors", "b.npy")
    assert run.returncode == 1 and "a .npy file has one tensor, the input has 6" in run.stderr


def test_an_empty_name_is_a_name(shardwise, here):
    """The tensor of a .npy file, which has no name, is called `tensor`; one called "" keeps its own."""
    both = {"": numpy.arange(6, dtype="i4"), "tensor": numpy.arange(4, dtype="f4")}
    save(here / "both.safetensors", both)
    for arguments in (("both.safetensors", "cut", "--mesh", "x=2", "--to", "[{x}]"), ("cut", "whole.safetensors"),
                      ("cut", "hub", "--form", "huggingface")):
        run = shardwise("reshard", *arguments)
        assert run.returncode == 0, run.stderr
    same(load(here / "cut/1.safetensors"), {"": both[""][3:], "tensor": both["tensor"][2:]})
    same(load(here / "whole.safetensors"), both)
    assert set(json.loads((here / "hub/model.safetensors.index.json").read_text())["weight_map"]) == set(both)


@pytest.mark.parametrize("seed", range(6))
def test_random_checkpoints(shardwise, here, seed):
    draw = random.Random(seed)
    mesh, other = draw.choice(MESHES), draw.choice(MESHES)
    model, before, after = {}, {}, {}
    for i in range(draw.randint(1, 12)):
        shape = tuple(draw.choice((1, 2, 3, 5, 9, 4)) for _ in range(draw.randint(0, 3)))
        name = f"t.{i}"
        model[name] = RANDOM.integers(0, 100, shape).astype(draw.choice(list(NAMES)))
        before[name], after[name] = (random_sharding(draw, one, len(shape)) for one in (mesh, other))

    def specs(meshes, **cuts):
        (here / "specs.json").write_text(json.dumps({**meshes, "tensors": [
            {"name": name, **{key: value[name] for key, value in cuts.items()}} for name in model]}))
        return "--spec", "specs.json", "--memory", draw.choice(("100", "1MiB"))

    save(here / "model.safetensors", model)
    first = shardwise("reshard", "model.safetensors", "a", *specs({"mesh": mesh}, to=before), "--checksum")
    assert first.returncode == 0, first.stderr
    second = shardwise("reshard", "a", "a", *specs({"to_mesh": other}, to=after), "--checksum")
    assert second.returncode == 0, second.stderr
    for name, tensor in model.items():
        for position, box in enumerate(boxes(tensor.shape, other, after[name])):
            assert raw(load(here / f"a/{position}.safetensors")[name]) == raw(tensor[box])


def change_header(text):
    def change(here):
        data = text.encode()
        (here / "model.safetensors").write_bytes(len(data).to_bytes(8, "little") + data + bytes(16))
    return change


def entry(dtype="F32", shape="[4]", offsets="[0, 16]"):
    return f'{{"dtype": "{dtype}", "shape": {shape}, "data_offsets": {offsets}}}'


def shorten(count):
    def change(here):
        file = here / "model.safetensors"
        file.write_bytes(file.read_bytes()[:count])
    return change


REFUSED = {
    "empty": (shorten(0), "is no .safetensors file: it has 0 bytes"),
    "no header": (shorten(20), "ends inside the header: that has"),
    "short": (shorten(-1), "ends early: its header tells of"),
    "long": (lambda here: open(here / "model.safetensors", "ab").write(b"x"), "is too long: its header tells of"),
    "huge header": (lambda here: (here / "model.safetensors").write_bytes(b"\xff" * 100),
                    "its header would have 18446744073709551615 bytes"),
    "a gap": (change_header(f'{{"a": {entry(shape="[3]", offsets="[4, 16]")}}}'), "begins at byte 4 of the data, behind"),
    "overlap": (change_header(f'{{"a": {entry()}, "b": {entry(shape="[2]", offsets="[8, 16]")}}}'),
                "begins at byte 8 of the data, before"),
    "bytes": (change_header(f'{{"a": {entry(shape="[5]")}}}'), 'f32[5] takes 20 bytes, but "data_offsets" are [0, 16]'),
    "type": (change_header(f'{{"a": {entry("F31")}}}'), "element type 'F31' is not known"),
    "twice": (change_header(f'{{"a": {entry()}, "a": {entry()}}}'), 'the key "a" is there twice'),
    "overflow": (change_header(f'{{"a": {entry(shape="[4294967296, 4294967296, 16]")}}}'), "takes too many bytes"),
    "metadata": (change_header('{"__metadata__": {"a": 1}}'), '"a" is number, expected a string'),
    "lists": (change_header("[]"), "expected an object, got array"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_files_are_refused(shardwise, here, case):
    change, message = REFUSED[case]
    change(here)
    run = shardwise("reshard", "model.safetensors", "out.safetensors")
    assert run.returncode == 1
    assert message in run.stderr and "'model.safetensors'" in run.stderr
    assert names(here) == ["model.safetensors", "specs.json"]


@pytest.mark.parametrize("weight_map, message", [
    ('{"a": "x.safetensors"}', "cannot read 'hf/x.safetensors': No such file"),
    ('{"a": "../model.safetensors"}', "tensor 'a' is in \"../model.safetensors\", expected a file of the same folder"),
    ('{"a": "m.safetensors"}', "has the tensor 'embed.weight', which 'hf/model.safetensors.index.json' does not name"),
    (json.dumps({name: "m.safetensors" for name in [*MODEL, "more"]}), "'hf/m.safetensors' lacks the tensor 'more'"),
    ("[]", "expected an object, got array"),
])
def test_wrong_indices_are_refused(shardwise, here, weight_map, message):
    (here / "hf").mkdir()
    (here / "model.safetensors").rename(here / "hf/m.safetensors")
    (here / "hf/model.safetensors.index.json").write_text(f'{{"weight_map": {weight_map}}}')
    run = shardwise("reshard", "hf", "out.safetensors")
    assert run.returncode == 1 and message in run.stderr


def test_shards_that_do_not_agree_are_refused(shardwise, here):
    cut(here, shardwise)
    good = load(here / "shards/2.safetensors")
    for tensors, message in (
            ({**good, "more": good["steps"]}, "'shards/0.safetensors' lacks the tensor 'more', which others have"),
            ({name: good[name] for name in good if name != "steps"}, "'shards/2.safetensors' lacks the tensor 'steps'"),
            ({**good, "steps": good["steps"].astype("i4")}, "tensor 'steps' has elements of i32, expected i64"),
            ({**good, "steps": numpy.zeros(1, "i8")}, "tensor 'steps' has i64[1]; device 2 of")):
        save(here / "shards/2.safetensors", tensors)
        run = shardwise("reshard", "shards", "out.safetensors")
        assert run.returncode == 1 and message in run.stderr


def test_patterns_that_fit_nothing_are_told(shardwise, here):
    """A mistyped one would otherwise leave its tensors to a later one, without a word."""
    specs = {"mesh": "x=2", "tensors": [{"name": "embd.*", "to": "[{x}, {}]"}, {"name": "*", "to": "replicated"},
                                        {"name": "embed.*", "to": "[{x}, {}]"}]}
    (here / "mine.json").write_text(json.dumps(specs))
    run = shardwise("reshard", "model.safetensors", "a", "--spec", "mine.json")
    assert run.returncode == 0 and "no tensor goes by 'embd.*', 'embed.*' of the specs: none has such a name, or an" in run.stdout
    run = shardwise("reshard", "model.safetensors", "a", "--spec", "mine.json", "--json")
    assert json.loads(run.stdout)["unused_patterns"] == ["embd.*", "embed.*"]
    assert "no tensor" not in cut(here, shardwise).stdout


@pytest.mark.parametrize("specs, message", [
    ({"tensors": []}, "how the shards of tensor 'embed.weight' are cut with --to or --spec"),
    ({"tensors": [{"name": "*", "to": '[{"x"}]'}]}, "tensor 'embed.weight': --to: sharding [{\"x\"}]: sharding doesn't"),
    ({"tensors": [{"name": "*", "too": ""}]}, "tensors[0]: the key \"too\" is not known; expected name, from, to"),
    ({"tensors": [{"to": ""}]}, "tensors[0] lacks \"name\""),
    ({"tensors": {}}, "\"tensors\" is missing, or no list of objects"),
    ({"tensors": [{"name": "*", "to": "replicated", "segments": {"dim": 0, "sizes": [5]}}]},
     "segments of sizes [5] do not add up to dimension 0, which has 50"),
])
def test_wrong_specs_are_refused(shardwise, here, specs, message):
    (here / "wrong.json").write_text(json.dumps(specs))
    run = shardwise("reshard", "model.safetensors", "out", "--mesh", '["x"=2]', "--spec", "wrong.json")
    assert run.returncode == 1 and message in run.stderr
    assert not (here / "out").exists()

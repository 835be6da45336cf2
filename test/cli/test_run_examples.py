# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise run` on every example: checked here with NumPy, not with our own comparison."""

import json
import pathlib

import numpy
import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/model.mlir"))


def run_json(shardwise, *arguments):
    process = shardwise("run", *arguments, "--json")
    assert process.returncode == 0, process.stdout + process.stderr
    return json.loads(process.stdout)


def collectives(report):
    """Maps (kind, axes) to the count of each collective of a report."""
    return {(c["kind"], c["axes"]): c["count"] for c in report["collectives"]}


def test_all_four_kinds_of_program_are_there():
    assert {"mlp_train", "transformer_forward", "transformer_train", "convnet",
            "rnn_scan"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_outputs_equal_those_of_jax(shardwise, tmp_path, name):
    folder = EXAMPLES / name
    report = run_json(shardwise, folder / "model.mlir", "--inputs", folder / "inputs",
                      "--expect", folder / "outputs", "--outputs", tmp_path)
    assert report["verified"] is True
    assert report["devices"] == 8
    recorded = sorted((folder / "outputs").glob("*.npy"), key=lambda path: int(path.stem))
    assert len(report["outputs"]) == len(recorded) > 0
    for index, path in enumerate(recorded):
        expected = numpy.load(path)
        actual = numpy.load(tmp_path / f"{index}.npy")
        assert actual.dtype == expected.dtype
        scale = numpy.abs(expected).max()
        numpy.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5 * scale)
        entry = report["outputs"][index]
        assert entry["index"] == index
        assert tuple(entry["shape"]) == expected.shape
        assert entry["dtype"] == "f32"
        assert entry["max_rel_error"] <= 1e-5
        assert entry["expected_max_rel_error"] <= 1e-5


@pytest.mark.parametrize("name", NAMES)
def test_random_inputs_verify_and_depend_on_the_seed(shardwise, tmp_path, name):
    model = EXAMPLES / name / "model.mlir"
    for folder, seed in (("a", 7), ("b", 7), ("c", 8)):
        report = run_json(shardwise, model, "--seed", seed, "--outputs", tmp_path / folder)
        assert report["verified"] is True

    def outputs(folder):
        return [numpy.load(path) for path in sorted((tmp_path / folder).glob("*.npy"))]

    assert all(numpy.array_equal(a, b) for a, b in zip(outputs("a"), outputs("b")))
    assert not all(numpy.array_equal(a, c) for a, c in zip(outputs("a"), outputs("c")))


def test_mlp_training_step_communicates_as_an_expert_would(shardwise):
    """One activation is summed over model. A device has 4 of 16 rows: gathering those of the others is cheaper
    than summing up gradients of 64 columns, and of the second half only the loss and a bias are summed."""
    report = run_json(shardwise, EXAMPLES / "mlp_train/model.mlir")
    assert collectives(report) == {("all_gather", '{"data"}'): 2, ("all_reduce", '{"data"}'): 1,
                                   ("all_reduce", '{"model"}'): 1}
    # What runs together is one.
    assert [c["tensors"] for c in report["collectives"]] == [4, 2, 1]


def test_mlp_bytes_follow_the_formula(shardwise):
    """An all_reduce of L bytes over g devices receives 2 L (g-1)/g on each of them, an all_gather of as much
    half of that."""
    report = run_json(shardwise, EXAMPLES / "mlp_train/model.mlir")
    received = {(c["kind"], c["axes"]): c["bytes_received_per_device"]
                for c in report["collectives"]}
    # Activations 16x16 over data=4 leave 4x16 floats a device, summed over model=2.
    assert received["all_reduce", '{"model"}'] == 4 * 16 * 4 * 2 * 1 // 2
    # The loss, and the gradient of b2, 16 floats.
    assert received["all_reduce", '{"data"}'] == (16 + 1) * 4 * 2 * 3 // 4
    # 16 rows: 32 inputs, 32 hidden features of a device and their gradients, 16 outputs' gradients.
    assert received["all_gather", '{"data"}'] == 16 * (32 + 32 + 32 + 16) * 4 * 3 // 4
    # Less than summing up the gradients: w1 32x32, b1 32, w2 32x16 and b2 16 floats a device, and the loss.
    floats = 32 * 32 + 32 + 32 * 16 + 16 + 1
    assert sum(received.values()) < floats * 4 * 2 * 3 // 4


@pytest.mark.parametrize("name", ["convnet", "convnet_train"])
def test_convnet_only_reduces_gradients(shardwise, name):
    counts = collectives(run_json(shardwise, EXAMPLES / name / "model.mlir"))
    assert all(kind == "all_reduce" and axes == '{"data"}' for kind, axes in counts)
    assert bool(counts) == name.endswith("_train")


@pytest.mark.parametrize("name", ["transformer_forward", "transformer_train"])
def test_transformer_gathers_nothing(shardwise, name):
    counts = collectives(run_json(shardwise, EXAMPLES / name / "model.mlir"))
    assert {kind for kind, axes in counts} == {"all_reduce"}
    # Attention output and MLP output forward; their input gradients backward.
    assert counts["all_reduce", '{"model"}'] == (2 if name == "transformer_forward" else 4)


@pytest.mark.parametrize("name", NAMES)
def test_partitioning_saves_memory(shardwise, name):
    report = run_json(shardwise, EXAMPLES / name / "model.mlir")
    assert 0 < report["peak_bytes_per_device"] < report["unpartitioned_peak_bytes"]


def test_report_for_people_names_what_matters(shardwise):
    process = shardwise("run", EXAMPLES / "mlp_train/model.mlir")
    assert process.returncode == 0
    assert "verified on 8 devices" in process.stdout
    for word in ('"data"=4', "all_reduce", "peak memory per device", "max rel error"):
        assert word in process.stdout
    assert process.stderr == ""


def test_inputs_as_a_list_of_files(shardwise):
    folder = EXAMPLES / "convnet"
    files = sorted((folder / "inputs").glob("*.npy"), key=lambda path: int(path.stem))
    report = run_json(shardwise, folder / "model.mlir", "--inputs", ",".join(map(str, files)),
                      "--expect", folder / "outputs/0.npy")
    assert report["verified"] is True


def test_program_from_standard_input(shardwise):
    text = (EXAMPLES / "convnet/model.mlir").read_text()
    process = shardwise("run", "-", "--json", stdin=text)
    assert process.returncode == 0, process.stderr
    assert json.loads(process.stdout)["verified"] is True


@pytest.mark.parametrize("command", ["propagate", "partition"])
@pytest.mark.parametrize("name", NAMES)
def test_printed_program_parses_again(shardwise, command, name):
    process = shardwise(command, EXAMPLES / name / "model.mlir")
    assert process.returncode == 0, process.stderr
    if command == "propagate":
        again = shardwise("run", "-", "--json", stdin=process.stdout)
        assert again.returncode == 0, again.stderr
    else:
        assert "sdy.sharding_constraint" not in process.stdout

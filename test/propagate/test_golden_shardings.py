# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that JAX exported, annotated in two to four places, get the shardings that an expert would
write down for their weights, activations, gradients and state.

The annotations of the export are taken out first. The expectations were reasoned out from the model
sources, not copied from a run. Where the contract, and with it Shardy, decides
otherwise, the line says so.
"""

import dataclasses
import pathlib
import subprocess

import pytest
from golden_programs import Shardings, annotated

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TWO_AXES = '"data"=4, "model"=2'


@dataclasses.dataclass
class Golden:
    """A model, where it is annotated, and what is expected where.

    `expected` has lines of a description, a place and a sharding. A place is an argument of @main
    ("arg 1"), a result as JAX names it ("result[0]['w1']"), or result 0 of an op by name and type, in
    the program with its calls inlined ("dot_general 8x16xf32 1" is the second one).
    """

    model: str
    style: str
    mesh: str
    arguments: dict
    expected: list
    results: dict = dataclasses.field(default_factory=dict)

    def __str__(self):
        return f"{self.model}: {self.style}"


GOLDENS = [
    Golden(
        "mlp_bf16", "batch, and the hidden layer as in Megatron", TWO_AXES,
        {0: '[{}, {"model"}]', 2: '[{"data"}, {}]'},
        [
            ("second weight, by its contracted rows", "arg 1", '[{"model"}, {}]'),
            ("labels, with the batch", "arg 3", '[{"data"}]'),
            ("hidden activations", "dot_general 16x32xbf16", '[{"data"}, {"model"}]'),
            ("logits, summed over model", "dot_general 16x8xf32", '[{"data"}, {}]'),
            ("chosen log-probabilities", "gather 16x1xf32", '[{"data"}, {}]'),
            ("gradient of logits", "scatter 16x8xf32", '[{"data"}, {}]'),
            ("gradient of the second weight, transposed", "dot_general 8x32xf32", '[{}, {"model"}]'),
            ("gradient of hidden activations", "dot_general 16x32xf32", '[{"data"}, {"model"}]'),
            ("gradient of the first weight, transposed", "dot_general 32x24xbf16",
             '[{"model"}, {}]'),
            ("new first weight", "result[0]['w1']", '[{}, {"model"}]'),
            ("new second weight", "result[0]['w2']", '[{"model"}, {}]'),
            ("loss", "result[1]", "[]"),
        ]),
    Golden(
        "adam", "batch, and the hidden layer as in Megatron", TWO_AXES,
        {0: '[{}, {"model"}]', 7: '[{"data"}, {}]'},
        [
            ("second weight", "arg 1", '[{"model"}, {}]'),
            ("step number", "arg 2", "[]"),
            ("first moment of the first weight", "arg 3", '[{}, {"model"}]'),
            ("first moment of the second weight", "arg 4", '[{"model"}, {}]'),
            ("second moment of the first weight", "arg 5", '[{}, {"model"}]'),
            ("second moment of the second weight", "arg 6", '[{"model"}, {}]'),
            ("hidden activations", "dot_general 8x16xf32", '[{"data"}, {"model"}]'),
            ("output", "dot_general 8x12xf32", '[{"data"}, {}]'),
            ("gradient of hidden activations", "dot_general 8x16xf32 1", '[{"data"}, {"model"}]'),
            ("gradient of the second weight, transposed", "dot_general 12x16xf32",
             '[{}, {"model"}]'),
            ("new first moment", "result[1]['first']['w2']", '[{"model"}, {}]'),
            ("new second moment", "result[1]['second']['w1']", '[{}, {"model"}]'),
            ("norm of the gradient", "result[3]", "[]"),
        ]),
    Golden(
        "adam", "weights and their state spread over the devices of the batch (FSDP)", '"fsdp"=4',
        # The batch goes first: activations keep it, weights are gathered for each use.
        {0: '[{}, {"fsdp"}p1]', 1: '[{"fsdp"}p1, {}]', 7: '[{"fsdp"}, {}]'},
        [
            ("hidden activations", "dot_general 8x16xf32", '[{"fsdp"}, {}]'),
            ("output", "dot_general 8x12xf32", '[{"fsdp"}, {}]'),
            ("gradient of hidden activations", "dot_general 8x16xf32 1", '[{"fsdp"}, {}]'),
            ("gradient of the second weight, scattered", "dot_general 12x16xf32", '[{}, {"fsdp"}]'),
            ("gradient of the first weight, scattered", "dot_general 16x12xf32", '[{"fsdp"}, {}]'),
            ("first moment of the first weight", "arg 3", '[{}, {"fsdp"}]'),
            ("first moment of the second weight", "arg 4", '[{"fsdp"}, {}]'),
            ("second moment of the first weight", "arg 5", '[{}, {"fsdp"}]'),
            ("second moment of the second weight", "arg 6", '[{"fsdp"}, {}]'),
            ("new first weight", "result[0]['w1']", '[{}, {"fsdp"}]'),
            ("new second weight", "result[0]['w2']", '[{"fsdp"}, {}]'),
            ("new second moment", "result[1]['second']['w2']", '[{"fsdp"}, {}]'),
            ("loss", "result[2]", "[]"),
        ]),
    Golden(
        "embedding", "batch, and the vocabulary", TWO_AXES,
        {1: '[{"model"}, {}]', 2: '[{"data"}, {}]'},
        [
            ("positions, replicated", "arg 0", "[{}, {}]"),
            ("embedded tokens, summed over model", "gather 8x6x8xf32", '[{"data"}, {}, {}]'),
            ("logits by words", "dot_general 8x6x32xf32", '[{"data"}, {}, {"model"}]'),
            ("highest logit", "reduce 8x6xf32", '[{"data"}, {}]'),
            ("chosen log-probabilities", "gather 8x6x1xf32", '[{"data"}, {}, {}]'),
            ("gradient of logits", "scatter 8x6x32xf32", '[{"data"}, {}, {"model"}]'),
            ("gradient of the table as output weight", "dot_general 32x8xf32", '[{"model"}, {}]'),
            ("gradient of embedded tokens", "dot_general 8x6x8xf32", '[{"data"}, {}, {}]'),
            ("gradient of positions", "reduce 6x8xf32", "[{}, {}]"),
            ("gradient of the table as embedding", "scatter 32x8xf32", '[{"model"}, {}]'),
            ("new table", "result[0]['words']", '[{"model"}, {}]'),
            ("new positions", "result[0]['positions']", "[{}, {}]"),
            ("loss", "result[1]", "[]"),
        ]),
    Golden(
        "experts", "tokens, and one expert a device", '"data"=2, "expert"=4',
        {1: '[{"expert"}, {}, {}]', 3: '[{"data"}, {}]'},
        [
            ("router, replicated", "arg 0", "[{}, {}]"),
            ("second weights, with their experts", "arg 2", '[{"expert"}, {}, {}]'),
            ("target, with the tokens", "arg 4", '[{"data"}, {}]'),
            ("router logits", "dot_general 16x4xf32", '[{"data"}, {}]'),
            ("chosen experts", "chlo.top_k 16x2xf32", '[{"data"}, {}]'),
            ("slots of tokens at experts", "reduce 16x4x6xf32", '[{"data"}, {"expert"}, {}]'),
            ("tokens given to experts", "dot_general 4x6x8xf32", '[{"expert"}, {}, {}]'),
            ("hidden activations of experts", "dot_general 4x6x12xf32", '[{"expert"}, {}, {}]'),
            ("results of experts", "dot_general 4x6x8xf32 1", '[{"expert"}, {}, {}]'),
            ("results of tokens", "dot_general 16x8xf32", '[{"data"}, {}]'),
            ("gradient of the first weights, transposed", "dot_general 4x12x8xf32",
             '[{"expert"}, {}, {}]'),
            ("new router", "result[0]['router']", "[{}, {}]"),
            ("new first weights", "result[0]['w1']", '[{"expert"}, {}, {}]'),
            ("new second weights", "result[0]['w2']", '[{"expert"}, {}, {}]'),
            ("loss", "result[1]", "[]"),
        ]),
    Golden(
        "convnet_batch_norm", "batch, and output channels", TWO_AXES,
        {2: '[{}, {}, {}, {"model"}]', 7: '[{"data"}, {}, {}, {}]'},
        [
            ("bias of classes", "arg 0", "[{}]"),
            ("dense weight, by its contracted rows", "arg 1", '[{"model"}, {}]'),
            ("offset", "arg 3", '[{"model"}]'),
            ("scale", "arg 4", '[{"model"}]'),
            ("moving mean", "arg 5", '[{"model"}]'),
            ("moving variance", "arg 6", '[{"model"}]'),
            ("labels", "arg 8", '[{"data"}]'),
            ("convolved images", "convolution 8x10x10x6xf32", '[{"data"}, {}, {}, {"model"}]'),
            ("sums for the mean", "reduce 6xf32", '[{"model"}]'),
            ("maximum pooling", "reduce_window 8x5x5x6xf32", '[{"data"}, {}, {}, {"model"}]'),
            ("mean pooling", "reduce_window 8x2x2x6xf32", '[{"data"}, {}, {}, {"model"}]'),
            ("logits", "dot_general 8x5xf32", '[{"data"}, {}]'),
            ("gradient of maximum pooling", "select_and_scatter 8x11x11x6xf32",
             '[{"data"}, {}, {}, {"model"}]'),
            ("gradient of the kernel", "convolution 3x3x3x6xf32", '[{}, {}, {}, {"model"}]'),
            ("new kernel", "result[0]['kernel']", '[{}, {}, {}, {"model"}]'),
            ("new dense weight", "result[0]['dense']", '[{"model"}, {}]'),
            ("new mean", "result[1]['mean']", '[{"model"}]'),
            ("loss", "result[2]", "[]"),
        ]),
    Golden(
        "convnet_train", "batch, and rows of the image", '"data"=4, "rows"=2',
        {4: '[{"data"}, {"rows"}, {}, {}]'},
        [
            ("bias", "arg 0", "[{}]"),
            ("dense weight", "arg 1", "[{}, {}]"),
            ("first kernel", "arg 2", "[{}, {}, {}, {}]"),
            ("second kernel", "arg 3", "[{}, {}, {}, {}]"),
            ("labels", "arg 5", '[{"data"}]'),
            ("first convolution, with halos", "convolution 16x12x12x8xf32",
             '[{"data"}, {"rows"}, {}, {}]'),
            ("pooling", "reduce_window 16x6x6x8xf32", '[{"data"}, {"rows"}, {}, {}]'),
            ("second convolution", "convolution 16x6x6x16xf32", '[{"data"}, {"rows"}, {}, {}]'),
            ("features, summed over rows", "reduce 16x16xf32", '[{"data"}, {}]'),
            ("logits", "dot_general 16x10xf32", '[{"data"}, {}]'),
            ("new first kernel", "result[0]['kernel1']", "[{}, {}, {}, {}]"),
            ("new second kernel", "result[0]['kernel2']", "[{}, {}, {}, {}]"),
            ("loss", "result[1]", "[]"),
        ]),
    Golden(
        "transformer_train", "batch, heads and hidden features (Megatron)", TWO_AXES,
        # Arguments come in the order of their names: b1, b2, four norms, w1, w2, wk, wo, wq, wv.
        {6: '[{}, {"model"}]', 10: '[{}, {"model"}, {}]', 12: '[{"data"}, {}, {}]'},
        [
            ("first bias", "arg 0", '[{"model"}]'),
            ("second bias", "arg 1", "[{}]"),
            ("scale of the first norm", "arg 3", "[{}]"),
            ("second weight", "arg 7", '[{"model"}, {}]'),
            ("key weight, by heads", "arg 8", '[{}, {"model"}, {}]'),
            ("output weight, by heads", "arg 9", '[{"model"}, {}, {}]'),
            ("value weight, by heads", "arg 11", '[{}, {"model"}, {}]'),
            ("target", "arg 13", '[{"data"}, {}, {}]'),
            ("queries", "dot_general 8x16x4x8xf32", '[{"data"}, {}, {"model"}, {}]'),
            ("keys", "dot_general 8x16x4x8xf32 1", '[{"data"}, {}, {"model"}, {}]'),
            ("values", "dot_general 8x16x4x8xf32 2", '[{"data"}, {}, {"model"}, {}]'),
            ("attention scores", "dot_general 8x4x16x16xf32", '[{"data"}, {"model"}, {}, {}]'),
            ("output of attention, summed over heads", "dot_general 8x16x32xf32",
             '[{"data"}, {}, {}]'),
            ("hidden activations", "dot_general 8x16x64xf32", '[{"data"}, {}, {"model"}]'),
            ("output of the block", "dot_general 8x16x32xf32 1", '[{"data"}, {}, {}]'),
            ("new first weight", "result[0]['w1']", '[{}, {"model"}]'),
            ("new second weight", "result[0]['w2']", '[{"model"}, {}]'),
            ("new output weight", "result[0]['wo']", '[{"model"}, {}, {}]'),
            ("new key weight", "result[0]['wk']", '[{}, {"model"}, {}]'),
            ("new scale", "result[0]['norm2_scale']", "[{}]"),
            ("loss", "result[1]", "[]"),
        ]),
    Golden(
        "transformer_dropout", "stacked layers: batch, heads and hidden features", TWO_AXES,
        # out, qkv, scale, w1, w2: dimension 0 counts layers.
        {1: '[{}, {}, {}, {"model"}, {}]', 3: '[{}, {}, {"model"}]', 5: '[{"data"}, {}, {}]'},
        [
            ("output weights, by heads", "arg 0", '[{}, {"model"}, {}, {}]'),
            ("scales", "arg 2", "[{}, {}, {}]"),
            ("second weights", "arg 4", '[{}, {"model"}, {}]'),
            ("target", "arg 6", '[{"data"}, {}, {}]'),
            ("key of the random numbers", "arg 7", "[{}]"),
            ("output weight of a layer", "dynamic_slice 1x2x8x16xf32", '[{}, {"model"}, {}, {}]'),
            ("query, key and value of a layer", "dot_general 3x2x8x4x8xf32",
             '[{}, {"model"}, {}, {"data"}, {}]'),
            ("attention scores", "dot_general 4x2x8x8xf32", '[{"data"}, {"model"}, {}, {}]'),
            ("random bits of dropped weights", "bitcast_convert 4x2x8x8xf32",
             '[{"data"}, {"model"}, {}, {}]'),
            ("hidden activations", "dot_general 4x8x32xf32", '[{"data"}, {}, {"model"}]'),
            ("output of a layer", "dot_general 4x8x16xf32 1", '[{"data"}, {}, {}]'),
            ("kept inputs of all layers", "dynamic_update_slice 2x4x8x16xf32",
             '[{}, {"data"}, {}, {}]'),
            ("hidden activations, computed again", "dot_general 4x8x32xf32 1",
             '[{"data"}, {}, {"model"}]'),
            ("new query, key and value weights", "result[0]['qkv']", '[{}, {}, {}, {"model"}, {}]'),
            ("new output weights", "result[0]['out']", '[{}, {"model"}, {}, {}]'),
            ("new first weights", "result[0]['w1']", '[{}, {}, {"model"}]'),
            ("new second weights", "result[0]['w2']", '[{}, {"model"}, {}]'),
            ("new scales", "result[0]['scale']", "[{}, {}, {}]"),
            ("loss", "result[1]", "[]"),
        ]),
    Golden(
        "rnn_gated", "batch, and the state", TWO_AXES,
        # bias, input, recurrent: dimension 0 counts gates.
        {2: '[{}, {}, {"model"}]', 3: '[{}, {"data"}, {}]'},
        [
            ("bias", "arg 0", '[{}, {"model"}]'),
            ("input weight", "arg 1", '[{}, {}, {"model"}]'),
            ("lengths", "arg 4", '[{"data"}]'),
            ("input of a step", "dynamic_slice 1x8x5xf32", '[{}, {"data"}, {}]'),
            ("gates from the input, features first", "dot_general 3x8x8xf32",
             '[{}, {"model"}, {"data"}]'),
            ("gates from the state, features first", "dot_general 3x8x8xf32 1",
             '[{}, {"model"}, {"data"}]'),
            ("kept states", "dynamic_update_slice 6x8x8xf32", '[{}, {"data"}, {"model"}]'),
            ("kept gates", "dynamic_update_slice 6x2x8x8xf32", '[{}, {}, {"data"}, {"model"}]'),
            ("gradient of the state", "dot_general 8x8xf32", '[{"data"}, {"model"}]'),
            ("new bias", "result[0]['bias']", '[{}, {"model"}]'),
            ("new input weight", "result[0]['input']", '[{}, {}, {"model"}]'),
            ("new recurrent weight", "result[0]['recurrent']", '[{}, {}, {"model"}]'),
            ("loss", "result[1]", "[]"),
        ]),
    Golden(
        "decode_loop", "requests, and heads of the cache", TWO_AXES,
        {1: '[{}, {}, {"model"}, {}]', 3: '[{"data"}, {}]'},
        [
            ("output weight, by heads", "arg 0", '[{"model"}, {}, {}]'),
            ("words, replicated", "arg 2", "[{}, {}]"),
            ("padded prompt", "pad 8x10xi32", '[{"data"}, {}]'),
            ("embedded words", "gather 8x8xf32", '[{"data"}, {}]'),
            ("query, key and value", "dot_general 3x2x4x8xf32", '[{}, {"model"}, {}, {"data"}]'),
            ("cache", "dynamic_update_slice 2x8x10x2x4xf32", '[{}, {"data"}, {}, {"model"}, {}]'),
            ("attention scores", "dot_general 8x2x10xf32", '[{"data"}, {"model"}, {}]'),
            ("output of attention", "dot_general 8x8xf32", '[{"data"}, {}]'),
            ("logits", "dot_general 8x16xf32", '[{"data"}, {}]'),
            ("tokens", "dynamic_update_slice 8x10xi32", '[{"data"}, {}]'),
            ("time", "result[0]", "[]"),
            ("tokens in the end", "result[1]", '[{"data"}, {}]'),
            ("cache in the end", "result[2]", '[{}, {"data"}, {}, {"model"}, {}]'),
            ("requests that are done", "result[3]", '[{"data"}]'),
        ]),
    Golden(
        "fft_filter", "batch", '"data"=8',
        {0: '[{"data"}, {}]'},
        [
            ("response, replicated", "arg 1", "[{}, {}]"),
            ("spectrum", "fft 8x13xcomplex<f32>", '[{"data"}, {}]'),
            ("padded spectrum", "pad 8x13xcomplex<f32>", '[{"data"}, {}]'),
            ("filtered signal", "fft 8x24xf32", '[{"data"}, {}]'),
            ("spectrum in the gradient", "fft 8x13xcomplex<f32> 1", '[{"data"}, {}]'),
            ("gradient of the response, summed", "reduce 13xcomplex<f32>", "[{}]"),
            ("spectra of images", "fft 8x4x6xcomplex<f32>", '[{"data"}, {}, {}]'),
            ("filtered signal", "result[0]", '[{"data"}, {}]'),
            ("power", "result[1]", '[{"data"}, {}]'),
            ("gradient of the response", "result[2]", "[{}, {}]"),
            ("images", "result[3]", '[{"data"}, {}, {}]'),
            ("angles", "result[4]", '[{"data"}, {}, {}]'),
        ]),
    Golden(
        "fft_filter", "batch, and time, which a transform gathers", '"data"=4, "time"=2',
        {0: '[{"data"}, {"time"}]'},
        [
            ("spectrum", "fft 8x13xcomplex<f32>", '[{"data"}, {}]'),
            ("filtered signal", "fft 8x24xf32", '[{"data"}, {}]'),
            ("power", "result[1]", '[{"data"}, {}]'),
        ]),
    Golden(
        "cholesky_solve", "batch of systems", '"data"=8',
        {0: '[{"data"}, {}, {}]'},
        [
            ("right-hand sides", "arg 1", '[{"data"}, {}, {}]'),
            ("distances", "reduce 8x6x6xf32", '[{"data"}, {}, {}]'),
            ("factors", "custom_call 8x6x6xf32", '[{"data"}, {}, {}]'),
            ("solutions", "custom_call 8x6x1xf32", '[{"data"}, {}, {}]'),
            ("diagonals", "gather 8x6xf32", '[{"data"}, {}]'),
            ("gradient of the diagonals", "scatter 8x6x6xf32", '[{"data"}, {}, {}]'),
            ("gradient of factors", "dot_general 8x6x6xf32", '[{"data"}, {}, {}]'),
            ("solves in the gradient", "custom_call 8x6x6xf32 2", '[{"data"}, {}, {}]'),
            ("likelihoods", "result[0]", '[{"data"}]'),
            ("gradient", "result[1]", '[{"data"}, {}, {}]'),
        ]),
    Golden(
        "sampling", "requests", '"data"=8',
        {0: '[{"data"}, {}]'},
        [
            ("key, replicated", "arg 1", "[{}]"),
            ("sorted logits", "sort 8x16xf32", '[{"data"}, {}]'),
            ("logits in their order", "gather 8x16xf32", '[{"data"}, {}]'),
            ("sums of chances", "reduce_window 8x16xf32", '[{"data"}, {}]'),
            ("random bits", "bitcast_convert 8x16xf32", '[{"data"}, {}]'),
            ("words", "gather 8x1xi32", '[{"data"}, {}]'),
            ("words", "result[0]", '[{"data"}]'),
            ("chances", "result[1]", '[{"data"}, {}]'),
            ("ranked logits", "result[2]", '[{"data"}, {}]'),
            ("numbers of ranked logits", "result[3]", '[{"data"}, {}]'),
            ("likeliest words", "result[4]", '[{"data"}]'),
            ("medians", "result[5]", '[{"data"}]'),
        ]),
    Golden(
        "segments", "features", '"data"=8',
        {0: '[{}, {"data"}]'},
        [
            ("numbers, replicated", "arg 1", "[{}]"),
            ("sums", "scatter 6x8xf32", '[{}, {"data"}]'),
            ("maxima", "scatter 6x8xf32 1", '[{}, {"data"}]'),
            ("counts", "scatter 6xi32", "[{}]"),
            ("sorted rows", "gather 24x8xf32", '[{}, {"data"}]'),
            ("sums", "result[0]", '[{}, {"data"}]'),
            ("maxima", "result[1]", '[{}, {"data"}]'),
            ("counts", "result[2]", "[{}]"),
            ("sorted rows", "result[3]", '[{}, {"data"}]'),
        ]),
    Golden(
        "segments", "rows, whose sums are combined", '"data"=8',
        {0: '[{"data"}, {}]'},
        [
            ("numbers, with their rows", "arg 1", '[{"data"}]'),
            ("sums, of all rows", "scatter 6x8xf32", "[{}, {}]"),
            ("maxima, of all rows", "scatter 6x8xf32 1", "[{}, {}]"),
            ("counts, of all rows", "scatter 6xi32", "[{}]"),
            ("sums", "result[0]", "[{}, {}]"),
            ("counts", "result[2]", "[{}]"),
        ]),
    Golden(
        "random_streams", "rows of what is drawn", '"data"=8',
        {},
        [
            ("key, replicated", "arg 0", "[{}]"),
            ("bits of uniform numbers", "bitcast_convert 8x5xf32", '[{"data"}, {}]'),
            # Shardy has no rules for chlo ops and stops at erf_inv; here they have some.
            ("bits of normal numbers", "bitcast_convert 8x5xf32 1", '[{"data"}, {}]'),
            ("normal numbers", "chlo.erf_inv 8x5xf32", '[{"data"}, {}]'),
            ("uniform numbers", "result[0]", '[{"data"}, {}]'),
            ("normal numbers", "result[1]", '[{"data"}, {}]'),
            ("permutation, not asked for", "result[3]", "[{}]"),
        ],
        results={0: '[{"data"}, {}]', 1: '[{"data"}, {}]'}),
]


def model_text(name):
    folders = [ROOT / "test/programs", ROOT / "examples"]
    return next(folder / name / "model.mlir" for folder in folders
                if (folder / name).is_dir()).read_text()


@pytest.mark.parametrize("golden", GOLDENS, ids=str)
def test_tensors_are_sharded_as_an_expert_expects(shardwise_opt, golden):
    text = annotated(model_text(golden.model), golden.mesh, golden.arguments, golden.results)
    process = shardwise_opt("-shardwise-inline-calls", "-sdy-propagation-pipeline",
                            "-mlir-print-op-generic", "-", stdin=text)
    assert process.returncode == 0, process.stderr
    shardings = Shardings(process.stdout)
    wrong = [f"{what}: {place} has {actual}, expected {sharding}"
             for what, place, sharding in golden.expected
             if (actual := shardings.at(place)) != sharding]
    assert not wrong, "\n".join([str(golden)] + wrong)

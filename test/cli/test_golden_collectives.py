# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The collectives of the papers' forms, at sizes where they are cheapest: kind, axes, count, bytes. The
programs are rows of the partition benchmark, whose sources say where the bytes come from."""

import json
import pathlib

import pytest
from conftest import ROOT

BENCHMARK = ROOT / "benchmarks/partition"


def gathered(elements, over):
    """Bytes for f32; a sum into shards costs as much, a sum for all twice that."""
    return elements * 4 * (over - 1) // over


# Counts: what one pass needs is a number; what may also go together in one collective, a range.
def up_to(count):
    return range(1, count + 1)


ACTIVATION = 32 * 128  # of a device, in the perceptrons over data and model
WEIGHT = 128 * 128  # of a device, there
CUT_SEQUENCE = 4 * 64 * 128
LINE = 2 * 32 * 8 * 4  # of a batch of images, in bytes

GOLDEN = {
    # Li et al., PyTorch Distributed: gradients are summed up, nothing else moves.
    "data_parallel_step": [("all_reduce", '{"x"}', up_to(2), 2 * 2 * gathered(64 * 128, 8))],
    "many_small_gradients": [("all_reduce", '{"x"}', up_to(12), 2 * gathered(6 * (16 * 16 + 16), 8))],
    # Rajbhandari et al., ZeRO: the gradient into shards of the moments, the new weight from shards. The
    # gradient is there in shards alone, so stage 2 is the same program; stage 3 is the next.
    "adam_with_cut_moments_of_many_tokens": [("all_gather", '{"x"}', 1, gathered(64 * 64, 8)),
                                             ("reduce_scatter", '{"x"}', 1, gathered(64 * 64, 8))],
    # Zhao et al., FSDP, whose gathered weights are kept from the forward to the backward pass.
    "fsdp_step": [("all_gather", '{"x"}', up_to(2), 2 * gathered(64 * 128, 8)),
                  ("reduce_scatter", '{"x"}', up_to(2), 2 * gathered(64 * 128, 8))],
    # Shoeybi et al., Megatron-LM: one sum in each direction of a perceptron; and of attention.
    "megatron_forward": [("all_reduce", '{"model"}', 1, 2 * gathered(ACTIVATION, 4))],
    "megatron_step": [("all_reduce", '{"data"}', up_to(2), 2 * 2 * gathered(WEIGHT, 2)),
                      ("all_reduce", '{"model"}', 2, 2 * 2 * gathered(8 * ACTIVATION, 4))],
    "megatron_layers_in_a_loop": [("all_reduce", '{"model"}', 6, 6 * 2 * gathered(ACTIVATION, 4))],
    "attention_over_heads": [("all_reduce", '{"model"}', 1, 2 * gathered(4 * 32 * 128, 4))],
    # Korthikanti et al., sequence parallelism: the sums become gathers and sums into shards.
    "sequence_parallel_forward": [("all_gather", '{"model"}', 1, gathered(CUT_SEQUENCE, 4)),
                                  ("reduce_scatter", '{"model"}', 1, gathered(CUT_SEQUENCE, 4))],
    "sequence_parallel_step": [("all_gather", '{"model"}', 2, 2 * gathered(CUT_SEQUENCE, 4)),
                               ("all_reduce", '{"data", "model"}', up_to(2), 2 * 2 * gathered(128, 8)),
                               ("all_reduce", '{"data"}', up_to(2), 2 * 2 * gathered(WEIGHT, 2)),
                               ("reduce_scatter", '{"model"}', 2, 2 * gathered(CUT_SEQUENCE, 4))],
    # Jacobs et al., Ulysses: q, k and v to heads, the result back.
    "ulysses_attention": [("all_to_all", '{"x"}', up_to(4), 4 * gathered(2 * 8 * 8 * 16, 8))],
    # Liu et al., ring attention: keys and values go around, seven times handed on.
    "ring_attention": [("collective_permute", '{"x"}', range(7, 15), 7 * 2 * 2 * 8 * 8 * 16 * 4)],
    # Dubey et al., Llama 3: keys and values of few heads are gathered over the sequence.
    "context_parallel_attention": [("all_gather", '{"x"}', 2, 2 * gathered(2 * 64 * 16, 8))],
    # Lepikhin et al., GShard: tokens to their experts, and back.
    "dense_mixture_of_experts": [("all_to_all", '{"x"}', 2, 2 * gathered(8 * 8 * 64, 8))],
    # Dryden et al., spatially parallel convolutions: a line of each neighbour; with stride 2 of one.
    # The kernel's gradient is summed up, and the lines serve it, too.
    "convolution_of_cut_images": [("collective_permute", '{"x"}', 2, 2 * LINE)],
    "strided_convolution_of_cut_images": [("collective_permute", '{"x"}', 1, LINE)],
    "gradient_of_a_kernel": [("all_reduce", '{"x"}', 1, 2 * gathered(3 * 3 * 8 * 16, 8)),
                             ("collective_permute", '{"x"}', 2, 2 * LINE)],
    # Pope et al., efficient inference: heads are independent, one sum behind the last product. Over a cut
    # sequence the owner of a place writes it; maxima, sums and weighted values are combined.
    "decoding_over_cut_heads": [("all_reduce", '{"model"}', 1, 2 * gathered(4 * 128, 4))],
    "decoding_over_a_cut_cache": [("all_reduce", '{"model"}', up_to(3), 2 * gathered(4 * (64 + 2), 4))],
    # The positions before the first of a device; of a scan the totals of the devices before.
    "causal_depthwise_convolution": [("collective_permute", '{"x"}', 1, 4 * 3 * 32 * 4)],
    "prefix_sums_along_a_sequence": [("all_gather", '{"x"}', 1, gathered(8 * 16 * 8, 8))],
    # The vocabulary cut, as in Megatron: maximum, sum and target of each token, and the mean over data.
    "loss_over_a_cut_vocabulary": [("all_reduce", '{"data"}', 1, 4),
                                   ("all_reduce", '{"model"}', up_to(3), 3 * 2 * gathered(4 * 16, 4))],
    # Megatron-LM sums rows up, which is 49,152 bytes. A quarter of the tokens asks the owners, who are
    # all the first here, and the rows are gathered.
    "embedding_of_a_cut_vocabulary": [("all_gather", '{"model"}', 1, gathered(4 * 32 * 64, 4)),
                                      ("all_to_all", '{"model"}', 1, 3 * 8),
                                      ("ragged_all_to_all", '{"model"}', 2, 32 * 64 * 4)],
    # Van de Geijn and Watts, SUMMA with one block each.
    "product_of_blocks": [("all_gather", '{"data"}', 1, gathered(64 * 16, 2)),
                          ("all_gather", '{"model"}', 1, gathered(32 * 64, 4))],
}


def collectives_of(shardwise, path: pathlib.Path):
    process = shardwise("run", path, "--json", "--no-verify")
    assert process.returncode == 0, process.stderr
    return [(entry["kind"], entry["axes"], entry["count"], entry["bytes_received_per_device"])
            for entry in json.loads(process.stdout)["collectives"]]


@pytest.mark.parametrize("name", GOLDEN)
def test_the_collectives_are_those_of_the_paper(shardwise, name):
    found = collectives_of(shardwise, BENCHMARK / "texts" / f"{name}.mlir")
    assert [(kind, axes, num_bytes) for kind, axes, _, num_bytes in found] == [
        (kind, axes, num_bytes) for kind, axes, _, num_bytes in GOLDEN[name]]
    for (kind, axes, count, _), (_, _, expected, _) in zip(found, GOLDEN[name]):
        assert count in (expected if isinstance(expected, range) else [expected]), (kind, axes)


def test_a_pipeline_hands_on_by_permutes(shardwise):
    """Huang et al., GPipe: four stages and micro-batches hand on six times; a seventh is written, and
    nobody reads it. The outputs of the last stage are summed up."""
    found = collectives_of(shardwise, BENCHMARK / "texts/pipeline_by_permutes.mlir")
    assert [kind for kind, *_ in found] == ["all_reduce", "collective_permute"]
    assert found[0][2:] == (1, 2 * gathered(16 * 32, 4))
    assert found[1][1:] in [('{"x"}', count, count * 4 * 32 * 4) for count in (6, 7)]


def test_ragged_experts_gather_tokens_and_sum_results_into_shards(shardwise):
    """Gale et al., MegaBlocks, with shapes that do not depend on the data: tokens once to all, results once
    into shards. Between both products each device has the rows of its experts: no weight moves."""
    found = collectives_of(shardwise, BENCHMARK / "written/ragged_mixture_of_experts.mlir")
    moved = {kind: num_bytes for kind, _, _, num_bytes in found}
    assert moved["all_gather"] <= gathered(256 * 64, 8) + gathered(256, 8)
    assert moved["reduce_scatter"] <= gathered(256 * 64, 8)
    assert moved.get("all_to_all", 0) <= gathered(256 * 8, 8)


def test_a_recurrence_is_not_gathered(shardwise):
    """Blelloch's form gathers decay and state of each device. JAX writes it as slices and pads of halves, of
    which each level fetches a row of a neighbour, and the last ones are moved to the channels: less."""
    found = collectives_of(shardwise, BENCHMARK / "texts/associative_scan_along_a_sequence.mlir")
    assert {kind for kind, *_ in found} <= {"all_to_all", "collective_permute"}
    assert sum(num_bytes for *_, num_bytes in found) <= 2 * gathered(4 * 8 * 32, 8)

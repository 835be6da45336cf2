# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of the architectures in `transformers`, by what they are made of and what they are given."""

import dataclasses
from collections.abc import Callable
from typing import Any

from torch_package import torch

WORDS = 67
SMALL = {"vocab_size": WORDS, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
         "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
#: Encoders and decoders of `d_model` features, and those of T5's family.
PAIR = {"vocab_size": WORDS, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "max_position_embeddings": 64, "pad_token_id": 0,
        "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2, "forced_eos_token_id": 2}
T5 = {"vocab_size": WORDS, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0}
GPT = {"vocab_size": WORDS, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}
EXPERTS = {"num_key_value_heads": 2, "num_local_experts": 4, "num_experts_per_tok": 2}
VIT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "image_size": 32,
       "patch_size": 8, "num_labels": 2}
SOUND = {"vocab_size": 32, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
         "conv_dim": (16, 16, 16), "conv_stride": (5, 2, 2), "conv_kernel": (10, 3, 3), "num_feat_extract_layers": 3,
         "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2, "mask_time_prob": 0.0, "layerdrop": 0.0}
SERIES = {"prediction_length": 6, "context_length": 13, "lags_sequence": [1, 2, 7], "num_time_features": 2, "d_model": 32,
          "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
          "encoder_ffn_dim": 32, "decoder_ffn_dim": 32}


def words(count=4, length=16):
    return {"input_ids": torch.randint(3, WORDS, (count, length))}


def next_words():
    given = words()
    return given | {"labels": given["input_ids"].clone()}


def classes():
    mask = torch.ones(4, 16, dtype=torch.int64)
    mask[1, 10:] = 0
    return words() | {"labels": torch.tensor([0, 1, 1, 0]), "attention_mask": mask}


def translated():
    return words(4, 12) | {"labels": torch.randint(3, WORDS, (4, 16))}


def long_translated():
    return words(2, 64) | {"labels": torch.randint(3, WORDS, (2, 8))}


def images(size=32):
    return {"pixel_values": torch.randn(4, 3, size, size), "labels": torch.tensor([0, 1, 1, 0])}


def segments():
    return {"pixel_values": torch.randn(2, 3, 32, 32), "labels": torch.randint(0, 3, (2, 32, 32))}


def films():
    return {"pixel_values": torch.randn(2, 4, 3, 32, 32), "labels": torch.tensor([0, 1])}


def sounds():
    return {"input_values": torch.randn(2, 800), "labels": torch.randint(1, 30, (2, 4))}


def spectra():
    return {"input_features": torch.randn(2, 16, 64), "labels": torch.randint(3, 60, (2, 8))}


def pairs():
    return words(4, 8) | {"pixel_values": torch.randn(4, 3, 32, 32), "return_loss": True}


def captions():
    return words(4, 8) | {"pixel_values": torch.randn(4, 3, 32, 32), "labels": torch.randint(3, 60, (4, 8))}


def series():
    return {"past_values": torch.randn(4, 20), "past_time_features": torch.randn(4, 20, 2), "past_observed_mask": torch.ones(4, 20),
            "future_values": torch.randn(4, 6), "future_time_features": torch.randn(4, 6, 2)}


def patches():
    return {"past_values": torch.randn(4, 32, 3), "future_values": torch.randn(4, 8, 3)}


def tables():
    return words() | {"token_type_ids": torch.zeros(4, 16, 7, dtype=torch.int64), "labels": torch.tensor([0, 1, 1, 0])}


def pages():
    return words() | {"bbox": torch.randint(0, 40, (4, 16, 1)).expand(4, 16, 4).contiguous(), "labels": torch.tensor([0, 1, 1, 0])}


@dataclasses.dataclass(frozen=True)
class Architecture:
    """`config` is what the model called `name` followed by `head` is made of, `batch` makes its arguments."""
    name: str
    head: str
    batch: Callable[[], dict[str, Any]]
    config: dict[str, Any]
    #: Whether `make test` has it.
    is_quick: bool = False


def _decoders():
    plain = {"num_key_value_heads": 2, "head_dim": 8}
    for name in ("Llama", "Mistral", "Qwen2", "Qwen3", "Gemma", "Gemma2", "Phi", "Phi3", "StableLm", "Olmo", "Olmo2", "Cohere", "Granite",
                 "Starcoder2", "Persimmon", "Helium", "Glm", "Nemotron", "SmolLM3", "Ernie4_5", "DiffLlama", "BitNet", "GPTNeoX"):
        yield name, SMALL | plain
    yield "Falcon", SMALL
    yield "Gemma3", SMALL | plain | {"sliding_window": 8}
    yield "Exaone4", SMALL | {"num_key_value_heads": 2, "sliding_window": 8}
    yield "Lfm2", SMALL | {"num_key_value_heads": 2, "layer_types": ["conv", "full_attention"], "block_multiple_of": 8}
    yield "GPTNeo", {"vocab_size": WORDS, "hidden_size": 32, "num_layers": 2, "num_heads": 4, "max_position_embeddings": 64,
                     "attention_types": [[["global", "local"], 1]], "window_size": 8}
    yield "GPTJ", GPT | {"rotary_dim": 4}
    yield "CodeGen", GPT | {"rotary_dim": 4}
    yield "OPT", {"vocab_size": WORDS, "hidden_size": 32, "num_hidden_layers": 2, "ffn_dim": 48, "num_attention_heads": 4,
                  "max_position_embeddings": 64, "word_embed_proj_dim": 32}
    yield "Bloom", {"vocab_size": WORDS, "hidden_size": 32, "n_layer": 2, "n_head": 4}
    yield "Mpt", {"vocab_size": WORDS, "d_model": 32, "n_layers": 2, "n_heads": 4, "max_seq_len": 64}
    states = {"vocab_size": WORDS, "hidden_size": 32, "num_hidden_layers": 2}
    yield "Mamba", states | {"state_size": 4}
    yield "FalconMamba", states | {"state_size": 4}
    yield "Mamba2", states | {"state_size": 8, "num_heads": 8, "head_dim": 8, "n_groups": 2, "chunk_size": 8}
    yield "Rwkv", states | {"attention_hidden_size": 32, "context_length": 64}
    yield "xLSTM", states | {"num_heads": 4, "num_blocks": 2}
    yield "RecurrentGemma", SMALL | {"num_key_value_heads": 1, "lru_width": 32, "attention_window_size": 8,
                                     "block_types": ["recurrent", "attention"]}
    yield "Zamba2", SMALL | {"num_key_value_heads": 4, "mamba_d_state": 8, "n_mamba_heads": 4, "mamba_headdim": 16,
                             "layers_block_type": ["mamba", "hybrid"], "num_mem_blocks": 1, "use_mamba_kernels": False}
    yield "Bamba", SMALL | {"num_key_value_heads": 2, "mamba_n_heads": 8, "mamba_d_head": 8, "mamba_d_state": 8,
                            "attn_layer_indices": [1]}
    yield "Jamba", SMALL | {"num_key_value_heads": 2, "num_experts": 2, "use_mamba_kernels": False, "mamba_d_state": 4}
    yield "Mixtral", SMALL | EXPERTS
    yield "GraniteMoe", SMALL | EXPERTS
    yield "JetMoe", SMALL | EXPERTS | {"kv_channels": 8}
    yield "GptOss", SMALL | EXPERTS | {"head_dim": 8, "sliding_window": 8}
    yield "Qwen2Moe", SMALL | {"num_key_value_heads": 2, "num_experts": 4, "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16}
    yield "Qwen3Moe", SMALL | plain | {"num_experts": 4, "moe_intermediate_size": 16, "num_experts_per_tok": 2}
    yield "Olmoe", SMALL | {"num_key_value_heads": 4, "num_experts": 4, "num_experts_per_tok": 2}
    yield "Llama4", SMALL | plain | {"num_local_experts": 4, "intermediate_size_mlp": 48, "attention_chunk_size": 8}
    yield "MiniMax", SMALL | EXPERTS | {"head_dim": 8, "block_size": 8, "layer_types": ["linear_attention", "full_attention"]}
    yield "Dbrx", {"vocab_size": WORDS, "d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 64, "attn_config": {"kv_n_heads": 2, "clip_qkv": 8},
                   "ffn_config": {"ffn_hidden_size": 32, "moe_num_experts": 4, "moe_top_k": 2}}
    yield "DeepseekV3", SMALL | {"num_key_value_heads": 4, "q_lora_rank": 16, "kv_lora_rank": 8, "qk_rope_head_dim": 4,
                                 "qk_nope_head_dim": 4, "v_head_dim": 8, "n_routed_experts": 4, "moe_intermediate_size": 16,
                                 "num_experts_per_tok": 2, "n_group": 2, "topk_group": 1, "first_k_dense_replace": 1}


def _encoders():
    for name in ("Bert", "Roberta", "Electra", "DebertaV2", "Deberta", "MobileBert", "ConvBert", "MPNet", "Albert", "RoFormer", "XLMRoberta",
                 "Camembert", "Ernie", "Nystromformer", "MegatronBert", "IBert"):
        yield name, classes, SMALL
    yield "SqueezeBert", classes, SMALL | {"embedding_size": 32, "q_groups": 2, "k_groups": 2, "v_groups": 2, "intermediate_groups": 2,
                                           "output_groups": 2}
    yield "DistilBert", classes, {"vocab_size": WORDS, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48,
                                  "max_position_embeddings": 64}
    yield "XLNet", classes, {"vocab_size": WORDS, "d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 48}
    yield "Funnel", classes, {"vocab_size": WORDS, "d_model": 32, "block_sizes": [1, 1], "n_head": 4, "d_head": 8, "d_inner": 48,
                              "num_labels": 2}
    yield "Longformer", classes, SMALL | {"attention_window": 8}
    yield "BigBird", lambda: words(2, 64) | {"labels": torch.tensor([0, 1])}, SMALL | {
        "block_size": 4, "num_random_blocks": 1, "attention_type": "block_sparse", "max_position_embeddings": 128}
    yield "Canine", lambda: words(2, 64) | {"labels": torch.tensor([0, 1])}, {
        "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "max_position_embeddings": 64,
        "num_hash_functions": 4, "num_hash_buckets": 64, "local_transformer_stride": 16}
    yield "Tapas", tables, SMALL | {"num_labels": 2}
    yield "LayoutLM", pages, SMALL | {"max_2d_position_embeddings": 64}


def _pairs_of_texts():
    for name in ("Bart", "Pegasus", "Blenderbot", "M2M100"):
        yield name, translated, PAIR
    yield "T5", translated, T5
    yield "MT5", translated, T5
    yield "UMT5", translated, T5
    yield "LongT5", translated, T5 | {"local_radius": 4, "global_block_size": 4, "encoder_attention_type": "transient-global"}
    yield "SwitchTransformers", translated, T5 | {"num_experts": 4, "num_sparse_encoder_layers": 1, "num_sparse_decoder_layers": 1,
                                                  "num_decoder_layers": 2, "router_jitter_noise": 0.0}
    yield "ProphetNet", translated, {
        "vocab_size": WORDS, "hidden_size": 32, "num_encoder_layers": 2, "num_decoder_layers": 2, "num_encoder_attention_heads": 4,
        "num_decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "max_position_embeddings": 64, "pad_token_id": 0,
        "decoder_start_token_id": 1, "relative_max_distance": 16, "num_buckets": 8}
    yield "LED", long_translated, {name: one for name, one in PAIR.items() if name != "max_position_embeddings"} | {
        "max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 64, "attention_window": 8}
    yield "BigBirdPegasus", long_translated, PAIR | {"block_size": 4, "num_random_blocks": 1, "max_position_embeddings": 128}
    yield "Whisper", spectra, {name: one for name, one in PAIR.items() if not name.endswith(("position_embeddings", "eos_token_id"))} | {
        "num_mel_bins": 16, "max_source_positions": 32, "max_target_positions": 32, "decoder_start_token_id": 1, "eos_token_id": 2}


def _pictures():
    for name in ("ViT", "DeiT", "Dinov2"):
        yield name, images, VIT
    yield "Beit", images, VIT | {"use_relative_position_bias": True}
    windows = {"image_size": 32, "patch_size": 4, "embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4, "num_labels": 2}
    yield "Swin", images, windows
    yield "Swinv2", images, windows
    stages = {"depths": [1, 1, 1, 1], "hidden_sizes": [8, 16, 16, 32], "num_labels": 2}
    yield "ConvNext", images, stages
    yield "ConvNextV2", images, stages
    yield "PoolFormer", images, stages
    yield "PvtV2", lambda: images(64), stages | {"image_size": 64, "num_attention_heads": [1, 2, 2, 4]}
    blocks = {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "num_labels": 2}
    yield "ResNet", images, blocks | {"layer_type": "basic"}
    yield "RegNet", images, blocks | {"groups_width": 8, "layer_type": "y"}
    yield "Bit", lambda: images(64), blocks | {"num_groups": 4}
    yield "MobileNetV2", images, {"image_size": 32, "depth_multiplier": 0.25, "num_labels": 2}
    yield "EfficientNet", lambda: images(64), {"image_size": 64, "width_coefficient": 0.25, "depth_coefficient": 0.3, "hidden_dim": 320,
                                               "num_labels": 2}
    yield "MobileViT", lambda: images(64), {"image_size": 64, "hidden_sizes": [16, 24, 32], "num_attention_heads": 4, "num_labels": 2,
                                            "neck_hidden_sizes": [8, 16, 16, 24, 24, 32, 64]}


def _others():
    yield "Segformer", "ForSemanticSegmentation", segments, {
        "num_encoder_blocks": 2, "depths": [1, 1], "sr_ratios": [2, 1], "hidden_sizes": [16, 32], "num_attention_heads": [2, 4],
        "patch_sizes": [7, 3], "strides": [4, 2], "mlp_ratios": [2, 2], "num_labels": 3, "decoder_hidden_size": 16}
    yield "VideoMAE", "ForVideoClassification", films, VIT | {"num_frames": 4, "tubelet_size": 2}
    yield "ViTMAE", "ForPreTraining", lambda: {"pixel_values": torch.randn(4, 3, 32, 32), "noise": torch.rand(4, 16)}, VIT | {
        "decoder_hidden_size": 32, "decoder_num_hidden_layers": 1, "decoder_num_attention_heads": 4, "decoder_intermediate_size": 32}
    yield "Siglip", "Model", pairs, {"text_config": SMALL | {"max_position_embeddings": 8},
                                     "vision_config": {name: one for name, one in VIT.items() if name != "num_labels"}}
    yield "Blip", "ForConditionalGeneration", captions, {
        "text_config": SMALL | {"encoder_hidden_size": 32, "projection_dim": 16, "sep_token_id": 2}, "vision_config": VIT | {"projection_dim": 16}}
    for name in ("Wav2Vec2", "Hubert", "WavLM", "UniSpeech"):
        yield name, "ForCTC", sounds, SOUND
    yield "Wav2Vec2Conformer", "ForCTC", sounds, SOUND | {"position_embeddings_type": "relative"}
    yield "TimeSeriesTransformer", "ForPrediction", series, SERIES
    yield "Autoformer", "ForPrediction", series, SERIES | {"label_length": 4, "moving_average": 5}
    yield "PatchTST", "ForPrediction", patches, {
        "num_input_channels": 3, "context_length": 32, "patch_length": 8, "patch_stride": 8, "d_model": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "ffn_dim": 48, "prediction_length": 8}
    yield "PatchTSMixer", "ForPrediction", patches, {
        "num_input_channels": 3, "context_length": 32, "patch_length": 8, "patch_stride": 8, "d_model": 16, "num_layers": 2,
        "prediction_length": 8}
    yield "GPT2", "LMHeadModel", next_words, GPT
    yield "Marian", "MTModel", translated, PAIR | {"decoder_start_token_id": 0}
    yield "Esm", "ForMaskedLM", next_words, SMALL | {"mask_token_id": 3, "position_embedding_type": "rotary"}
    yield "ModernBert", "ForMaskedLM", next_words, SMALL | {"cls_token_id": 1, "sep_token_id": 2, "reference_compile": False}
    yield "Reformer", "ModelWithLMHead", lambda: words(2) | {"labels": torch.randint(3, WORDS, (2, 16))}, {
        "vocab_size": WORDS, "hidden_size": 32, "num_attention_heads": 2, "attention_head_size": 16, "feed_forward_size": 48,
        "attn_layers": ["local", "local"], "local_attn_chunk_length": 4, "axial_pos_embds": False, "max_position_embeddings": 64,
        "is_decoder": True}


#: One of each kind, which `make test` has time for.
_QUICK = {"Qwen3", "Mamba2", "DebertaV2", "ProphetNet", "SwitchTransformers", "Swin", "RegNet", "Segformer", "WavLM", "Autoformer", "LED",
          "DeepseekV3"}

ARCHITECTURES = [Architecture(name, head, batch, config, name in _QUICK) for name, head, batch, config in (
    *((name, "ForCausalLM", next_words, config) for name, config in _decoders()),
    *((name, "ForSequenceClassification", batch, config) for name, batch, config in _encoders()),
    *((name, "ForConditionalGeneration", batch, config) for name, batch, config in _pairs_of_texts()),
    *((name, "ForImageClassification", batch, config) for name, batch, config in _pictures()), *_others())]

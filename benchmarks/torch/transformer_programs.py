# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of `transformers`, unchanged. As in `programs`, each is a function of a place that returns a step."""

import torch
import transformers

from places import largest, rows
from programs import adamw, trained

WORDS = 512
WIDE = {"vocab_size": WORDS, "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4,
        "max_position_embeddings": 64}


def words(count=8, length=32):
    return lambda: (torch.randint(0, WORDS, (count, length)),)


def own_loss(model, x):
    return model(input_ids=x, labels=x).loss


def gpt2(layers=4):
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=WORDS, n_positions=64, n_embd=128, n_layer=layers, n_head=4, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
        bos_token_id=0, eos_token_id=0))


def gpt2_2d(place):
    return trained(place, gpt2(), words(), own_loss, rows)


def gpt2_greedy(place):
    """A token per step: the sequence grows by one, without a cache. Begins again at 64."""
    model = place.model(gpt2(2).eval(), rows)
    state = {}

    def step():
        with torch.no_grad():
            tokens = state.get("tokens")
            if tokens is None or tokens.shape[1] >= 64:
                tokens = place.batch(torch.randint(0, WORDS, (4, 8)))
            chosen = model(input_ids=tokens).logits[:, -1].argmax(-1, keepdim=True)
            state["tokens"] = torch.cat([tokens, chosen], 1)
            return place.read(chosen.sum())

    return step


def gpt2_generate(place):
    model = place.model(gpt2(2).eval(), rows)

    def step():
        tokens = place.batch(torch.randint(1, WORDS, (4, 8)))
        return place.read(model.generate(tokens, attention_mask=torch.ones_like(tokens), max_new_tokens=6, min_new_tokens=6,
                                         do_sample=False, pad_token_id=0)[:, -1].sum())

    return step


def llama_fsdp(place):
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(num_key_value_heads=2, **WIDE))
    return trained(place, model, words(), own_loss, largest)


def bert_2d(place):
    model = transformers.BertForMaskedLM(transformers.BertConfig(
        hidden_dropout_prob=0, attention_probs_dropout_prob=0, **WIDE))
    return trained(place, model, words(), own_loss, rows)


def t5_adafactor(place):
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(
        vocab_size=WORDS, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, dropout_rate=0, decoder_start_token_id=0,
        pad_token_id=0))
    return trained(place, model, words(8, 16), own_loss, rows,
                   lambda model: transformers.Adafactor(model.parameters(), lr=1e-3, relative_step=False))


def vit_data_parallel(place):
    model = transformers.ViTForImageClassification(transformers.ViTConfig(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, image_size=32, patch_size=8,
        num_labels=10, hidden_dropout_prob=0, attention_probs_dropout_prob=0))
    return trained(place, model, lambda: (torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,))),
                   lambda model, x, y: model(pixel_values=x, labels=y).loss,
                   optimizer=lambda model: torch.optim.Adafactor(model.parameters(), 1e-3))


def mixtral_experts(place):
    """Which tokens an expert sees depends on values."""
    model = transformers.MixtralForCausalLM(transformers.MixtralConfig(
        num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2, **{**WIDE, "hidden_size": 64}))
    return trained(place, model, words(8, 16), own_loss, rows, adamw)


PROGRAMS = [gpt2_2d, gpt2_greedy, gpt2_generate, llama_fsdp, bert_2d, t5_adafactor, vit_data_parallel, mixtral_experts]

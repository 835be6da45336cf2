# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of `transformers`, unchanged, train on a mesh as they do eagerly."""

import pytest

from torch_package import DEVICE, mesh, torch, xs

transformers = pytest.importorskip("transformers", reason="transformers is not installed; `make setup-optional` does it")

MESH = mesh((4, 2), ("data", "model"))
WORDS, STEPS = 96, 20
SMALL = {"vocab_size": WORDS, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
         "max_position_embeddings": 32}


def words():
    drawn = torch.randint(0, WORDS, (8, 12))
    return {"input_ids": drawn, "labels": drawn.clone()}


def images():
    return {"pixel_values": torch.randn(8, 3, 16, 16), "labels": torch.randint(0, 10, (8,))}


def gpt2():
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=WORDS, n_positions=32, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0))


def llama():
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(num_key_value_heads=2, **SMALL))


def bert():
    return transformers.BertForMaskedLM(transformers.BertConfig(
        hidden_dropout_prob=0, attention_probs_dropout_prob=0, **SMALL))


def t5():
    return transformers.T5ForConditionalGeneration(transformers.T5Config(
        vocab_size=WORDS, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0, decoder_start_token_id=0,
        pad_token_id=0))


def vit():
    return transformers.ViTForImageClassification(transformers.ViTConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=8,
        num_labels=10, hidden_dropout_prob=0, attention_probs_dropout_prob=0))


def mixtral():
    return transformers.MixtralForCausalLM(transformers.MixtralConfig(
        num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2, **SMALL))


def tensor_parallel(parameter):
    return ("model", None) if parameter.dim() == 2 and parameter.shape[0] % 2 == 0 else None


def fully_sharded(parameter):
    largest = max(range(parameter.dim()), key=lambda i: parameter.shape[i])
    return tuple(("data", "model") if i == largest else None for i in range(parameter.dim()))


def data_parallel(parameter):
    return None


def adamw(model):
    return torch.optim.AdamW(model.parameters(), 1e-3)


def losses_of(make, batch, steps, spec_of=None, optimizer_of=adamw):
    torch.manual_seed(0)
    model = make().train()
    if spec_of is not None:
        model.to(DEVICE)
        for parameter in model.parameters():
            if (spec := spec_of(parameter)) is not None and not xs.get_sharding_spec(parameter):
                xs.mark_sharding(parameter, MESH, spec)
    optimizer, losses, counts = optimizer_of(model), [], []
    for step in range(steps):
        torch.manual_seed(50 + step)
        given = batch()
        if spec_of is not None:
            given = {name: value.to(DEVICE) for name, value in given.items()}
            for value in given.values():
                xs.mark_sharding(value, MESH, ("data",) + (None,) * (value.dim() - 1))
        optimizer.zero_grad()
        loss = model(**given).loss
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        counts.append(xs.compile_count())
    return losses, counts


@pytest.mark.parametrize("make, batch, spec_of", [
    (gpt2, words, tensor_parallel), (llama, words, fully_sharded), (bert, words, tensor_parallel),
    (t5, words, tensor_parallel), (vit, images, data_parallel)], ids=["gpt2", "llama", "bert", "t5", "vit"])
def test_model(make, batch, spec_of):
    before = dict(xs.fallback_counts())
    expected, _ = losses_of(make, batch, STEPS)
    losses, counts = losses_of(make, batch, STEPS, spec_of)
    assert losses == pytest.approx(expected, rel=1e-4)
    assert counts[1] == counts[-1] and xs.fallback_counts() == before


def test_an_optimizer_that_reads_norms():
    def adafactor(model):
        return transformers.Adafactor(model.parameters(), lr=1e-3, relative_step=False)

    expected, _ = losses_of(t5, words, 6, optimizer_of=adafactor)
    before = xs.compile_count()
    losses, counts = losses_of(t5, words, 6, tensor_parallel, adafactor)
    assert losses == pytest.approx(expected, rel=1e-4)
    assert counts == [before + 1] + 5 * [before + 2]


def test_experts_whose_shapes_depend_on_values():
    expected, _ = losses_of(mixtral, words, 2)
    losses, _ = losses_of(mixtral, words, 2, tensor_parallel)
    assert losses == pytest.approx(expected, rel=1e-4)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multiplications and additions in matrix products and convolutions of real training steps, counted by hand from their shapes.

A product of [m, k] and [k, n] is 2 m k n. On the way back it is there twice: for either operand. With `jax.checkpoint` a layer is computed
once more, but for what only its result needs: the last product of the layer. All of a step, on all devices together.

`python hand_counts.py FOLDER` compares with what `explain` says of the programs of these names.
"""

import json
import pathlib
import subprocess
import sys

LLAMA_7B = dict(width=4096, heads=32, kv_heads=32, head=128, hidden=11008, layers=32, vocab=32000)
MIXTRAL = dict(width=4096, heads=32, kv_heads=8, head=128, hidden=14336, layers=32, vocab=32000)


def gpt2(batch, length, layers=12, width=768, vocab=50304):
    """Fused q, k, v; scores and mixing over all of the sequence; tied embedding. Nothing is computed twice."""
    tokens = batch * length
    layer = 2 * tokens * width * (3 * width + width + 4 * width + 4 * width) + 2 * 2 * tokens * length * width
    return 3 * (layers * layer + 2 * tokens * width * vocab)


def attention(tokens, length, c):
    query, key = c["heads"] * c["head"], c["kv_heads"] * c["head"]
    return 2 * tokens * c["width"] * (query + 2 * key + query) + 2 * 2 * tokens * length * query


def llama(batch, length, c):
    tokens = batch * length
    product = 2 * tokens * c["width"] * c["hidden"]
    layer = attention(tokens, length, c) + 3 * product
    again = layer - product  # The last one, `down`.
    return c["layers"] * (3 * layer + again) + 3 * 2 * tokens * c["width"] * c["vocab"]


def mixtral(batch, length, c, experts=8, chosen=2, slack=1.25):
    """Tokens are sent to slots of experts by products with one-hot tensors, which have no gradient."""
    tokens = batch * length
    slots = int(length * chosen / experts * slack)
    own = attention(tokens, length, c) + 2 * tokens * c["width"] * experts
    where = 2 * tokens * chosen * experts * slots
    send = 2 * tokens * experts * slots * c["width"]
    work = 3 * 2 * batch * experts * slots * c["width"] * c["hidden"]
    fetch = send
    # Back: all twice, but what is one-hot once. Again: all but the last.
    layer = 3 * (own + work + fetch) + 2 * (where + send) + (own + where + send + work)
    return c["layers"] * layer + 3 * 2 * tokens * c["width"] * c["vocab"]


def vit(batch, image=224, patch=14, width=1280, layers=32, hidden=5120, classes=1000):
    """The patches are a convolution, whose input has no gradient; only the first token is classified."""
    patches = (image // patch) ** 2
    length = patches + 1
    tokens = batch * length
    layer = 2 * tokens * width * (4 * width + 2 * hidden) + 2 * 2 * tokens * length * width
    embed = 2 * batch * patches * patch * patch * 3 * width
    return 3 * layers * layer + 2 * embed + 3 * 2 * batch * width * classes


class UNet:
    """Down and up over three widths with skips. A convolution of 3x3 is 2 * 9 * inputs * outputs for each pixel of its result."""

    def __init__(self, batch, size, widths=(320, 640, 1280), blocks=2, time=1280, context=2048, words=77):
        self.batch, self.size, self.time, self.context, self.words = batch, size, time, context, words
        self.sum = 0
        self.conv(4, widths[0], inputs_need=False)
        self.dense(batch, widths[0], time, inputs_need=False)
        self.dense(batch, time, time)
        skips, width = [widths[0]], widths[0]
        for level, wide in enumerate(widths):
            for _ in range(blocks):
                self.block(width, wide, level > 0)
                width = wide
                skips.append(width)
            if level + 1 < len(widths):
                self.conv(width, width, stride=2)
                skips.append(width)
        self.block(width, width, True)
        self.block(width, width, False)
        for level, wide in reversed(list(enumerate(widths))):
            for _ in range(blocks + 1):
                self.block(width + skips.pop(), wide, level > 0)
                width = wide
            if level:
                self.size *= 2
                self.conv(width, width)
        self.conv(width, 4)

    def conv(self, inputs, outputs, kernel=3, stride=1, inputs_need=True):
        before = self.size
        self.size //= stride
        of_result = 2 * self.batch * self.size**2 * kernel**2 * inputs * outputs
        # The gradient of the input has as many pixels as that: with a stride most of what it multiplies is 0.
        of_input = 2 * self.batch * before**2 * kernel**2 * inputs * outputs
        self.sum += 2 * of_result + (of_input if inputs_need else 0)

    def dense(self, rows, inputs, outputs, inputs_need=True):
        self.sum += (3 if inputs_need else 2) * 2 * rows * inputs * outputs

    def block(self, inputs, outputs, attends):
        self.conv(inputs, outputs)
        self.dense(self.batch, self.time, outputs)
        self.conv(outputs, outputs)
        if inputs != outputs:
            self.conv(inputs, outputs, kernel=1)
        if attends:
            self.attend(outputs)

    def attend(self, width):
        pixels = self.size**2
        rows = self.batch * pixels
        self.dense(rows, width, 3 * width)
        self.sum += 3 * 2 * 2 * rows * pixels * width
        self.dense(rows, width, width)
        self.dense(self.batch * self.words, self.context, 2 * width, inputs_need=False)
        self.dense(rows, width, width)
        self.sum += 3 * 2 * 2 * rows * self.words * width
        self.dense(rows, width, width)
        self.dense(rows, width, 8 * width)
        self.dense(rows, 4 * width, width)


COUNTS = {
    "gpt2_124m_dp": lambda: gpt2(64, 1024),
    "gpt2_124m_tp": lambda: gpt2(64, 1024),
    "llama7b_fsdp": lambda: llama(128, 4096, LLAMA_7B),
    "llama7b_scan": lambda: llama(256, 4096, LLAMA_7B),
    "mixtral_one_hot": lambda: mixtral(256, 4096, MIXTRAL),
    "hf_vit_h14": lambda: vit(512),
    "unet_fsdp": lambda: UNet(512, 128).sum,
    "unet_spatial": lambda: UNet(64, 128).sum,
}


def main():
    folder, tool = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "build/bin/shardwise"
    print(f"{'program':18} {'by hand PFLOP':>14} {'explain':>9} {'ratio':>7} {'on a device, times devices':>27}")
    for name, count in COUNTS.items():
        text = subprocess.run([tool, "explain", folder / f"{name}.mlir", "--json", "--suggest", "0"], capture_output=True, text=True, check=True)
        report = json.loads(text.stdout)
        work, hand = report["work"], count()
        print(f"{name:18} {hand / 1e15:14.4f} {work['program_flops'] / 1e15:9.4f} {work['program_flops'] / hand:7.4f} "
              f"{work['flops'] * report['devices'] / hand:27.4f}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of a given number of ops: MLP training steps and transformers.

They come from the generator of the conformance cases. Variants: every layer has weights of its own
("own"), layers of equal shape share them ("shared"), and only the first input is annotated, on its
batch dimension ("batch").
"""

import pathlib
import random
import sys

CONFORMANCE = pathlib.Path(__file__).resolve().parent.parent.parent / "test" / "conformance"
sys.path.insert(0, str(CONFORMANCE))

from generator import builder, large, shardings  # noqa: E402  (needs the path above)

KINDS = {"mlp": large.large_mlp_step, "transformer": large.large_transformer}
VARIANTS = ("own", "shared", "batch")
MESH = shardings.Mesh("mesh", [("data", 4), ("model", 2)])


class Scope(builder.Scope):
    """A function body in which some arguments are shared, or not annotated."""

    def __init__(self, module, variant):
        super().__init__(module)
        self.variant, self.by_type = variant, {}

    def new_arg(self, shape, dtype="f32", p_ann=None):
        key = (tuple(shape), dtype)
        if self.variant == "shared" and key in self.by_type:
            return self.by_type[key]
        value = super().new_arg(shape, dtype, 0.0 if self.variant == "batch" else p_ann)
        if self.variant == "batch" and len(self.args) == 1:
            self.args[0] = (value, batch_sharding(len(shape)))
        self.by_type[key] = value
        return value

    def constraint(self, value, sharding=None):
        return value if self.variant == "batch" else super().constraint(value, sharding)


def batch_sharding(rank):
    """The first dimension over "data", the others open."""
    return shardings.Sharding(MESH, [[[("data", None, None)], False, None]] +
                              [[[], True, None]] * (rank - 1))


def build(kind, variant, layers, seed):
    """The text of a program with this many layers, and the number of its ops."""
    rng = random.Random("%s/%s/%s/%d" % (seed, kind, variant, layers))
    module = builder.Module(rng, MESH, shardings.Style(rng, sub=0.0, replicated=0.05, unreduced=0.0,
                                                       uneven=0.1, priority=0.0))
    scope = Scope(module, variant)
    scope.p_ann = 0.0
    results = KINDS[kind](rng, scope, layers)
    builder.finish_function(scope, results, p_result=0.0)
    return module.text(), len(scope.lines)


def program(kind, variant, ops, seed):
    """The text of a program of about `ops` ops, and the exact number."""
    _, few = build(kind, variant, 2, seed)
    _, more = build(kind, variant, 12, seed)
    per_layer = (more - few) / 10
    return build(kind, variant, max(1, round((ops - few) / per_layer) + 2), seed)


def write(path, *arguments):
    """Writes `program(*arguments)` and returns the number of its ops."""
    text, ops = program(*arguments)
    pathlib.Path(path).write_text(text, encoding="utf-8")
    return ops

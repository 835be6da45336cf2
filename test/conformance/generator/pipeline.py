# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders pipeline and import: the full pipeline, and single import and export passes."""

import re

from .shardings import Mesh, random_mesh, random_sharding
from .builder import finish_function, unused_results
from .ops import random_ops, start
from .reshards import (
    barrier_program, dot_program, manual_parts_program, repeated_reshards_program)
from .steps import gen_step
from .features import FEATURES, FEATURE_CYCLE, program_with
from .calls import EDGE_FEATURES


def gen_pipeline(rng, index, seed):
    main = FEATURE_CYCLE[index % len(FEATURE_CYCLE)]
    others = rng.sample(sorted(FEATURES), rng.choice([0, 1, 1, 2]))
    style = {"priority": rng.choice([0.0, 0.0, 0.0, 0.5]), "unreduced": 0.0,
             "inline": 0.15 if rng.random() < 0.15 else 0.0}
    module = program_with(rng, [main] + [o for o in others if o != main], **style)
    stages = "-sdy-import-pipeline -sdy-apply-sharding-constraints -sdy-sharding-group-import " \
             "-sdy-user-priority-propagate"
    args = rng.choice(["-sdy-propagation-pipeline"] * 7 + [stages] * 2 +
                      ["-sdy-propagation-pipeline=dedup-functions-fully=true"])
    text = module.text()
    if "sdy.named_computation" in text:  # the full pipeline rejects these in its input
        args = stages + rng.choice(["", " -sdy-export-named-computations"])
    return main, args, text, {}


# --------------------------------------------------------------------------------------
# Single import and export passes
# --------------------------------------------------------------------------------------

def size_one_mesh(rng):
    mesh = random_mesh(rng, axes=rng.choice([3, 4]))
    axes = [(n, 1 if rng.random() < 0.5 else size) for n, size in mesh.axes]
    return Mesh("mesh", axes)


def import_program(rng, features, mesh=None, **style):
    style.setdefault("unreduced", 0.0)
    module, scope = start(rng, **style)
    if mesh:
        module.mesh, module.meshes = mesh, [mesh]
        scope.axes = [a for a, _ in mesh.axes]
        scope.args = [(v, random_sharding(rng, mesh, v.shape, module.style)) for v, _ in scope.args]
    random_ops(scope, rng.randint(1, 4))
    for name in features:
        for _ in range(rng.choice([1, 2, 2])):
            (FEATURES.get(name) or EDGE_FEATURES[name])(scope)
            random_ops(scope, rng.randint(0, 2))
    finish_function(scope, unused_results(scope))
    if rng.random() < 0.5:
        module.functions.reverse()
    return module.text()


def inline_meshes_program(rng):
    text = import_program(rng, rng.sample(["constraints", "manual", "while", "maximal"], 2), inline=0.6)
    if rng.random() < 0.5:  # a maximal mesh written inline
        text = re.sub(r"<@maximal_mesh_0, \[\]>", "<mesh<[], device_ids=[%d]>, []>"
                      % rng.choice([0, 3]), text)
        text = re.sub(r"sdy.mesh @maximal_mesh_0.*\n", "", text)
    if rng.random() < 0.3:
        text = text.replace("@mesh =", "@other =").replace("@mesh,", "@other,")
    return text


def several_meshes_program(rng):
    """Reshards between meshes of which the result does not depend on how a plan is found: to another
    order of devices without another change, to whole values, to other axes, from a single device."""
    axes = rng.choice([[("a", 2), ("b", 2)], [("a", 2), ("b", 4)], [("a", 3), ("b", 2)]])
    count = axes[0][1] * axes[1][1]
    ids = list(range(count))
    while ids == sorted(ids):
        rng.shuffle(ids)
    text = ", ".join('"%s"=%d' % axis for axis in axes)
    meshes = ['@mesh = <[%s]>' % text, '@order = <[%s], device_ids=%s>' % (text, ids),
              '@other = <["c"=%d]>' % count, '@unused = <["q"=5]>',
              '@maximal_mesh_0 = <[], device_ids=[%d]>' % rng.randrange(count)]
    rng.shuffle(meshes)
    placements = ['{"a"}, {}', '{}, {"a"}', '{"b"}, {"a"}', '{"b"}, {}', '{"a", "b"}, {}']
    arguments, reshards = [], []
    for i in range(rng.randint(1, 5)):
        placement = rng.choice(placements)
        source, target = "@mesh, [%s]" % placement, {
            "order": "@order, [%s]" % placement,
            "whole": "@%s, [{}, {}]" % rng.choice(["mesh", "order", "other"]),
            "axes": "@other, [{\"c\"}, {}]",
            "device": "@mesh, [%s]" % placement,
        }
        kind = rng.choice(sorted(target))
        if kind == "device":
            source = "@maximal_mesh_0, []"
        arguments.append("%%arg%d: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<%s>}" % (i, source))
        reshards.append("  %%v%d = sdy.reshard %%arg%d <%s> : tensor<24x24xf32>" % (i, i, target[kind]))
    types = ", ".join(["tensor<24x24xf32>"] * len(arguments))
    return "\n".join(
        ["sdy.mesh " + mesh for mesh in meshes] +
        ["func.func @main(%s) -> (%s) {" % (", ".join(arguments), types)] + reshards +
        ["  return %s : %s" % (", ".join("%%v%d" % i for i in range(len(arguments))), types), "}", ""])


RESOLVE = "-sdy-user-priority-propagate=keep-sharding-rules=true -sdy-close-shardings "

IMPORT_PASSES = [
    ("apply_constraints", "-sdy-apply-sharding-constraints", ["constraints", "constraints"], 8),
    ("apply_constraints_flow", "-sdy-add-data-flow-edges -sdy-apply-sharding-constraints",
     ["while", "constraints", "manual"], 4),
    ("splitter", "-sdy-constant-or-scalar-splitter", ["constants", "constants", "groups"], 6),
    ("splitter_named", "-sdy-constant-or-scalar-splitter", ["constants", "named", "while"], 2),
    ("edges", "-sdy-add-data-flow-edges", ["while", "case", "manual", "named", "barrier_op"], 6),
    ("manual_cleanup", "-sdy-manual-axes-cleanup", ["manual", "manual"], 5),
    ("groups", "-sdy-sharding-group-import", ["groups", "groups", "groups"], 5),
    ("lift_meshes", "-sdy-lift-inlined-meshes", None, 4),
    ("size_one_axes", "-sdy-remove-size-one-axes", ["constraints", "while"], 4),
    ("func_to_call", "-sdy-propagate-sharding-from-func-to-call", ["calls", "calls"], 2),
    ("import_calls", "-sdy-import-func-calls", ["calls"], 1),
    ("import_calls_flat", "-sdy-flatten-call-graph -symbol-dce -sdy-import-func-calls", ["calls", "calls"], 2),
    ("func_edges", "-sdy-add-func-data-flow-edges", ["calls", "calls"], 2),
    ("import_all", "-sdy-import-pipeline", ["constants", "manual", "while", "constraints"], 4),
    ("close", "-sdy-close-shardings", ["constraints", "while", "manual"], 3),
    ("sink", "-sdy-add-data-flow-edges -sdy-aggressive-propagate -sdy-sink-data-flow-edges",
     ["while", "case", "manual", "barrier_op"], 4),
    ("sink_func", "-sdy-add-func-data-flow-edges -sdy-aggressive-propagate -sdy-sink-func-data-flow-edges",
     ["calls", "calls"], 2),
    ("to_reshard", "-sdy-sharding-constraint-to-reshard", ["constraints", "constraints"], 2),
    ("remove_groups", "-sdy-remove-sharding-groups", ["groups", "groups"], 1),
    ("non_divisible", "-sdy-update-non-divisible-input-output-shardings", ["constraints", "manual"], 3),
    ("no_sub_axes", "-sdy-remove-sub-axes-in-input-output-shardings", ["constraints"], 2),
    ("explicit_reshards", RESOLVE + "-sdy-insert-explicit-reshards=enable-full-version=true", [], 6),
    ("explicit_reshards_min", RESOLVE + "-sdy-insert-explicit-reshards", [], 3),
    ("written_reshards", "-sdy-insert-explicit-reshards=enable-full-version=true",
     ["reshards", "reshards"], 3),
    ("written_reshards_min", "-sdy-insert-explicit-reshards", ["reshards", "reshards"], 3),
    ("call_reshards", "-sdy-insert-func-call-reshards", ["calls", "calls"], 2),
    ("merger", "-sdy-constant-or-scalar-splitter -sdy-aggressive-propagate -sdy-constant-or-scalar-merger",
     ["constants", "constants"], 3),
    ("drop_rules", "-sdy-aggressive-propagate=keep-sharding-rules=true -sdy-drop-sharding-rules", [], 1),
    ("inline_meshes", "-sdy-inline-meshes", ["constraints", "manual"], 2),
    ("export_named", "-sdy-add-data-flow-edges -sdy-aggressive-propagate -sdy-export-named-computations",
     ["named", "named"], 2),
    ("several_meshes", "-sdy-reshard-to-collectives", None, 4),
    ("func_results", "-sdy-propagate-to-func-results", ["calls"], 1),
    ("flatten", "-sdy-flatten-call-graph", ["calls", "calls", "constant_calls"], 3),
    ("unflatten", "-sdy-unflatten-call-graph", ["copies", "copies", "calls"], 3),
    ("unflatten_fully", "-sdy-unflatten-call-graph=dedup-functions-fully=true",
     ["copies", "copies", "calls"], 3),
    ("there_and_back", "-sdy-flatten-call-graph -sdy-unflatten-call-graph -symbol-dce",
     ["calls", "calls", "copies"], 2),
    ("splitter_calls", "-sdy-constant-or-scalar-splitter",
     ["constant_calls", "constant_calls", "constants"], 3),
    ("sink_gaps", "-sdy-sink-data-flow-edges", ["edges_with_gaps", "edges_with_gaps"], 3),
    ("sink_func_gaps", "-sdy-sink-func-data-flow-edges", ["func_edges_with_gaps"], 2),
]
# What these do is seen in the names of functions and in who calls whom.
CALL_GRAPH_PASSES = ["flatten", "unflatten", "unflatten_fully", "there_and_back"]


# Programs that are made for one pass; how often each is drawn.
RESHARD_PROGRAMS = {
    "dot_min": ("-sdy-insert-explicit-reshards", dot_program, 3),
    "dot": ("-sdy-insert-explicit-reshards=enable-full-version=true", dot_program, 1),
    "manual_parts": ("-sdy-manual-axes-cleanup", manual_parts_program, 3),
    "barrier": ("-sdy-reshard-to-collectives", barrier_program, 2),
    "repeated": ("-canonicalize", repeated_reshards_program, 3),
}
IMPORT_PASSES += [(name, flag, None, weight) for name, (flag, _, weight) in RESHARD_PROGRAMS.items()]


def gen_import(rng, index, seed):
    table = [entry for entry in IMPORT_PASSES for _ in range(entry[3])]
    # Spread each pass over the index range so that any prefix covers most passes.
    order = sorted(range(len(table)), key=lambda i: (sum(t is table[i] for t in table[:i]), i))
    name, args, features, _ = table[order[index % len(table)]]
    if name in RESHARD_PROGRAMS:
        return name, args, RESHARD_PROGRAMS[name][1](rng), {}
    if name == "lift_meshes":
        return name, args, inline_meshes_program(rng), {}
    if name == "several_meshes":
        return name, args, several_meshes_program(rng), {}
    style = {}
    mesh = size_one_mesh(rng) if name == "size_one_axes" else None
    if name == "size_one_axes":
        style["priority"] = 0.4
    if name in ("non_divisible", "no_sub_axes"):
        style.update(uneven=0.7, sub=0.6, unused=0.1)
    if name.startswith("explicit_reshards"):
        style.update(unused=0.1)
    if name == "call_reshards":
        style.update(unreduced=0.4)
    if name in ("explicit_reshards", "explicit_reshards_min"):
        _, text = gen_step(rng, "", [], 3, 12, **style)
        while "sdy.data_flow" in text or "stablehlo.while" in text:
            _, text = gen_step(rng, "", [], 3, 12, **style)
        return name, args, text, {}
    picked = features if name in ("import_all", "sink") and rng.random() < 0.3 else \
        rng.sample(features, min(len(features), 2))
    facts = {"mode": "calls"} if name in CALL_GRAPH_PASSES else {}
    return name, args, import_program(rng, picked, mesh, **style), facts

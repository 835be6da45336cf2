// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over dimensions and windows; sort and top_k. Whether a reduced dimension may be cut
// depends on the reducer, the element type and the initial value.

#include "shardwise/rules/tests/SheetCases.h"

namespace shardwise::rules {

// A sum of f32 over dimension 1 of 4x8, from a given value.
#define SHARDWISE_REDUCE(reducer, type)                                                            \
  "stablehlo.reduce(%a init: %z) applies stablehlo." reducer                                       \
  " across dimensions = [1] : (tensor<4x8x" type ">, tensor<" type ">) -> tensor<4x" type ">"
#define SHARDWISE_RULE "([i, j], [])->([i]) {i=4, j=8} reduction={j}\n"

static const SheetCase kReduction[] = {
    {"sumFromZero", "%a: tensor<4x8xf32>",
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n" SHARDWISE_REDUCE("add", "f32"),
     SHARDWISE_RULE "i: local, j: partial(sum)\nlinear in 0"},
    {"sumOfIntegers", "%a: tensor<4x8xi32>",
     "%z = stablehlo.constant dense<0> : tensor<i32>\n" SHARDWISE_REDUCE("add", "i32"),
     SHARDWISE_RULE "i: local, j: partial(sum)\nlinear in 0"},
    {"sumFromOneCountsItOnEveryDevice", "%a: tensor<4x8xf32>",
     "%z = stablehlo.constant dense<1.0> : tensor<f32>\n" SHARDWISE_REDUCE("add", "f32"),
     SHARDWISE_RULE "i: local, j: whole"},
    {"sumFromAnyValue", "%a: tensor<4x8xf32>, %z: tensor<f32>", SHARDWISE_REDUCE("add", "f32"),
     SHARDWISE_RULE "i: local, j: whole"},
    {"sumOfComplexNumbers", "%a: tensor<4x8xcomplex<f32>>",
     "%z = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>\n" SHARDWISE_REDUCE(
         "add", "complex<f32>"),
     SHARDWISE_RULE "i: local, j: whole"},
    {"sumOfBooleansIsOr", "%a: tensor<4x8xi1>, %z: tensor<i1>", SHARDWISE_REDUCE("add", "i1"),
     SHARDWISE_RULE "i: local, j: partial(max)"},
    {"maximumFromAnyValue", "%a: tensor<4x8xf32>, %z: tensor<f32>",
     SHARDWISE_REDUCE("maximum", "f32"), SHARDWISE_RULE "i: local, j: partial(max)"},
    {"minimumFromAnyValue", "%a: tensor<4x8xf32>, %z: tensor<f32>",
     SHARDWISE_REDUCE("minimum", "f32"), SHARDWISE_RULE "i: local, j: partial(min)"},
    {"product", "%a: tensor<4x8xf32>",
     "%z = stablehlo.constant dense<1.0> : tensor<f32>\n" SHARDWISE_REDUCE("multiply", "f32"),
     SHARDWISE_RULE "i: local, j: whole"},
    {"productOfBooleansIsAnd", "%a: tensor<4x8xi1>, %z: tensor<i1>",
     SHARDWISE_REDUCE("multiply", "i1"), SHARDWISE_RULE "i: local, j: partial(min)"},
    {"andOfBooleans", "%a: tensor<4x8xi1>, %z: tensor<i1>", SHARDWISE_REDUCE("and", "i1"),
     SHARDWISE_RULE "i: local, j: partial(min)"},
    {"orOfBooleans", "%a: tensor<4x8xi1>, %z: tensor<i1>", SHARDWISE_REDUCE("or", "i1"),
     SHARDWISE_RULE "i: local, j: partial(max)"},
    {"andOfBits", "%a: tensor<4x8xi32>, %z: tensor<i32>", SHARDWISE_REDUCE("and", "i32"),
     SHARDWISE_RULE "i: local, j: whole"},
    {"orOfBits", "%a: tensor<4x8xi32>, %z: tensor<i32>", SHARDWISE_REDUCE("or", "i32"),
     SHARDWISE_RULE "i: local, j: whole"},
    {"twoInputsOfOneKind", "%a: tensor<8xf32>, %b: tensor<8xf32>",
     R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
        "stablehlo.reduce"(%a, %b, %z, %z) <{dimensions = array<i64: 0>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
          %u = stablehlo.add %p, %r : tensor<f32>
          %v = stablehlo.add %q, %s : tensor<f32>
          stablehlo.return %u, %v : tensor<f32>, tensor<f32>
        }) : (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>)
          -> (tensor<f32>, tensor<f32>))",
     "([i], [i], [], [])->([], []) {i=8} reduction={i}\ni: partial(sum)"},
    {"twoInputsOfTwoKinds", "%a: tensor<8xf32>, %b: tensor<8xf32>",
     R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
        "stablehlo.reduce"(%a, %b, %z, %z) <{dimensions = array<i64: 0>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
          %u = stablehlo.add %p, %r : tensor<f32>
          %v = stablehlo.maximum %q, %s : tensor<f32>
          stablehlo.return %u, %v : tensor<f32>, tensor<f32>
        }) : (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>)
          -> (tensor<f32>, tensor<f32>))",
     "([i], [i], [], [])->([], []) {i=8} reduction={i}\ni: whole"},
    {"reducerThatIsNoPlainSum", "%a: tensor<8xf32>",
     R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
        "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %s = stablehlo.multiply %q, %q : tensor<f32>
          %u = stablehlo.add %p, %s : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>)",
     "([i], [])->([]) {i=8} reduction={i}\ni: whole"},
    {"windowsOfOneElementOnly", "%a: tensor<4x8xf32>, %z: tensor<f32>",
     R"("stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2>,
            window_strides = array<i64: 1, 2>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x4xf32>)",
     "([i, j], [])->([i, j]) {i=4, j=4} permutation={j}\ni: local, j: whole"},
    {"windowsThatKeepTheSizeOverlap", "%a: tensor<4x8xf32>, %z: tensor<f32>",
     R"("stablehlo.reduce_window"(%a, %z) <{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>,
            window_dimensions = array<i64: 1, 3>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>)",
     "([i, j], [])->([i, j]) {i=4, j=8} permutation={j}\ni: local, j: whole"},
    {"dilatedInputOfSmallWindows", "%a: tensor<4x4xf32>, %z: tensor<f32>",
     R"("stablehlo.reduce_window"(%a, %z) <{base_dilations = array<i64: 1, 2>,
            window_dimensions = array<i64: 1, 1>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x7xf32>)",
     "([i, j], [])->([i, j]) {i=4, j=7}\ni: local, j: whole"},
    {"selectAndScatter", "%a: tensor<4x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>",
     R"("stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 1, 2>,
            window_strides = array<i64: 1, 2>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %u : tensor<i1>
        }, {
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>)",
     "([i, k], [i, j], [])->([i, k]) {i=4, j=4, k=8} need_replication={j} permutation={k}\n"
     "i: local, j: whole, k: whole"},
    {"sortedDimension", "%a: tensor<4x8xf32>",
     R"("stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %u : tensor<i1>
        }) : (tensor<4x8xf32>) -> tensor<4x8xf32>)",
     "([i, j])->([i, j]) {i=4, j=8} need_replication={j}\ni: local, j: whole"},
    {"topK", "%a: tensor<4x8xf32>",
     "chlo.top_k(%a, k = 2) : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)",
     "([i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}\n"
     "i: local, j: whole"},
};

std::span<const SheetCase> reductionCases() {
  return kReduction;
}

} // namespace shardwise::rules

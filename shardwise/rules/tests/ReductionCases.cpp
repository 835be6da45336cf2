// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over dimensions and windows; sort and top_k. Whether a reduced dimension may be cut
// depends on the reducer, the element type and the initial value: partial results, candidates of
// two phases, or nothing.

#include "shardwise/rules/tests/SheetCases.h"

namespace shardwise::rules {

// A sum of f32 over dimension 1 of 4x8, from a given value.
#define SHARDWISE_REDUCE(reducer, type)                                                            \
  "stablehlo.reduce(%a init: %z) applies stablehlo." reducer                                       \
  " across dimensions = [1] : (tensor<4x8x" type ">, tensor<" type ">) -> tensor<4x" type ">"
#define SHARDWISE_RULE "([i, j], [])->([i]) {i=4, j=8} reduction={j}\n"

// Sums of windows of 8 along dimension 1 of 4x8.
#define SHARDWISE_PREFIX(start, padding)                                                           \
  "%z = stablehlo.constant dense<" start "> : tensor<f32>\n"                                       \
  "\"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 1, 8>,"                    \
  " padding = dense<[[0, 0], " padding "]> : tensor<2x2xi64>}> ({\n"                               \
  "^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"                                                      \
  "  %u = stablehlo.add %p, %q : tensor<f32>\n"                                                    \
  "  stablehlo.return %u : tensor<f32>\n"                                                          \
  "}) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>"
#define SHARDWISE_PREFIX_RULE "([i, j], [])->([i, j]) {i=4, j=8} permutation={j}\n"

static const SheetCase kReduction[] = {
    {"sumFromZero", "%a: tensor<4x8xf32>",
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n" SHARDWISE_REDUCE("add", "f32"),
     SHARDWISE_RULE "i: local, j: partial(sum)\nlinear in 0"},
    {"sumOfIntegers", "%a: tensor<4x8xi32>",
     "%z = stablehlo.constant dense<0> : tensor<i32>\n" SHARDWISE_REDUCE("add", "i32"),
     SHARDWISE_RULE "i: local, j: partial(sum)\nlinear in 0"},
    {"sumFromOneIsNoPartialSum", "%a: tensor<4x8xf32>",
     "%z = stablehlo.constant dense<1.0> : tensor<f32>\n" SHARDWISE_REDUCE("add", "f32"),
     SHARDWISE_RULE "i: local, j: selected from 1"},
    {"sumFromAnyValue", "%a: tensor<4x8xf32>, %z: tensor<f32>", SHARDWISE_REDUCE("add", "f32"),
     SHARDWISE_RULE "i: local, j: selected from 1"},
    {"sumOfComplexNumbers", "%a: tensor<4x8xcomplex<f32>>",
     "%z = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>\n" SHARDWISE_REDUCE(
         "add", "complex<f32>"),
     SHARDWISE_RULE "i: local, j: selected from 1"},
    {"sumOfBooleansIsOr", "%a: tensor<4x8xi1>, %z: tensor<i1>", SHARDWISE_REDUCE("add", "i1"),
     SHARDWISE_RULE "i: local, j: partial(max)"},
    {"maximumFromAnyValue", "%a: tensor<4x8xf32>, %z: tensor<f32>",
     SHARDWISE_REDUCE("maximum", "f32"), SHARDWISE_RULE "i: local, j: partial(max)"},
    {"minimumFromAnyValue", "%a: tensor<4x8xf32>, %z: tensor<f32>",
     SHARDWISE_REDUCE("minimum", "f32"), SHARDWISE_RULE "i: local, j: partial(min)"},
    {"product", "%a: tensor<4x8xf32>",
     "%z = stablehlo.constant dense<1.0> : tensor<f32>\n" SHARDWISE_REDUCE("multiply", "f32"),
     SHARDWISE_RULE "i: local, j: selected from 1"},
    {"productOfBooleansIsAnd", "%a: tensor<4x8xi1>, %z: tensor<i1>",
     SHARDWISE_REDUCE("multiply", "i1"), SHARDWISE_RULE "i: local, j: partial(min)"},
    {"andOfBooleans", "%a: tensor<4x8xi1>, %z: tensor<i1>", SHARDWISE_REDUCE("and", "i1"),
     SHARDWISE_RULE "i: local, j: partial(min)"},
    {"orOfBooleans", "%a: tensor<4x8xi1>, %z: tensor<i1>", SHARDWISE_REDUCE("or", "i1"),
     SHARDWISE_RULE "i: local, j: partial(max)"},
    {"andOfBits", "%a: tensor<4x8xi32>, %z: tensor<i32>", SHARDWISE_REDUCE("and", "i32"),
     SHARDWISE_RULE "i: local, j: selected from 1"},
    {"orOfBits", "%a: tensor<4x8xi32>, %z: tensor<i32>", SHARDWISE_REDUCE("or", "i32"),
     SHARDWISE_RULE "i: local, j: selected from 1"},
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
     "([i], [i], [], [])->([], []) {i=8} reduction={i}\ni: selected from 1"},
    {"reducerThatIsNoPlainSum", "%a: tensor<8xf32>",
     R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
        "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %s = stablehlo.multiply %q, %q : tensor<f32>
          %u = stablehlo.add %p, %s : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>)",
     "([i], [])->([]) {i=8} reduction={i}\ni: whole"},
    {"argmax", "%a: tensor<4x8xf32>, %n: tensor<4x8xi32>, %c: tensor<i32>",
     R"(%z = stablehlo.constant dense<0xFF800000> : tensor<f32>
        "stablehlo.reduce"(%a, %n, %z, %c) <{dimensions = array<i64: 1>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
          %t = stablehlo.compare GE, %p, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %u = stablehlo.maximum %p, %r : tensor<f32>
          %v = stablehlo.select %t, %q, %s : tensor<i1>, tensor<i32>
          stablehlo.return %u, %v : tensor<f32>, tensor<i32>
        }) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>)
          -> (tensor<4xf32>, tensor<4xi32>))",
     "([i, j], [i, j], [], [])->([i], [i]) {i=4, j=8} reduction={j}\n"
     "i: local, j: selected from 1"},
    // Where 0 is found in one part, and is the start of the next, the start would be taken.
    {"argmaxFromZero", "%a: tensor<4x8xf32>, %n: tensor<4x8xi32>, %c: tensor<i32>",
     R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
        "stablehlo.reduce"(%a, %n, %z, %c) <{dimensions = array<i64: 1>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
          %t = stablehlo.compare GT, %p, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %u = stablehlo.select %t, %p, %r : tensor<i1>, tensor<f32>
          %v = stablehlo.select %t, %q, %s : tensor<i1>, tensor<i32>
          stablehlo.return %u, %v : tensor<f32>, tensor<i32>
        }) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>)
          -> (tensor<4xf32>, tensor<4xi32>))",
     "([i, j], [i, j], [], [])->([i], [i]) {i=4, j=8} reduction={j}\ni: local, j: whole"},
    // Parts of the second dimension do not follow each other in the order of the elements.
    {"argmaxOfTwoDimensions", "%a: tensor<4x8xf32>, %n: tensor<4x8xi32>, %c: tensor<i32>",
     R"(%z = stablehlo.constant dense<0xFF800000> : tensor<f32>
        "stablehlo.reduce"(%a, %n, %z, %c) <{dimensions = array<i64: 0, 1>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
          %t = stablehlo.compare GE, %p, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %u = stablehlo.select %t, %p, %r : tensor<i1>, tensor<f32>
          %v = stablehlo.select %t, %q, %s : tensor<i1>, tensor<i32>
          stablehlo.return %u, %v : tensor<f32>, tensor<i32>
        }) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>)
          -> (tensor<f32>, tensor<i32>))",
     "([i, j], [i, j], [], [])->([], []) {i=4, j=8} reduction={i, j}\n"
     "i: selected from 1, j: whole"},
    {"reducerThatMixesItsValues", "%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %z: tensor<f32>",
     R"("stablehlo.reduce"(%a, %b, %z, %z) <{dimensions = array<i64: 1>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
          %u = stablehlo.maximum %p, %s : tensor<f32>
          %v = stablehlo.maximum %q, %s : tensor<f32>
          stablehlo.return %u, %v : tensor<f32>, tensor<f32>
        }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>)
          -> (tensor<4xf32>, tensor<4xf32>))",
     "([i, j], [i, j], [], [])->([i], [i]) {i=4, j=8} reduction={j}\ni: local, j: whole"},
    {"prefixSums", "%a: tensor<4x8xf32>", SHARDWISE_PREFIX("0.0", "[7, 0]"),
     SHARDWISE_PREFIX_RULE "i: local, j: corrected from 1"},
    {"suffixSums", "%a: tensor<4x8xf32>", SHARDWISE_PREFIX("0.0", "[0, 7]"),
     SHARDWISE_PREFIX_RULE "i: local, j: corrected from 1"},
    {"prefixesOfLogAddExp", "%a: tensor<8xf32>",
     R"(%z = stablehlo.constant dense<0xFF800000> : tensor<f32>
        "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 8>,
            padding = dense<[[7, 0]]> : tensor<1x2xi64>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %m = stablehlo.maximum %p, %q : tensor<f32>
          %d = stablehlo.subtract %p, %q : tensor<f32>
          %n = stablehlo.compare NE, %d, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %s = stablehlo.add %p, %q : tensor<f32>
          %b = stablehlo.abs %d : tensor<f32>
          %t = stablehlo.negate %b : tensor<f32>
          %e = stablehlo.exponential %t : tensor<f32>
          %l = stablehlo.log_plus_one %e : tensor<f32>
          %u = stablehlo.add %m, %l : tensor<f32>
          %v = stablehlo.select %n, %s, %u : tensor<i1>, tensor<f32>
          stablehlo.return %v : tensor<f32>
        }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>)",
     "([i], [])->([i]) {i=8} permutation={i}\ni: corrected from 1"},
    {"prefixesOfAnythingElse", "%a: tensor<8xf32>",
     R"(%z = stablehlo.constant dense<0xFF800000> : tensor<f32>
        "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 8>,
            padding = dense<[[7, 0]]> : tensor<1x2xi64>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %d = stablehlo.subtract %p, %q : tensor<f32>
          stablehlo.return %d : tensor<f32>
        }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>)",
     "([i], [])->([i]) {i=8} permutation={i}\ni: window\ni reads dimension 0 of operand 0: stride "
     "1, low 7, span 8"},
    {"prefixSumsThatCountAStart", "%a: tensor<4x8xf32>", SHARDWISE_PREFIX("1.0", "[7, 0]"),
     SHARDWISE_PREFIX_RULE
     "i: local, j: window\nj reads dimension 1 of operand 0: stride 1, low 7, span 8"},
    {"windowsThatGrowOnBothSides", "%a: tensor<4x8xf32>", SHARDWISE_PREFIX("0.0", "[4, 3]"),
     SHARDWISE_PREFIX_RULE
     "i: local, j: window\nj reads dimension 1 of operand 0: stride 1, low 4, span 8"},
    {"windowsOfOneElementOnly", "%a: tensor<4x8xf32>, %z: tensor<f32>",
     R"("stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2>,
            window_strides = array<i64: 1, 2>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x4xf32>)",
     "([i, j], [])->([i, j]) {i=4, j=4} permutation={j}\ni: local, j: window\nj reads dimension 1 "
     "of operand 0: stride 2, low 0, span 2"},
    {"windowsThatKeepTheSizeOverlap", "%a: tensor<4x8xf32>, %z: tensor<f32>",
     R"("stablehlo.reduce_window"(%a, %z) <{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>,
            window_dimensions = array<i64: 1, 3>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>)",
     "([i, j], [])->([i, j]) {i=4, j=8} permutation={j}\ni: local, j: window\nj reads dimension 1 "
     "of operand 0: stride 1, low 1, span 3"},
    {"dilatedInputOfSmallWindows", "%a: tensor<4x4xf32>, %z: tensor<f32>",
     R"("stablehlo.reduce_window"(%a, %z) <{base_dilations = array<i64: 1, 2>,
            window_dimensions = array<i64: 1, 1>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x7xf32>)",
     "([i, j], [])->([i, j]) {i=4, j=7}\ni: local, j: window\nj reads dimension 1 of operand 0: "
     "stride 1, low 0, span 1, dilation 2, may drift"},
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
     "([i, j], [i, j], [])->([i, j]) {i=4, j=4} permutation={j}\ni: local, j: window\n"
     "j reads dimension 1 of operand 0: stride 1, low 1, span 2, dilation 2, may drift; windows of "
     "stride 2, low 0, span 2\n"
     "j reads dimension 1 of operand 1: stride 1, low 1, span 2, dilation 2, may drift"},
    {"selectAndScatterWithPadding", "%a: tensor<4x8xf32>, %s: tensor<4x4xf32>",
     R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
        "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 1, 3>,
            window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %u : tensor<i1>
        }, {
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>)",
     "([i, j], [i, j], [])->([i, j]) {i=4, j=4} permutation={j}\ni: local, j: window\n"
     "j reads dimension 1 of operand 0: stride 1, low 2, span 3, dilation 2, may drift; windows of "
     "stride 2, low 0, span 3\n"
     "j reads dimension 1 of operand 1: stride 1, low 2, span 3, dilation 2, may drift"},
    {"selectAndScatterOfAnyKind", "%a: tensor<4x8xf32>, %s: tensor<4x4xf32>, %z: tensor<f32>",
     R"("stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 1, 3>,
            window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.compare NE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %u : tensor<i1>
        }, {
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.multiply %p, %q : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>)",
     "([i, j], [i, j], [])->([i, j]) {i=4, j=4} permutation={j}\ni: local, j: window\n"
     "j reads dimension 1 of operand 0: stride 1, low 2, span 3, dilation 2, may drift; windows of "
     "stride 2, low 0, span 3\n"
     "j reads dimension 1 of operand 1: stride 1, low 2, span 3, dilation 2, may drift"},
    {"selectAndScatterToTheFirstElements",
     "%a: tensor<4x8xf32>, %s: tensor<4x6xf32>, %z: tensor<f32>",
     R"("stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 1, 1>,
            padding = dense<[[0, 0], [0, -2]]> : tensor<2x2xi64>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %u : tensor<i1>
        }, {
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %u = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %u : tensor<f32>
        }) : (tensor<4x8xf32>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x8xf32>)",
     "([i, j], [i, j], [])->([i, j]) {i=4, j=6} permutation={j}\ni: local, j: whole"},
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
     "i: local, j: selected from 2"},
    {"scan", "%a: tensor<4x8xf32>, %c: tensor<4xf32>",
     R"(chlo.scan(%a) inits (%c) dimension=1 {
        ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
          %u = stablehlo.add %p, %q : tensor<4xf32>
          stablehlo.return %u, %u : tensor<4xf32>, tensor<4xf32>
        } : (tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>))",
     "([i, j], [i])->([i, j], [i]) {i=4, j=8} need_replication={j}\ni: local, j: whole"},
    {"scanOfTheMiddle", "%a: tensor<4x8x6xf32>, %s: tensor<f32>, %n: tensor<8xi32>",
     R"(chlo.scan(%a) inits (%s) dimension=1 {
        ^bb0(%p: tensor<4x6xf32>, %q: tensor<f32>):
          %k = stablehlo.constant dense<2.0> : tensor<4x6xf32>
          %b = stablehlo.broadcast_in_dim %q, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
          %u = stablehlo.add %p, %b : tensor<4x6xf32>
          %v = stablehlo.multiply %u, %k : tensor<4x6xf32>
          %w = stablehlo.add %q, %q : tensor<f32>
          stablehlo.return %v, %w : tensor<4x6xf32>, tensor<f32>
        } : (tensor<4x8x6xf32>, tensor<f32>) -> (tensor<4x8x6xf32>, tensor<f32>))",
     "([i, j, k], [])->([i, j, k], []) {i=4, j=8, k=6} need_replication={j}\n"
     "i: local, j: whole, k: local"},
    {"scanOfTheOnlyDimension", "%a: tensor<8x1xf32>, %c: tensor<1xf32>",
     R"(chlo.scan(%a) inits (%c) dimension=0 {
        ^bb0(%p: tensor<1xf32>, %q: tensor<1xf32>):
          %u = stablehlo.add %p, %q : tensor<1xf32>
          stablehlo.return %u, %u : tensor<1xf32>, tensor<1xf32>
        } : (tensor<8x1xf32>, tensor<1xf32>) -> (tensor<8x1xf32>, tensor<1xf32>))",
     "([i, j], [j])->([i, j], [j]) {i=8, j=1} need_replication={i} blocked_propagation={i}\n"
     "i: whole, j: local"},
    {"scanThatMixesElements", "%a: tensor<4x8xf32>, %c: tensor<4xf32>",
     R"(chlo.scan(%a) inits (%c) dimension=1 {
        ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
          %r = stablehlo.reverse %q, dims = [0] : tensor<4xf32>
          %u = stablehlo.add %p, %r : tensor<4xf32>
          stablehlo.return %u, %u : tensor<4xf32>, tensor<4xf32>
        } : (tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>))",
     "([j, i], [k])->([l, i], [m]) {i=8, j=1, k=1, l=1, m=1} need_replication={i} "
     "blocked_propagation={i}\ni: whole, j: whole, k: whole, l: whole, m: whole"},
    {"scanThatReadsATensorAround", "%a: tensor<4x8xf32>, %c: tensor<4xf32>",
     R"(chlo.scan(%a) inits (%c) dimension=1 {
        ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
          %u = stablehlo.add %p, %c : tensor<4xf32>
          stablehlo.return %u, %q : tensor<4xf32>, tensor<4xf32>
        } : (tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>))",
     "([j, i], [k])->([l, i], [m]) {i=8, j=1, k=1, l=1, m=1} need_replication={i} "
     "blocked_propagation={i}\ni: whole, j: whole, k: whole, l: whole, m: whole"},
    {"scanWithAnAttachedRule", "%a: tensor<4x8xf32>, %c: tensor<4xf32>",
     R"(chlo.scan(%a) inits (%c) dimension=1 attributes {sdy.sharding_rule =
            #sdy.op_sharding_rule<([i, j], [i])->([i, j], [i]) {i=4, j=8}, custom>} {
        ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
          stablehlo.return %p, %p : tensor<4xf32>, tensor<4xf32>
        } : (tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>))",
     "([i, j], [i])->([i, j], [i]) {i=4, j=8}, custom\ni: local, j: whole"},
};

std::span<const SheetCase> reductionCases() {
  return kReduction;
}

} // namespace shardwise::rules

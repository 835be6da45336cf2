// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases of gather and scatter; SheetCases.h has the form of a case. An indexed dimension may be
// cut: the device that has a place reads or writes it.
//
// A case is written by giving the op, with the arguments it needs, and its expected sheet. Names
// say what is special about the case, not what the op is. In the sheet
//
//     ([k, j], [i, l])->([i, j]) {i=5, j=6, k=10, l=1} reduction={k} need_replication={l}
//     i: local, j: local, k: read(sum), l: whole
//
// the first line is read as the rule: operand 0 is k x j, and k is summed over. The second says
// what a device may do with its part of each factor. `whole` is a factor that must not be cut: `l`
// always, as it holds the coordinates of one index, and the indexed factor where nothing adds up to
// elements (`gatheredPowersHaveNoZero`).
// A case that may cut a factor needs a sibling that may not, and differs in the one thing that
// forbids it.

#include "shardwise/rules/tests/SheetCases.h"

namespace shardwise::rules {

#define SHARDWISE_SCATTER_ROWS(reducer)                                                            \
  R"("stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
         update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
         index_vector_dim = 1>}> ({
     ^bb0(%p: tensor<f32>, %q: tensor<f32>):
       %r = stablehlo.)" reducer R"( %p, %q : tensor<f32>
       stablehlo.return %r : tensor<f32>
     }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x6xf32>)"
#define SHARDWISE_SCATTER_RULE                                                                     \
  "([k, j], [i, l], [i, j])->([k, j]) {i=5, j=6, k=10, l=1} reduction={i} need_replication={l}\n"

static const SheetCase kIndexing[] = {
    {"gatheredRows", "%a: tensor<10x6xf32>, %i: tensor<5x1xi32>",
     R"("stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
            collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
            slice_sizes = array<i64: 1, 6>}>
        : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>)",
     "([k, j], [i, l])->([i, j]) {i=5, j=6, k=10, l=1} reduction={k} need_replication={l}\n"
     "i: local, j: local, k: read(sum), l: whole\nexchanges k with i"},
    {"gatheredIntegers", "%a: tensor<10xi32>, %i: tensor<5x1xi32>",
     R"("stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<
            collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
            slice_sizes = array<i64: 1>}>
        : (tensor<10xi32>, tensor<5x1xi32>) -> tensor<5xi32>)",
     "([j], [i, k])->([i]) {i=5, j=10, k=1} reduction={j} need_replication={k}\n"
     "i: local, j: read(sum), k: whole\nexchanges j with i"},
    {"gatheredBooleans", "%a: tensor<10xi1>, %i: tensor<5x1xi32>",
     R"("stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<
            collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
            slice_sizes = array<i64: 1>}>
        : (tensor<10xi1>, tensor<5x1xi32>) -> tensor<5xi1>)",
     "([j], [i, k])->([i]) {i=5, j=10, k=1} reduction={j} need_replication={k}\n"
     "i: local, j: read(max), k: whole\nexchanges j with i"},
    {"gatheredComplexNumbers", "%a: tensor<10xcomplex<f32>>, %i: tensor<5x1xi32>",
     R"("stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<
            collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
            slice_sizes = array<i64: 1>}>
        : (tensor<10xcomplex<f32>>, tensor<5x1xi32>) -> tensor<5xcomplex<f32>>)",
     "([j], [i, k])->([i]) {i=5, j=10, k=1} reduction={j} need_replication={k}\n"
     "i: local, j: read(sum), k: whole\nexchanges j with i"},
    {"gatheredPowersHaveNoZero", "%a: tensor<10xf8E8M0FNU>, %i: tensor<5x1xi32>",
     R"("stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<
            collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
            slice_sizes = array<i64: 1>}>
        : (tensor<10xf8E8M0FNU>, tensor<5x1xi32>) -> tensor<5xf8E8M0FNU>)",
     "([j], [i, k])->([i]) {i=5, j=10, k=1} reduction={j} need_replication={k}\n"
     "i: local, j: whole, k: whole"},
    {"gatheredSlicesOfTwoRows", "%a: tensor<10x6xf32>, %i: tensor<5x1xi32>",
     R"("stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2],
            start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 6>}>
        : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x2x6xf32>)",
     "([j, k], [i, l])->([i, j, k]) {i=5, j=10, k=6, l=1} need_replication={j, l}"
     " blocked_propagation={j}\n"
     "i: local, j: read(sum), k: local, l: whole"},
    {"gatheredSlicesOfOneRow", "%a: tensor<10x6xf32>, %i: tensor<5x1xi32>",
     R"("stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2],
            start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}>
        : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x1x6xf32>)",
     "([j, l], [i, m])->([i, k, l]) {i=5, j=10, k=1, l=6, m=1} reduction={j}"
     " need_replication={k, m}\n"
     "i: local, j: read(sum), k: whole, l: local, m: whole\nexchanges j with i"},
    {"firstColumnIsNotIndexed", "%a: tensor<10x6xf32>, %i: tensor<5x1xi32>",
     R"("stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
            collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
            slice_sizes = array<i64: 1, 1>}>
        : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x1xf32>)",
     "([l, j], [i, m])->([i, k]) {i=5, j=6, k=1, l=10, m=1} reduction={j, l}"
     " need_replication={k, m}\n"
     "i: local, j: whole, k: whole, l: read(sum), m: whole\nexchanges l with i"},
    {"batchOfGathers", "%a: tensor<3x10xf32>, %i: tensor<3x5x1xi32>",
     R"("stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<
            collapsed_slice_dims = [1], operand_batching_dims = [0],
            start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
            slice_sizes = array<i64: 1, 1>}>
        : (tensor<3x10xf32>, tensor<3x5x1xi32>) -> tensor<3x5xf32>)",
     "([i, k], [i, j, l])->([i, j]) {i=3, j=5, k=10, l=1} reduction={k} need_replication={l}\n"
     "i: local, j: local, k: read(sum), l: whole"},
    {"rowsAddedToZero", "%i: tensor<5x1xi32>, %u: tensor<5x6xf32>",
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%a = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> "
     "tensor<10x6xf32>\n" SHARDWISE_SCATTER_ROWS("add"),
     SHARDWISE_SCATTER_RULE "i: partial(sum), j: local, k: written, l: whole\nexchanges k with i"},
    {"rowsAddedToAnythingAreExchangedOnly",
     "%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>",
     SHARDWISE_SCATTER_ROWS("add"),
     SHARDWISE_SCATTER_RULE
     "i: partial(sum), j: local, k: written, l: whole\nexchanges k with i only"},
    {"maximumOfRows", "%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>",
     SHARDWISE_SCATTER_ROWS("maximum"),
     SHARDWISE_SCATTER_RULE "i: partial(max), j: local, k: written, l: whole\nexchanges k with i"},
    {"rowsWritten", "%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>",
     R"("stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
            update_window_dims = [1], inserted_window_dims = [0],
            scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          stablehlo.return %q : tensor<f32>
        }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x6xf32>)",
     "([k, j], [i, l], [i, j])->([k, j]) {i=5, j=6, k=10, l=1} need_replication={i, l}\n"
     "i: whole, j: local, k: written, l: whole"},
    {"windowsAtComputedPlaces", "%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x10x6xf32>",
     R"("stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
            update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0],
            index_vector_dim = 1>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          stablehlo.return %q : tensor<f32>
        }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x10x6xf32>) -> tensor<10x6xf32>)",
     "([j, k], [i, l], [i, j, k])->([j, k]) {i=5, j=10, k=6, l=1} need_replication={i, l}\n"
     "i: whole, j: whole, k: local, l: whole"},
    {"smallWindowsAtComputedPlaces",
     "%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x2x6xf32>",
     R"("stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
            update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0],
            index_vector_dim = 1>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          stablehlo.return %q : tensor<f32>
        }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5x2x6xf32>) -> tensor<10x6xf32>)",
     "([j, l], [i, m], [i, k, l])->([j, l]) {i=5, j=10, k=2, l=6, m=1}"
     " need_replication={i, j, k, m}\n"
     "i: whole, j: written, k: whole, l: local, m: whole"},
    {"firstColumnIsWritten", "%a: tensor<10x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5xf32>",
     R"("stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
            inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0],
            index_vector_dim = 1>}> ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          stablehlo.return %q : tensor<f32>
        }) : (tensor<10x6xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<10x6xf32>)",
     "([j, k], [i, l], [i])->([j, k]) {i=5, j=10, k=6, l=1} need_replication={i, l}\n"
     "i: whole, j: written, k: whole, l: whole"},
};

std::span<const SheetCase> indexingCases() {
  return kIndexing;
}

} // namespace shardwise::rules

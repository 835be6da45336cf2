// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations without control flow, as functions from operand tensors to result tensors. Each
// family has its own source file.

#pragma once

#include "shardwise/reference/ScalarRegion.h"

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include <mlir/Support/LLVM.h>

namespace shardwise::reference {

using Tensors = llvm::ArrayRef<const HostTensor *>;
using Results = llvm::SmallVector<HostTensor, 2>;

/// Applies an element-wise function; operands of rank 0 stand for every position.
HostTensor applyElementwise(const ElementFunction &function, mlir::Type resultType,
                            Tensors operands);

// Shape.cpp
HostTensor evaluate(stablehlo::IotaOp op);
HostTensor evaluate(stablehlo::BroadcastInDimOp op, const HostTensor &operand);
HostTensor evaluate(stablehlo::BroadcastOp op, const HostTensor &operand);
HostTensor evaluate(stablehlo::ReshapeOp op, const HostTensor &operand);
HostTensor evaluate(stablehlo::TransposeOp op, const HostTensor &operand);
HostTensor evaluate(stablehlo::ReverseOp op, const HostTensor &operand);
HostTensor evaluate(stablehlo::BitcastConvertOp op, const HostTensor &operand);
HostTensor evaluate(stablehlo::ConcatenateOp op, Tensors inputs);

// Slice.cpp
HostTensor evaluate(stablehlo::SliceOp op, const HostTensor &operand);
HostTensor evaluate(stablehlo::PadOp op, const HostTensor &operand, const HostTensor &value);
HostTensor evaluate(stablehlo::DynamicSliceOp op, const HostTensor &operand, Tensors starts);
HostTensor evaluate(stablehlo::DynamicUpdateSliceOp op, const HostTensor &operand,
                    const HostTensor &update, Tensors starts);
/// What `operand` has at index `at` of dimension `dim`, a tensor of `type` without that dimension.
HostTensor sliceAt(mlir::Type type, const HostTensor &operand, int64_t dim, int64_t at);
/// Writes `slice` to that place of `target`.
void setSliceAt(HostTensor &target, const HostTensor &slice, int64_t dim, int64_t at);

// Contraction.cpp, Convolution.cpp
HostTensor evaluate(stablehlo::DotGeneralOp op, const HostTensor &lhs, const HostTensor &rhs);
HostTensor evaluate(stablehlo::DotOp op, const HostTensor &lhs, const HostTensor &rhs);
/// Requires `groupSizes` of rank 1, or 1 plus the number of batching dimensions.
HostTensor evaluate(chlo::RaggedDotOp op, const HostTensor &lhs, const HostTensor &rhs,
                    const HostTensor &groupSizes);
HostTensor evaluate(stablehlo::ConvolutionOp op, const HostTensor &lhs, const HostTensor &rhs);

// GatherScatter.cpp
HostTensor evaluate(stablehlo::GatherOp op, const HostTensor &operand, const HostTensor &starts);
Results evaluate(stablehlo::ScatterOp op, Tensors operands, const ScalarRegion &update);

// Reduction.cpp, Window.cpp, Sort.cpp
Results evaluate(stablehlo::ReduceOp op, Tensors operands, const ScalarRegion &body);
Results evaluate(stablehlo::ReduceWindowOp op, Tensors operands, const ScalarRegion &body);
HostTensor evaluate(stablehlo::SelectAndScatterOp op, Tensors operands, const ScalarRegion &select,
                    const ScalarRegion &scatter);
Results evaluate(stablehlo::SortOp op, Tensors inputs, const ScalarRegion &comparator);
/// The `k` largest along the last dimension and their positions.
Results topK(mlir::TypeRange resultTypes, const HostTensor &operand);

// Fourier.cpp, BatchNorm.cpp
HostTensor evaluate(stablehlo::FftOp op, const HostTensor &operand);
Results evaluate(stablehlo::BatchNormInferenceOp op, Tensors operands);
Results evaluate(stablehlo::BatchNormTrainingOp op, Tensors operands);
Results evaluate(stablehlo::BatchNormGradOp op, Tensors operands);

// Random.cpp
Results evaluate(stablehlo::RngBitGeneratorOp op, const HostTensor &state);

} // namespace shardwise::reference

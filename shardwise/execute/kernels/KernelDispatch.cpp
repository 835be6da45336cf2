// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choice of the kernels' instruction set by what the processor has. All kernels are compiled once
// per set; the choice is made once, at the first look-up, for all of them, so that one run never
// mixes the rounding of two sets.

#include "shardwise/execute/kernels/BatchNormKernels.h"
#include "shardwise/execute/kernels/ElementKernels.h"
#include "shardwise/execute/kernels/FourierKernels.h"
#include "shardwise/execute/kernels/MatrixKernels.h"
#include "shardwise/execute/kernels/SelectionKernels.h"

#include <cstdlib>
#include <string_view>

namespace shardwise::execute {

KernelSet kernelSet_baseline();
#if defined(SHARDWISE_X86_KERNELS)
KernelSet kernelSet_avx2();
KernelSet kernelSet_avx512();
#endif

namespace {

KernelSet chooseKernels() {
#if defined(SHARDWISE_X86_KERNELS)
  // For checks of one set on a machine with all.
  const char *limit = std::getenv("SHARDWISE_KERNELS");
  std::string_view wanted = limit ? limit : "";
  __builtin_cpu_init();
  bool hasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                 __builtin_cpu_supports("bmi2");
  bool hasAvx512 = hasAvx2 && __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  if (hasAvx512 && (wanted.empty() || wanted == "avx512"))
    return kernelSet_avx512();
  if (hasAvx2 && (wanted.empty() || wanted == "avx2"))
    return kernelSet_avx2();
#endif
  return kernelSet_baseline();
}

const KernelSet &kernels() {
  static const KernelSet chosen = chooseKernels();
  return chosen;
}

} // namespace

ElementKernel findElementKernel(ElementOp op, DataType from, DataType to) {
  return kernels().findElement(op, from, to);
}
FoldKernel findFoldKernel(core::ReductionKind kind, DataType type) {
  return kernels().findFold(kind, type);
}
ScanKernel findScanKernel(core::ReductionKind kind, DataType type) {
  return kernels().findScan(kind, type);
}
const MatrixKernels *findMatrixKernels(DataType type) {
  return kernels().findMatrix(type);
}
const BatchNormKernels *findBatchNormKernels(DataType type) {
  return kernels().findBatchNorm(type);
}
int64_t batchNormScratchBytes(const FeatureShape &shape) {
  return kernels().batchNormScratch(shape);
}
const FourierKernels *findFourierKernels(DataType type) {
  return kernels().findFourier(type);
}
SelectRowsKernel findSelectRowsKernel(ElementOp keep, DataType type) {
  return kernels().findSelectRows(keep, type);
}

} // namespace shardwise::execute

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The look-up over all families of one instruction set.

#include "shardwise/execute/kernels/ElementStorage.h"

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {

ElementKernel findElement(ElementOp op, DataType from, DataType to) {
  if (op == ElementOp::Convert) {
    ElementKernel kernel = findConvertKernel(from, to);
    return kernel ? kernel : findNarrowConvertKernel(from, to);
  }
  for (auto find : {findFloatUnaryKernel, findIntegerUnaryKernel, findBinaryKernel,
                    findSpecialKernel, findComplexKernel, findCompareKernel, findTernaryKernel})
    if (ElementKernel kernel = find(op, from))
      return kernel;
  return nullptr;
}

} // namespace SHARDWISE_ISA

// A plain name that other instruction sets do not have.
#define SHARDWISE_JOIN(a, b) a##b
#define SHARDWISE_EXPAND(a, b) SHARDWISE_JOIN(a, b)
KernelSet SHARDWISE_EXPAND(kernelSet_, SHARDWISE_ISA)() {
  return {findElement,   findFold,         findScan,    findMatrix,
          findBatchNorm, batchNormScratch, findFourier, findSelectRows};
}

} // namespace shardwise::execute

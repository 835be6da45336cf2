// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect itself.

#ifndef SHARDWISE_DIALECT_SDY_SDYDIALECT_TD
#define SHARDWISE_DIALECT_SDY_SDYDIALECT_TD

include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::shardwise::sdy";
  let summary = "Meshes, tensor shardings and the collectives between them.";
  let description = [{
    A mesh is a grid of devices with named axes. A tensor sharding gives every tensor dimension a
    list of mesh axes, most major first, that cut it; axes that are not mentioned replicate the
    tensor. Shardings are attached to function arguments and results, to operations, or are
    carried by the operations of this dialect.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif // SHARDWISE_DIALECT_SDY_SDYDIALECT_TD

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every generated op declaration needs.

#pragma once

#include "shardwise/dialect/stablehlo/ElementTypes.h"
#include "shardwise/dialect/stablehlo/StablehloAttrs.h"
#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#include "shardwise/dialect/stablehlo/ops/StablehloTraits.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

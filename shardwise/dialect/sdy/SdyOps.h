// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of the dialect.

#pragma once

#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/dialect/sdy/SdyInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/sdy/SdyOps.h.inc"

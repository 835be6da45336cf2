// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of the dialect. Each holds a core value; CoreBridge.h converts both ways.

#pragma once

#include "shardwise/dialect/sdy/SdyValues.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include "shardwise/dialect/sdy/SdyEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwise/dialect/sdy/SdyAttrs.h.inc"

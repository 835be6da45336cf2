// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect class. Include SdyOps.h for the operations.

#pragma once

#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "mlir/IR/Dialect.h"

#include "shardwise/dialect/sdy/SdyDialect.h.inc"

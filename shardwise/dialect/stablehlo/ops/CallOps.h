// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Custom calls, composites, tokens, tuples, host transfer.

#pragma once

#include "shardwise/dialect/stablehlo/ops/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/CallOps.h.inc"

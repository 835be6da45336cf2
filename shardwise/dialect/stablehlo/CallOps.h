// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Custom calls, composites, tokens, tuples, host transfer.

#pragma once

#include "shardwise/dialect/stablehlo/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/CallOps.h.inc"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// while, if, case, optimization_barrier, return.

#pragma once

#include "shardwise/dialect/stablehlo/ops/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/ControlFlowOps.h.inc"

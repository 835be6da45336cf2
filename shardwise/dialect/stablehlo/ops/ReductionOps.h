// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce, reduce_window, select_and_scatter, sort, map.

#pragma once

#include "shardwise/dialect/stablehlo/ops/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/ReductionOps.h.inc"

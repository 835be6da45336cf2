// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather and scatter.

#pragma once

#include "shardwise/dialect/stablehlo/ops/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/IndexingOps.h.inc"

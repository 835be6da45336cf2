// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deprecated ops, quantisation, asynchronous ops.

#pragma once

#include "shardwise/dialect/stablehlo/ops/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/LegacyOps.h.inc"

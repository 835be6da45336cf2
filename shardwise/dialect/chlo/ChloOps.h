// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and ops of the dialect `chlo`.

#pragma once

#include "shardwise/dialect/chlo/ChloDialect.h"
#include "shardwise/dialect/stablehlo/ops/OpHeaders.h"

#include "shardwise/dialect/chlo/ChloEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwise/dialect/chlo/ChloAttrs.h.inc"

#define GET_OP_CLASSES
#include "shardwise/dialect/chlo/ChloTrigonometricOps.h.inc"

#define GET_OP_CLASSES
#include "shardwise/dialect/chlo/ChloSpecialOps.h.inc"

#define GET_OP_CLASSES
#include "shardwise/dialect/chlo/ChloStructuredOps.h.inc"

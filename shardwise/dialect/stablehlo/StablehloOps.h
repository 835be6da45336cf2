// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ops of the dialect. Include the header of one family instead where that is enough.

#pragma once

#include "shardwise/dialect/stablehlo/ops/CallOps.h"
#include "shardwise/dialect/stablehlo/ops/CollectiveOps.h"
#include "shardwise/dialect/stablehlo/ops/ContractionOps.h"
#include "shardwise/dialect/stablehlo/ops/ControlFlowOps.h"
#include "shardwise/dialect/stablehlo/ops/DynamicShapeOps.h"
#include "shardwise/dialect/stablehlo/ops/ElementwiseOps.h"
#include "shardwise/dialect/stablehlo/ops/IndexingOps.h"
#include "shardwise/dialect/stablehlo/ops/LegacyOps.h"
#include "shardwise/dialect/stablehlo/ops/NumericOps.h"
#include "shardwise/dialect/stablehlo/ops/ReductionOps.h"
#include "shardwise/dialect/stablehlo/ops/ShapeOps.h"

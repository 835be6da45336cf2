// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ops of the dialect. Include the header of one family instead where that is enough.

#pragma once

#include "shardwise/dialect/stablehlo/CallOps.h"
#include "shardwise/dialect/stablehlo/CollectiveOps.h"
#include "shardwise/dialect/stablehlo/ContractionOps.h"
#include "shardwise/dialect/stablehlo/ControlFlowOps.h"
#include "shardwise/dialect/stablehlo/DynamicShapeOps.h"
#include "shardwise/dialect/stablehlo/ElementwiseOps.h"
#include "shardwise/dialect/stablehlo/IndexingOps.h"
#include "shardwise/dialect/stablehlo/LegacyOps.h"
#include "shardwise/dialect/stablehlo/NumericOps.h"
#include "shardwise/dialect/stablehlo/ReductionOps.h"
#include "shardwise/dialect/stablehlo/ShapeOps.h"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The uses of an op's factors while its family works them out. Internal to rules.

#pragma once

#include "shardwise/core/FactorUse.h"
#include "shardwise/core/Padding.h"
#include "shardwise/core/ShardingRule.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <vector>

namespace shardwise::rules {

/// Starts from what the kinds of the rule's factors say; families correct it. A factor that is
/// made whole stays whole.
class FactorUses {
public:
  /// Factors that pass through are local, all others whole.
  explicit FactorUses(const core::ShardingRule &rule);

  const core::ShardingRule &rule() const { return opRule; }

  /// Makes the reduction factors partial; does nothing without a combination.
  void combineReductions(std::optional<core::ReductionKind> combination);
  /// The same for those reduction factors that `may` be cut.
  void combineReductions(core::ReductionKind combination,
                         llvm::function_ref<bool(core::FactorIndex)> may);
  /// Makes every factor whole that may not be cut.
  void keepOnly(llvm::function_ref<bool(core::FactorIndex)> may);
  /// Makes every factor whole.
  void keepNone();

  /// Lets every factor be cut into equal parts only.
  void keepEven() { areEven = true; }
  /// Says that the op does not read the padding of its partial factors.
  void readNoPadding() { readsPadding = false; }
  /// Returns the paddings along the factors of `op` that follow. A factor that is not all of a
  /// dimension is refused; so is a local one that a result lacks, since devices that have nothing
  /// but padding would make the result of it.
  std::vector<core::Padding> paddings(mlir::Operation *op) const;

  std::vector<core::FactorUse> take() && { return std::move(uses); }

private:
  core::Padding paddingOf(core::FactorIndex factor) const;

  const core::ShardingRule &opRule;
  std::vector<core::FactorUse> uses;
  bool areEven = false;
  bool readsPadding = true;
};

/// Returns the dimension that has `factor`; `kNoDim` if none has.
int64_t dimOf(const core::TensorMapping &mapping, core::FactorIndex factor);

/// Whether the elements of `value` are booleans, of which a sum is an "or".
bool isBoolean(mlir::Value value);

} // namespace shardwise::rules

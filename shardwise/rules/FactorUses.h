// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The uses of an op's factors while its family works them out. Internal to rules.

#pragma once

#include "shardwise/core/FactorUse.h"
#include "shardwise/core/IndexExchange.h"
#include "shardwise/core/Padding.h"
#include "shardwise/core/ShardingRule.h"
#include "shardwise/core/Window.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <utility>
#include <vector>

namespace shardwise::rules {

/// Starts from what the kinds of the rule's factors say; families correct it. A window that is
/// added leaves a factor partial if it is.
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
  /// Says how the op uses one factor, whatever its kind.
  void set(core::FactorIndex factor, core::FactorUse use) { uses[factor] = use; }
  /// Makes every factor whole that may not be cut.
  void keepOnly(llvm::function_ref<bool(core::FactorIndex)> may);
  /// Makes every factor whole.
  void keepNone();

  /// Lets every factor be cut into equal parts only.
  void keepEven() { areEven = true; }
  /// Says that the op reads and writes at places of the whole dimension only: never in the padding
  /// of a factor that is read or has windows, and in that of one that is written nothing that
  /// anybody looks at.
  void keepOffPadding() { touchesPadding = false; }
  /// Returns the paddings along the factors of `op` that follow. A factor that is not all of a
  /// dimension is refused; so is a local one that a result lacks, since devices that have nothing
  /// but padding would make the result of it.
  std::vector<core::Padding> paddings(mlir::Operation *op) const;

  /// Says that indices of `otherDim` of tensor `other`, of which there are `numIndices`, read
  /// dimension `dim` of operand number `operand`, of `size` elements, by `window`. That makes the
  /// factor that both dimensions have a window; one that is partial stays so, and one of which
  /// every index reads the element at its place is local. Does nothing unless the rule has this
  /// factor as the first of both dimensions: blocks of it are blocks of the dimensions. Returns
  /// the window that was added, valid until the next one is; null if none was.
  core::OperandWindow *addWindow(int64_t operand, int64_t dim, int64_t size,
                                 const core::TensorMapping &other, int64_t otherDim,
                                 int64_t numIndices, core::Window window);

  /// Says that the op can exchange rows.
  void addExchange(core::IndexExchange exchange) { exchanges.push_back(std::move(exchange)); }

  std::vector<core::FactorUse> take() &&;
  std::vector<core::IndexExchange> takeExchanges() && { return std::move(exchanges); }
  std::vector<core::OperandWindow> takeWindows() && { return std::move(windows); }

private:
  core::Padding paddingOf(core::FactorIndex factor) const;

  const core::ShardingRule &opRule;
  std::vector<core::FactorUse> uses;
  bool areEven = false;
  bool touchesPadding = true;
  std::vector<core::OperandWindow> windows;
  std::vector<core::IndexExchange> exchanges;
  /// Windows of nothing, or on nothing: there are no parts of that.
  std::vector<core::FactorIndex> empty;
};

/// Returns the dimension that has `factor`; `kNoDim` if none has.
int64_t dimOf(const core::TensorMapping &mapping, core::FactorIndex factor);

/// Whether the elements of `value` are booleans, of which a sum is an "or".
bool isBoolean(mlir::Value value);

} // namespace shardwise::rules

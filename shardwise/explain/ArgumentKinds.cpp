// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names as JAX, Flax, Haiku, optax and PyTorch give them. The first part of a name that says
// something decides: trees of parameters lie in the state of an optimiser, and may have a member
// `v` of their own.

#include "shardwise/explain/ArgumentKinds.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace shardwise::explain {

MemoryKind argumentKindOf(llvm::StringRef label) {
  static const llvm::StringSet<> kOptimizer = {"opt",
                                               "opt_state",
                                               "optimizer",
                                               "optimizer_state",
                                               "optim",
                                               "optim_state",
                                               "mu",
                                               "nu",
                                               "m",
                                               "v",
                                               "momentum",
                                               "velocity",
                                               "exp_avg",
                                               "exp_avg_sq",
                                               "trace",
                                               "adam",
                                               "momentum_buffer",
                                               "adam_state",
                                               "v_row",
                                               "v_col",
                                               "ema"};
  static const llvm::StringSet<> kParameters = {
      "params", "param",  "parameters", "weights",   "variables", "theta", "model",
      "kernel", "weight", "bias",       "embedding", "embed",     "w"};
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::SplitString(label, parts, "[]'\". /()");
  // A letter alone names a vector or a value as often.
  if (parts.size() == 1 && parts.front().size() == 1)
    return MemoryKind::Inputs;
  for (llvm::StringRef part : parts) {
    if (kOptimizer.contains(part.lower()))
      return MemoryKind::OptimizerState;
    // `w1` and `bias_2` are weights as `w` and `bias` are.
    if (kParameters.contains(llvm::StringRef(part.lower()).rtrim("0123456789").rtrim('_')))
      return MemoryKind::Parameters;
  }
  return !parts.empty() && parts.front() == "state" ? MemoryKind::OptimizerState
                                                    : MemoryKind::Inputs;
}

bool isStateOf(llvm::StringRef state, llvm::StringRef parameter) {
  auto partsOf = [](llvm::StringRef label) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::SplitString(label, parts, "[]'\". /()");
    return parts;
  };
  llvm::SmallVector<llvm::StringRef> of = partsOf(parameter);
  llvm::SmallVector<llvm::StringRef> parts = partsOf(state);
  llvm::ArrayRef<llvm::StringRef> leaf(of);
  if (leaf.empty())
    return false;
  leaf = leaf.drop_front(leaf.front() == "result" && leaf.size() > 1 ? 2 : 1);
  return !leaf.empty() && parts.size() > leaf.size() &&
         llvm::ArrayRef<llvm::StringRef>(parts).take_back(leaf.size()) == leaf;
}

bool isOnState(const ExplainedAnnotation &annotation, const ProgramNames &names) {
  if (annotation.kind != AnnotationKind::Argument)
    return false;
  MemoryKind kind = argumentKindOf(names.labelOf({annotation.value}));
  return kind == MemoryKind::Parameters || kind == MemoryKind::OptimizerState;
}

} // namespace shardwise::explain

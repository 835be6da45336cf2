// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an op does along one of its factors, and so what has to happen around the op when devices
// share the factor. The sharding rule says where a factor is; this says what may be done with it.

#pragma once

#include "shardwise/core/Sharding.h"

#include <cassert>

namespace shardwise::core {

/// How an op uses a factor. A closed list: what reads it switches over `kind()`.
///
/// | kind    | a device that has its part of the factor computes  | example                     |
/// | ------- | -------------------------------------------------- | --------------------------- |
/// | Local   | its part of every result that has the factor       | i of `([i, k], [k, j])->..` |
/// | Partial | results that combine over the devices              | k of a dot: partial(sum)    |
/// | Window  | its part of every result that has the factor, once | windows of a convolution    |
/// |         | it has fetched what its operands lack (Window.h)   |                             |
/// | Whole   | nothing right: it needs all of the factor          | the sorted dimension        |
///
/// Whole is the default where nothing is known: cutting a factor that must not be cut gives wrong
/// results.
class FactorUse {
public:
  enum class Kind { Whole, Local, Partial, Window };

  constexpr FactorUse() = default;
  static constexpr FactorUse whole() { return {}; }
  static constexpr FactorUse local() { return FactorUse(Kind::Local, ReductionKind::Sum); }
  /// Results over parts of the factor combine by `combination` to the result over all of it.
  static constexpr FactorUse partial(ReductionKind combination) {
    return FactorUse(Kind::Partial, combination);
  }

  static constexpr FactorUse window() { return FactorUse(Kind::Window, ReductionKind::Sum); }

  constexpr Kind kind() const { return useKind; }
  /// Whether every device can work on its own part of the factor.
  constexpr bool mayBeCut() const { return useKind != Kind::Whole; }
  /// Whether cutting the factor leaves partial results.
  constexpr bool isPartial() const { return useKind == Kind::Partial; }
  /// How the partial results combine. Requires `isPartial()`.
  constexpr ReductionKind combination() const {
    assert(isPartial() && "only partial results combine");
    return combinationOfPartial;
  }

  constexpr bool operator==(const FactorUse &) const = default;

private:
  constexpr FactorUse(Kind kind, ReductionKind combination)
      : useKind(kind), combinationOfPartial(combination) {}

  Kind useKind = Kind::Whole;
  /// Sum unless Partial, so that equal uses compare equal.
  ReductionKind combinationOfPartial = ReductionKind::Sum;
};

} // namespace shardwise::core

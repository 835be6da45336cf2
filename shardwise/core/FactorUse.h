// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an op does along one of its factors, and so what has to happen around the op when devices
// share the factor. The sharding rule says where a factor is; this says what may be done with it.

#pragma once

#include "shardwise/core/Sharding.h"

#include <cassert>

namespace shardwise::core {

/// How an op uses a factor. A closed list: what reads it switches over `kind()`.
///
/// | kind     | a device that has its part of the factor computes | example                     |
/// | -------- | ------------------------------------------------- | --------------------------- |
/// | Local    | its part of every result that has the factor      | i of `([i, k], [k, j])->..` |
/// | Partial  | results that combine over the devices             | k of a dot: partial(sum)    |
/// | Window   | its part of every result that has the factor,     | windows of a convolution    |
/// |          | once it has what its operands lack (Window.h)     |                             |
/// | Written  | its part of every result, into which it writes    | the dimension that          |
/// |          | what comes to lie there, at places computed late  | `dynamic_update_slice` fills|
/// | Read     | what lies in its part of the places that are      | the dimension that          |
/// |          | asked for, and neutral elements for the others:   | `dynamic_slice` takes a     |
/// |          | results that are whole along it, and combine      | window of: read(sum)        |
/// | TwoPhase | candidates; once every device has those of all,   | the dimension of a `top_k`, |
/// |          | it computes the results from them                 | of an argmax, of a cumsum   |
/// | Whole    | nothing right: it needs all of the factor         | the sorted dimension        |
///
/// Whole is the default where nothing is known: cutting a factor that must not be cut gives wrong
/// results.
class FactorUse {
public:
  enum class Kind { Whole, Local, Partial, Window, Written, Read, TwoPhase };

  constexpr FactorUse() = default;
  static constexpr FactorUse whole() { return {}; }
  static constexpr FactorUse local() { return FactorUse(Kind::Local); }
  /// Results over parts of the factor combine by `combination` to the result over all of it.
  static constexpr FactorUse partial(ReductionKind combination) {
    return FactorUse(Kind::Partial, combination);
  }
  static constexpr FactorUse window() { return FactorUse(Kind::Window); }
  static constexpr FactorUse written() { return FactorUse(Kind::Written); }
  /// What devices read from their parts combines by `combination` with what the others give for it.
  static constexpr FactorUse read(ReductionKind combination) {
    return FactorUse(Kind::Read, combination);
  }
  /// What a second phase leaves of the factor in results: nothing, as every device computes all of
  /// them from the candidates; or the device's part, which the candidates of others correct.
  enum class SecondPhase { Selects, Corrects };
  /// Each of the equal parts of the factor gives `candidates` elements of every result.
  static constexpr FactorUse twoPhase(int64_t candidates, SecondPhase secondPhase) {
    FactorUse use(Kind::TwoPhase);
    use.numCandidates = candidates;
    use.phase = secondPhase;
    return use;
  }

  constexpr Kind kind() const { return useKind; }
  /// Whether every device can work on its own part of the factor.
  constexpr bool mayBeCut() const { return useKind != Kind::Whole; }
  /// Whether cutting the factor leaves partial results.
  constexpr bool isPartial() const { return useKind == Kind::Partial || useKind == Kind::Read; }
  /// How the partial results combine. Requires `isPartial()`.
  constexpr ReductionKind combination() const {
    assert(isPartial() && "only partial results combine");
    return combinationOfPartial;
  }
  /// Whether a cut factor is to be computed in two phases, which are several ops.
  constexpr bool isTwoPhase() const { return useKind == Kind::TwoPhase; }
  /// Elements of a result that come from each part. Requires `isTwoPhase()`.
  constexpr int64_t candidates() const {
    assert(isTwoPhase() && "only two phases have candidates");
    return numCandidates;
  }
  /// Whether results that have the factor are cut along it where operands are.
  constexpr bool cutsResults() const {
    switch (useKind) {
    case Kind::Local:
    case Kind::Partial:
    case Kind::Window:
    case Kind::Written:
      return true;
    case Kind::Whole:
    case Kind::Read:
      return false;
    case Kind::TwoPhase:
      return phase == SecondPhase::Corrects;
    }
    return false;
  }
  /// Whether a cut along the factor costs nothing if all tensors that have it are cut alike.
  constexpr bool isFree() const {
    switch (useKind) {
    case Kind::Whole:
    case Kind::Local:
    case Kind::Partial:
    case Kind::Written:
      return true;
    case Kind::Window:
    case Kind::Read:
    case Kind::TwoPhase:
      return false;
    }
    return true;
  }

  constexpr bool operator==(const FactorUse &) const = default;

private:
  explicit constexpr FactorUse(Kind kind, ReductionKind combination = ReductionKind::Sum)
      : useKind(kind), combinationOfPartial(combination) {}

  Kind useKind = Kind::Whole;
  /// Sum where nothing is partial, so that equal uses compare equal.
  ReductionKind combinationOfPartial = ReductionKind::Sum;
  int64_t numCandidates = 0;
  SecondPhase phase = SecondPhase::Selects;
};

} // namespace shardwise::core

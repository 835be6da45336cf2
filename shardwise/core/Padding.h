// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an op does with padding. Where a factor is cut into unequal parts, every device still has
// shards of one size, so that the last ones end in elements that are none: padding, of which any
// value may be expected, also one that is not a number.

#pragma once

namespace shardwise::core {

/// What may be behind the end of a factor of an op. A closed list: what reads it switches over it.
///
/// | padding | the op along a factor that is cut unevenly                  | example          |
/// | ------- | ----------------------------------------------------------- | ---------------- |
/// | Refused | is not known to be right: the factor is cut evenly          | part of a reshape |
/// | Ignored | keeps padding in the padding of results, or never reads it  | i of a dot       |
/// | Neutral | is right if operands have the identity of the combination   | k of a dot: 0    |
/// | Outside | is right if operands have what lies outside of the dimension | rows of a pad    |
///
/// Refused is the default where nothing is known. Ignored goes with local factors, Neutral with
/// partial ones, Outside with windows.
enum class Padding { Refused, Ignored, Neutral, Outside };

} // namespace shardwise::core

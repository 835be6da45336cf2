// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference evaluator on programs with known answers.

#include "shardwise/reference/Scalar.h"

#include <gtest/gtest.h>

namespace shardwise::reference {
namespace {

TEST(ScalarTest, integersWrapAndExtendBySignedness) {
  EXPECT_EQ(Scalar::ofBits(DataType::I8, 200).integer(), -56);
  EXPECT_EQ(Scalar::ofBits(DataType::U8, 456).integer(), 200);
  EXPECT_EQ(convert(Scalar::ofInteger(DataType::I32, -1), DataType::U8).bits(), 255U);
}

} // namespace
} // namespace shardwise::reference

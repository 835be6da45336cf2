// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an element type at run time to its C++ type.

#pragma once

#include "shardwise/runtime/DataType.h"
#include "shardwise/runtime/HalfFloat.h"
#include "shardwise/runtime/SmallFloat.h"
#include "shardwise/runtime/SmallInteger.h"

#include <cstdint>

namespace shardwise::driver {

/// Calls `visit` with a value of the storage type of `type`, for complex types of their parts.
template <class Visit> void withStorageType(runtime::DataType type, Visit visit) {
  switch (type) {
  case runtime::DataType::I1:
    return visit(uint8_t());
  case runtime::DataType::I8:
    return visit(int8_t());
  case runtime::DataType::I16:
    return visit(int16_t());
  case runtime::DataType::I32:
    return visit(int32_t());
  case runtime::DataType::I64:
    return visit(int64_t());
  case runtime::DataType::U8:
    return visit(uint8_t());
  case runtime::DataType::U16:
    return visit(uint16_t());
  case runtime::DataType::U32:
    return visit(uint32_t());
  case runtime::DataType::U64:
    return visit(uint64_t());
  case runtime::DataType::F16:
    return visit(runtime::Half());
  case runtime::DataType::BF16:
    return visit(runtime::BFloat16());
  case runtime::DataType::F32:
  case runtime::DataType::C64:
    return visit(float());
  case runtime::DataType::F64:
  case runtime::DataType::C128:
    return visit(double());
  case runtime::DataType::I2:
    return visit(runtime::Int2());
  case runtime::DataType::I4:
    return visit(runtime::Int4());
  case runtime::DataType::U2:
    return visit(runtime::UInt2());
  case runtime::DataType::U4:
    return visit(runtime::UInt4());
  case runtime::DataType::F8E4M3:
    return visit(runtime::SmallFloat<runtime::DataType::F8E4M3>());
  case runtime::DataType::F8E4M3FN:
    return visit(runtime::SmallFloat<runtime::DataType::F8E4M3FN>());
  case runtime::DataType::F8E4M3FNUZ:
    return visit(runtime::SmallFloat<runtime::DataType::F8E4M3FNUZ>());
  case runtime::DataType::F8E4M3B11FNUZ:
    return visit(runtime::SmallFloat<runtime::DataType::F8E4M3B11FNUZ>());
  case runtime::DataType::F8E5M2:
    return visit(runtime::SmallFloat<runtime::DataType::F8E5M2>());
  case runtime::DataType::F8E5M2FNUZ:
    return visit(runtime::SmallFloat<runtime::DataType::F8E5M2FNUZ>());
  case runtime::DataType::F8E3M4:
    return visit(runtime::SmallFloat<runtime::DataType::F8E3M4>());
  case runtime::DataType::F8E8M0FNU:
    return visit(runtime::SmallFloat<runtime::DataType::F8E8M0FNU>());
  }
}

/// Whether T is an integer of 2 or 4 bits; its number is the member `value`.
template <class T> inline constexpr bool kIsSmallInteger = false;
template <int Bits, bool IsSigned>
inline constexpr bool kIsSmallInteger<runtime::SmallInteger<Bits, IsSigned>> = true;

} // namespace shardwise::driver

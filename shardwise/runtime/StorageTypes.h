// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an element type at run time to its C++ type.

#pragma once

#include "shardwise/runtime/DataType.h"
#include "shardwise/runtime/HalfFloat.h"
#include "shardwise/runtime/SmallFloat.h"
#include "shardwise/runtime/SmallInteger.h"

#include <cstdint>

namespace shardwise::runtime {

/// Returns what `visit` gives for a value of the storage type of `type`, for complex types of their
/// parts.
template <class Visit> auto withStorageType(DataType type, Visit visit) {
  switch (type) {
  case DataType::I1:
    return visit(uint8_t());
  case DataType::I8:
    return visit(int8_t());
  case DataType::I16:
    return visit(int16_t());
  case DataType::I32:
    return visit(int32_t());
  case DataType::I64:
    return visit(int64_t());
  case DataType::U8:
    return visit(uint8_t());
  case DataType::U16:
    return visit(uint16_t());
  case DataType::U32:
    return visit(uint32_t());
  case DataType::U64:
    return visit(uint64_t());
  case DataType::F16:
    return visit(Half());
  case DataType::BF16:
    return visit(BFloat16());
  case DataType::F32:
  case DataType::C64:
    return visit(float());
  case DataType::F64:
  case DataType::C128:
    return visit(double());
  case DataType::I2:
    return visit(Int2());
  case DataType::I4:
    return visit(Int4());
  case DataType::U2:
    return visit(UInt2());
  case DataType::U4:
    return visit(UInt4());
  case DataType::F8E4M3:
    return visit(SmallFloat<DataType::F8E4M3>());
  case DataType::F8E4M3FN:
    return visit(SmallFloat<DataType::F8E4M3FN>());
  case DataType::F8E4M3FNUZ:
    return visit(SmallFloat<DataType::F8E4M3FNUZ>());
  case DataType::F8E4M3B11FNUZ:
    return visit(SmallFloat<DataType::F8E4M3B11FNUZ>());
  case DataType::F8E5M2:
    return visit(SmallFloat<DataType::F8E5M2>());
  case DataType::F8E5M2FNUZ:
    return visit(SmallFloat<DataType::F8E5M2FNUZ>());
  case DataType::F8E3M4:
    return visit(SmallFloat<DataType::F8E3M4>());
  case DataType::F8E8M0FNU:
    break;
  }
  return visit(SmallFloat<DataType::F8E8M0FNU>());
}

/// Whether T is an integer of 2 or 4 bits; its number is the member `value`.
template <class T> inline constexpr bool kIsSmallInteger = false;
template <int Bits, bool IsSigned>
inline constexpr bool kIsSmallInteger<SmallInteger<Bits, IsSigned>> = true;

} // namespace shardwise::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printers of core values in sdy notation: what the grammar of ParseText.cpp reads back to an equal
// value, and what MLIR prints for the attribute.
//
// Whatever is empty is left out (an empty list of replicated or unreduced axes could not be read
// back), and so is the reduction `sum`, which is the default:
//   [{"x"}, {?}], unreduced=max{"y"}     and     [{"x"}, {?}], unreduced={"y"}

#include "shardwise/core/FactorSymbols.h"
#include "shardwise/core/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

namespace shardwise::core {
namespace {

/// Appends `text` as MLIR writes strings: anything but plain printable characters in hexadecimal.
void printQuoted(std::string &out, std::string_view text) {
  out += '"';
  for (char c : text)
    if (c == '\\')
      out += "\\\\";
    else if (c >= ' ' && c <= '~' && c != '"')
      out += c;
    else
      fmt::format_to(std::back_inserter(out), "\\{:02X}", static_cast<unsigned char>(c));
  out += '"';
}

/// Appends `items` with ", " between them, each by `printItem(item)`.
template <class Items, class Print>
void printList(std::string &out, const Items &items, Print printItem) {
  bool isFirst = true;
  for (const auto &item : items) {
    if (!isFirst)
      out += ", ";
    isFirst = false;
    printItem(item);
  }
}

void print(std::string &out, const AxisRef &axis) {
  printQuoted(out, axis.name);
  if (axis.subAxis)
    fmt::format_to(std::back_inserter(out), ":({}){}", axis.subAxis->preSize, axis.subAxis->size);
}

void print(std::string &out, const std::vector<AxisRef> &axes) {
  out += '{';
  printList(out, axes, [&](const AxisRef &axis) { print(out, axis); });
  out += '}';
}

void print(std::string &out, const WrittenDimSharding &dim) {
  out += '{';
  printList(out, dim.axes, [&](const AxisRef &axis) { print(out, axis); });
  // `?` stands last: {"x", ?}, or {?}.
  if (!dim.isClosed)
    out += dim.axes.empty() ? "?" : ", ?";
  out += '}';
  if (dim.priority)
    fmt::format_to(std::back_inserter(out), "p{}", *dim.priority);
}

void print(std::string &out, const WrittenSharding &sharding) {
  out += '[';
  printList(out, sharding.dims, [&](const WrittenDimSharding &dim) { print(out, dim); });
  out += ']';
  if (!sharding.replicated.empty()) {
    out += ", replicated=";
    print(out, sharding.replicated);
  }
  if (!sharding.unreduced.empty()) {
    out += ", unreduced=";
    if (sharding.reduction != ReductionKind::Sum)
      out += toString(sharding.reduction);
    print(out, sharding.unreduced);
  }
}

void printFactors(std::string &out, const DimMapping &factors) {
  for (FactorIndex factor : factors)
    out += factorSymbol(factor);
}

void printMappings(std::string &out, const std::vector<TensorMapping> &mappings) {
  out += '(';
  printList(out, mappings, [&](const TensorMapping &mapping) {
    out += '[';
    printList(out, mapping, [&](const DimMapping &factors) { printFactors(out, factors); });
    out += ']';
  });
  out += ')';
}

void printGroup(std::string &out, std::string_view name, const std::vector<FactorIndex> &factors) {
  if (factors.empty())
    return;
  fmt::format_to(std::back_inserter(out), " {}={{", name);
  printList(out, factors, [&](FactorIndex factor) { out += factorSymbol(factor); });
  out += '}';
}

template <class T> std::string printed(const T &value) {
  std::string out;
  print(out, value);
  return out;
}

} // namespace

std::string toString(const AxisRef &axis) {
  return printed(axis);
}

std::string toString(const std::vector<AxisRef> &axes) {
  return printed(axes);
}

std::string toString(const WrittenDimSharding &dim) {
  return printed(dim);
}

std::string toString(const WrittenSharding &sharding) {
  return printed(sharding);
}

std::string toString(const Mesh &mesh) {
  std::string out = "[";
  printList(out, mesh.axes(), [&](const MeshAxis &axis) {
    printQuoted(out, axis.name);
    fmt::format_to(std::back_inserter(out), "={}", axis.size);
  });
  out += ']';
  if (!mesh.deviceIds().empty())
    fmt::format_to(std::back_inserter(out), ", device_ids=[{}]", fmt::join(mesh.deviceIds(), ", "));
  return out;
}

std::string toString(const ShardingRule &rule) {
  std::string out;
  printMappings(out, rule.operands);
  out += "->";
  printMappings(out, rule.results);
  // Rules without factors, those of ops on scalars, are printed as `([], [])->([])`.
  if (!rule.factorSizes.empty()) {
    out += " {";
    FactorIndex factor = 0;
    printList(out, rule.factorSizes, [&](int64_t size) {
      fmt::format_to(std::back_inserter(out), "{}={}", factorSymbol(factor++), size);
    });
    out += '}';
  }
  printGroup(out, "reduction", rule.reduction);
  printGroup(out, "need_replication", rule.needReplication);
  printGroup(out, "permutation", rule.permutation);
  printGroup(out, "blocked_propagation", rule.blockedPropagation);
  if (rule.isCustom)
    out += ", custom";
  return out;
}

std::string toString(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return "sum";
  case ReductionKind::Max:
    return "max";
  case ReductionKind::Min:
    return "min";
  case ReductionKind::Product:
    return "product";
  case ReductionKind::And:
    return "and";
  case ReductionKind::Or:
    break;
  }
  return "or";
}

std::string toString(const Axis &axis, const Mesh &mesh) {
  return printed(toRef(axis, mesh));
}

std::string toString(const AxisList &axes, const Mesh &mesh) {
  std::string out = "{";
  printList(out, axes, [&](const Axis &axis) { print(out, toRef(axis, mesh)); });
  return out += '}';
}

std::string toString(const Sharding &sharding, const Mesh &mesh) {
  return printed(toWritten(sharding, mesh));
}

std::string factorSymbol(FactorIndex factor) {
  // `i` to `z` first, as loops are called; there is no end to `z_1`, `z_2`, ...
  if (factor <= kLastLetter)
    return std::string(1, static_cast<char>('i' + factor));
  return fmt::format("z_{}", factor - kLastLetter);
}

} // namespace shardwise::core

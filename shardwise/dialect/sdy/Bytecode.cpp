// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One writer and one reader per kind of attribute.
//
// Example: `{"x", ?}p1` is the code 5, a list of one reference to the attribute `"x"`, the flag
// "closed" as false, and 1 with the bit that says that there is a priority. `"x"` is stored once in
// the file's table, however many dimensions refer to it.
//
// Each writer and its reader name the same parts in the same order: there is nothing in the file to
// tell them apart. A part that is new needs a new code (ShardingWithSums is TensorSharding and one
// list more), or older files would be read wrongly.
//
// A file may be broken. Readers check what the values of core rely on and report the first fault;
// what the verifier checks anyway is left to it. What has no code is written as text, which MLIR
// does where a writer here says failure.

#include "shardwise/dialect/sdy/Bytecode.h"

#include "shardwise/dialect/sdy/CoreBridge.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <tuple>

using namespace mlir;

namespace shardwise::sdy {

namespace {

using Reader = DialectBytecodeReader;
using Writer = DialectBytecodeWriter;

/// Numbers are part of the format, which other tools read and write: none is ever used again, and
/// new ones go to the end.
enum class Code : uint64_t {
  ManualAxes = 0,
  MeshAxis = 1,
  Mesh = 2,
  SubAxisInfo = 3,
  AxisRef = 4,
  DimensionSharding = 5,
  TensorSharding = 6,
  TensorShardingPerValue = 7,
  DimMapping = 8,
  TensorMapping = 9,
  OpShardingRule = 10,
  AxisRefList = 11,
  ListOfAxisRefLists = 12,
  AllToAllParam = 13,
  AllToAllParamList = 14,
  ShardingWithSums = 15,
  PerValueWithSums = 16,
  ShardingWithKind = 17,
};

//===----------------------------------------------------------------------===//
// Lists of core values, as references to attributes of one each
//===----------------------------------------------------------------------===//

template <class AttrT, class Value>
void writeAll(Writer &writer, MLIRContext *context, const std::vector<Value> &values) {
  writer.writeList(values,
                   [&](const Value &value) { writer.writeAttribute(AttrT::get(context, value)); });
}

void writeAll(Writer &writer, MLIRContext *context,
              const std::vector<core::TensorMapping> &mappings) {
  writer.writeList(mappings, [&](const core::TensorMapping &mapping) {
    writer.writeAttribute(toAttr(context, mapping));
  });
}

/// Reads a count and then as many items. Reserves nothing by the count: it may be wrong, and then
/// the file ends before the items do.
LogicalResult readList(Reader &reader, llvm::function_ref<LogicalResult()> readOne) {
  uint64_t count;
  if (failed(reader.readVarInt(count)))
    return failure();
  for (uint64_t i = 0; i < count; ++i)
    if (failed(readOne()))
      return failure();
  return success();
}

template <class AttrT> LogicalResult readAttributes(Reader &reader, SmallVectorImpl<AttrT> &attrs) {
  return readList(reader, [&] { return reader.readAttribute(attrs.emplace_back()); });
}

/// Reads references to attributes of kind `AttrT`, and takes `get(attr)` out of each.
template <class AttrT, class Value, class Get>
LogicalResult readAll(Reader &reader, std::vector<Value> &values, Get get) {
  return readList(reader, [&] {
    AttrT attr;
    if (failed(reader.readAttribute(attr)))
      return failure();
    values.push_back(get(attr));
    return success();
  });
}

LogicalResult readAxes(Reader &reader, AxisRefs &axes) {
  return readAll<AxisRefAttr>(reader, axes, [](AxisRefAttr attr) { return attr.getAxis(); });
}

LogicalResult readMappings(Reader &reader, std::vector<core::TensorMapping> &mappings) {
  return readAll<TensorMappingAttr>(reader, mappings,
                                    [](TensorMappingAttr attr) { return toCore(attr); });
}

LogicalResult readIntegers(Reader &reader, std::vector<int64_t> &values) {
  return readList(reader, [&] { return reader.readSignedVarInt(values.emplace_back()); });
}

/// The same for numbers of factors, by which core finds their sizes. Too large ones are left to the
/// verifier, which knows how many there are.
LogicalResult readFactors(Reader &reader, std::vector<int64_t> &factors) {
  if (failed(readIntegers(reader, factors)))
    return failure();
  if (llvm::any_of(factors, [](int64_t factor) { return factor < 0; }))
    return reader.emitError() << "the number of a factor cannot be negative";
  return success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void writeCode(Writer &writer, Code code) {
  writer.writeVarInt(static_cast<uint64_t>(code));
}

void write(MeshAttr attr, Writer &writer) {
  writeCode(writer, Code::Mesh);
  const core::Mesh &mesh = attr.getMesh();
  writeAll<MeshAxisAttr>(writer, attr.getContext(), mesh.axes());
  writer.writeSignedVarInts(mesh.deviceIds());
}

void write(AxisRefAttr attr, Writer &writer) {
  writeCode(writer, Code::AxisRef);
  const core::AxisRef &axis = attr.getAxis();
  writer.writeOwnedString(axis.name);
  writer.writeOptionalAttribute(
      axis.subAxis ? Attribute(SubAxisInfoAttr::get(attr.getContext(), *axis.subAxis))
                   : Attribute());
}

LogicalResult write(DimensionShardingAttr attr, Writer &writer) {
  const core::WrittenDimSharding &dim = attr.getDim();
  // Written without sign, and one bit says whether there is one. Nothing may be written before this
  // check: what is in the stream cannot be taken back.
  if (dim.priority.value_or(0) < 0)
    return failure();
  writeCode(writer, Code::DimensionSharding);
  writeAll<AxisRefAttr>(writer, attr.getContext(), dim.axes);
  writer.writeOwnedBool(dim.isClosed);
  writer.writeVarIntWithFlag(static_cast<uint64_t>(dim.priority.value_or(0)),
                             dim.priority.has_value());
  return success();
}

LogicalResult write(TensorShardingAttr attr, Writer &writer) {
  const core::WrittenSharding &sharding = attr.getSharding();
  // The code for maxima and minima (ShardingWithKind) has a form that is not known here.
  if (sharding.reduction != core::ReductionKind::Sum)
    return failure();
  // The older code wherever it suffices: more readers know it.
  writeCode(writer, sharding.unreduced.empty() ? Code::TensorSharding : Code::ShardingWithSums);
  writer.writeAttribute(attr.getMeshOrRef());
  writeAll<DimensionShardingAttr>(writer, attr.getContext(), sharding.dims);
  writeAll<AxisRefAttr>(writer, attr.getContext(), sharding.replicated);
  if (!sharding.unreduced.empty())
    writeAll<AxisRefAttr>(writer, attr.getContext(), sharding.unreduced);
  return success();
}

void write(TensorShardingPerValueAttr attr, Writer &writer) {
  bool hasUnreduced = llvm::any_of(attr.getShardings(), [](TensorShardingAttr sharding) {
    return !sharding.getSharding().unreduced.empty();
  });
  writeCode(writer, hasUnreduced ? Code::PerValueWithSums : Code::TensorShardingPerValue);
  writer.writeAttributes(attr.getShardings());
}

void write(OpShardingRuleAttr attr, Writer &writer) {
  writeCode(writer, Code::OpShardingRule);
  const core::ShardingRule &rule = attr.getRule();
  writer.writeSignedVarInts(rule.factorSizes);
  writeAll(writer, attr.getContext(), rule.operands);
  writeAll(writer, attr.getContext(), rule.results);
  for (const auto *group :
       {&rule.reduction, &rule.needReplication, &rule.permutation, &rule.blockedPropagation})
    writer.writeSignedVarInts(*group);
  writer.writeOwnedBool(rule.isCustom);
}

/// Fails for attributes that have no code; they are stored as text.
LogicalResult writeAny(Attribute attr, Writer &writer) {
  MLIRContext *context = attr.getContext();
  return llvm::TypeSwitch<Attribute, LogicalResult>(attr)
      .Case<DimensionShardingAttr, TensorShardingAttr>(
          [&](auto typed) { return write(typed, writer); })
      .Case<MeshAttr, AxisRefAttr, TensorShardingPerValueAttr, OpShardingRuleAttr>([&](auto typed) {
        write(typed, writer);
        return success();
      })
      .Case([&](ManualAxesAttr axes) {
        writeCode(writer, Code::ManualAxes);
        writer.writeAttributes(axes.getAxes());
        return success();
      })
      .Case([&](MeshAxisAttr axis) {
        writeCode(writer, Code::MeshAxis);
        writer.writeOwnedString(axis.getAxis().name);
        writer.writeSignedVarInt(axis.getAxis().size);
        return success();
      })
      .Case([&](SubAxisInfoAttr subAxis) {
        writeCode(writer, Code::SubAxisInfo);
        writer.writeSignedVarInt(subAxis.getSubAxis().preSize);
        writer.writeSignedVarInt(subAxis.getSubAxis().size);
        return success();
      })
      .Case([&](DimMappingAttr mapping) {
        writeCode(writer, Code::DimMapping);
        writer.writeSignedVarInts(mapping.getFactors());
        return success();
      })
      .Case([&](TensorMappingAttr mapping) {
        writeCode(writer, Code::TensorMapping);
        writer.writeAttributes(mapping.getDims());
        return success();
      })
      .Case([&](AxisRefListAttr list) {
        writeCode(writer, Code::AxisRefList);
        writeAll<AxisRefAttr>(writer, context, list.getAxes());
        return success();
      })
      .Case([&](ListOfAxisRefListsAttr lists) {
        writeCode(writer, Code::ListOfAxisRefLists);
        writeAll<AxisRefListAttr>(writer, context, lists.getLists());
        return success();
      })
      .Case([&](AllToAllParamAttr param) {
        writeCode(writer, Code::AllToAllParam);
        writeAll<AxisRefAttr>(writer, context, param.getParam().axes);
        writer.writeSignedVarInt(param.getParam().source);
        writer.writeSignedVarInt(param.getParam().target);
        return success();
      })
      .Case([&](AllToAllParamListAttr params) {
        writeCode(writer, Code::AllToAllParamList);
        writeAll<AllToAllParamAttr>(writer, context, params.getParams());
        return success();
      })
      .Default([](Attribute) { return failure(); });
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Attribute readManualAxes(Reader &reader) {
  SmallVector<StringAttr> axes;
  return failed(readAttributes(reader, axes)) ? Attribute()
                                              : ManualAxesAttr::get(reader.getContext(), axes);
}

Attribute readMeshAxis(Reader &reader) {
  StringRef name;
  core::MeshAxis axis;
  if (failed(reader.readString(name)) || failed(reader.readSignedVarInt(axis.size)))
    return {};
  axis.name = name.str();
  return MeshAxisAttr::getChecked([&] { return reader.emitError(); }, reader.getContext(), axis);
}

Attribute readMesh(Reader &reader) {
  std::vector<core::MeshAxis> axes;
  std::vector<int64_t> ids;
  if (failed(
          readAll<MeshAxisAttr>(reader, axes, [](MeshAxisAttr attr) { return attr.getAxis(); })) ||
      failed(readIntegers(reader, ids)))
    return {};
  Result<core::Mesh> mesh = core::Mesh::create(std::move(axes), {ids.begin(), ids.end()});
  if (mesh)
    return MeshAttr::get(reader.getContext(), std::move(*mesh));
  reader.emitError() << mesh.error().message;
  return {};
}

Attribute readSubAxisInfo(Reader &reader) {
  core::SubAxis subAxis;
  if (failed(reader.readSignedVarInt(subAxis.preSize)) ||
      failed(reader.readSignedVarInt(subAxis.size)))
    return {};
  return SubAxisInfoAttr::get(reader.getContext(), subAxis);
}

Attribute readAxisRef(Reader &reader) {
  StringRef name;
  SubAxisInfoAttr subAxis;
  if (failed(reader.readString(name)) || failed(reader.readOptionalAttribute(subAxis)))
    return {};
  core::AxisRef axis{name.str(), std::nullopt};
  if (subAxis)
    axis.subAxis = subAxis.getSubAxis();
  return AxisRefAttr::get(reader.getContext(), std::move(axis));
}

Attribute readDimensionSharding(Reader &reader) {
  core::WrittenDimSharding dim;
  uint64_t priority = 0;
  bool hasPriority = false;
  if (failed(readAxes(reader, dim.axes)) || failed(reader.readBool(dim.isClosed)) ||
      failed(reader.readVarIntWithFlag(priority, hasPriority)))
    return {};
  if (hasPriority)
    dim.priority = static_cast<int64_t>(priority);
  return DimensionShardingAttr::get(reader.getContext(), std::move(dim));
}

Attribute readSharding(Reader &reader, bool hasUnreduced) {
  Attribute meshOrRef;
  core::WrittenSharding sharding;
  if (failed(reader.readAttribute(meshOrRef)) ||
      failed(readAll<DimensionShardingAttr>(
          reader, sharding.dims, [](DimensionShardingAttr attr) { return attr.getDim(); })) ||
      failed(readAxes(reader, sharding.replicated)) ||
      (hasUnreduced && failed(readAxes(reader, sharding.unreduced))))
    return {};
  // The reference could lead to any attribute of the file.
  if (isa<MeshAttr, FlatSymbolRefAttr>(meshOrRef))
    return toAttr(meshOrRef, std::move(sharding));
  reader.emitError() << "expected the mesh of a sharding, or its symbol, but got " << meshOrRef;
  return {};
}

Attribute readPerValue(Reader &reader) {
  SmallVector<TensorShardingAttr> shardings;
  return failed(readAttributes(reader, shardings))
             ? Attribute()
             : TensorShardingPerValueAttr::get(reader.getContext(), shardings);
}

Attribute readDimMapping(Reader &reader) {
  core::DimMapping factors;
  return failed(readFactors(reader, factors)) ? Attribute() : toAttr(reader.getContext(), factors);
}

Attribute readTensorMapping(Reader &reader) {
  SmallVector<DimMappingAttr> dims;
  return failed(readAttributes(reader, dims)) ? Attribute()
                                              : TensorMappingAttr::get(reader.getContext(), dims);
}

Attribute readOpShardingRule(Reader &reader) {
  core::ShardingRule rule;
  if (failed(readIntegers(reader, rule.factorSizes)) ||
      failed(readMappings(reader, rule.operands)) || failed(readMappings(reader, rule.results)))
    return {};
  for (auto *group :
       {&rule.reduction, &rule.needReplication, &rule.permutation, &rule.blockedPropagation})
    if (failed(readFactors(reader, *group)))
      return {};
  if (failed(reader.readBool(rule.isCustom)))
    return {};
  return toAttr(reader.getContext(), std::move(rule));
}

Attribute readAxisRefList(Reader &reader) {
  AxisRefs axes;
  return failed(readAxes(reader, axes))
             ? Attribute()
             : AxisRefListAttr::get(reader.getContext(), std::move(axes));
}

Attribute readListOfAxisRefLists(Reader &reader) {
  AxisRefLists lists;
  return failed(readAll<AxisRefListAttr>(reader, lists,
                                         [](AxisRefListAttr attr) { return attr.getAxes(); }))
             ? Attribute()
             : ListOfAxisRefListsAttr::get(reader.getContext(), std::move(lists));
}

Attribute readAllToAllParam(Reader &reader) {
  AllToAllParam param;
  if (failed(readAxes(reader, param.axes)) || failed(reader.readSignedVarInt(param.source)) ||
      failed(reader.readSignedVarInt(param.target)))
    return {};
  return AllToAllParamAttr::get(reader.getContext(), std::move(param));
}

Attribute readAllToAllParamList(Reader &reader) {
  AllToAllParams params;
  return failed(readAll<AllToAllParamAttr>(reader, params,
                                           [](AllToAllParamAttr attr) { return attr.getParam(); }))
             ? Attribute()
             : AllToAllParamListAttr::get(reader.getContext(), std::move(params));
}

Attribute readAny(Reader &reader) {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (static_cast<Code>(code)) {
  case Code::ManualAxes:
    return readManualAxes(reader);
  case Code::MeshAxis:
    return readMeshAxis(reader);
  case Code::Mesh:
    return readMesh(reader);
  case Code::SubAxisInfo:
    return readSubAxisInfo(reader);
  case Code::AxisRef:
    return readAxisRef(reader);
  case Code::DimensionSharding:
    return readDimensionSharding(reader);
  case Code::TensorSharding:
    return readSharding(reader, /*hasUnreduced=*/false);
  case Code::ShardingWithSums:
    return readSharding(reader, /*hasUnreduced=*/true);
  case Code::TensorShardingPerValue:
  // The codes say what is in the shardings, which have codes themselves; the lists look alike.
  case Code::PerValueWithSums:
    return readPerValue(reader);
  case Code::DimMapping:
    return readDimMapping(reader);
  case Code::TensorMapping:
    return readTensorMapping(reader);
  case Code::OpShardingRule:
    return readOpShardingRule(reader);
  case Code::AxisRefList:
    return readAxisRefList(reader);
  case Code::ListOfAxisRefLists:
    return readListOfAxisRefLists(reader);
  case Code::AllToAllParam:
    return readAllToAllParam(reader);
  case Code::AllToAllParamList:
    return readAllToAllParamList(reader);
  // Known, so that the message can say what is in the way.
  case Code::ShardingWithKind:
    reader.emitError() << "a sharding with partial maxima or minima is encoded in a form that is "
                          "not supported; write the module as text";
    return {};
  }
  reader.emitError() << "unknown code of an sdy attribute: " << code
                     << ", expected 0 to 17; write the module as text";
  return {};
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

/// Version of the encoding, as other writers state it.
struct Version final : DialectVersion {
  uint64_t major = 0, minor = 0, patch = 0;
};

struct BytecodeInterface final : BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(Reader &reader) const override { return readAny(reader); }

  LogicalResult writeAttribute(Attribute attr, Writer &writer) const override {
    return writeAny(attr, writer);
  }

  std::unique_ptr<DialectVersion> readVersion(Reader &reader) const override {
    auto version = std::make_unique<Version>();
    if (failed(reader.readVarInt(version->major)) || failed(reader.readVarInt(version->minor)) ||
        failed(reader.readVarInt(version->patch)))
      return nullptr;
    // Older ones have fewer codes, with the same meaning.
    if (std::tuple(version->major, version->minor, version->patch) <= std::tuple(0u, 0u, 2u))
      return version;
    reader.emitError() << "sdy attributes of version " << version->major << "." << version->minor
                       << "." << version->patch
                       << " are newer than 0.0.2, which is supported; write the module as text";
    return nullptr;
  }
};

} // namespace

void addBytecodeInterface(SdyDialect &dialect) {
  dialect.addInterfaces<BytecodeInterface>();
}

} // namespace shardwise::sdy

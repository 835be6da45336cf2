// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text and checks of the attributes that name mesh axes as replica groups. Example:
//   #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>,
//                                      axes = [#stablehlo.axis_ref<name = "x">]>
// The mesh can be a symbol instead; then only ops know it, and its axes are checked with them.

#include "shardwise/dialect/stablehlo/StablehloAttrs.h"
#include "shardwise/dialect/stablehlo/format/StructText.h"

using namespace mlir;

namespace shardwise::stablehlo {

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t size = 0;
  if (parser.parseLess() ||
      parseStructFields(parser,
                        {{"name", [&]() -> ParseResult { return parser.parseString(&name); }},
                         {"size", [&]() -> ParseResult { return parser.parseInteger(size); }}}))
    return {};
  return get(parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  StructPrinter fields(printer);
  fields.field("name").printString(getName());
  fields.field("size") << getSize();
}

/// An axis of a mesh, written in full or as `<name = "x", size = 2>`.
static ParseResult parseMeshAxis(AsmParser &parser, SmallVectorImpl<MeshAxisAttr> &axes) {
  MeshAxisAttr axis;
  if (parser.parseCustomAttributeWithFallback(axis))
    return failure();
  axes.push_back(axis);
  return success();
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  DenseIntElementsAttr deviceIds;
  auto parseAxes = [&] {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                          [&] { return parseMeshAxis(parser, axes); });
  };
  if (parser.parseLess() ||
      parseStructFields(parser, {{"axes", parseAxes}, {"device_ids", [&]() -> ParseResult {
                                                         return parser.parseAttribute(deviceIds);
                                                       }}}))
    return {};
  return get(parser.getContext(), axes, deviceIds);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<axes=[";
  llvm::interleaveComma(getAxes(), printer, [&](MeshAxisAttr axis) { axis.print(printer); });
  printer << ']';
  if (getDeviceIds())
    printer << ", device_ids=" << getDeviceIds();
  printer << '>';
}

Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  int64_t preSize = 0, size = 0;
  if (parser.parseLParen() || parser.parseInteger(preSize) || parser.parseRParen() ||
      parser.parseInteger(size))
    return {};
  return get(parser.getContext(), preSize, size);
}

void SubAxisInfoAttr::print(AsmPrinter &printer) const {
  printer << '(' << getPreSize() << ')' << getSize();
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SubAxisInfoAttr subAxis;
  auto parseSubAxis = [&]() -> ParseResult {
    return parser.parseCustomAttributeWithFallback(subAxis);
  };
  if (parser.parseLess() ||
      parseStructFields(parser,
                        {{"name", [&]() -> ParseResult { return parser.parseString(&name); }},
                         {"sub_axis_info", parseSubAxis}}))
    return {};
  return get(parser.getContext(), name, subAxis);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  StructPrinter fields(printer);
  fields.field("name").printString(getName());
  if (getSubAxisInfo())
    getSubAxisInfo().print(fields.field("sub_axis_info"));
}

Attribute ReplicaGroupMeshAxesAttr::parse(AsmParser &parser, Type) {
  Attribute mesh;
  SmallVector<AxisRefAttr> axes;
  SMLoc location = parser.getCurrentLocation();
  auto parseAxes = [&] {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
      return parser.parseCustomAttributeWithFallback(axes.emplace_back());
    });
  };
  if (parser.parseLess() ||
      parseStructFields(parser,
                        {{"mesh", [&]() -> ParseResult { return parser.parseAttribute(mesh); }},
                         {"axes", parseAxes}}))
    return {};
  if (!mesh) {
    parser.emitError(location) << "expected 'mesh = ..' with a #stablehlo.mesh or a symbol";
    return {};
  }
  return parser.getChecked<ReplicaGroupMeshAxesAttr>(location, parser.getContext(), mesh,
                                                     ArrayRef<AxisRefAttr>(axes));
}

void ReplicaGroupMeshAxesAttr::print(AsmPrinter &printer) const {
  StructPrinter fields(printer);
  fields.field("mesh") << getMesh();
  AsmPrinter &list = fields.field("axes");
  list << '[';
  llvm::interleaveComma(getAxes(), list);
  list << ']';
}

LogicalResult ReplicaGroupMeshAxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                               Attribute mesh, ArrayRef<AxisRefAttr> axes) {
  // replica_group_mesh_axes (C1): the mesh is inlined or a symbol
  if (!isa<MeshAttr, FlatSymbolRefAttr>(mesh))
    return emitError() << "expected mesh to be a #stablehlo.mesh or a symbol, got " << mesh;
  auto inlined = dyn_cast<MeshAttr>(mesh);
  if (!inlined)
    return success();
  // replica_group_mesh_axes (C2): axes of an inlined mesh exist
  for (AxisRefAttr axis : axes)
    if (llvm::none_of(inlined.getAxes(),
                      [&](MeshAxisAttr known) { return known.getName() == axis.getName(); }))
      return emitError() << "axis '" << axis.getName() << "' not found in mesh definition";
  return success();
}

} // namespace shardwise::stablehlo

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coordinates from partition_id. In a mesh without explicit device ids the id of a device is its
// row-major position, so its coordinates are digits of a number in mixed radix: the digit of an
// axis is (position / stride) mod size, with the product of the axes that are minor to it as
// stride. Mesh <["x"=2, "y"=4]>: x = id / 4, y = id mod 4, and of device 6 these are 1 and 2.
// Several axes are one number, first axis most major: each digit is added to the former ones times
// its size. Axes that are neighbours in the mesh already are one digit: {"x", "y"} is the position
// itself.

#include "shardwise/transforms/partition/DeviceCoordinates.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace shardwise::partition {

namespace {

/// How far apart two neighbours along `axis` are, in row-major positions. A sub-axis counts what is
/// minor to it in its own axis as well: with y=4 as last axis, `"y":(1)2` has stride 2.
int64_t positionStride(const core::Axis &axis, const core::Mesh &mesh) {
  int64_t stride = mesh.axisSize(axis.index) / axis.nextPreSize();
  for (int64_t minor = axis.index + 1; minor < mesh.numAxes(); ++minor)
    stride *= mesh.axisSize(minor);
  return stride;
}

/// A run of axes that follow each other in the mesh: the digit (position / stride) mod size.
struct Digit {
  int64_t stride = 1;
  int64_t size = 1;
};

std::vector<Digit> digitsOf(const core::AxisList &axes, const core::Mesh &mesh) {
  std::vector<Digit> digits;
  for (const core::Axis &axis : axes) {
    Digit digit{positionStride(axis, mesh), axis.size};
    if (!digits.empty() && digits.back().stride == digit.stride * digit.size)
      digits.back() = {digit.stride, digits.back().size * digit.size};
    else
      digits.push_back(digit);
  }
  return digits;
}

mlir::RankedTensorType scalarOf(mlir::Type elementType) {
  return mlir::RankedTensorType::get({}, elementType);
}

} // namespace

DeviceCoordinates::DeviceCoordinates(const core::Mesh &mesh, mlir::Block &entry)
    : mesh(mesh), entry(entry), builder(entry.getParentOp()->getContext()) {}

template <class Op>
mlir::Value DeviceCoordinates::create(mlir::Type type, mlir::ValueRange operands,
                                      llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  // All at the start of the function, in the order of creation: there every op can use them, and
  // inside of loops nothing is computed twice.
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(&entry);
  last = Op::create(builder, entry.getParentOp()->getLoc(), mlir::TypeRange(type), operands,
                    attributes);
  return last->getResult(0);
}

mlir::Value DeviceCoordinates::scalar(mlir::Type elementType, int64_t value) {
  mlir::Value &known = scalars[{elementType, value}];
  if (!known) {
    auto type = scalarOf(elementType);
    auto attribute = mlir::DenseElementsAttr::get(
        type, mlir::Attribute(builder.getIntegerAttr(elementType, value)));
    known = create<stablehlo::ConstantOp>(type, {}, builder.getNamedAttr("value", attribute));
  }
  return known;
}

mlir::Value DeviceCoordinates::constant(int64_t value) {
  return scalar(builder.getI32Type(), value);
}

mlir::Value DeviceCoordinates::deviceId() {
  if (!runningDevice)
    runningDevice = create<stablehlo::PartitionIdOp>(
        scalarOf(builder.getIntegerType(32, /*isSigned=*/false)), {});
  return runningDevice;
}

mlir::Value DeviceCoordinates::isDevice(core::DeviceId device) {
  mlir::Value &known = isDeviceFlags[device];
  if (known)
    return known;
  mlir::Value id = deviceId();
  mlir::Value wanted = scalar(builder.getIntegerType(32, /*isSigned=*/false), device);
  auto direction = stablehlo::ComparisonDirectionAttr::get(builder.getContext(),
                                                           stablehlo::ComparisonDirection::EQ);
  known = create<stablehlo::CompareOp>(scalarOf(builder.getI1Type()), {id, wanted},
                                       builder.getNamedAttr("comparison_direction", direction));
  return known;
}

mlir::Value DeviceCoordinates::position() {
  if (devicePosition)
    return devicePosition;
  mlir::Type ui32 = builder.getIntegerType(32, /*isSigned=*/false);
  mlir::Value id = deviceId();
  if (mesh.deviceIds().empty())
    return devicePosition = id;
  // The device order is arbitrary: only a table can undo it.
  std::vector<uint32_t> positions(mesh.numDevices());
  for (int64_t at = 0; at < mesh.numDevices(); ++at)
    positions[mesh.deviceAt(at)] = static_cast<uint32_t>(at);
  auto tableType = mlir::RankedTensorType::get({mesh.numDevices()}, ui32);
  auto table = mlir::DenseElementsAttr::get(tableType, llvm::ArrayRef<uint32_t>(positions));
  mlir::Value all =
      create<stablehlo::ConstantOp>(tableType, {}, builder.getNamedAttr("value", table));
  mlir::Value one = create<stablehlo::DynamicSliceOp>(
      mlir::RankedTensorType::get({1}, ui32), {all, id},
      builder.getNamedAttr("slice_sizes", builder.getDenseI64ArrayAttr({1})));
  devicePosition = create<stablehlo::ReshapeOp>(scalarOf(ui32), one);
  return devicePosition;
}

mlir::Value DeviceCoordinates::coordinate(const core::AxisList &axes) {
  mlir::Value &known = coordinates[axes];
  if (known)
    return known;
  std::vector<Digit> digits = digitsOf(axes, mesh);
  if (digits.empty())
    return known = constant(0);
  mlir::Type ui32 = builder.getIntegerType(32, /*isSigned=*/false);
  mlir::Type type = scalarOf(ui32);
  mlir::Value sum;
  for (const Digit &digit : digits) {
    mlir::Value value = position();
    if (digit.stride != 1)
      value = create<stablehlo::DivOp>(type, {value, scalar(ui32, digit.stride)});
    // The most major digit needs no remainder.
    if (digit.stride * digit.size != mesh.numDevices())
      value = create<stablehlo::RemOp>(type, {value, scalar(ui32, digit.size)});
    if (sum) {
      sum = create<stablehlo::MulOp>(type, {sum, scalar(ui32, digit.size)});
      value = create<stablehlo::AddOp>(type, {sum, value});
    }
    sum = value;
  }
  known = create<stablehlo::ConvertOp>(scalarOf(builder.getI32Type()), sum);
  return known;
}

mlir::Value DeviceCoordinates::offset(const core::AxisList &axes, int64_t width) {
  mlir::Value &known = offsets[{axes, width}];
  if (known)
    return known;
  mlir::Value number = coordinate(axes);
  if (axes.empty() || width == 1)
    return known = number;
  known = create<stablehlo::MulOp>(scalarOf(builder.getI32Type()), {number, constant(width)});
  return known;
}

mlir::Value DeviceCoordinates::isValid(const core::AxisList &axes, int64_t width, int64_t size) {
  mlir::Value &known = validElements[{axes, width, size}];
  if (known)
    return known;
  auto type = mlir::RankedTensorType::get({width}, builder.getI32Type());
  // Counted from the start of the block, so that nothing exceeds the size.
  mlir::Value end = create<stablehlo::SubtractOp>(scalarOf(builder.getI32Type()),
                                                  {constant(size), offset(axes, width)});
  mlir::Value ends = create<stablehlo::BroadcastInDimOp>(
      type, end, builder.getNamedAttr("broadcast_dimensions", builder.getDenseI64ArrayAttr({})));
  mlir::Value places = create<stablehlo::IotaOp>(
      type, {}, builder.getNamedAttr("iota_dimension", builder.getI64IntegerAttr(0)));
  auto direction = stablehlo::ComparisonDirectionAttr::get(builder.getContext(),
                                                           stablehlo::ComparisonDirection::LT);
  known = create<stablehlo::CompareOp>(type.clone(builder.getI1Type()), {places, ends},
                                       builder.getNamedAttr("comparison_direction", direction));
  return known;
}

} // namespace shardwise::partition

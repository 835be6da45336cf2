// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The local forms of ops: what an op of the global program becomes in the program of one device.
//
// When a form is built, all values have their local types already. For most ops that is all there
// is to do (`keepForm`); others have sizes in attributes, depend on the device's coordinates, or
// become several ops. One source file per family; each adds its ops to the registry.

#pragma once

#include "shardwise/transforms/partition/LocalProgram.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/LogicalResult.h"

namespace shardwise::partition {

/// Brings one op into local form; may replace it. Fails with a diagnostic at the op.
using LocalForm = llvm::LogicalResult (*)(mlir::Operation *op, LocalProgram &program);

/// Local forms by op name.
class LocalFormRegistry {
public:
  /// The registry with all families.
  static const LocalFormRegistry &instance();

  /// Adds `form` for every op class of `Ops`.
  template <class... Ops> void add(LocalForm form) { (add(Ops::getOperationName(), form), ...); }
  void add(llvm::StringRef opName, LocalForm form) { forms[opName] = form; }

  /// Returns the form of `op`; null if it has none. Ops with the trait `stablehlo::Elementwise`
  /// keep theirs: local types are all they need.
  LocalForm lookUp(mlir::Operation *op) const;

private:
  llvm::StringMap<LocalForm> forms;
};

/// The form of ops that are right as soon as their types are local.
llvm::LogicalResult keepForm(mlir::Operation *op, LocalProgram &program);

// Families.
void addCreationForms(LocalFormRegistry &registry);
void addShapeForms(LocalFormRegistry &registry);
void addIndexingForms(LocalFormRegistry &registry);
void addDynamicSliceForms(LocalFormRegistry &registry);
void addNumericForms(LocalFormRegistry &registry);
void addRaggedForms(LocalFormRegistry &registry);
void addWindowForms(LocalFormRegistry &registry);
void addControlFlowForms(LocalFormRegistry &registry);
void addCollectiveForms(LocalFormRegistry &registry);

/// Creates an op with one result.
template <class Op>
mlir::Value createValue(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type,
                        mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
  return Op::create(builder, location, mlir::TypeRange(type), operands, attributes)->getResult(0);
}

/// Creates an op of `value` and `number`, which are i32 scalars.
template <class Op>
mlir::Value createWithNumber(mlir::OpBuilder &builder, mlir::Location location,
                             DeviceCoordinates &device, mlir::Value value, int64_t number) {
  return createValue<Op>(builder, location, value.getType(), {value, device.constant(number)});
}

/// Returns `value` with `shape`: dimensions that are longer there are padded behind the end,
/// dimensions that are shorter are cut at the end. What is in the padding is not said.
mlir::Value resize(mlir::OpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// Returns the part of `whole` that the device has under `sharding`: a dynamic slice at the
/// device's coordinates. `whole` is replicated along the axes of `sharding`.
/// Example: 8x4 under [{"x"}, {}] with x=2 is the 4x4 slice at (4 * x, 0).
///
/// A slice that goes beyond the end is moved back by StableHLO: blocks of 3 of 10 elements begin at
/// 0, 3, 6 and, instead of 9, at 7. So the part is padded behind and sliced once more, at 9 - 7 on
/// that device and at 0 on others, which costs less than to pad the whole. Where the last block
/// that has elements is full, as in 4 blocks of 2 of 6 elements, nothing of the kind is needed: who
/// is moved back has nothing but padding.
mlir::Value sliceOfDevice(mlir::OpBuilder &builder, mlir::Value whole,
                          llvm::ArrayRef<core::AxisList> axesOfDims, DeviceCoordinates &device);

} // namespace shardwise::partition

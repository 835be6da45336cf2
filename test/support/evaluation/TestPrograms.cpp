// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing for tests.

#include "test/support/evaluation/TestPrograms.h"

#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/Scalar.h"

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include <mlir/AsmParser/AsmParser.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/Parser/Parser.h>

namespace shardwise::reference {

TestPrograms::TestPrograms() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, stablehlo::StablehloDialect, chlo::ChloDialect,
                  sdy::SdyDialect>();
  mlirContext.appendDialectRegistry(registry);
  mlirContext.loadAllAvailableDialects();
  mlirContext.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
}

mlir::OwningOpRef<mlir::ModuleOp> TestPrograms::parse(const std::string &text) {
  return mlir::parseSourceString<mlir::ModuleOp>(text, &mlirContext);
}

runtime::HostTensor TestPrograms::tensor(const std::string &text) {
  auto attr = llvm::dyn_cast_or_null<mlir::ElementsAttr>(mlir::parseAttribute(text, &mlirContext));
  std::optional<HostTensor> value = attr ? constantOf(attr) : std::nullopt;
  return value.value_or(HostTensor());
}

runtime::HostTensor randomTensor(std::mt19937 &random, DataType type, std::vector<int64_t> shape) {
  HostTensor tensor = HostTensor::zeros(type, std::move(shape));
  std::uniform_real_distribution<double> real(-2.0, 2.0);
  std::uniform_int_distribution<int64_t> integer(-9, 9);
  for (int64_t position = 0, count = tensor.numElements(); position < count; ++position)
    store(tensor, position,
          classOf(type) == NumberClass::Complex
              ? Scalar::ofComplex(type, {real(random), real(random)})
          : classOf(type) == NumberClass::Float
              ? Scalar::ofReal(type, real(random))
              : Scalar::ofBits(type, static_cast<uint64_t>(integer(random))));
  return tensor;
}

} // namespace shardwise::reference

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: the attribute parsers of the sdy dialect. Whatever parses must print and parse back
// as the same attribute.

#include "shardwise/dialect/sdy/SdyDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <memory>
#include <string>

namespace {

/// Attributes live as long as their context: a new one every so often bounds the memory.
constexpr int kInputsPerContext = 20000;

mlir::MLIRContext &freshEnoughContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static int numInputs = 0;
  if (!context || ++numInputs % kInputsPerContext == 0) {
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    context->loadDialect<shardwise::sdy::SdyDialect>();
    context->getDiagEngine().registerHandler([](mlir::Diagnostic &) { return mlir::success(); });
  }
  return *context;
}

/// The start of every attribute, so that inputs need not find the names first.
constexpr const char *kStarts[] = {
    "",
    "#sdy.sharding<",
    "#sdy.mesh<",
    "#sdy.sharding_per_value<",
    "#sdy.op_sharding_rule<",
    "#sdy.propagation_edges<",
    "#sdy<axis_ref",
    "#sdy<axis_ref_list",
    "#sdy<list_of_axis_ref_lists",
    "#sdy<all_to_all_param_list",
    "#sdy<manual_axes",
    "#sdy<dimension_sharding",
    "#sdy<dim_mapping",
    "#sdy<tensor_mapping",
    "#sdy<",
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::string text = kStarts[data[0] % std::size(kStarts)];
  text.append(reinterpret_cast<const char *>(data) + 1, size - 1);
  mlir::MLIRContext &context = freshEnoughContext();
  mlir::Attribute attr = mlir::parseAttribute(text, &context);
  if (!attr || !llvm::isa<shardwise::sdy::SdyDialect>(attr.getDialect()))
    return 0;
  std::string printed;
  llvm::raw_string_ostream(printed) << attr;
  if (mlir::parseAttribute(printed, &context) == attr)
    return 0;
  llvm::errs() << "printed text does not parse back as the same attribute: " << printed << "\n";
  std::abort();
}

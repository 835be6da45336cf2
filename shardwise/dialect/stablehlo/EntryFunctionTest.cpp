// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function is the program.

#include "shardwise/dialect/stablehlo/EntryFunction.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace shardwise::stablehlo {
namespace {

class EntryFunctionTest : public testing::Test {
protected:
  EntryFunctionTest() { context.loadDialect<mlir::func::FuncDialect>(); }

  /// The name of the entry of a module with functions "NAME" and "private NAME"; "none" without.
  std::string entryOf(std::initializer_list<const char *> functions) {
    std::string text;
    for (const char *function : functions)
      text += std::string("func.func ") + function + "() { return }\n";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    mlir::func::FuncOp entry = entryFunctionOrNull(*module);
    return entry ? entry.getSymName().str() : "none";
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(EntryFunctionTest, mainComesFirst) {
  EXPECT_EQ(entryOf({"@f", "@main", "@g"}), "main");
  EXPECT_EQ(entryOf({"@f", "private @main"}), "main");
}

TEST_F(EntryFunctionTest, elseTheOnlyPublicFunction) {
  EXPECT_EQ(entryOf({"private @f", "@g", "private @h"}), "g");
  EXPECT_EQ(entryOf({"@f", "@g"}), "none");
}

TEST_F(EntryFunctionTest, elseTheOnlyFunction) {
  EXPECT_EQ(entryOf({"private @f"}), "f");
  EXPECT_EQ(entryOf({"private @f", "private @g"}), "none");
}

TEST_F(EntryFunctionTest, onlyAmbiguityIsAnError) {
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str();
    return mlir::success();
  });
  EXPECT_EQ(entryOf({}), "none");
  mlir::FailureOr<mlir::func::FuncOp> none = entryFunction(*module);
  EXPECT_TRUE(mlir::succeeded(none) && !*none) << "a module without functions has nothing to run";
  EXPECT_EQ(errors, "");
  entryOf({"@f", "@g"});
  EXPECT_TRUE(mlir::failed(entryFunction(*module)));
  EXPECT_EQ(errors, "module has 2 functions and none is called @main; rename the one that is the "
                    "program");
}

} // namespace
} // namespace shardwise::stablehlo

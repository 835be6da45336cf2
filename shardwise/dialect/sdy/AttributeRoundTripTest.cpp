// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parse(print(x)) = x for random attributes: alone, in the generic form of a module, and in
// bytecode.

#include "shardwise/dialect/sdy/SdyDialect.h"
#include "test/support/sdy/RandomAttributes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <set>

using namespace mlir;

namespace shardwise::sdy {
namespace {

constexpr int kNumAttributes = 100000;
constexpr int kAttributesPerModule = 1000;

std::string text(Attribute attr) {
  std::string printed;
  llvm::raw_string_ostream(printed) << attr;
  return printed;
}

TEST(AttributeRoundTripTest, textOfOneAttribute) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<SdyDialect>();
  uint64_t seed = core::testing::testSeed();
  std::set<void const *> kinds;
  for (int i = 0; i < kNumAttributes; ++i) {
    testing::RandomAttributes random(&context, seed + i);
    Attribute attr = random.any();
    kinds.insert(attr.getTypeID().getAsOpaquePointer());
    std::string printed = text(attr);
    ASSERT_EQ(parseAttribute(printed, &context), attr) << "seed " << seed + i << ": " << printed;
  }
  EXPECT_EQ(kinds.size(), 19u) << "some kind of attribute was never generated";
}

/// A module with the attributes `first` .. `first` + n - 1 of the test, each on its own.
OwningOpRef<ModuleOp> moduleOfAttributes(MLIRContext *context, uint64_t first) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  for (int i = 0; i < kAttributesPerModule; ++i)
    (*module)->setAttr("test.attr" + std::to_string(i),
                       testing::RandomAttributes(context, first + i).any());
  return module;
}

/// Both modules are of one context, where equal attributes are the same.
void expectSameAttributes(ModuleOp actual, ModuleOp expected, uint64_t first) {
  if (actual->getDiscardableAttrDictionary() == expected->getDiscardableAttrDictionary())
    return;
  for (NamedAttribute named : expected->getDiscardableAttrs())
    EXPECT_EQ(actual->getAttr(named.getName()), named.getValue())
        << "seed " << first << " + number of " << named.getName().str() << ": "
        << text(named.getValue());
  FAIL() << "attributes differ";
}

TEST(AttributeRoundTripTest, customAndGenericFormOfModules) {
  uint64_t seed = core::testing::testSeed();
  for (uint64_t first = seed; first < seed + kNumAttributes; first += kAttributesPerModule) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<SdyDialect>();
    context.allowUnregisteredDialects();
    OwningOpRef<ModuleOp> module = moduleOfAttributes(&context, first);
    for (bool isGeneric : {false, true}) {
      std::string printed;
      llvm::raw_string_ostream stream(printed);
      module->print(stream, OpPrintingFlags().printGenericOpForm(isGeneric));
      OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(printed, &context);
      ASSERT_TRUE(parsed) << "seed " << first;
      ASSERT_NO_FATAL_FAILURE(expectSameAttributes(*parsed, *module, first));
    }
  }
}

TEST(AttributeRoundTripTest, bytecodeOfModules) {
  uint64_t seed = core::testing::testSeed();
  for (uint64_t first = seed; first < seed + kNumAttributes; first += kAttributesPerModule) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<SdyDialect>();
    context.allowUnregisteredDialects();
    OwningOpRef<ModuleOp> module = moduleOfAttributes(&context, first);
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    ASSERT_TRUE(succeeded(writeBytecodeToFile(*module, stream)));
    Block block;
    ASSERT_TRUE(succeeded(
        readBytecodeFile(llvm::MemoryBufferRef(bytes, "bytecode"), &block, ParserConfig(&context))))
        << "seed " << first;
    ASSERT_EQ(block.getOperations().size(), 1u);
    ASSERT_NO_FATAL_FAILURE(expectSameAttributes(cast<ModuleOp>(block.front()), *module, first));
  }
}

} // namespace
} // namespace shardwise::sdy

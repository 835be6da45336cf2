// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: the reader of sdy attributes in bytecode. MLIR reads the frame of a file; here the
// input is what is inside, attribute after attribute, each of which may refer to those before it.
// Whatever is read must be verified without a crash, print, and survive being written and read.

#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace mlir;

namespace {

/// Attributes live as long as their context: a new one every so often bounds the memory.
constexpr int kInputsPerContext = 5000;
/// A count may be large; what it counts has a byte each.
constexpr size_t kMostAttributes = 200;

MLIRContext &freshEnoughContext() {
  static std::unique_ptr<MLIRContext> context;
  static int numInputs = 0;
  if (!context || ++numInputs % kInputsPerContext == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->loadDialect<func::FuncDialect, shardwise::sdy::SdyDialect>();
    context->allowUnregisteredDialects();
    context->getDiagEngine().registerHandler([](Diagnostic &) { return success(); });
  }
  return *context;
}

/// Numbers are one byte, or nine of which the first is 255.
class ByteReader : public DialectBytecodeReader {
public:
  ByteReader(MLIRContext *context, ArrayRef<uint8_t> bytes) : context(context), bytes(bytes) {
    known.push_back(FlatSymbolRefAttr::get(context, "m"));
    known.push_back(StringAttr::get(context, "x"));
  }

  bool isAtEnd() const { return bytes.empty(); }
  void know(Attribute attr) { known.push_back(attr); }

  InFlightDiagnostic emitError(const Twine &message) const override {
    return mlir::emitError(UnknownLoc::get(context), message);
  }
  FailureOr<const DialectVersion *> getDialectVersion(StringRef) const override {
    return failure();
  }
  MLIRContext *getContext() const override { return context; }
  uint64_t getBytecodeVersion() const override { return 6; }

  LogicalResult readVarInt(uint64_t &result) override {
    uint8_t byte;
    if (failed(take(byte)))
      return failure();
    result = byte;
    for (int i = 0; byte == 255 && i < 8; ++i) {
      uint8_t part;
      if (failed(take(part)))
        return failure();
      result = result << 8 | part;
    }
    return success();
  }
  LogicalResult readSignedVarInt(int64_t &result) override {
    uint64_t value;
    if (failed(readVarInt(value)))
      return failure();
    result = static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
    return success();
  }
  LogicalResult readAttribute(Attribute &result) override {
    uint8_t index;
    if (failed(take(index)))
      return failure();
    // The last ones are the likeliest to fit.
    result = known[known.size() - 1 - index % known.size()];
    return success();
  }
  LogicalResult readOptionalAttribute(Attribute &result) override {
    uint8_t isPresent;
    if (failed(take(isPresent)))
      return failure();
    return isPresent % 2 == 0 ? success() : readAttribute(result);
  }
  LogicalResult readString(StringRef &result) override {
    uint8_t size;
    if (failed(take(size)) || size > bytes.size())
      return failure();
    result = StringRef(reinterpret_cast<const char *>(bytes.data()), size);
    bytes = bytes.drop_front(size);
    return success();
  }
  LogicalResult readBool(bool &result) override {
    uint8_t byte;
    if (failed(take(byte)))
      return failure();
    result = byte % 2;
    return success();
  }
  // Not in the encoding of any sdy attribute.
  LogicalResult readType(Type &) override { return failure(); }
  FailureOr<APInt> readAPIntWithKnownWidth(unsigned) override { return failure(); }
  FailureOr<APFloat> readAPFloatWithKnownSemantics(const llvm::fltSemantics &) override {
    return failure();
  }
  LogicalResult readBlob(ArrayRef<char> &) override { return failure(); }
  FailureOr<AsmDialectResourceHandle> readResourceHandle() override { return failure(); }

private:
  LogicalResult take(uint8_t &byte) {
    if (bytes.empty())
      return failure();
    byte = bytes.front();
    bytes = bytes.drop_front();
    return success();
  }

  MLIRContext *context;
  ArrayRef<uint8_t> bytes;
  std::vector<Attribute> known;
};

constexpr const char *kProgram = R"(
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
)";

[[noreturn]] void complain(const char *problem, Attribute attr) {
  llvm::errs() << problem << ": " << attr << "\n";
  std::abort();
}

/// Puts `attr` where the verifier looks for a sharding or a rule.
void verifyOnProgram(Attribute attr, MLIRContext &context) {
  auto module = parseSourceString<ModuleOp>(kProgram, &context);
  auto function = *module->getOps<func::FuncOp>().begin();
  Operation *op = &function.getBody().front().front();
  function.setArgAttr(0, shardwise::sdy::kShardingAttr, attr);
  (void)verify(*module);
  function.removeArgAttr(0, shardwise::sdy::kShardingAttr);
  for (StringRef name : {shardwise::sdy::kShardingAttr, shardwise::sdy::kShardingRuleAttr}) {
    op->setAttr(name, attr);
    (void)verify(*module);
    op->removeAttr(name);
  }
}

void checkRoundTrip(Attribute attr, MLIRContext &context) {
  std::string printed;
  llvm::raw_string_ostream(printed) << attr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  (*module)->setAttr("test.attr", attr);
  std::string written;
  llvm::raw_string_ostream stream(written);
  if (failed(writeBytecodeToFile(*module, stream)))
    complain("cannot be written", attr);
  auto again = parseSourceString<ModuleOp>(written, &context);
  if (!again || (*again)->getAttr("test.attr") != attr)
    complain("is another attribute after writing and reading", attr);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = freshEnoughContext();
  auto *dialect = context.getLoadedDialect<shardwise::sdy::SdyDialect>();
  auto *encoding = dialect->getRegisteredInterface<BytecodeDialectInterface>();
  ByteReader reader(&context, ArrayRef(data, size));
  for (size_t count = 0; !reader.isAtEnd() && count < kMostAttributes; ++count) {
    Attribute attr = encoding->readAttribute(reader);
    if (!attr)
      continue;
    reader.know(attr);
    verifyOnProgram(attr, context);
    checkRoundTrip(attr, context);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing with source locations, finding values, and what is said about them.

#include "shardwise/tools/shardwise-lsp-server/ShardingDocument.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/driver/TextLimits.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardwise::tools {

//===----------------------------------------------------------------------===//
// What is said
//===----------------------------------------------------------------------===//

template <class T> static std::string toText(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// The type of one shard; null if the type has no shape to cut.
static Type shardType(Type type, const core::Sharding &sharding) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped || static_cast<size_t>(shaped.getRank()) != sharding.dims.size())
    return {};
  core::Shape shape(shaped.getShape().begin(), shaped.getShape().end());
  for (int64_t &size : shape)
    size = ShapedType::isDynamic(size) ? 0 : size;
  shape = core::localShape(shape, sharding);
  for (int64_t i = 0; i < shaped.getRank(); ++i)
    if (shaped.isDynamicDim(i))
      shape[i] = ShapedType::kDynamic;
  return shaped.clone(shape);
}

std::string describeSharding(Value value, llvm::StringRef name) {
  sdy::TensorShardingAttr written = sdy::getSharding(value);
  if (!written)
    return fmt::format("`{}`: no sharding; propagation may choose any\n", name.str());
  std::string prefix = "#sdy.sharding";
  std::string text = fmt::format("`{}`: `{}`", name.str(), toText(written).substr(prefix.size()));
  Block *block = value.getParentBlock();
  sdy::MeshAttr mesh = block ? sdy::getMesh(written, block->getParentOp()) : sdy::MeshAttr();
  if (!mesh)
    return text + "\n";
  const core::Mesh &devices = sdy::toCore(mesh);
  text += fmt::format(" on `<{}>`, {} device{}  \n", core::toString(devices), devices.numDevices(),
                      devices.numDevices() == 1 ? "" : "s");
  Result<core::Sharding> sharding = core::resolve(sdy::toCore(written), devices);
  if (!sharding)
    return text;
  if (Type shard = shardType(value.getType(), *sharding)) {
    text += fmt::format("one shard: `{}` of `{}`", toText(shard), toText(value.getType()));
    auto shaped = cast<RankedTensorType>(value.getType());
    core::Shape shape(shaped.getShape().begin(), shaped.getShape().end());
    if (shaped.hasStaticShape() && !core::isEvenlyDivisible(shape, *sharding))
      text += ", padded: the last shards are smaller";
    text += "\n";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Where values are
//===----------------------------------------------------------------------===//

/// One program of the file.
struct ShardingDocument::Part {
  Part(llvm::StringRef text, int firstLine, MLIRContext &context);

  /// The place in the text; null if it is not in this part.
  const char *find(TextPosition position) const;

  int firstLine;
  int numLines;
  llvm::SourceMgr source;
  llvm::StringRef text;
  bool isWhole = true;
  OwningOpRef<ModuleOp> implicitModule;
  AsmParserState state;
};

ShardingDocument::Part::Part(llvm::StringRef contents, int firstLine, MLIRContext &context)
    : firstLine(firstLine), numLines(static_cast<int>(contents.count('\n')) + 1) {
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(contents), SMLoc());
  text = source.getMemoryBuffer(source.getMainFileID())->getBuffer();
  if (driver::findTextError(text)) {
    isWhole = false;
    return;
  }
  Block block;
  // An op that does not verify has nothing to say, but the others have.
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  if (failed(parseAsmSourceFile(source, &block, config, &state))) {
    state = AsmParserState();
    isWhole = false;
    return;
  }
  // Symbols are looked up in the nearest module; a file may leave the outermost one out.
  implicitModule = ModuleOp::create(UnknownLoc::get(&context));
  Block *body = implicitModule->getBody();
  body->getOperations().splice(body->end(), block.getOperations());
}

const char *ShardingDocument::Part::find(TextPosition position) const {
  if (position.line < firstLine || position.line >= firstLine + numLines)
    return nullptr;
  return tools::find(text, {position.line - firstLine, position.column});
}

static llvm::StringRef textOf(llvm::SMRange range) {
  return {range.Start.getPointer(),
          static_cast<size_t>(range.End.getPointer() - range.Start.getPointer())};
}

static bool covers(llvm::SMRange range, const char *place) {
  return range.isValid() && range.Start.getPointer() <= place && place <= range.End.getPointer();
}

/// The definition or use of `definition` that covers `place`; invalid if none does.
static llvm::SMRange rangeAt(const AsmParserState::SMDefinition &definition, const char *place) {
  if (covers(definition.loc, place))
    return definition.loc;
  for (llvm::SMRange use : definition.uses)
    if (covers(use, place))
      return use;
  return {};
}

/// The name that stands at `range`, with the number of a result if one follows. The buffer ends in
/// a zero byte.
static llvm::StringRef nameAt(llvm::SMRange range) {
  const char *start = range.Start.getPointer(), *end = start + 1;
  while (end < range.End.getPointer() && *end != '#')
    ++end;
  if (*end == '#' && llvm::isDigit(end[1]))
    for (++end; llvm::isDigit(*end);)
      ++end;
  return {start, static_cast<size_t>(end - start)};
}

/// Whether what `op` says of its values can be believed.
static bool isSound(Operation *op) {
  return op && succeeded(verify(op, /*verifyRecursively=*/false));
}

/// Describes the results of one group: all, or one if `name` ends in `#N`.
static std::string describeGroup(const AsmParserState::OperationDefinition &op, size_t group,
                                 llvm::StringRef name) {
  unsigned start = op.resultGroups[group].startIndex;
  unsigned end = group + 1 < op.resultGroups.size() ? op.resultGroups[group + 1].startIndex
                                                    : op.op->getNumResults();
  auto [base, digits] = name.split('#');
  unsigned number = 0;
  if (!digits.getAsInteger(10, number) && start + number < end)
    return describeSharding(op.op->getResult(start + number), name);
  std::string text;
  for (unsigned i = start; i < end; ++i) {
    std::string own = end - start == 1 ? base.str() : fmt::format("{}#{}", base.str(), i - start);
    text += describeSharding(op.op->getResult(i), own) + (i + 1 < end ? "\n" : "");
  }
  return text;
}

/// Describes the first value of which `nameOf(definition)` is not empty, under that name; of ops
/// for which `isOpAsked(op)` holds, all results.
template <class NameOf, class IsOpAsked>
static std::string describeFirst(const AsmParserState &state, NameOf nameOf, IsOpAsked isOpAsked) {
  for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
    for (auto [index, argument] : llvm::enumerate(block.arguments))
      if (llvm::StringRef name = nameOf(argument, block.block->getParentOp()); !name.empty())
        return isSound(block.block->getParentOp())
                   ? describeSharding(block.block->getArgument(index), name)
                   : std::string();
  for (const AsmParserState::OperationDefinition &op : state.getOpDefs()) {
    for (size_t group = 0; group < op.resultGroups.size(); ++group)
      if (llvm::StringRef name = nameOf(op.resultGroups[group].definition, op.op); !name.empty())
        return isSound(op.op) ? describeGroup(op, group, name) : std::string();
    if (!isOpAsked(op))
      continue;
    std::string text;
    for (size_t i = 0; i < op.resultGroups.size() && isSound(op.op); ++i)
      text += describeGroup(op, i, textOf(op.resultGroups[i].definition.loc));
    return text;
  }
  return {};
}

static std::string describeAt(const AsmParserState &state, const char *place) {
  auto nameOf = [&](const AsmParserState::SMDefinition &definition, Operation *) {
    llvm::SMRange range = rangeAt(definition, place);
    return range.isValid() ? nameAt(range) : llvm::StringRef();
  };
  return describeFirst(state, nameOf, [&](const AsmParserState::OperationDefinition &op) {
    return covers(op.loc, place);
  });
}

static std::string describeNamed(const AsmParserState &state, const ValueName &name) {
  llvm::StringRef base = llvm::StringRef(name.value).split('#').first;
  auto nameOf = [&](const AsmParserState::SMDefinition &definition,
                    Operation *op) -> llvm::StringRef {
    if (!definition.loc.isValid() || textOf(definition.loc).split(':').first != base)
      return {};
    auto func = dyn_cast<func::FuncOp>(op);
    if (!func)
      func = op->getParentOfType<func::FuncOp>();
    return (func ? func.getSymName() : llvm::StringRef()) == name.function
               ? llvm::StringRef(name.value)
               : llvm::StringRef();
  };
  return describeFirst(state, nameOf,
                       [](const AsmParserState::OperationDefinition &) { return false; });
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

ShardingDocument::ShardingDocument(const DialectRegistry &registry, llvm::StringRef text)
    : context(registry, MLIRContext::Threading::DISABLED) {
  context.allowUnregisteredDialects();
  // The stock server reports what is wrong with the text.
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) { return success(); });
  llvm::SmallVector<llvm::StringRef> contents;
  text.split(contents, kDefaultSplitMarker);
  int line = 0;
  for (llvm::StringRef content : contents) {
    parts.push_back(std::make_unique<Part>(content, line, context));
    line += static_cast<int>(content.count('\n'));
  }
}

ShardingDocument::~ShardingDocument() = default;

bool ShardingDocument::isWhole() const {
  return llvm::all_of(parts, [](const auto &part) { return part->isWhole; });
}

template <class Describe> std::string ShardingDocument::sayFirst(Describe describe) const {
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) { return success(); });
  for (const auto &part : parts)
    if (std::string text = describe(*part); !text.empty())
      return "#### Sharding\n\n" + text;
  return {};
}

std::string ShardingDocument::hover(TextPosition position) const {
  // A marker's own line belongs to two parts; there is no value on it.
  return sayFirst([&](const Part &part) {
    const char *place = part.find(position);
    return place ? describeAt(part.state, place) : std::string();
  });
}

std::string ShardingDocument::hover(const ValueName &name) const {
  if (name.value.empty())
    return {};
  return sayFirst([&](const Part &part) { return describeNamed(part.state, name); });
}

} // namespace shardwise::tools

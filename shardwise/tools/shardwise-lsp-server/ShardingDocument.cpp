// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing with source locations, finding values, and what is said about them.

#include "shardwise/tools/shardwise-lsp-server/ShardingDocument.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/ConvertUTF.h"

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
  const char *find(int line, int column) const;

  int firstLine;
  int numLines;
  llvm::SourceMgr source;
  llvm::StringRef text;
  OwningOpRef<ModuleOp> implicitModule;
  AsmParserState state;
};

ShardingDocument::Part::Part(llvm::StringRef contents, int firstLine, MLIRContext &context)
    : firstLine(firstLine), numLines(static_cast<int>(contents.count('\n')) + 1) {
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(contents), SMLoc());
  text = source.getMemoryBuffer(source.getMainFileID())->getBuffer();
  Block block;
  if (failed(parseAsmSourceFile(source, &block, ParserConfig(&context), &state))) {
    state = AsmParserState();
    return;
  }
  // Symbols are looked up in the nearest module; a file may leave the outermost one out.
  implicitModule = ModuleOp::create(UnknownLoc::get(&context));
  Block *body = implicitModule->getBody();
  body->getOperations().splice(body->end(), block.getOperations());
}

const char *ShardingDocument::Part::find(int line, int column) const {
  if (line < firstLine || line >= firstLine + numLines)
    return nullptr;
  llvm::StringRef rest = text;
  for (int i = firstLine; i < line; ++i)
    rest = rest.split('\n').second;
  llvm::StringRef current = rest.split('\n').first;
  // The column counts UTF-16 units: 2 for what takes four bytes in UTF-8, else 1.
  const char *place = current.begin();
  for (int units = 0; units < column && place < current.end();) {
    unsigned numBytes = llvm::getNumBytesForUTF8(static_cast<llvm::UTF8>(*place));
    units += numBytes == 4 ? 2 : 1;
    place += std::min<size_t>(numBytes, current.end() - place);
  }
  return place;
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

static llvm::StringRef textOf(llvm::SMRange range) {
  return {range.Start.getPointer(),
          static_cast<size_t>(range.End.getPointer() - range.Start.getPointer())};
}

/// Describes the results that one name stands for: all of its group, or one if `#N` follows.
static std::string describeGroup(const AsmParserState::OperationDefinition &op, size_t group,
                                 llvm::SMRange range) {
  unsigned start = op.resultGroups[group].startIndex;
  unsigned end = group + 1 < op.resultGroups.size() ? op.resultGroups[group + 1].startIndex
                                                    : op.op->getNumResults();
  llvm::StringRef name = textOf(range).split('#').first;
  // A use of one result continues with its number. The buffer ends in a zero byte.
  const char *after = range.Start.getPointer() + name.size();
  unsigned number = 0;
  if (*after == '#' && !llvm::StringRef(after + 1).consumeInteger(10, number) &&
      start + number < end)
    return describeSharding(op.op->getResult(start + number),
                            fmt::format("{}#{}", name.str(), number));
  std::string text;
  for (unsigned i = start; i < end; ++i)
    text += describeSharding(op.op->getResult(i),
                             end - start == 1 ? name.str()
                                              : fmt::format("{}#{}", name.str(), i - start)) +
            (i + 1 < end ? "\n" : "");
  return text;
}

static std::string describeAt(const AsmParserState &state, const char *place) {
  for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
    for (auto [index, argument] : llvm::enumerate(block.arguments))
      if (llvm::SMRange range = rangeAt(argument, place); range.isValid())
        return describeSharding(block.block->getArgument(index), textOf(range));
  for (const AsmParserState::OperationDefinition &op : state.getOpDefs()) {
    for (size_t group = 0; group < op.resultGroups.size(); ++group) {
      llvm::SMRange name = op.resultGroups[group].definition.loc;
      llvm::SMRange range = rangeAt(op.resultGroups[group].definition, place);
      // On the name of the op: all it defines.
      if (!range.isValid() && covers(op.loc, place)) {
        std::string text;
        for (size_t i = 0; i < op.resultGroups.size(); ++i)
          text += describeGroup(op, i, op.resultGroups[i].definition.loc);
        return text;
      }
      if (range.isValid())
        return describeGroup(op, group, name.isValid() && covers(name, place) ? name : range);
    }
  }
  return {};
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

std::string ShardingDocument::hover(int line, int column) const {
  // A marker's own line belongs to two parts; there is no value on it.
  for (const auto &part : parts)
    if (const char *place = part->find(line, column))
      if (std::string text = describeAt(part->state, place); !text.empty())
        return "#### Sharding\n\n" + text;
  return {};
}

} // namespace shardwise::tools

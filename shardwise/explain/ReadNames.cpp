// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading names: MLIR forgets them, so the parser is asked where it saw which name; by who needs
// them when he lets it parse, else by parsing the text a second time. The ops of both parses
// correspond by number.
//
//   1. `readOps` numbers the ops of the program at hand, and takes from their locations what the
//      user's own source says of them.
//   2. `readText` gets names and places in the file. `%5:2 = ...` at 7:3 names two values, `%5#0`
//      and `%5#1`. There are none if the program is bytecode. An op that was replaced since the
//      text was parsed, as meshes are, has no place in it.
//   3. `printNames` is for programs without names: those that printing would give.

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/explain/NameTable.h"
#include "shardwise/explain/OpMarks.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

using namespace mlir;

namespace shardwise::explain {
namespace {

/// The parser makes no module around a text that is the contents of one.
Block &contentsOf(Block &parsed) {
  if (llvm::hasSingleElement(parsed))
    if (auto module = dyn_cast<ModuleOp>(parsed.front()))
      return *module.getBody();
  return parsed;
}

StringRef textOf(llvm::SMRange range) {
  return {range.Start.getPointer(),
          static_cast<size_t>(range.End.getPointer() - range.Start.getPointer())};
}

/// Lines and columns of places in a text, from 1. llvm::SourceMgr looks for the start of a line
/// anew for each place in it.
class Lines {
public:
  explicit Lines(StringRef text) : begins{text.begin()} {
    for (size_t end = text.find('\n'); end != StringRef::npos; end = text.find('\n', end + 1))
      begins.push_back(text.begin() + end + 1);
  }

  std::pair<unsigned, unsigned> at(llvm::SMLoc place) const {
    const char *pointer = place.getPointer();
    auto behind = std::upper_bound(begins.begin(), begins.end(), pointer);
    return {behind - begins.begin(), pointer - *std::prev(behind) + 1};
  }

private:
  std::vector<const char *> begins;
};

class NameReader {
public:
  explicit NameReader(NameTable &table) : table(table) {}

  void readOps(ModuleOp module);
  /// `written` is what the parser saw in `source` when it made `contents`.
  void readText(Block &contents, const AsmParserState &written, const llvm::SourceMgr &source);
  void parseAgain(const llvm::SourceMgr &source, MLIRContext *context);
  void printNames(ModuleOp module);

private:
  using Numbers = llvm::DenseMap<Operation *, int64_t>;

  void addName(const ValueId &id, std::string name, unsigned line, unsigned column) {
    // Results come in the order of their ids.
    table.values.insert_or_assign(table.values.end(), id,
                                  NamedValue{std::move(name), line, column});
  }
  void readEntry(func::FuncOp entry);
  void addLabels(func::FuncOp function, int64_t number);
  void addResults(const AsmParserState::OperationDefinition &definition, int64_t number,
                  const Lines &lines);
  void addArguments(const AsmParserState::BlockDefinition &definition, const Numbers &numbers,
                    const Lines &lines);

  const NamedOp &readLocation(Location location);
  int32_t numberOf(SourceFrame frame);
  void skipHelpers();

  NameTable &table;
  std::map<SourceFrame, int32_t> frameNumbers;
  /// What locations say.
  llvm::DenseMap<Location, NamedOp> located;
};

void NameReader::addLabels(func::FuncOp function, int64_t number) {
  for (BlockArgument argument : function.getArguments())
    if (StringRef label = jaxNameIn(argument.getLoc()); !label.empty())
      table.labels[{number, 0, static_cast<int32_t>(argument.getArgNumber())}] = label.str();
}

void NameReader::readEntry(func::FuncOp entry) {
  table.entry = entry.getSymName().str();
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    // A number alone says nothing new.
    std::string name = resultName(entry, i);
    table.resultLabels.push_back(name.find('\'') == std::string::npos ? "" : "result" + name);
  }
}

void NameReader::readOps(ModuleOp module) {
  if (func::FuncOp entry = stablehlo::entryFunctionOrNull(module))
    readEntry(entry);
  // Ops come in pre-order, so a function is met before what is in it.
  int32_t number = -1;
  forEachNumberedOp(*module.getBody(), [&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      number = static_cast<int32_t>(table.functions.size());
      table.functions.push_back(function.getSymName().str());
      if (!function.isExternal())
        addLabels(function, static_cast<int64_t>(table.ops.size()));
    }
    StringRef name = op->getName().getStringRef();
    name.consume_front("stablehlo.");
    NamedOp named = readLocation(op->getLoc());
    named.name = name.str();
    named.function = number;
    table.ops.push_back(std::move(named));
  });
  skipHelpers();
}

/// Ops that a line of the user's source makes, for each of its layers, have one location.
const NamedOp &NameReader::readLocation(Location location) {
  auto [found, isNew] = located.try_emplace(location);
  NamedOp &named = found->second;
  if (!isNew)
    return named;
  for (SourceFrame &frame : framesIn(location, table.file == "-" ? "<stdin>" : table.file))
    named.frames.push_back(numberOf(std::move(frame)));
  named.scope = SourceScope::parse(jaxNameIn(location));
  if (auto place = location->findInstanceOf<FileLineColLoc>()) {
    named.line = place.getLine();
    named.column = place.getColumn();
  }
  return named;
}

int32_t NameReader::numberOf(SourceFrame frame) {
  auto [found, isNew] = frameNumbers.try_emplace(frame, static_cast<int32_t>(table.frames.size()));
  if (isNew)
    table.frames.push_back(std::move(frame));
  return found->second;
}

/// Sets where ops are made. A line with a constraint that is reached from several places is a
/// helper: it says nothing, but who calls it does. So is one that only a helper calls, in a
/// function that makes nothing but constraints. Example: `constrain`, line 3, is called by
/// `by_batch`, line 6, and that by a model, lines 20 and 24: constraints are made in lines 20
/// and 24.
void NameReader::skipHelpers() {
  auto isConstraint = [](const NamedOp &op) { return op.name == "sdy.sharding_constraint"; };
  std::map<int32_t, std::set<int32_t>> callers;
  std::vector<bool> makesOthers(table.frames.size());
  for (const NamedOp &op : table.ops)
    for (size_t i = 0; i < op.frames.size(); ++i) {
      if (!isConstraint(op))
        makesOthers[op.frames[i]] = true;
      else if (i + 1 < op.frames.size())
        callers[op.frames[i]].insert(op.frames[i + 1]);
    }
  std::set<std::pair<std::string, std::string>> functionsOfOthers;
  for (auto [frame, isOther] : llvm::zip_equal(table.frames, makesOthers))
    if (isOther)
      functionsOfOthers.insert({frame.file, frame.function});
  auto hasOnlyConstraints = [&](int32_t frame) {
    const SourceFrame &at = table.frames[frame];
    return !at.function.empty() && !functionsOfOthers.contains({at.file, at.function});
  };
  std::vector<std::string> places;
  for (const SourceFrame &frame : table.frames)
    places.push_back(frame.place());
  for (NamedOp &op : table.ops) {
    // The frame behind the last helper; between helpers are only functions of constraints.
    size_t shown = 0;
    for (size_t i = 0; isConstraint(op) && i + 1 < op.frames.size(); ++i) {
      bool isShared = callers[op.frames[i]].size() > 1;
      if (isShared)
        shown = i + 1;
      else if (!hasOnlyConstraints(op.frames[i]))
        break;
    }
    op.shownFrame = static_cast<int32_t>(shown);
    if (!op.frames.empty())
      op.origin = places[op.frames[shown]];
  }
}

void NameReader::addResults(const AsmParserState::OperationDefinition &definition, int64_t number,
                            const Lines &lines) {
  for (size_t group = 0; group < definition.resultGroups.size(); ++group) {
    // `%a, %b:2 = ...` has two groups: the first begins at result 0, the second at 1, up to 3.
    const auto &results = definition.resultGroups[group];
    unsigned end = group + 1 < definition.resultGroups.size()
                       ? definition.resultGroups[group + 1].startIndex
                       : definition.op->getNumResults();
    std::string name = textOf(results.definition.loc).split(':').first.rtrim().str();
    auto [line, column] = lines.at(results.definition.loc.Start);
    for (unsigned i = results.startIndex; i < end; ++i)
      addName({number, -1, static_cast<int32_t>(i)},
              end - results.startIndex == 1 ? name
                                            : fmt::format("{}#{}", name, i - results.startIndex),
              line, column);
  }
}

void NameReader::addArguments(const AsmParserState::BlockDefinition &definition,
                              const Numbers &numbers, const Lines &lines) {
  auto number = numbers.find(definition.block->getParentOp());
  if (number == numbers.end() || !definition.block->isEntryBlock())
    return;
  auto region = static_cast<int32_t>(definition.block->getParent()->getRegionNumber());
  for (auto [i, argument] : llvm::enumerate(definition.arguments)) {
    auto [line, column] = lines.at(argument.loc.Start);
    addName({number->second, region, static_cast<int32_t>(i)}, textOf(argument.loc).str(), line,
            column);
  }
}

void NameReader::readText(Block &contents, const AsmParserState &written,
                          const llvm::SourceMgr &source) {
  if (written.getOpDefs().empty())
    return;
  Numbers numbers;
  numbers.reserve(table.ops.size());
  forEachNumberedOp(contents, [&](Operation *op) { numbers[op] = numbers.size(); });
  if (numbers.size() != table.ops.size())
    return;
  const Lines lines(source.getMemoryBuffer(source.getMainFileID())->getBuffer());
  for (const AsmParserState::OperationDefinition &definition : written.getOpDefs()) {
    auto number = numbers.find(definition.op);
    if (number == numbers.end())
      continue;
    NamedOp &op = table.ops[number->second];
    std::tie(op.line, op.column) = lines.at(definition.loc.Start);
    addResults(definition, number->second, lines);
  }
  for (const AsmParserState::BlockDefinition &definition : written.getBlockDefs())
    addArguments(definition, numbers, lines);
}

void NameReader::parseAgain(const llvm::SourceMgr &source, MLIRContext *context) {
  if (source.getNumBuffers() == 0)
    return;
  // Bytecode.
  if (source.getMemoryBuffer(source.getMainFileID())->getBuffer().starts_with("ML\xefR"))
    return;
  Block parsed;
  AsmParserState written;
  ParserConfig config(context, /*verifyAfterParse=*/false);
  // What there is to say about the text was said when the program was parsed.
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  if (succeeded(parseAsmSourceFile(source, &parsed, config, &written)))
    readText(contentsOf(parsed), written, source);
}

void NameReader::printNames(ModuleOp module) {
  AsmState state(module);
  auto printed = [&](Value value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.printAsOperand(stream, state);
    return text;
  };
  int64_t number = 0;
  forEachNumberedOp(*module.getBody(), [&](Operation *op) {
    for (OpResult result : op->getResults())
      addName({number, -1, static_cast<int32_t>(result.getResultNumber())}, printed(result), 0, 0);
    for (Region &region : op->getRegions())
      if (!region.empty())
        for (BlockArgument argument : region.front().getArguments())
          addName({number, static_cast<int32_t>(region.getRegionNumber()),
                   static_cast<int32_t>(argument.getArgNumber())},
                  printed(argument), 0, 0);
    ++number;
  });
}

} // namespace

NameTable readNames(ModuleOp module, const AsmParserState &written, const llvm::SourceMgr &source,
                    std::string file) {
  NameTable table;
  table.file = std::move(file);
  NameReader reader(table);
  reader.readOps(module);
  reader.readText(*module.getBody(), written, source);
  if (table.values.empty())
    reader.printNames(module);
  return table;
}

NameTable readNames(ModuleOp module, const llvm::SourceMgr &source, std::string file) {
  NameTable table;
  table.file = std::move(file);
  NameReader reader(table);
  reader.readOps(module);
  reader.parseAgain(source, module.getContext());
  if (table.values.empty())
    reader.printNames(module);
  return table;
}

} // namespace shardwise::explain

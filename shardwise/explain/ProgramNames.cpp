// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names from the text of a program, and marks that survive passes.

#include "shardwise/explain/ProgramNames.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/transforms/import/MainFunction.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <algorithm>

using namespace mlir;

namespace shardwise::explain {
namespace {

/// Calls `visit` with every op in `block`, in the order in which ops are numbered. An outer module
/// is not counted: it may be left out in the text.
void forEachOp(Block &block, llvm::function_ref<void(Operation *)> visit) {
  for (Operation &op : block)
    op.walk<WalkOrder::PreOrder>(visit);
}

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

} // namespace

ProgramNames::ProgramNames(ModuleOp module, const llvm::SourceMgr &source, std::string fileName)
    : file(std::move(fileName)) {
  if (auto function = importer::mainFunctionOrNull(module))
    entry = function.getSymName().str();
  int32_t function = -1;
  forEachOp(*module.getBody(), [&](Operation *op) {
    if (auto named = dyn_cast<func::FuncOp>(op)) {
      function = static_cast<int32_t>(functions.size());
      functions.push_back(named.getSymName().str());
    }
    StringRef name = op->getName().getStringRef();
    name.consume_front("stablehlo.");
    NamedOp entryOfOp;
    entryOfOp.name = name.str();
    entryOfOp.function = function;
    entryOfOp.origin = sourcePlaceIn(op->getLoc(), file == "-" ? "<stdin>" : file);
    entryOfOp.scope = SourceScope::parse(jaxNameIn(op->getLoc()));
    if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
      entryOfOp.line = place.getLine();
      entryOfOp.column = place.getColumn();
    }
    addLabels(op, static_cast<int64_t>(ops.size()));
    ops.push_back(std::move(entryOfOp));
  });
  readText(source, module.getContext());
  if (values.empty())
    printNames(module);
}

void ProgramNames::addLabels(Operation *op, int64_t number) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function || function.isExternal())
    return;
  for (BlockArgument argument : function.getArguments())
    if (StringRef label = jaxNameIn(argument.getLoc()); !label.empty())
      labels[{number, 0, static_cast<int32_t>(argument.getArgNumber())}] = label.str();
}

void ProgramNames::addName(const ValueId &id, std::string name, unsigned line, unsigned column) {
  byName[name].push_back(id);
  values[id] = {std::move(name), line, column};
}

void ProgramNames::readText(const llvm::SourceMgr &source, MLIRContext *context) {
  if (source.getNumBuffers() == 0)
    return;
  StringRef text = source.getMemoryBuffer(source.getMainFileID())->getBuffer();
  if (text.starts_with("ML\xefR"))
    return;
  Block parsed;
  AsmParserState state;
  ParserConfig config(context, /*verifyAfterParse=*/false);
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  if (failed(parseAsmSourceFile(source, &parsed, config, &state)))
    return;
  auto placeOfText = [&](llvm::SMRange range) { return source.getLineAndColumn(range.Start); };
  llvm::DenseMap<Operation *, int64_t> numbers;
  forEachOp(contentsOf(parsed), [&](Operation *op) { numbers[op] = numbers.size(); });
  if (numbers.size() != ops.size())
    return;
  for (const AsmParserState::OperationDefinition &definition : state.getOpDefs()) {
    auto number = numbers.find(definition.op);
    if (number == numbers.end())
      continue;
    std::tie(ops[number->second].line, ops[number->second].column) = placeOfText(definition.loc);
    for (size_t group = 0; group < definition.resultGroups.size(); ++group) {
      const auto &results = definition.resultGroups[group];
      unsigned end = group + 1 < definition.resultGroups.size()
                         ? definition.resultGroups[group + 1].startIndex
                         : definition.op->getNumResults();
      std::string name = textOf(results.definition.loc).split(':').first.rtrim().str();
      auto [line, column] = placeOfText(results.definition.loc);
      for (unsigned i = results.startIndex; i < end; ++i)
        addName({number->second, -1, static_cast<int32_t>(i)},
                end - results.startIndex == 1 ? name
                                              : fmt::format("{}#{}", name, i - results.startIndex),
                line, column);
    }
  }
  for (const AsmParserState::BlockDefinition &definition : state.getBlockDefs()) {
    auto number = numbers.find(definition.block->getParentOp());
    if (number == numbers.end() || !definition.block->isEntryBlock())
      continue;
    for (auto [i, argument] : llvm::enumerate(definition.arguments)) {
      auto [line, column] = placeOfText(argument.loc);
      addName({number->second,
               static_cast<int32_t>(definition.block->getParent()->getRegionNumber()),
               static_cast<int32_t>(i)},
              textOf(argument.loc).str(), line, column);
    }
  }
}

void ProgramNames::printNames(ModuleOp module) {
  AsmState state(module);
  auto printed = [&](Value value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.printAsOperand(stream, state);
    return text;
  };
  int64_t number = 0;
  forEachOp(*module.getBody(), [&](Operation *op) {
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

void ProgramNames::mark(ModuleOp module) {
  int64_t number = 0;
  Type type = IntegerType::get(module.getContext(), 64);
  forEachOp(*module.getBody(), [&](Operation *op) {
    op->setLoc(
        FusedLoc::get({op->getLoc()}, IntegerAttr::get(type, number++), module.getContext()));
  });
}

int64_t ProgramNames::numberOf(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return numberOf(call.getCallee());
  if (auto named = dyn_cast<NameLoc>(location))
    return numberOf(named.getChildLoc());
  auto fused = dyn_cast<FusedLoc>(location);
  if (!fused)
    return -1;
  if (auto number = dyn_cast_or_null<IntegerAttr>(fused.getMetadata()))
    return number.getInt();
  for (Location part : fused.getLocations())
    if (int64_t number = numberOf(part); number >= 0)
      return number;
  return -1;
}

ValueId ProgramNames::idOf(Value value) {
  if (auto edge = value.getDefiningOp<sdy::DataFlowEdgeOp>())
    return idOf(edge.getInput());
  if (auto result = dyn_cast<OpResult>(value))
    return {numberOf(result.getOwner()->getLoc()), -1,
            static_cast<int32_t>(result.getResultNumber())};
  auto argument = cast<BlockArgument>(value);
  return {numberOf(argument.getOwner()->getParentOp()->getLoc()),
          static_cast<int32_t>(argument.getParentRegion()->getRegionNumber()),
          static_cast<int32_t>(argument.getArgNumber())};
}

std::string ProgramNames::nameOf(const ValueId &id) const {
  auto value = values.find(id);
  if (value == values.end())
    return id.isKnown() ? "a value of " + opName(id.op) : "a value";
  int32_t function = ops[id.op].function;
  bool isInEntry = function < 0 || functions[function] == entry;
  return isInEntry ? value->second.name
                   : fmt::format("@{}:{}", functions[function], value->second.name);
}

std::string ProgramNames::opName(int64_t op) const {
  return op < 0 ? "an op" : ops[op].name;
}

std::string ProgramNames::placeOf(int64_t op) const {
  if (op < 0)
    return file;
  const NamedOp &named = ops[op];
  return fmt::format("{}:{}:{}", file, named.line, named.column);
}

std::string ProgramNames::sourceOf(int64_t op) const {
  if (op < 0)
    return "";
  const NamedOp &named = ops[op];
  std::string text = named.origin;
  if (!named.scope.direction.empty())
    text += fmt::format("{}({})", text.empty() ? "" : " ", named.scope.direction);
  if (!named.scope.path.empty())
    text += fmt::format("{}in {}", text.empty() ? "" : " ", named.scope.path);
  return text;
}

std::string ProgramNames::labelOf(const ValueId &id) const {
  auto label = labels.find(id);
  return label == labels.end() ? "" : label->second;
}

std::string ProgramNames::placeOf(const ValueId &id) const {
  auto value = values.find(id);
  if (id.region >= 0 && value != values.end() && value->second.line > 0)
    return fmt::format("{}:{}:{}", file, value->second.line, value->second.column);
  return placeOf(id.op);
}

bool ProgramNames::isThisFile(StringRef asked) const {
  return asked.empty() || StringRef(file).ends_with(asked);
}

std::optional<ProgramNames::LineAsked> ProgramNames::lineIn(StringRef text) {
  auto [before, after] = text.rsplit(':');
  LineAsked asked{before, 0};
  if (text.contains('%') || !text.contains(':') || after.getAsInteger(10, asked.line))
    return std::nullopt;
  return asked;
}

std::vector<ValueId> ProgramNames::findLine(const LineAsked &asked) const {
  std::vector<ValueId> found;
  std::string origin = fmt::format("{}:{}", asked.file.str(), asked.line);
  bool isHere = isThisFile(asked.file);
  for (const auto &[id, value] : values) {
    if (id.region >= 0)
      continue;
    bool isOnLine = isHere && (value.line == asked.line || ops[id.op].line == asked.line);
    if (isOnLine || (!asked.file.empty() && ops[id.op].origin == origin))
      found.push_back(id);
  }
  return found;
}

std::vector<ValueId> ProgramNames::find(StringRef text) const {
  std::vector<ValueId> found;
  for (const auto &[id, label] : labels)
    if (text == label && id.op < static_cast<int64_t>(ops.size()) &&
        functions[ops[id.op].function] == entry)
      return {id};
  if (auto asked = lineIn(text))
    return findLine(*asked);
  StringRef function;
  bool namesFunction = text.starts_with("@");
  if (namesFunction)
    std::tie(function, text) = text.drop_front().split(':');
  // `%5#0` of an op with one result is `%5`.
  auto named = byName.find(text.str());
  if (named == byName.end() && text.ends_with("#0"))
    named = byName.find(text.drop_back(2).str());
  // `%5` of an op with several results is all of them.
  std::vector<ValueId> candidates;
  if (named != byName.end())
    candidates = named->second;
  else
    for (auto i = byName.lower_bound(text.str() + "#");
         i != byName.end() && StringRef(i->first).starts_with(text.str() + "#"); ++i)
      candidates.insert(candidates.end(), i->second.begin(), i->second.end());
  auto functionOf = [&](const ValueId &id) {
    return ops[id.op].function < 0 ? StringRef() : StringRef(functions[ops[id.op].function]);
  };
  for (const ValueId &id : candidates)
    if (functionOf(id) == (namesFunction ? function : StringRef(entry)))
      found.push_back(id);
  if (found.empty() && !namesFunction)
    found = candidates;
  // Arguments of the regions of a loop have the same names, and the same shardings.
  auto isShadowed = [&](const ValueId &id) {
    return id.region >= 0 && std::any_of(found.begin(), found.end(), [&](const ValueId &other) {
             return other.op == id.op && other.index == id.index && other.region > id.region;
           });
  };
  std::vector<ValueId> shown;
  std::copy_if(found.begin(), found.end(), std::back_inserter(shown),
               [&](const ValueId &id) { return !isShadowed(id); });
  return shown;
}

std::vector<std::string> ProgramNames::nearest(StringRef text, size_t count) const {
  std::vector<std::pair<unsigned, std::string>> ranked;
  for (const auto &[name, ids] : byName)
    ranked.emplace_back(text.edit_distance(name), name);
  count = std::min(count, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + count, ranked.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i)
    names.push_back(ranked[i].second);
  return names;
}

std::string ProgramNames::whyNotFound(StringRef text) const {
  constexpr const char *kForms = "a value is %name, %5#1, @function:%name, the name of an argument "
                                 "in your source, or FILE:LINE of what makes it";
  auto listed = [](llvm::ArrayRef<std::string> names) { return llvm::join(names, ", "); };
  if (auto asked = lineIn(text)) {
    if (!isThisFile(asked->file))
      return fmt::format("no value of {} comes from {}; give a line of {} itself, or one of the "
                         "source lines that it records",
                         file, text.str(), file);
    std::vector<unsigned> lines;
    for (const auto &[id, value] : values)
      if (id.region < 0 && ops[id.op].line > 0)
        lines.push_back(ops[id.op].line);
    auto distance = [&](unsigned line) {
      return line > asked->line ? line - asked->line : asked->line - line;
    };
    std::sort(lines.begin(), lines.end(), [&](unsigned a, unsigned b) {
      return std::pair(distance(a), a) < std::pair(distance(b), b);
    });
    return lines.empty() ? fmt::format("{} defines no value", file)
                         : fmt::format("line {} of {} defines no value; the nearest line that does "
                                       "is {}",
                                       asked->line, file, lines.front());
  }
  if (text.starts_with("@")) {
    StringRef function = text.drop_front().split(':').first;
    if (std::find(functions.begin(), functions.end(), function) == functions.end())
      return fmt::format("{} has no function @{}; it has @{}", file, function.str(),
                         llvm::join(functions, ", @"));
    text = text.split(':').second;
    if (text.empty())
      return fmt::format("@{} is a function; name a value in it, such as @{}:%arg0", function.str(),
                         function.str());
    return fmt::format("@{} has no value {}; nearest names in {}: {}; {}", function.str(),
                       text.str(), file, listed(nearest(text, 3)), kForms);
  }
  return fmt::format("{} has no value {}; nearest names: {}; {}", file, text.str(),
                     listed(nearest(text, 3)), kForms);
}

} // namespace shardwise::explain

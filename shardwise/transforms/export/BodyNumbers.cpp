// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function is written down as a list of words, in which a value is the number of values seen
// before it. Equal lists are equal functions:
//   func @f(%arg0) { %0 = call @g(%arg0)      // [... call, 0, 1, number of @g,
//                    return %0 }              //  return, 1]
//   func @f_0(%a)  { %b = call @g_0(%a)       // the same, if @g_0 has the number of @g
//                    return %b }
// 1. Callees come first, so that their numbers are known. A call that closes a circle is written
//    with the name of its callee.
// 2. Every list of the IR is written with its length, so that lists of words are equal only if
//    the functions are: no word can be taken for a part of another op.
// 3. Left out is what propagation may have decided: discardable attributes of the sdy dialect,
//    shardings of edges, and open shardings. A closed constraint is a part of the program.

#include "shardwise/transforms/export/BodyNumbers.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/import/CallGraph.h"

#include <map>
#include <vector>

namespace shardwise::exporter {

namespace {

using Words = std::vector<uintptr_t>;
using FunctionNumbers = llvm::DenseMap<mlir::Operation *, unsigned>;

bool isOpen(sdy::TensorShardingAttr sharding) {
  return llvm::any_of(sdy::toCore(sharding).dims,
                      [](const core::WrittenDimSharding &dim) { return !dim.isClosed; });
}

/// Writes down one function.
class Writer {
public:
  Writer(const mlir::SymbolTable &symbols, const FunctionNumbers &numbers)
      : symbols(symbols), numbers(numbers) {}

  Words write(mlir::func::FuncOp function) {
    writePointer(function.getFunctionType());
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      writeDictionary(function.getArgAttrDict(i));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      writeDictionary(function.getResultAttrDict(i));
    writeDictionary(function->getDiscardableAttrDictionary());
    if (function.isExternal())
      writePointer(importer::originalNameOf(function));
    writeRegion(function.getBody());
    return std::move(words);
  }

private:
  template <class T> void writePointer(T attrOrType) {
    words.push_back(reinterpret_cast<uintptr_t>(attrOrType.getAsOpaquePointer()));
  }

  void writeNumberOf(const void *valueOrBlock) {
    words.push_back(seen.try_emplace(valueOrBlock, seen.size()).first->second);
  }

  template <class Values> void writeTypedValues(const Values &values) {
    words.push_back(values.size());
    for (mlir::Value value : values) {
      writeNumberOf(value.getAsOpaquePointer());
      writePointer(value.getType());
    }
  }

  /// Attributes but for what propagation decides. A dictionary is sorted by name.
  void writeDictionary(mlir::DictionaryAttr attrs) {
    size_t length = words.size();
    words.push_back(0);
    if (attrs)
      for (mlir::NamedAttribute attr : attrs)
        writeAttribute(attr);
    words[length] = words.size() - length;
  }

  void writeAttribute(mlir::NamedAttribute attr) {
    auto sharding = mlir::dyn_cast<sdy::TensorShardingAttr>(attr.getValue());
    if (attr.getName().getValue().starts_with("sdy.") || (sharding && isOpen(sharding)))
      return;
    writePointer(attr.getName());
    writePointer(attr.getValue());
  }

  void writeRegion(mlir::Region &region) {
    words.push_back(region.getBlocks().size());
    for (mlir::Block &block : region) {
      writeNumberOf(&block);
      writeTypedValues(block.getArguments());
      words.push_back(block.getOperations().size());
      for (mlir::Operation &op : block)
        writeOp(op);
    }
  }

  void writeOp(mlir::Operation &op) {
    writePointer(op.getName());
    words.push_back(op.getNumOperands());
    for (mlir::Value operand : op.getOperands())
      writeNumberOf(operand.getAsOpaquePointer());
    writeTypedValues(op.getResults());
    if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
      writeCallee(call);
    else if (!mlir::isa<sdy::DataFlowEdgeOp>(op))
      writeDictionary(op.getAttrDictionary());
    words.push_back(op.getNumSuccessors());
    for (mlir::Block *successor : op.getSuccessors())
      writeNumberOf(successor);
    words.push_back(op.getNumRegions());
    for (mlir::Region &region : op.getRegions())
      writeRegion(region);
  }

  void writeCallee(mlir::func::CallOp call) {
    writeDictionary(call->getDiscardableAttrDictionary());
    mlir::Operation *callee = symbols.lookup(call.getCallee());
    auto number = numbers.find(callee);
    bool isNumbered = callee && number != numbers.end();
    words.push_back(isNumbered);
    if (isNumbered)
      words.push_back(number->second);
    else
      writePointer(call.getCalleeAttr());
  }

  const mlir::SymbolTable &symbols;
  const FunctionNumbers &numbers;
  Words words;
  llvm::DenseMap<const void *, uintptr_t> seen;
};

} // namespace

FunctionNumbers numberBodies(mlir::ModuleOp module, const mlir::SymbolTable &symbols) {
  FunctionNumbers numbers;
  std::map<Words, unsigned> known;
  for (mlir::func::FuncOp function : importer::calleesFirstButCircles(module, symbols)) {
    Words words = Writer(symbols, numbers).write(function);
    numbers[function] = known.try_emplace(std::move(words), known.size()).first->second;
  }
  return numbers;
}

} // namespace shardwise::exporter

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about a small program, for tests:
//
//     func @main(%a, %b) {                       // 0
//       %c = dot_general %a, %b                  // 1, made by model.py:7
//       %r:2 = while(%i = %c, %k = %c) { ... }   // 2
//       %d = tanh %r#0                           // 3
//     }
//     func @f(%a) {                              // 4
//       %c = add %a, %a                          // 5
//     }

#pragma once

#include "shardwise/core/Text.h"
#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"

#include <gtest/gtest.h>

#include <string>

namespace shardwise::explain {

inline ProgramNames namesForTest() {
  NameTable table;
  table.file = "dir/model.mlir";
  table.entry = "main";
  table.functions = {"main", "f"};
  auto addOp = [&](const char *name, int32_t function, unsigned line) {
    NamedOp op;
    op.name = name;
    op.function = function;
    op.line = line;
    op.column = 3;
    table.ops.push_back(op);
  };
  auto addValue = [&](ValueId id, const char *name, unsigned line) {
    table.values[id] = {name, line, 11};
  };
  addOp("func.func", 0, 1);
  addOp("dot_general", 0, 2);
  addOp("while", 0, 3);
  addOp("tanh", 0, 9);
  addOp("func.func", 1, 20);
  addOp("add", 1, 21);
  table.ops[1].origin = "model.py:7";
  table.ops[1].scope = {"mlp", "backward"};
  addValue({0, 0, 0}, "%a", 1);
  addValue({0, 0, 1}, "%b", 1);
  addValue({1, -1, 0}, "%c", 2);
  addValue({2, -1, 0}, "%r#0", 3);
  addValue({2, -1, 1}, "%r#1", 3);
  for (int32_t region : {0, 1}) {
    addValue({2, region, 0}, "%i", 3);
    addValue({2, region, 1}, "%k", 3);
  }
  addValue({3, -1, 0}, "%d", 9);
  addValue({4, 0, 0}, "%a", 20);
  addValue({5, -1, 0}, "%c", 21);
  table.labels[{0, 0, 0}] = "params['w1']";
  table.resultLabels = {"result['loss']"};
  return ProgramNames(std::move(table));
}

inline core::WrittenSharding writtenForTest(const std::string &text) {
  auto sharding = core::parseSharding(text);
  EXPECT_TRUE(sharding.ok()) << text;
  return *sharding;
}

inline core::Mesh meshForTest(const std::string &text) {
  auto mesh = core::parseMesh(text);
  EXPECT_TRUE(mesh.ok()) << text;
  return *mesh;
}

/// `x` and `y` met at the dot_general: %a has {"x"} on its rows, %b on its columns, and both want
/// it on %c.
inline ExplainedConflict conflictForTest() {
  ExplainedConflict conflict;
  conflict.op = {1, false};
  conflict.obstacle = propagate::Obstacle::OtherDimension;
  conflict.precedence = propagate::Precedence::LargerSource;
  conflict.winner.value = {{1, -1, 0}};
  conflict.winner.dim = 0;
  conflict.winner.axes = {{"x", std::nullopt}};
  conflict.winner.origin = {
      AnnotationKind::Argument, 0, {0, 0, 0}, writtenForTest(R"([{"x"}, {?}])"), {1, 11}};
  conflict.winner.sharding = writtenForTest(R"([{"x", ?}, {?}])");
  conflict.loser.value = {{0, 0, 1}};
  conflict.loser.dim = 1;
  conflict.loser.axes = {{"x", std::nullopt}};
  conflict.loser.origin = {
      AnnotationKind::Argument, 1, {0, 0, 1}, writtenForTest(R"([{?}, {"x"}])"), {1, 40}};
  conflict.loser.sharding = writtenForTest(R"([{?}, {"x"}])");
  conflict.wantedDim = 1;
  return conflict;
}

} // namespace shardwise::explain

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: one program through the compiled path and the reference evaluator, results compared.

#pragma once

#include "shardwise/execute/Program.h"

#include "shardwise/reference/Evaluator.h"
#include "shardwise/runtime/LocalCommunicator.h"
#include "test/support/evaluation/FindDifference.h"
#include "test/support/evaluation/TestPrograms.h"

#include <gtest/gtest.h>

namespace shardwise::execute {

/// Runs on one rank.
inline Result<std::vector<runtime::HostTensor>>
runAlone(const Program &program, const std::vector<runtime::HostTensor> &inputs) {
  std::vector<runtime::HostTensor> results;
  Result<void> done = runtime::runRanks(1, runtime::kDefaultTimeout,
                                        [&](runtime::Communicator &communicator) -> Result<void> {
                                          auto output = run(program, communicator, inputs);
                                          if (!output)
                                            return output.error();
                                          results = std::move(*output);
                                          return {};
                                        });
  if (!done)
    return done.error();
  return results;
}

/// Runs `function` text on random inputs through both paths. Floats may differ by a few units in
/// the last place, times the square root of `terms`.
inline void comparePaths(const std::string &text, unsigned seed, int64_t terms = 1) {
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
  reference::TestPrograms programs;
  auto module = programs.parse(text);
  ASSERT_TRUE(module) << programs.diagnostics();
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  std::mt19937 random(seed);
  std::vector<runtime::HostTensor> inputs;
  for (const TensorType &type : program->argumentTypes())
    inputs.push_back(reference::randomTensor(random, type.type, type.shape));
  auto expected = reference::evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"), inputs);
  ASSERT_TRUE(mlir::succeeded(expected)) << programs.diagnostics();
  auto actual = runAlone(*program, inputs);
  ASSERT_TRUE(actual.ok()) << actual.error().message;
  ASSERT_EQ(expected->size(), actual->size());
  for (size_t i = 0; i < expected->size(); ++i) {
    auto difference = reference::findDifference(
        (*expected)[i], (*actual)[i], reference::Tolerance::forSums((*expected)[i].type, terms));
    EXPECT_FALSE(difference) << "result " << i << ", " << difference->text << "\nthunks:\n"
                             << program->describe();
  }
}

/// Returns a function `main`.
inline std::string function(const std::string &arguments, const std::string &type,
                            const std::string &body) {
  return "func.func @main(" + arguments + ") -> " + type + " {\n" + body + "\n}\n";
}

} // namespace shardwise::execute

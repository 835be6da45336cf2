// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every comparison first; then, for all that have elements out of tolerance together, the disturbed
// evaluations one after the other. Only the elements in question are kept of each.

#include "shardwise/driver/VerifyOutputs.h"

#include "shardwise/driver/Movement.h"
#include "shardwise/driver/Stopwatch.h"

#include <algorithm>

namespace shardwise::driver {

using runtime::HostTensor;

namespace {

/// Disturbed evaluations of one round.
constexpr int kEvaluationsPerRound = 4;
constexpr int kMostRounds = 4;

/// So many elements, and no more, may all have been on one side of a jump in the first round.
constexpr int64_t kFewElements = 8;

/// A comparison with elements out of tolerance.
struct OpenQuestion {
  size_t output;
  TensorDifference *difference;
  Movement movement;
};

/// Evaluates the program under disturbance until it is known which elements pass. Returns the
/// number of evaluations.
int settle(std::vector<OpenQuestion> &questions, UnpartitionedProgram &program,
           std::span<const HostTensor> inputs) {
  int numEvaluations = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    for (int i = 0; i < kEvaluationsPerRound; ++i) {
      auto seed = static_cast<uint64_t>(round * kEvaluationsPerRound + i + 1);
      auto disturbed = program.evaluateDisturbed(inputs, seed);
      if (!disturbed)
        continue;
      ++numEvaluations;
      for (OpenQuestion &question : questions)
        question.movement.add((*disturbed)[question.output]);
    }
    if (numEvaluations == 0)
      return 0;
    bool isOpen = false;
    bool isHopeless = false;
    for (OpenQuestion &question : questions) {
      int64_t numHopeless = question.movement.judge(*question.difference);
      int64_t half = question.movement.numElements() / 2;
      isHopeless |= numHopeless > std::max(kFewElements, half);
      isOpen |= !question.difference->passes();
    }
    if (!isOpen || isHopeless)
      break;
  }
  return numEvaluations;
}

} // namespace

llvm::LogicalResult verifyOutputs(RunReport &report, const Comparands &comparands,
                                  UnpartitionedProgram *program, const Tolerance &tolerance) {
  Stopwatch stopwatch;
  std::vector<HostTensor> unpartitioned;
  if (program) {
    auto outputs = program->evaluate(comparands.inputs);
    if (failed(outputs))
      return llvm::failure();
    unpartitioned = std::move(*outputs);
    report.verification = VerificationReport{.oracle = program->oracle()};
    report.verification->seconds = stopwatch.seconds();
  }

  // Measuring must not take long where nothing is wrong, and expected outputs may be of other
  // kernels: these are held to the wide tolerance.
  Tolerance narrow = tolerance;
  narrow.isFirstOfTwo = program && program->isSmall();
  std::vector<OpenQuestion> questions;
  auto compare = [&](size_t i, std::span<const HostTensor> with, const Tolerance &first,
                     std::optional<TensorDifference> &difference) {
    if (with.empty())
      return;
    std::vector<int64_t> failing;
    difference = compareTensors(comparands.outputs[i], with[i], first, &failing);
    if (program && !failing.empty())
      questions.push_back(
          {i, &*difference,
           Movement(comparands.outputs[i], with[i], unpartitioned[i], first, std::move(failing))});
  };
  for (size_t i = 0; i < comparands.outputs.size(); ++i) {
    compare(i, unpartitioned, narrow, report.outputs[i].againstUnpartitioned);
    compare(i, comparands.expected, tolerance, report.outputs[i].againstExpected);
  }
  // Who says how far elements may be apart means it.
  if (questions.empty() || tolerance.isGiven())
    return llvm::success();
  stopwatch = {};
  report.verification->numDisturbed = settle(questions, *program, comparands.inputs);
  report.verification->disturbedSeconds = stopwatch.seconds();
  // Nothing could be measured: the wide tolerance decides.
  if (report.verification->numDisturbed == 0)
    for (size_t i = 0; i < comparands.outputs.size(); ++i)
      report.outputs[i].againstUnpartitioned =
          compareTensors(comparands.outputs[i], unpartitioned[i], tolerance);
  return llvm::success();
}

} // namespace shardwise::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sentences about conflicts: the problem, who won by which rule, what to do. For a product whose
// columns want the axis that its rows have:
//
//   problem   add needs dimension 1 of %b and dimension 1 of %0 cut alike; the first has {"x"}, but
//             %0 has {"x"} on dimension 0
//   winner    kept {"x"}: from argument 2 %bias [{"x"}, {}], ...
//   loser     lost {"x"}: from argument 1 %b [{}, {"x"}], ...
//   because   %0 keeps it: it came through element-wise ops, which go before what would bring the
//             other
//   advice    constrain %0 to the sharding you want, or let the side that should lose go later:
//             {"x"}p1
//
// The obstacle decides the problem and the advice, the precedence decides the reason. Names of both
// are explained in docs/explain.md.

#include "shardwise/core/Text.h"
#include "shardwise/explain/Sentences.h"

#include <fmt/format.h>

namespace shardwise::explain {

using propagate::Obstacle;
using propagate::Precedence;

namespace {

/// `dimension 1 of %45`.
std::string placeOf(const ExplainedSide &side, const ProgramNames &names) {
  return fmt::format("dimension {} of {}", side.dim, names.nameOf(side.value));
}

/// What brings axes at the level of a stage: a row of the table in OpPriorities.h. Nothing for runs
/// without levels.
std::string stageText(const propagate::PropagationStage &stage) {
  if (!stage.opPriority)
    return "";
  static constexpr const char *kLevels[] = {"element-wise ops", "element-wise ops",
                                            "dimensions that ops keep", "contracted dimensions",
                                            "broadcasts"};
  return kLevels[*stage.opPriority];
}

} // namespace

std::string problemOf(const ExplainedConflict &conflict, const ProgramNames &names) {
  const ExplainedSide &winner = conflict.winner;
  const ExplainedSide &loser = conflict.loser;
  std::string winnerName = names.nameOf(winner.value);
  std::string winnerAxes = core::toString(winner.axes);
  std::string loserAxes = core::toString(loser.axes);
  std::string op = opText(conflict.op, names);
  if (conflict.obstacle == Obstacle::OtherAxes)
    return fmt::format("{} needs {} and {} cut alike, but they are on {} and {}", op,
                       placeOf(winner, names), placeOf(loser, names), winnerAxes, loserAxes);
  // All others keep the loser's axes from one dimension of the winner's value.
  std::string wanted =
      fmt::format("{} needs {} and dimension {} of {} cut alike; the first has {}", op,
                  placeOf(loser, names), conflict.wantedDim, winnerName, loserAxes);
  switch (conflict.obstacle) {
  case Obstacle::OtherDimension:
    return fmt::format("{}, but {} has {} on dimension {}", wanted, winnerName, winnerAxes,
                       winner.dim);
  case Obstacle::Closed:
    return wanted + ", but the second is closed";
  case Obstacle::Replicated:
    return wanted + ", which the second keeps replicated";
  case Obstacle::Unreduced:
    return wanted + ", over which the second holds partial sums";
  case Obstacle::Uneven:
    return wanted + ", which does not divide the second evenly";
  case Obstacle::Strided:
    return wanted + ", but a more major part of the second is not sharded";
  case Obstacle::Blocked:
    return wanted + ", but all of the second is needed";
  case Obstacle::OtherAxes:
  case Obstacle::Direction:
    break;
  }
  return wanted + ", but the axis may not move that way";
}

std::string becauseOf(const ExplainedConflict &conflict, const ProgramNames &names) {
  const ExplainedSide &winner = conflict.winner;
  std::string keeps = names.nameOf(winner.value) + " keeps it: ";
  switch (conflict.precedence) {
  case Precedence::None:
    // Nothing was compared: the problem says it all.
    return "";
  case Precedence::Annotated:
    return keeps + "it is annotated there, and axes are never taken away";
  case Precedence::UserPriority:
    return keeps + fmt::format("user priority p{} goes before p{}", winner.stage.userPriority,
                               conflict.loser.stage.userPriority);
  case Precedence::OpPriority:
    return keeps + fmt::format("it came through {}, which go before what would bring the other",
                               stageText(winner.stage));
  case Precedence::LargerSource:
    return keeps + "both came in one step, and its axes come from the larger tensor";
  case Precedence::MoreDevices:
    return keeps + "both came in one step from tensors of one size, and it has more devices";
  case Precedence::SourceOrder:
    return keeps + "both came in one step from tensors of one size, and its tensor is first";
  case Precedence::ProgramOrder:
    return keeps +
           fmt::format("it was first (step {}) in program order at the same level", winner.step);
  }
  return "";
}

std::string adviceFor(const ExplainedConflict &conflict, const ProgramNames &names) {
  std::string value = names.nameOf(conflict.winner.value);
  std::string axes = core::toString(conflict.loser.axes);
  switch (conflict.obstacle) {
  case Obstacle::OtherDimension:
    // A later priority would not help: axes that wait for theirs are reserved on the value.
    if (conflict.precedence == Precedence::Annotated)
      return "change that annotation, or shard the two dimensions on different axes";
    return fmt::format(
        "constrain {} to the sharding you want, or let the side that should lose go later: {}p1",
        value, axes);
  case Obstacle::OtherAxes:
    return "give both annotations the same axes in the same order";
  case Obstacle::Closed:
    return fmt::format("write {} there, or open the dimension with ?, where {} is annotated", axes,
                       value);
  case Obstacle::Replicated:
    return "take the axis out of replicated={...}";
  case Obstacle::Unreduced:
    return "reduce the value first, or use another axis";
  case Obstacle::Uneven:
    return "pad the dimension to a multiple of the devices, or use fewer";
  case Obstacle::Strided:
    return "shard the major part of the dimension first";
  case Obstacle::Blocked:
    return "shard another dimension of the operand";
  case Obstacle::Direction:
    return "allow the direction at the propagation barrier, or constrain the value";
  }
  return "";
}

std::string winnerText(const ExplainedConflict &conflict, const std::string &annotation) {
  return fmt::format("kept {}: from {}", core::toString(conflict.winner.axes), annotation);
}

std::string loserText(const ExplainedConflict &conflict, const std::string &annotation) {
  return fmt::format("lost {}: from {}", core::toString(conflict.loser.axes), annotation);
}

} // namespace shardwise::explain

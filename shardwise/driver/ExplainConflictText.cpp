// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sentences about conflicts.

#include "shardwise/driver/ExplainConflictText.h"

#include <fmt/format.h>

namespace shardwise::driver {

using transforms::Obstacle;
using transforms::Precedence;

namespace {

/// `dimension 1 of %45`.
std::string placeOf(const ExplainedSide &side) {
  return fmt::format("dimension {} of {}", side.dim, side.value);
}

std::string problemOf(Obstacle obstacle, int32_t wantedDim, const ExplainedConflict &conflict) {
  const ExplainedSide &winner = conflict.winner;
  const ExplainedSide &loser = conflict.loser;
  std::string wanted = fmt::format("dimension {} of {} should be on {} like {}", wantedDim,
                                   winner.value, loser.axes, placeOf(loser));
  switch (obstacle) {
  case Obstacle::OtherDimension:
    return fmt::format("dimension {} of {} should be on {} like {}, but {} is on that already",
                       wantedDim, winner.value, loser.axes, placeOf(loser), placeOf(winner));
  case Obstacle::OtherAxes:
    return fmt::format("{} has {}, {} has {}: the op needs them alike", placeOf(winner),
                       winner.axes, placeOf(loser), loser.axes);
  case Obstacle::Closed:
    return wanted + ", but is closed";
  case Obstacle::Replicated:
    return wanted + ", but the axis is kept replicated there";
  case Obstacle::Unreduced:
    return wanted + ", but the axis holds partial sums there";
  case Obstacle::Uneven:
    return wanted + ", but that does not divide evenly";
  case Obstacle::Strided:
    return wanted + ", but a more major part of it is not sharded";
  case Obstacle::Blocked:
    return wanted + ", but the op works on the whole dimension";
  case Obstacle::Direction:
    return wanted + ", but the axis may not move that way";
  }
  return "";
}

std::string stageText(const transforms::PropagationStage &stage) {
  if (!stage.opPriority)
    return "";
  static constexpr const char *kLevels[] = {
      "element-wise ops", "element-wise ops with shared operands", "dimensions that ops keep",
      "all dimensions", "broadcasts"};
  return fmt::format("level {}, {}", *stage.opPriority, kLevels[*stage.opPriority]);
}

std::string becauseOf(const transforms::Conflict &conflict,
                      const transforms::PropagationTrace &trace,
                      const ExplainedConflict &explained) {
  const transforms::TraceEvent *winner = conflict.winner.arrival;
  const transforms::TraceEvent *loser = conflict.loser.arrival;
  std::string keeps = placeOf(explained.winner) + " keeps it: ";
  switch (conflict.precedence) {
  case Precedence::None:
    return "";
  case Precedence::Annotated:
    return keeps + "it is annotated there, and axes are never taken away";
  case Precedence::UserPriority:
    return keeps + fmt::format("user priority p{} goes before p{}",
                               trace.stageOf(*winner).userPriority,
                               trace.stageOf(*loser).userPriority);
  case Precedence::OpPriority:
    return keeps + fmt::format("it came at {}; here the other could move only later",
                               stageText(trace.stageOf(*winner)));
  case Precedence::LargerSource:
    return keeps + "both came in one step, and its axes come from the larger tensor";
  case Precedence::MoreDevices:
    return keeps + "both came in one step from tensors of one size, and it has more devices";
  case Precedence::SourceOrder:
    return keeps + "both came in one step from tensors of one size, and its tensor is first";
  case Precedence::ProgramOrder:
    return keeps +
           fmt::format("it was first (step {}) in program order at the same level", winner->step);
  }
  return "";
}

std::string adviceFor(Obstacle obstacle, Precedence precedence,
                      const ExplainedConflict &explained) {
  std::string value = explained.winner.value;
  switch (obstacle) {
  case Obstacle::OtherDimension:
    if (precedence == Precedence::Annotated)
      return "change that annotation, or shard the two dimensions on different axes";
    return fmt::format("constrain {} to the sharding you want, or write the weaker annotation "
                       "with a higher number: {{\"x\"}}p1",
                       value);
  case Obstacle::OtherAxes:
    return "give both annotations the same axes in the same order";
  case Obstacle::Closed:
    return fmt::format("write the axis there, or open the dimension with ?, where {} is annotated",
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

} // namespace

std::string briefly(const ExplainedAnnotation &annotation) {
  std::string text = annotation.what;
  if (!annotation.value.empty() && annotation.value != annotation.what)
    text += " " + annotation.value;
  return fmt::format("{} {} ({})", text, annotation.text, annotation.place);
}

void writeConflictTexts(const transforms::Conflict &conflict,
                        const transforms::PropagationTrace &trace, ExplainedConflict &explained) {
  explained.obstacle = toString(conflict.obstacle);
  explained.rule = toString(conflict.precedence);
  explained.problem = problemOf(conflict.obstacle, conflict.wantedDim, explained);
  explained.because = becauseOf(conflict, trace, explained);
  explained.advice = adviceFor(conflict.obstacle, conflict.precedence, explained);
}

} // namespace shardwise::driver

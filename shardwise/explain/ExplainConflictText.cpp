// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sentences about conflicts.

#include "shardwise/explain/ExplainConflictText.h"

#include <fmt/format.h>

namespace shardwise::explain {

using propagate::Obstacle;
using propagate::Precedence;

namespace {

/// `dimension 1 of %45`.
std::string placeOf(const ExplainedSide &side) {
  return fmt::format("dimension {} of {}", side.dim, side.value);
}

std::string problemOf(Obstacle obstacle, int32_t wantedDim, const ExplainedConflict &conflict) {
  const ExplainedSide &winner = conflict.winner;
  const ExplainedSide &loser = conflict.loser;
  if (obstacle == Obstacle::OtherAxes)
    return fmt::format("{} is on {}, {} on {}, and {} needs them alike", placeOf(winner),
                       winner.axes, placeOf(loser), loser.axes, conflict.op);
  std::string wanted = fmt::format("{} goes with dimension {} of {}, and is on {}", placeOf(loser),
                                   wantedDim, winner.value, loser.axes);
  switch (obstacle) {
  case Obstacle::OtherDimension:
    return fmt::format("{}, but {} has {} on dimension {}", wanted, winner.value, winner.axes,
                       winner.dim);
  case Obstacle::Closed:
    return wanted + ", but that is closed";
  case Obstacle::Replicated:
    return wanted + ", but the axis is kept replicated there";
  case Obstacle::Unreduced:
    return wanted + ", but the axis holds partial sums there";
  case Obstacle::Uneven:
    return wanted + ", which does not divide evenly there";
  case Obstacle::Strided:
    return wanted + ", but a more major part of that is not sharded";
  case Obstacle::Blocked:
    return wanted + ", but " + conflict.op + " works on all of it";
  case Obstacle::OtherAxes:
  case Obstacle::Direction:
    break;
  }
  return wanted + ", but the axis may not move that way";
}

std::string stageText(const propagate::PropagationStage &stage) {
  if (!stage.opPriority)
    return "";
  static constexpr const char *kLevels[] = {
      "element-wise ops", "element-wise ops with shared operands", "dimensions that ops keep",
      "all dimensions", "broadcasts"};
  return fmt::format("level {}, {}", *stage.opPriority, kLevels[*stage.opPriority]);
}

std::string becauseOf(const propagate::Conflict &conflict, const propagate::PropagationTrace &trace,
                      const ExplainedConflict &explained) {
  const propagate::TraceEvent *winner = conflict.winner.arrival;
  const propagate::TraceEvent *loser = conflict.loser.arrival;
  std::string keeps = explained.winner.value + " keeps it: ";
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
  const std::string &value = explained.winner.value;
  switch (obstacle) {
  case Obstacle::OtherDimension:
    if (precedence == Precedence::Annotated)
      return "change that annotation, or shard the two dimensions on different axes";
    return fmt::format("constrain {} to the sharding you want, or let the side that should lose "
                       "go later: {}p1",
                       value, explained.loser.axes);
  case Obstacle::OtherAxes:
    return "give both annotations the same axes in the same order";
  case Obstacle::Closed:
    return fmt::format("write {} there, or open the dimension with ?, where {} is annotated",
                       explained.loser.axes, value);
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
  if (!annotation.label.empty())
    text += " " + annotation.label;
  if (!annotation.text.empty())
    text += " " + annotation.text;
  text += ", " + annotation.place;
  return annotation.source.empty() ? text : text + " " + annotation.source;
}

std::string kindOf(const ExplainedConflict &conflict) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {}", conflict.op, conflict.obstacle, conflict.rule,
                     conflict.winner.dim, conflict.winner.axes, conflict.loser.dim,
                     conflict.loser.axes, conflict.wantedDim, conflict.winner.origin.text,
                     conflict.loser.origin.text);
}

void writeConflictTexts(const propagate::Conflict &conflict,
                        const propagate::PropagationTrace &trace, ExplainedConflict &explained) {
  explained.obstacle = toString(conflict.obstacle);
  explained.rule = toString(conflict.precedence);
  explained.problem = problemOf(conflict.obstacle, conflict.wantedDim, explained);
  explained.because = becauseOf(conflict, trace, explained);
  explained.advice = adviceFor(conflict.obstacle, conflict.precedence, explained);
}

} // namespace shardwise::explain

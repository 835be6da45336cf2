// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sentences about transfers: what runs, `all_reduce {"model"}`, and why. The kind of the reason
// decides the sentence:
//
//   Sum              dot_general contracts dimension 1 of %x, which is on {"model"}
//   WholeDimension   sort needs all of dimension 0 of %x, which is on {"x"}
//   Neighbours       convolution reads dimension 1 of %x, which is on {"x"}, beyond the part that a
//                    device has
//   Owners           gather asks the owners of dimension 0 of %x, which is on {"x"}, for what its
//                    indices mean; as if all owners were asked for as much
//   Conflict         the problem of the conflict, as ConflictSentences.cpp says it
//   Request          %1 has [{"x"}, {}]; the constraint asks for [{}, {"x"}]
//   Use              %1 has [{"x"}, {}], add works on [{}, {"x"}]

#include "shardwise/core/Text.h"
#include "shardwise/explain/Reports.h"
#include "shardwise/explain/Sentences.h"

#include <fmt/format.h>

namespace shardwise::explain {
namespace {

/// What an op does with a dimension that it sums over, in a word that says which op it is about.
const char *verbOf(const std::string &op) {
  if (op == "dot_general")
    return "contracts";
  if (op == "convolution")
    return "sums over";
  if (op == "gather" || op == "dynamic_slice")
    return "picks from";
  if (op == "scatter")
    return "scatters along";
  return "reduces";
}

/// `dot_general contracts dimension 1 of %x, which is on {"model"}`.
std::string causeText(const ExplainedCause &cause, bool isSum, const ProgramNames &names) {
  std::string op = names.opName(cause.op);
  return fmt::format("{} {} dimension {} of {}, which is on {}", op,
                     isSum ? verbOf(op) : "needs all of", cause.dim, names.nameOf(cause.value),
                     core::toString(cause.axes));
}

/// `convolution reads dimension 1 of %x, which is on {"x"}, beyond the part that a device has`.
std::string neighboursText(const ExplainedTransfer &transfer, const ProgramNames &names) {
  const ExplainedCause &cause = *transfer.cause;
  return fmt::format(
      "{} reads dimension {} of {}, which is on {}, beyond the part that a device has",
      names.opName(cause.op), cause.dim, names.nameOf(cause.value), core::toString(cause.axes));
}

/// `gather asks the owners of dimension 0 of %x, which is on {"x"}, for what its indices mean; ..`.
std::string ownersText(const ExplainedTransfer &transfer, const ProgramNames &names) {
  const ExplainedCause &cause = *transfer.cause;
  std::string op = names.opName(cause.op);
  bool isAsking = op != "scatter";
  return fmt::format("{} {} the owners of dimension {} of {}, which is on {}{}; as if all owners "
                     "were {} as much",
                     op, isAsking ? "asks" : "sends updates to", cause.dim,
                     names.nameOf(cause.value), core::toString(cause.axes),
                     isAsking ? ", for what its indices mean" : "",
                     isAsking ? "asked for" : "sent");
}

/// The op that made the partial sums need not be the one whose result is added up: they are carried
/// through additions and loops. Nor need they be on the axes of the operand, if the op exchanged
/// these.
std::string sumText(const ExplainedTransfer &transfer, const ProgramNames &names) {
  std::string value = movedText(transfer, names);
  if (!transfer.cause && transfer.isInside)
    return fmt::format("{} sums over what is on {}: a device has the sums of its part, which are "
                       "added up here",
                       names.opName(transfer.value.op), core::toString(transfer.from.unreduced));
  if (!transfer.cause)
    return fmt::format("{} carries partial sums, which are added up here: {}", value,
                       fromText(transfer));
  std::string text = causeText(*transfer.cause, /*isSum=*/true, names);
  if (transfer.movedTo)
    text += fmt::format(", and which the op moves to {} first", core::toString(*transfer.movedTo));
  if (transfer.cause->op != transfer.value.op)
    text += fmt::format("; {} carries the partial sums of {} here", value,
                        names.nameOf(ValueId{transfer.cause->op, -1, 0}));
  return text;
}

const char *requestOf(Requester requester) {
  switch (requester) {
  case Requester::Constraint:
    return "the constraint asks for";
  case Requester::Reshard:
    return "the reshard asks for";
  case Requester::ManualComputation:
    return "the manual computation takes and returns it on";
  case Requester::Return:
    return "the result of the function is on";
  case Requester::Loop:
    return "the loop carries it on";
  }
  return "";
}

} // namespace

namespace {

std::string placementText(const core::WrittenSharding &sharding,
                          const std::optional<core::Mesh> &mesh) {
  if (!mesh)
    return core::toString(sharding);
  // A value on one device is whole there.
  return fmt::format("{} on <{}>", mesh->isMaximal() ? "[]" : core::toString(sharding),
                     core::toString(*mesh));
}

} // namespace

std::string movedText(const ExplainedTransfer &transfer, const ProgramNames &names) {
  std::string name = names.nameOf(transfer.value);
  // It belongs to the op, whichever result it is on the way to.
  return transfer.isInside ? "a value inside " + name.substr(0, name.find('#')) : name;
}

std::string fromText(const ExplainedTransfer &transfer) {
  return placementText(transfer.from, transfer.fromMesh);
}

std::string toText(const ExplainedTransfer &transfer) {
  return placementText(transfer.to, transfer.toMesh);
}

std::string forcedGatherText(const ExplainedTransfer &transfer, const ProgramNames &names) {
  return causeText(*transfer.forcedGather, /*isSum=*/false, names);
}

std::vector<ForcedGatherText> forcedGathers(const Explanation &explanation,
                                            const ProgramNames &names) {
  std::vector<ForcedGatherText> texts;
  for (size_t i = 0; i < explanation.transfers.size(); ++i) {
    const ExplainedTransfer &transfer = explanation.transfers[i];
    if (!transfer.forcedGather)
      continue;
    const ExplainedCause &cause = *transfer.forcedGather;
    texts.push_back({i, names.opName(cause.op), names.textOf(names.placeOf(cause.op)),
                     names.sourceOf(cause.op), names.nameOf(cause.value), cause.dim,
                     core::toString(cause.axes), forcedGatherText(transfer, names),
                     transfer.receivedBytes});
  }
  return texts;
}

namespace {

/// A weight that is gathered is no accident.
std::string conflictText(const ExplainedConflict &conflict, const ProgramNames &names) {
  if (!conflict.isWeightGather)
    return problemOf(conflict, names);
  if (conflict.op.isReturn)
    return fmt::format("{} is computed in parts over {}, as the state of the optimizer is cut, and "
                       "gathered after the update, as in ZeRO-1",
                       textOf(conflict.winner.origin, names).label,
                       core::toString(conflict.loser.axes));
  return fmt::format("{} is cut over {} and gathered where it is used, as in ZeRO-3 (FSDP)",
                     names.labelOf({conflict.loser.origin.value}),
                     core::toString(conflict.loser.axes));
}

/// Nobody writes the sum of a gradient: JAX does, where a value is the same on all devices.
std::string writtenText(const ExplainedTransfer &transfer, const ProgramNames &names) {
  std::string text = "it is written in the program";
  if (transfer.written && transfer.written->kind == core::CollectiveKind::AllReduce &&
      names.scopeOf(transfer.op).direction == "backward")
    text +=
        ", by JAX's transpose: the gradient of a value that is the same on all these devices is "
        "summed here" +
        std::string(transfer.calls > 1 ? ", in each iteration; to sum it once, make the value "
                                         "varying before the loop (jax.lax.pcast)"
                                       : "");
  return text;
}

} // namespace

std::string stepsText(const ExplainedTransfer &transfer) {
  if (transfer.written)
    return fmt::format("{} {}", core::toString(transfer.written->kind), transfer.written->groups);
  std::string text;
  for (const TransferStep &step : transfer.steps) {
    text += fmt::format("{}{}", text.empty() ? "" : " + ", core::toString(step.kind));
    if (!step.axes.empty())
      text += " " + core::toString(step.axes);
  }
  return text;
}

std::string becauseOf(const ExplainedTransfer &transfer, const Explanation &explanation,
                      const ProgramNames &names) {
  std::string value = movedText(transfer, names);
  std::string from = fromText(transfer);
  std::string to = toText(transfer);
  switch (transfer.reason) {
  case TransferReason::Sum:
    return sumText(transfer, names);
  case TransferReason::Conflict:
    return conflictText(explanation.conflicts[transfer.conflict], names);
  case TransferReason::WholeDimension:
    return causeText(*transfer.cause, /*isSum=*/false, names);
  case TransferReason::Neighbours:
    return neighboursText(transfer, names);
  case TransferReason::Owners:
    return ownersText(transfer, names);
  case TransferReason::Request:
    return fmt::format("{} has {}; {} {}", value, from, requestOf(transfer.requester), to);
  case TransferReason::Written:
    if (transfer.written && transfer.written->isBound())
      return "it is written in the program; how many rows it sends depends on data, these bytes "
             "are "
             "the most";
    return writtenText(transfer, names);
  case TransferReason::Use:
    break;
  }
  std::string op = names.opName(transfer.op);
  // A transfer belongs to an op that uses the value, or to the one that makes it.
  bool isMadeHere = transfer.value.isOpResult() && transfer.value.op == transfer.op;
  return isMadeHere ? fmt::format("{} computes {} on {}, and it is used on {}", op, value, from, to)
                    : fmt::format("{} has {}, {} works on {}", value, from, op, to);
}

} // namespace shardwise::explain

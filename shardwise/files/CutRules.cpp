// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who says how a tensor is cut, in falling order:
//
//     input     its index.json; then --spec's `from`; then --from
//     output    --spec's `to`; then --to
//     meshes    the index's for the input; --to-mesh, then --mesh, then the input's for the output
//
// The index comes first as it was written with the files. What is written beside it must not
// contradict it: a call that says otherwise was meant for other files.

#include "shardwise/files/CutRules.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::files {
namespace {

Result<std::optional<core::Mesh>> parseMeshOf(const std::string &text, const char *option) {
  if (text.empty())
    return std::optional<core::Mesh>();
  Result<core::Mesh> mesh = core::parseMesh(text);
  if (!mesh)
    return invalid(fmt::format("{} {}: {}", option, text, mesh.error().message));
  return std::optional(std::move(*mesh));
}

/// Says of which tensor, and where it is written, `error` is.
Error explained(const Error &error, const char *option, const std::string &tensor) {
  if (tensor.empty())
    return {error.kind, fmt::format("{}: {}", option, error.message)};
  return {error.kind, fmt::format("tensor '{}': {}: {}", tensor, option, error.message)};
}

/// Returns what a spec says, or what is written for all tensors.
const std::string &chosen(const CutSpec *spec, std::string CutSpec::*text,
                          const std::string &forAll) {
  return spec && !(spec->*text).empty() ? spec->*text : forAll;
}

/// Returns ` of tensor 'a'`; nothing for the only tensor of a .npy file.
std::string ofTensor(const std::string &name) {
  return name.empty() ? "" : fmt::format(" of tensor '{}'", name);
}

} // namespace

Result<CutRules> CutRules::parse(WrittenCuts cuts) {
  CutRules rules;
  if (cuts.mesh.empty())
    cuts.mesh = cuts.specs.mesh;
  if (cuts.toMesh.empty())
    cuts.toMesh = cuts.specs.toMesh;
  Result<std::optional<core::Mesh>> mesh = parseMeshOf(cuts.mesh, "--mesh");
  if (!mesh)
    return mesh.error();
  Result<std::optional<core::Mesh>> toMesh = parseMeshOf(cuts.toMesh, "--to-mesh");
  if (!toMesh)
    return toMesh.error();
  rules.mesh = std::move(*mesh);
  rules.toMesh = std::move(*toMesh);
  rules.written = std::move(cuts);
  return rules;
}

Result<core::Mesh> CutRules::fromMesh() const {
  if (mesh)
    return *mesh;
  return invalid(fmt::format("the input has a file for each device and no {}; say how they are cut "
                             "with --mesh and --from",
                             kIndexName));
}

Result<TensorCut> CutRules::fromCut(const std::string &name, int64_t rank) const {
  Result<core::Mesh> given = fromMesh();
  if (!given)
    return given.error();
  const CutSpec *spec = written.specs.find(name);
  const std::string &text = chosen(spec, &CutSpec::from, written.from);
  if (text.empty())
    return invalid(fmt::format("the input has a file for each device and no {}; say how the shards"
                               "{} are cut with --from or --spec",
                               kIndexName, ofTensor(name)));
  if (rank < 0) {
    // As many dimensions as the sharding has.
    Result<core::WrittenSharding> sharding = core::parseSharding(text);
    rank = sharding ? static_cast<int64_t>(sharding->dims.size()) : 0;
  }
  Result<core::Sharding> sharding = parseCutSharding(text, *given, rank);
  if (!sharding)
    return explained(sharding.error(), "--from", name);
  return TensorCut{*given, std::move(*sharding), spec ? spec->segments : std::nullopt};
}

Result<TensorCut> CutRules::toCut(const StoredTensor &tensor) const {
  const core::Mesh *target = toMesh ? &*toMesh : mesh ? &*mesh : &tensor.cut.mesh;
  if (target->isEmpty())
    return invalid("the output is a folder with a file for each device; say which devices with "
                   "--mesh or --to-mesh");
  const CutSpec *spec = written.specs.find(tensor.name);
  const std::string &text = chosen(spec, &CutSpec::to, written.to);
  if (text.empty())
    return invalid(fmt::format("the output is a folder with a file for each device; say how the "
                               "shards{} are cut with --to or --spec",
                               ofTensor(tensor.name)));
  Result<core::Sharding> sharding =
      parseCutSharding(text, *target, static_cast<int64_t>(tensor.shape.size()));
  if (!sharding)
    return explained(sharding.error(), "--to", tensor.name);
  if (!sharding->unreduced.empty())
    return explained(unsupported(fmt::format(
                         "sharding {}: partial values are read, but not written; leave "
                         "\"unreduced\" out, and the output has the values that they combine to",
                         core::toString(*sharding, *target))),
                     "--to", tensor.name);
  TensorCut cut{*target, std::move(*sharding), spec ? spec->segments : std::nullopt};
  if (Result<void> checked = checkCut(tensor.shape, cut); !checked)
    return explained(checked.error(), "--to", tensor.name);
  return cut;
}

Result<bool> CutRules::cutsOutput() const {
  if (written.to.empty() || written.to == "replicated")
    return false;
  Result<core::WrittenSharding> sharding = core::parseSharding(written.to);
  if (!sharding)
    return invalid(fmt::format("--to: sharding {}: {}", written.to, sharding.error().message));
  return !sharding->unreduced.empty() ||
         std::any_of(sharding->dims.begin(), sharding->dims.end(),
                     [](const auto &dim) { return !dim.axes.empty(); });
}

std::vector<std::string> CutRules::unusedPatterns(const std::vector<StoredTensor> &tensors) const {
  std::vector<std::string> names;
  for (const StoredTensor &tensor : tensors)
    names.push_back(tensor.name);
  return written.specs.unusedPatterns(names);
}

Result<void> CutRules::checkStored(const StoredTensor &tensor) const {
  const TensorCut &cut = tensor.cut;
  // A file with all of a tensor is right for any sharding that fits it and has whole values.
  bool isWhole = cut.mesh.isEmpty();
  if (mesh && !isWhole && *mesh != cut.mesh)
    return invalid(
        fmt::format("--mesh is {}, but {} says {}; leave --mesh out, and give that of the "
                    "output with --to-mesh",
                    core::toString(*mesh), kIndexName, core::toString(cut.mesh)));
  const std::string &text = chosen(written.specs.find(tensor.name), &CutSpec::from, written.from);
  if (text.empty() || (isWhole && !mesh))
    return {};
  const core::Mesh &named = isWhole ? *mesh : cut.mesh;
  Result<core::Sharding> sharding =
      parseCutSharding(text, named, static_cast<int64_t>(tensor.shape.size()));
  if (!sharding)
    return explained(sharding.error(), "--from", tensor.name);
  if (isWhole && !sharding->unreduced.empty())
    return explained(invalid(fmt::format("sharding {}: the input has whole values in one file, "
                                         "partial ones are in a folder with a file for each device",
                                         core::toString(*sharding, named))),
                     "--from", tensor.name);
  if (!isWhole && !core::isSamePlacement(*sharding, cut.sharding))
    return invalid(fmt::format("--from{} is {}, but {} says {}", ofTensor(tensor.name), text,
                               kIndexName, core::toString(cut.sharding, cut.mesh)));
  return {};
}

} // namespace shardwise::files

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/files/CutRules.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>

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

Error withOption(const char *option, const Error &error) {
  return {error.kind, fmt::format("{}: {}", option, error.message)};
}

} // namespace

Result<CutRules> CutRules::parse(const WrittenCuts &written) {
  CutRules rules;
  rules.written = written;
  Result<std::optional<core::Mesh>> mesh = parseMeshOf(written.mesh, "--mesh");
  if (!mesh)
    return mesh.error();
  Result<std::optional<core::Mesh>> toMesh = parseMeshOf(written.toMesh, "--to-mesh");
  if (!toMesh)
    return toMesh.error();
  rules.mesh = std::move(*mesh);
  rules.toMesh = std::move(*toMesh);
  return rules;
}

Result<TensorCut> CutRules::fromCut(const std::string &name, int64_t rank) const {
  if (!mesh || written.from.empty())
    return invalid(fmt::format("the input has a file for each device and no {}; say how they are "
                               "cut with --mesh and --from",
                               kIndexName));
  if (rank < 0) {
    // As many dimensions as the sharding has.
    Result<core::WrittenSharding> sharding = core::parseSharding(written.from);
    if (sharding)
      rank = static_cast<int64_t>(sharding->dims.size());
  }
  Result<core::Sharding> sharding =
      parseCutSharding(written.from, *mesh, std::max<int64_t>(rank, 0));
  if (!sharding)
    return withOption("--from", sharding.error());
  return TensorCut{*mesh, std::move(*sharding), std::nullopt};
}

Result<TensorCut> CutRules::toCut(const StoredTensor &tensor) const {
  const core::Mesh *target = toMesh ? &*toMesh : mesh ? &*mesh : &tensor.cut.mesh;
  if (target->isEmpty())
    return invalid("the output is a folder with a file for each device; say which devices with "
                   "--mesh or --to-mesh");
  if (written.to.empty())
    return invalid("the output is a folder with a file for each device; say how the tensor is cut "
                   "with --to");
  Result<core::Sharding> sharding =
      parseCutSharding(written.to, *target, static_cast<int64_t>(tensor.shape.size()));
  if (!sharding)
    return withOption("--to", sharding.error());
  TensorCut cut{*target, std::move(*sharding), std::nullopt};
  if (Result<void> checked = checkCut(tensor.shape, cut); !checked)
    return withOption("--to", checked.error());
  return cut;
}

Result<void> CutRules::checkStored(const StoredTensor &tensor) const {
  const TensorCut &cut = tensor.cut;
  // A file with all of a tensor is right for any sharding that fits it.
  bool isWhole = cut.mesh.isEmpty();
  if (mesh && !isWhole && *mesh != cut.mesh)
    return invalid(
        fmt::format("--mesh is {}, but {} says {}; leave --mesh out, and give that of the "
                    "output with --to-mesh",
                    core::toString(*mesh), kIndexName, core::toString(cut.mesh)));
  if (written.from.empty() || (isWhole && !mesh))
    return {};
  const core::Mesh &named = isWhole ? *mesh : cut.mesh;
  Result<core::Sharding> sharding =
      parseCutSharding(written.from, named, static_cast<int64_t>(tensor.shape.size()));
  if (!sharding)
    return withOption("--from", sharding.error());
  if (!isWhole && !core::isSamePlacement(*sharding, cut.sharding))
    return invalid(fmt::format("--from is {}, but {} says {}", written.from, kIndexName,
                               core::toString(cut.sharding, cut.mesh)));
  return {};
}

} // namespace shardwise::files

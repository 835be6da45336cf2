// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors from and to files: inputs and expected outputs as 0.npy, 1.npy, ... of a folder or as a
// list of files, or random. Outputs appear together or not at all: they are written under other
// names and renamed when all are complete, and a run that is interrupted leaves none.

#include "shardwise/tools/shardwise/TensorFiles.h"

#include "shardwise/driver/HostTypes.h"
#include "shardwise/files/NpyBoxes.h"
#include "shardwise/runtime/NpyFile.h"
#include "shardwise/tools/shardwise/NumberChecks.h"
#include "shardwise/tools/shardwise/RemovedOnInterrupt.h"

#include <fmt/format.h>

#include <filesystem>
#include <list>

namespace shardwise::tools {
namespace {

namespace fs = std::filesystem;
using runtime::HostTensor;

/// Files of `place`: the numbered files of a folder, or a comma-separated list.
Result<std::vector<std::string>> listFiles(const std::string &place, size_t count) {
  std::vector<std::string> files;
  std::error_code error;
  if (fs::is_directory(place, error)) {
    for (size_t i = 0; i < count; ++i)
      files.push_back((fs::path(place) / fmt::format("{}.npy", i)).string());
    // One file too many is most likely a folder of another program.
    if (fs::exists(fs::path(place) / fmt::format("{}.npy", count)))
      return invalid(fmt::format("folder {} has a file {}.npy, but the program takes {} tensors "
                                 "there (0.npy to {}.npy)",
                                 place, count, count, static_cast<int64_t>(count) - 1));
    return files;
  }
  // No folder: a list, of which a file that is missing is reported when it is read.
  size_t begin = 0;
  while (begin <= place.size()) {
    size_t end = std::min(place.find(',', begin), place.size());
    files.push_back(place.substr(begin, end - begin));
    begin = end + 1;
  }
  return files;
}

Result<std::vector<HostTensor>> readFiles(const std::string &place,
                                          llvm::ArrayRef<mlir::Type> types, const char *what) {
  auto files = listFiles(place, types.size());
  if (!files)
    return files.error();
  std::vector<HostTensor> tensors;
  for (const std::string &file : *files) {
    auto tensor = runtime::readNpy(file);
    if (!tensor)
      return tensor.error();
    tensors.push_back(std::move(*tensor));
  }
  // Files cannot name the types of 8 bits and less that NumPy does not have.
  for (auto [tensor, type] : llvm::zip(tensors, types))
    if (auto wanted = driver::hostTypeOf(type))
      runtime::reinterpretBytes(tensor, wanted->type);
  if (auto checked = driver::checkTensors(tensors, types, what); !checked)
    return checked.error();
  return tensors;
}

/// The tensors of .npy files.
class FileParts final : public driver::InputParts {
public:
  FileParts(std::vector<files::NpyBoxReader> readers, std::vector<runtime::TensorType> types)
      : readers(std::move(readers)), types(std::move(types)) {}

  size_t count() const override { return types.size(); }
  runtime::TensorType type(size_t index) const override { return types[index]; }
  Result<HostTensor> part(size_t index, const core::Box &box) const override {
    Result<HostTensor> part = readers[index].read(box);
    // Files cannot name the types of 8 bits and less that NumPy does not have.
    if (part)
      runtime::reinterpretBytes(*part, types[index].type);
    return part;
  }

private:
  std::vector<files::NpyBoxReader> readers;
  std::vector<runtime::TensorType> types;
};

/// What a file has, once its bytes are those of the type that the program has there.
runtime::TensorType typeOf(const runtime::NpyHeader &header, mlir::Type wanted) {
  HostTensor nothing = HostTensor::zeros(header.type, {0});
  if (auto type = driver::hostTypeOf(wanted))
    runtime::reinterpretBytes(nothing, type->type);
  return {nothing.type, header.shape};
}

} // namespace

void addTensorOptions(CLI::App &command, TensorPlaces &places) {
  command
      .add_option("--inputs", places.inputs,
                  "folder with 0.npy, 1.npy, ... in argument order, or a comma-separated list "
                  "of files (default: random values)")
      ->check(notEmpty());
  command
      .add_option("--expect", places.expected,
                  "the same for the outputs that the run must reproduce")
      ->check(notEmpty());
  command
      .add_option("--outputs", places.outputFolder,
                  "write the global outputs to this folder as 0.npy, 1.npy, ...")
      ->check(notEmpty());
  command.add_option("--seed", places.seed, "seed of the random inputs (default 0)")
      ->check(wholeNumber<uint64_t>(0));
}

void addToleranceOptions(CLI::App &command, driver::Tolerance &tolerance) {
  command
      .add_option("--rtol", tolerance.rtol,
                  "relative tolerance of an element (default: 1e-5 for f32, 1e-10 for f64, 2e-3 "
                  "for f16, 2e-2 for bf16, exact for integers)")
      ->check(nonNegativeNumber());
  command
      .add_option("--atol", tolerance.atol,
                  "absolute tolerance of an element (default: rtol times the largest magnitude "
                  "in the expected tensor)")
      ->check(nonNegativeNumber());
}

Result<std::vector<runtime::TensorType>> hostTypes(llvm::ArrayRef<mlir::Type> types) {
  std::vector<runtime::TensorType> hostTypes;
  for (mlir::Type type : types) {
    auto hostType = driver::hostTypeOf(type);
    if (!hostType)
      return hostType.error();
    hostTypes.push_back(std::move(*hostType));
  }
  return hostTypes;
}

Result<std::unique_ptr<driver::InputParts>> openInputs(const TensorPlaces &places,
                                                       mlir::func::FuncOp entry) {
  llvm::ArrayRef<mlir::Type> wanted = entry.getArgumentTypes();
  if (places.inputs.empty()) {
    auto types = hostTypes(wanted);
    if (!types)
      return types.error();
    return std::unique_ptr<driver::InputParts>(
        std::make_unique<driver::RandomParts>(std::move(*types), places.seed));
  }
  auto paths = listFiles(places.inputs, wanted.size());
  if (!paths)
    return paths.error();
  std::vector<files::NpyBoxReader> readers;
  std::vector<runtime::TensorType> types;
  for (const std::string &path : *paths) {
    auto reader = files::NpyBoxReader::open(path);
    if (!reader)
      return reader.error();
    size_t index = readers.size();
    types.push_back(index < wanted.size()
                        ? typeOf(reader->header(), wanted[index])
                        : runtime::TensorType{reader->header().type, reader->header().shape});
    readers.push_back(std::move(*reader));
  }
  if (auto checked = driver::checkTypes(types, wanted, "input"); !checked)
    return checked.error();
  return std::unique_ptr<driver::InputParts>(
      std::make_unique<FileParts>(std::move(readers), std::move(types)));
}

Result<std::vector<HostTensor>> readExpected(const TensorPlaces &places, mlir::func::FuncOp entry) {
  if (places.expected.empty())
    return std::vector<HostTensor>();
  return readFiles(places.expected, entry.getResultTypes(), "expected output");
}

Result<GivenTensors> readTensors(const TensorPlaces &places, mlir::func::FuncOp entry) {
  auto opened = openInputs(places, entry);
  if (!opened)
    return opened.error();
  auto inputs = driver::wholeInputs(**opened);
  if (!inputs)
    return inputs.error();
  auto expected = readExpected(places, entry);
  if (!expected)
    return expected.error();
  return GivenTensors{std::move(*inputs), std::move(*expected)};
}

Result<void> writeTensors(const std::string &folder, std::span<const HostTensor> tensors) {
  std::error_code error;
  bool isNew = fs::create_directories(folder, error);
  if (error)
    return invalid(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  auto writeAll = [&]() -> Result<void> {
    std::list<RemovedOnInterrupt> guards;
    runtime::PendingFiles files;
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      std::string path = (fs::path(folder) / fmt::format("{}.npy", i)).string();
      guards.emplace_back(path);
      if (Result<void> written = runtime::writeNpy(path, tensor, files); !written)
        return written;
    }
    return files.commit();
  };
  Result<void> written = writeAll();
  if (!written && isNew)
    fs::remove(folder, error); // unless others put something there
  return written;
}

} // namespace shardwise::tools

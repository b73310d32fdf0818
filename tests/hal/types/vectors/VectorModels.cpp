//===- VectorModels.cpp - Models of the conformance vectors ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorModels.h"

#include "avocet/base/File.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace avocet::hal::test {

VectorFile::VectorFile(const std::filesystem::path &path) {
  auto bytes = readFile(path.string());
  if (!bytes.isOk()) {
    ADD_FAILURE() << path;
    return;
  }
  bytes_ = std::move(*bytes);
  flatbuffers::Verifier verifier(bytes_.data(), bytes_.size());
  EXPECT_TRUE(nnapi_test::VerifySpecFileBuffer(verifier)) << path;
}

std::vector<std::filesystem::path> vectorFiles() {
  std::vector<std::filesystem::path> files;
  std::filesystem::path root = std::filesystem::path(AVOCET_SHARED_DATA) / "conformance" / "vectors";
  if (!std::filesystem::is_directory(root))
    return files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".nntv")
      files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

template <typename T> static std::vector<T> copyOf(const flatbuffers::Vector<T> *values) {
  return values != nullptr ? std::vector<T>(values->begin(), values->end()) : std::vector<T>();
}

/// Appends constants to the operand values or, by size only, to the pool.
class ModelMaker {
public:
  Model make(const nnapi_test::Case &vector) {
    model_.relaxComputationFloat32toFloat16 = vector.relaxed();
    model_.main = subgraph(*vector.main());
    if (vector.referenced() != nullptr)
      for (const auto *graph : *vector.referenced())
        model_.referenced.push_back(subgraph(*graph));
    if (poolSize_ != 0)
      model_.pools.push_back(std::make_shared<const Memory>(Memory{Ashmem{memory(), poolSize_}}));
    return std::move(model_);
  }

private:
  SharedHandle memory() const {
    auto file = createMemoryFile("avocetVectorPool", poolSize_);
    return std::make_shared<const FileDescriptor>(std::move(*file));
  }

  avocet::hal::Subgraph subgraph(const nnapi_test::Subgraph &source) {
    avocet::hal::Subgraph graph;
    for (const auto *from : *source.operands())
      graph.operands.push_back(operand(*from));
    for (const auto *from : *source.operations())
      graph.operations.push_back({from->type(), copyOf(from->inputs()), copyOf(from->outputs())});
    graph.inputIndexes = copyOf(source.inputs());
    graph.outputIndexes = copyOf(source.outputs());
    return graph;
  }

  avocet::hal::Operand operand(const nnapi_test::Operand &source) {
    avocet::hal::Operand to;
    to.type = static_cast<OperandType>(source.type());
    to.dimensions = copyOf(source.dimensions());
    to.scale = source.scale();
    to.zeroPoint = source.zero_point();
    to.lifetime = static_cast<OperandLifeTime>(source.lifetime());
    if (source.channel_scales() != nullptr)
      to.extraParams = SymmPerChannelQuantParams{copyOf(source.channel_scales()), source.channel_dim()};
    to.location = location(source);
    return to;
  }

  DataLocation location(const nnapi_test::Operand &source) {
    if (source.lifetime() == nnapi_test::Lifetime::SUBGRAPH)
      return {.offset = static_cast<uint64_t>(source.subgraph())};
    uint64_t length = source.data() != nullptr ? source.data()->size() : 0;
    if (source.lifetime() == nnapi_test::Lifetime::CONSTANT_REFERENCE) {
      poolSize_ += length;
      return {.offset = poolSize_ - length, .length = length};
    }
    if (source.lifetime() != nnapi_test::Lifetime::CONSTANT_COPY)
      return {};
    DataLocation place{.offset = model_.operandValues.size(), .length = length};
    if (source.data() != nullptr)
      model_.operandValues.insert(model_.operandValues.end(), source.data()->begin(), source.data()->end());
    return place;
  }

  Model model_;
  uint64_t poolSize_ = 0;
};

Model modelOf(const nnapi_test::Case &vector) { return ModelMaker().make(vector); }

/// Index in Version of "V1_2", "V1_3_cts_only", "AIDL_V2".
static Version versionOfBucket(std::string_view bucket) {
  auto digit = [&](size_t position) { return static_cast<uint32_t>(bucket[position] - '0'); };
  return static_cast<Version>(bucket.starts_with("AIDL_V") ? 3 + digit(6) : digit(3));
}

Version versionOf(const nnapi_test::SpecFile &spec, const nnapi_test::Case &vector) {
  auto declared = static_cast<Version>(static_cast<uint32_t>(vector.effective_level()) - 1);
  return std::max(declared, versionOfBucket(spec.bucket()->string_view()));
}

} // namespace avocet::hal::test

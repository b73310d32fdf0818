//===- OnnxFile.cpp - A structurally verified ONNX file ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Versions that are accepted of an operator set. Sets of other domains are of functions in the file, or unknown.
struct KnownSet {
  StringRef domain;
  int64_t first, last;
};
constexpr KnownSet kKnownSets[] = {{"", 7, 26}, {"ai.onnx.ml", 1, 5}, {"com.microsoft", 1, 1}};

StringRef titleOf(StringRef domain) { return domain.empty() ? "ai.onnx" : domain; }

LogicalResult checkVersion(Location location, const onnx_file::ModelProto &model) {
  constexpr int64_t kFirst = 3, kLast = 13;
  if (model.ir_version() >= kFirst && model.ir_version() <= kLast)
    return success();
  return emitError(location) << "the model has version " << model.ir_version() << " of the format (ir_version), "
                             << kFirst << " to " << kLast << " are accepted; export it again for one of them";
}

} // namespace

FailureOr<OperatorSets>
OperatorSets::read(Location location, const Twine &user,
                   const google::protobuf::RepeatedPtrField<onnx_file::OperatorSetIdProto> &imports) {
  OperatorSets sets;
  for (const onnx_file::OperatorSetIdProto &import : imports) {
    const StringRef domain = import.domain() == "ai.onnx" ? StringRef() : StringRef(import.domain());
    const auto [place, isNew] = sets.versions_.try_emplace(domain, import.version());
    if (!isNew && place->second != import.version())
      return emitError(location) << user << " imports the operators '" << titleOf(domain) << "' in versions "
                                 << place->second << " and " << import.version() << ", must import one";
    const auto *known = llvm::find_if(kKnownSets, [&](const KnownSet &each) { return each.domain == domain; });
    if (known != std::end(kKnownSets) && (import.version() < known->first || import.version() > known->last))
      return emitError(location) << user << " imports version " << import.version() << " of the operators '"
                                 << titleOf(domain) << "' (opset), " << known->first << " to " << known->last
                                 << " are accepted; export it for one of them, or use onnx.version_converter";
  }
  return sets;
}

LogicalResult OperatorSets::setVersion(Location location, onnx_file::NodeProto &node) const {
  const auto found = versions_.find(node.domain());
  if (found == versions_.end())
    return emitError(location) << describe(node) << " is of the operators '" << titleOf(node.domain())
                               << "', of which no version is imported; add one to opset_import";
  node.set_version(found->second);
  return success();
}

FailureOr<OnnxFile> OnnxFile::open(Location location, std::shared_ptr<llvm::MemoryBuffer> file) {
  auto contents = std::make_shared<OnnxContents>();
  contents->file = std::move(file);
  onnx_file::ModelProto &model = contents->model;
  if (failed(readModel(location, *contents)) || failed(checkVersion(location, model)) ||
      failed(readValues(location, *contents)) || failed(inlineFunctions(location, model)) ||
      failed(checkGraph(location, *model.mutable_graph())))
    return failure();
  return OnnxFile(std::move(contents));
}

const onnx_file::GraphProto &OnnxFile::graph() const { return contents_->model.graph(); }

ArrayRef<char> OnnxFile::elements(const onnx_file::TensorProto &tensor) const { return contents_->bytesOf(tensor); }

std::shared_ptr<const void> OnnxFile::bytes() const { return contents_; }

uint32_t storedBits(int32_t dataType) {
  static constexpr uint32_t kBits[] = {0,  32,  8,  8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64,
                                       64, 128, 16, 8, 8,  8,  8,  4,  4, 4, 8,  2,  2};
  static_assert(std::size(kBits) == onnx_file::TensorProto::DataType_ARRAYSIZE);
  return onnx_file::TensorProto::DataType_IsValid(dataType) ? kBits[dataType] : 0;
}

} // namespace avocet::compiler

//===- OnnxCases.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxCases.h"

#include "Onnx.pb.h"
#include "avocet/base/File.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace avocet::tool {
namespace {

namespace fs = std::filesystem;
using onnx_file::GraphProto;
using onnx_file::ModelProto;
using onnx_file::ValueInfoProto;

std::optional<std::vector<int64_t>> shapeOf(const ValueInfoProto &value) {
  if (!value.type().tensor_type().has_shape())
    return std::nullopt;
  std::vector<int64_t> shape;
  for (const auto &extent : value.type().tensor_type().shape().dim())
    shape.push_back(extent.has_dim_value() ? extent.dim_value() : -1);
  return shape;
}

void addSignature(const GraphProto &graph, OnnxCase &made) {
  std::set<std::string> initializers;
  for (const auto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  for (const ValueInfoProto &input : graph.input()) {
    if (initializers.contains(input.name()))
      continue;
    made.inputs.push_back({input.name(), shapeOf(input)});
    made.hasOnlyTensors &= input.type().has_tensor_type();
  }
  for (const ValueInfoProto &output : graph.output()) {
    made.outputs.push_back(output.name());
    made.hasOnlyTensors &= output.type().has_tensor_type();
  }
}

/// A case about constants only is about them.
void addOperations(const GraphProto &graph, hal::conformance::CaseInfo &info) {
  std::set<std::string> all, computing;
  for (const auto &node : graph.node()) {
    const std::string name = node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type();
    all.insert(name);
    if (name != "Constant")
      computing.insert(name);
  }
  info.operations.assign(all.begin(), all.end());
  const std::set<std::string> &about = computing.empty() ? all : computing;
  info.primaryOperation = about.size() == 1 ? *about.begin() : std::string(hal::conformance::kSeveralOperations);
}

std::vector<std::string> dataSetsOf(const fs::path &folder) {
  std::vector<std::string> sets;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with("test_data_set_"))
      sets.push_back(entry.path().string());
  std::ranges::sort(sets);
  return sets;
}

Result<OnnxCase> readCase(const fs::path &root, const fs::path &folder) {
  OnnxCase made;
  made.model = (folder / "model.onnx").string();
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(made.model));
  ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return dataLoss(made.model + ": is no ONNX model");
  made.info.name = folder.lexically_relative(root).string();
  made.info.kinds.add(hal::conformance::RunKind::General);
  addSignature(model.graph(), made);
  addOperations(model.graph(), made.info);
  made.dataSets = dataSetsOf(folder);
  return made;
}

/// Folders "test_*" with a model.
std::vector<fs::path> foldersBelow(const fs::path &root) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(root, error))
    if (entry.path().filename().string().starts_with("test_") && fs::exists(entry.path() / "model.onnx", error))
      folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

} // namespace

bool OnnxInput::isOpen() const { return !shape || std::ranges::find(*shape, -1) != shape->end(); }

bool OnnxInput::admits(const std::vector<int64_t> &extents) const {
  const auto agree = [](int64_t declared, int64_t found) { return declared == -1 || declared == found; };
  return !shape || std::ranges::equal(*shape, extents, agree);
}

Result<std::vector<OnnxCase>> findOnnxCases(const std::string &folder) {
  std::vector<OnnxCase> cases;
  for (const fs::path &each : foldersBelow(folder)) {
    AVOCET_ASSIGN_OR_RETURN(OnnxCase made, readCase(folder, each));
    cases.push_back(std::move(made));
  }
  if (cases.empty())
    return notFound(fmt::format("{}: has no folder test_NAME with model.onnx and test_data_set_0; ONNX's own tests are "
                                "in Debian's package libonnx-testdata",
                                folder));
  return cases;
}

} // namespace avocet::tool

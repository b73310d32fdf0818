//===- OnnxFile.cpp - A structurally verified ONNX file ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxFile.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace avocet::compiler {

struct OnnxContents {
  std::shared_ptr<llvm::MemoryBuffer> file;
  onnx_file::ModelProto model;
  llvm::StringMap<int64_t> versions;
};

namespace {

void complete(onnx_file::GraphProto &graph, const llvm::StringMap<int64_t> &versions) {
  for (int index = 0; index < graph.node_size(); ++index) {
    onnx_file::NodeProto &node = *graph.mutable_node(index);
    if (node.domain() == "ai.onnx")
      node.clear_domain();
    node.set_version(versions.lookup(node.domain()));
    if (node.name().empty())
      node.set_name(node.op_type() + "_" + std::to_string(index));
    for (onnx_file::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        complete(*attribute.mutable_g(), versions);
  }
}

template <typename Elements> ArrayRef<char> bytesOf(const Elements &elements) {
  return {reinterpret_cast<const char *>(elements.data()), elements.size() * sizeof(*elements.data())};
}

} // namespace

FailureOr<OnnxFile> OnnxFile::open(Location location, std::shared_ptr<llvm::MemoryBuffer> file) {
  auto contents = std::make_shared<OnnxContents>();
  contents->file = std::move(file);
  const StringRef bytes = contents->file->getBuffer();
  if (bytes.size() > INT32_MAX || !contents->model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      !contents->model.has_graph())
    return emitError(location, "the file is not an ONNX model: it is truncated or corrupt");
  for (const onnx_file::OperatorSetIdProto &set : contents->model.opset_import())
    contents->versions[set.domain() == "ai.onnx" ? "" : set.domain()] = set.version();
  complete(*contents->model.mutable_graph(), contents->versions);
  return OnnxFile(std::move(contents));
}

const onnx_file::GraphProto &OnnxFile::graph() const { return contents_->model.graph(); }

ArrayRef<char> OnnxFile::elements(const onnx_file::TensorProto &tensor) const {
  if (tensor.has_raw_data())
    return tensor.raw_data();
  if (tensor.float_data_size() > 0)
    return bytesOf(tensor.float_data());
  if (tensor.data_type() == onnx_file::TensorProto::INT32)
    return bytesOf(tensor.int32_data());
  return bytesOf(tensor.int64_data());
}

std::shared_ptr<const void> OnnxFile::bytes() const { return contents_; }

uint32_t storedBits(int32_t dataType) {
  static constexpr uint32_t kBits[] = {0,  32, 8,   8,  16, 16, 32, 64, 0, 8, 16, 64, 32, 64,
                                       64, 128, 16, 8, 8, 8, 8, 4, 4, 4, 8, 2, 2};
  static_assert(std::size(kBits) == onnx_file::TensorProto::DataType_ARRAYSIZE);
  return onnx_file::TensorProto::DataType_IsValid(dataType) ? kBits[dataType] : 0;
}

} // namespace avocet::compiler

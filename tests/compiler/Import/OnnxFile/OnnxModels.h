//===- OnnxModels.h - ONNX models of tests ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_IMPORT_ONNXFILE_ONNXMODELS_H
#define AVOCET_TESTS_COMPILER_IMPORT_ONNXFILE_ONNXMODELS_H

#include "Import/OnnxFile/OnnxFile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace avocet::compiler {

using Names = std::vector<std::string>;

inline onnx_file::NodeProto &addNode(google::protobuf::RepeatedPtrField<onnx_file::NodeProto> &nodes,
                                     const std::string &kind, const Names &inputs, const Names &outputs,
                                     const std::string &name = "") {
  onnx_file::NodeProto &node = *nodes.Add();
  node.set_op_type(kind);
  for (const std::string &input : inputs)
    node.add_input(input);
  for (const std::string &output : outputs)
    node.add_output(output);
  if (!name.empty())
    node.set_name(name);
  return node;
}

inline onnx_file::NodeProto &addNode(onnx_file::GraphProto &graph, const std::string &kind, const Names &inputs,
                                     const Names &outputs, const std::string &name = "") {
  return addNode(*graph.mutable_node(), kind, inputs, outputs, name);
}

inline onnx_file::AttributeProto &addAttribute(onnx_file::NodeProto &node, const std::string &name,
                                               onnx_file::AttributeProto::AttributeType type) {
  onnx_file::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

inline onnx_file::GraphProto &addGraph(onnx_file::NodeProto &node, const std::string &name) {
  return *addAttribute(node, name, onnx_file::AttributeProto::GRAPH).mutable_g();
}

inline void setType(onnx_file::ValueInfoProto &value, const std::string &name,
                    const std::vector<int64_t> &extents = {2}, int type = onnx_file::TensorProto::FLOAT) {
  value.set_name(name);
  auto &tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  for (int64_t extent : extents)
    tensor.mutable_shape()->add_dim()->set_dim_value(extent);
}

inline onnx_file::TensorProto &addInitializer(onnx_file::GraphProto &graph, const std::string &name,
                                              const std::vector<int64_t> &extents, int type) {
  onnx_file::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (int64_t extent : extents)
    tensor.add_dims(extent);
  return tensor;
}

inline void addSet(google::protobuf::RepeatedPtrField<onnx_file::OperatorSetIdProto> &sets, const std::string &domain,
                   int64_t version) {
  onnx_file::OperatorSetIdProto &set = *sets.Add();
  set.set_domain(domain);
  set.set_version(version);
}

/// A field of bytes or of a message as it stands in a file, with a number below 16.
inline std::string fieldOf(int number, const std::string &content) {
  std::string text(1, static_cast<char>(number << 3 | 2));
  size_t length = content.size();
  for (; length >= 0x80; length >>= 7)
    text += static_cast<char>(length | 0x80);
  return text + static_cast<char>(length) + content;
}

/// "x" [2] -> Relu -> "y", without a name.
inline onnx_file::ModelProto smallModel() {
  onnx_file::ModelProto model;
  model.set_ir_version(8);
  addSet(*model.mutable_opset_import(), "", 17);
  setType(*model.mutable_graph()->add_input(), "x");
  setType(*model.mutable_graph()->add_output(), "y");
  addNode(*model.mutable_graph(), "Relu", {"x"}, {"y"});
  return model;
}

/// Opens models, and keeps what is reported.
class OnnxFileOpener {
public:
  std::optional<OnnxFile> open(std::shared_ptr<llvm::MemoryBuffer> file,
                               std::span<const std::span<const uint8_t>> pools = {}) {
    errors_.clear();
    mlir::ScopedDiagnosticHandler handler(&context_,
                                          [this](mlir::Diagnostic &diagnostic) { errors_ += diagnostic.str() + "\n"; });
    mlir::FailureOr<OnnxFile> opened = OnnxFile::open(mlir::UnknownLoc::get(&context_), std::move(file), pools);
    EXPECT_EQ(mlir::failed(opened), !errors_.empty()) << errors_;
    std::optional<OnnxFile> result;
    if (mlir::succeeded(opened))
      result.emplace(*opened);
    return result;
  }

  std::optional<OnnxFile> openBytes(const std::string &bytes, const std::string &path = "memory") {
    return open(llvm::MemoryBuffer::getMemBufferCopy(bytes, path));
  }

  std::optional<OnnxFile> open(const onnx_file::ModelProto &model, const std::string &path = "memory") {
    return openBytes(model.SerializeAsString(), path);
  }

  /// What open() reports of the model, without the last line end.
  std::string errorOf(const onnx_file::ModelProto &model, const std::string &path = "memory") {
    open(model, path);
    return llvm::StringRef(errors_).rtrim('\n').str();
  }

  const std::string &errors() const { return errors_; }

private:
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  std::string errors_;
};

/// "Relu(x) -> y" for each node, in lines, with name and version before them; graphs in attributes indented after it.
inline std::string textOf(const onnx_file::GraphProto &graph, const std::string &indent = "") {
  const auto list = [](const auto &names) {
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : ", ") + (name.empty() ? "-" : name);
    return text;
  };
  std::string text;
  for (const onnx_file::NodeProto &node : graph.node()) {
    text += indent + node.name() + " " + std::to_string(node.version()) + ": " + node.op_type() + "(" +
            list(node.input()) + ") -> " + list(node.output()) + "\n";
    for (const onnx_file::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        text += indent + "  " + attribute.name() + ":\n" + textOf(attribute.g(), indent + "    ");
      if (attribute.type() == onnx_file::AttributeProto::INT)
        text += indent + "  " + attribute.name() + " = " + std::to_string(attribute.i()) + "\n";
    }
  }
  return text;
}

} // namespace avocet::compiler

#endif // AVOCET_TESTS_COMPILER_IMPORT_ONNXFILE_ONNXMODELS_H

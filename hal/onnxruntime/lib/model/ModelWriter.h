//===- ModelWriter.h - Writes nodes of the runtime as an ONNX graph *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_MODELWRITER_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_MODELWRITER_H

#include "Onnx.pb.h"
#include "model/PartitionModel.h"

#include <set>
#include <span>

namespace avocet::ort {

/// An initializer, and its elements in the memory of the runtime.
struct Constant {
  onnx_file::TensorProto *tensor = nullptr;
  std::span<const uint8_t> elements;
};

class ModelWriter {
public:
  ModelWriter(const Graph &graph, NodeNames names) : graph_(graph), runtime_(graph.runtime()), names_(names) {}

  Status write(const Partition &partition, onnx_file::ModelProto &model);
  /// Those with elements.
  std::vector<Constant> takeConstants() { return std::move(constants_); }

private:
  Status writeNode(const Node &node, onnx_file::GraphProto &graph);
  Status writeAttributes(const Node &node, onnx_file::NodeProto &written);
  Status writeSubgraphs(const Node &node, onnx_file::NodeProto &written);
  Status writeSubgraph(const Graph &graph, onnx_file::GraphProto &written);
  Status writeConstant(const Value &value, onnx_file::GraphProto &graph);

  const Graph &graph_;
  const Runtime &runtime_;
  const NodeNames names_;
  std::vector<Constant> constants_;
  std::set<std::string> written_; ///< constants of the network
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_MODELWRITER_H

//===- PartitionModel.h - Some nodes of the interpreter as a network - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes nodes as a .tflite file with one subgraph, for the compiler. The interpreter's tensors must exist as long as
// the object: constants are read from them whenever a file is written.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_MODEL_PARTITIONMODEL_H
#define AVOCET_HAL_DELEGATE_LIB_MODEL_PARTITIONMODEL_H

#include "model/Graph.h"

#include "Tflite_generated.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace avocet::delegate {

/// Unsupported: the reason why a node cannot be written.
Status checkNode(const Graph &graph, const GraphNode &node);

enum class TensorNames {
  OfModel, ///< those of the application's model
  OfNodes, ///< see nodeNamedIn()
};

/// The node in whose result's name (TensorNames::OfNodes) the text contains; -1: none.
int32_t nodeNamedIn(std::string_view text);

class PartitionModel {
public:
  /// `outputs`: tensors that are results of the network. The nodes must have passed checkNode().
  static Result<PartitionModel> make(const Graph &graph, std::span<const int32_t> outputs,
                                     TensorNames names = TensorNames::OfModel);

  /// Tensors of the interpreter. States are variables, in the order of their first use.
  const std::vector<int32_t> &inputs() const { return inputs_; }
  const std::vector<int32_t> &outputs() const { return outputs_; }
  const std::vector<int32_t> &states() const { return states_; }

  /// Whether inputs or variables have other shapes than in the last file, or when the object was made.
  bool hasNewInputShapes(const abi::Context &context) const;
  /// The shape of a tensor of the network in the last file.
  std::span<const int32_t> shape(int32_t tensor) const;

  /// The file. If inputs have got other shapes, all tensors have those of now; otherwise those of the last file. (Some
  /// of the interpreter's operators give their results other shapes than the model, of as many elements.)
  flatbuffers::DetachedBuffer write(const abi::Context &context);

private:
  PartitionModel() = default;
  flatbuffers::DetachedBuffer pack(std::span<const std::span<const uint8_t>> constants) const;
  Status addNode(const Graph &graph, const GraphNode &node, TensorNames names);
  Result<int32_t> addTensor(const Graph &graph, int32_t tensor);
  Result<std::vector<int32_t>> addTensors(const Graph &graph, std::span<const int32_t> tensors);
  void addEnds(const Graph &graph, std::span<const int32_t> outputs);

  tflite::ModelT model_;
  std::map<int32_t, int32_t> numbers_; ///< tensor of the interpreter -> of the file
  std::vector<int32_t> tensors_;       ///< the inverse
  std::vector<int32_t> inputs_, outputs_, states_;
};

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_MODEL_PARTITIONMODEL_H

//===- PartitionModel.h - Nodes of the runtime as an ONNX model -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_PARTITIONMODEL_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_PARTITIONMODEL_H

#include "avocet/hal/plugin/Engine.h"
#include "graph/SampleExtents.h"
#include "model/OpenNetwork.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace avocet::ort {

/// Nodes of a graph that become one network, with the values that it shares with other nodes and with the application.
struct Partition {
  std::vector<const Node *> nodes;            ///< in topological order
  std::vector<const Value *> inputs, outputs; ///< no constants
};

/// The partition of these nodes, in the order of the graph.
Partition partitionOf(const Graph &graph, std::span<const size_t> ids);

enum class NodeNames {
  OfModel,
  OfNodes, ///< see nodeNamedIn()
};

/// The node whose name (NodeNames::OfNodes) the text has at its end.
std::optional<size_t> nodeNamedIn(const std::string &text);

/// Unsupported: the node has an attribute or a constant that the runtime does not show.
Status checkWritable(const Graph &graph, const Node &node);

/// The network of a partition in the form that the ONNX front end reads. Its initializers refer to pools.
class PartitionModel {
public:
  /// Unsupported: a node is not writable, or a value that the partition shares is none of a network. The graph must
  /// outlive the model.
  static Result<PartitionModel> make(const Graph &graph, const Partition &partition, NodeNames names);
  PartitionModel(PartitionModel &&) noexcept;
  ~PartitionModel();

  /// With a pool for each constant, which is the runtime's memory: nothing is copied. Valid until the next call. Open
  /// extents of inputs are sampled.
  plugin::NetworkView view(const SampleExtents &samples);
  /// With one pool, to which the constants are copied: a service has its own memory. All extents of inputs are known.
  Result<plugin::Network> network();
  /// The bytes of an ONNX file that has its constants in it. Unsupported: it would have 2 GiB or more.
  Result<std::string> file();
  /// For any extents of inputs. Unsupported: as file().
  Result<OpenNetwork> open();

private:
  struct Contents;
  explicit PartitionModel(std::unique_ptr<Contents> contents);
  std::unique_ptr<Contents> contents_;
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_PARTITIONMODEL_H

//===- Network.h - A compiled network with memory for runs ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_NETWORK_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_NETWORK_H

#include "partition/Plan.h"

#include "avocet/hal/plugin/Executions.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace avocet::ort {

/// An input or output of a fused node, in its order.
struct KernelOperand {
  NetworkOperand operand;
  size_t place = 0; ///< in the network's inputs or outputs
};

/// The runtime computes a node in several threads at once if the application runs the session so. Each computation has
/// a lane of its own, with memory that the device shares and executions on it.
class Network {
public:
  struct Lane {
    std::shared_ptr<plugin::Area> area; ///< for operands that the device cannot reach
    plugin::Executions executions;
  };

  Network(plugin::Prepared prepared, std::vector<KernelOperand> inputs, std::vector<KernelOperand> outputs);

  const std::vector<KernelOperand> &inputs() const { return inputs_; }
  const std::vector<KernelOperand> &outputs() const { return outputs_; }
  /// In the area of a lane: of inputs, then outputs.
  uint64_t offset(size_t number) const { return offsets_[number]; }

  Result<std::unique_ptr<Lane>> takeLane();
  void returnLane(std::unique_ptr<Lane> lane);

private:
  const plugin::Prepared prepared_;
  const std::vector<KernelOperand> inputs_, outputs_;
  std::vector<uint64_t> offsets_;
  uint64_t areaBytes_ = 0;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_; ///< that no computation uses
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_NETWORK_H

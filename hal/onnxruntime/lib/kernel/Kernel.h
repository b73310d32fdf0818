//===- Kernel.h - A fused node of the runtime -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime computes the node in several threads at once if the application runs the session so. Each computation
// has a lane of its own, with memory that the device shares and executions on it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_KERNEL_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_KERNEL_H

#include "abi/Runtime.h"
#include "kernel/Shared.h"
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

class Kernel : public abi::ComputeInfo {
public:
  Kernel(const Runtime &runtime, std::shared_ptr<Shared> shared, plugin::Prepared prepared,
         std::vector<KernelOperand> inputs, std::vector<KernelOperand> outputs);
  static Kernel *of(abi::ComputeInfo *info) { return static_cast<Kernel *>(info); }

private:
  struct Lane {
    std::shared_ptr<plugin::Area> area; ///< for operands that the device cannot reach
    plugin::Executions executions;
  };
  class Run;

  Status compute(abi::KernelContext &context);
  Result<std::unique_ptr<Lane>> takeLane();
  void returnLane(std::unique_ptr<Lane> lane);

  const Runtime runtime_;
  const std::shared_ptr<Shared> shared_;
  const plugin::Prepared prepared_;
  const std::vector<KernelOperand> inputs_, outputs_;
  std::vector<uint64_t> offsets_; ///< in the area of a lane: inputs, then outputs
  uint64_t areaBytes_ = 0;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_; ///< that no computation uses
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_KERNEL_H

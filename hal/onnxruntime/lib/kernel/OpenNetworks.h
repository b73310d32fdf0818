//===- OpenNetworks.h - Networks for extents of runs ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_OPENNETWORKS_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_OPENNETWORKS_H

#include "abi/Runtime.h"
#include "kernel/Network.h"
#include "kernel/PlainSession.h"
#include "kernel/Shared.h"

#include <map>

namespace avocet::ort {

/// The networks of a fused node whose extents runs give. Each set of extents is compiled when a run has it first, while
/// other threads wait. The runtime computes runs for which there is no network: an input has no elements, the compiler
/// refuses these extents, or there are kMost networks already. So sequences that grow with each run are compiled a
/// bounded number of times. Thread-safe.
class OpenNetworks {
public:
  /// Operands in the order of the fused node, without shapes.
  OpenNetworks(const Runtime &runtime, std::shared_ptr<Shared> shared, std::shared_ptr<const OpenNetwork> open,
               std::vector<KernelOperand> inputs, std::vector<KernelOperand> outputs)
      : runtime_(runtime), shared_(std::move(shared)), open_(std::move(open)), inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  /// The network for the inputs of a run; null: the runtime computes it.
  Result<std::shared_ptr<Network>> find(abi::KernelContext &context);
  /// Opens it on first use.
  Result<const PlainSession *> plain();

  static constexpr size_t kMost = 16;

private:
  Result<Shapes> shapesOf(abi::KernelContext &context) const;
  Result<std::shared_ptr<Network>> compile(const Shapes &shapes) const;

  const Runtime runtime_;
  const std::shared_ptr<Shared> shared_;
  const std::shared_ptr<const OpenNetwork> open_;
  const std::vector<KernelOperand> inputs_, outputs_;

  std::mutex mutex_;                                    ///< guards the members below
  std::map<Shapes, std::shared_ptr<Network>> networks_; ///< by the shapes of inputs; null: the compiler refuses them
  std::unique_ptr<PlainSession> plain_;
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_OPENNETWORKS_H

//===- Kernel.h - A fused node of the runtime -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_KERNEL_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_KERNEL_H

#include "kernel/OpenNetworks.h"

#include <memory>
#include <vector>

namespace avocet::ort {

class Kernel : public abi::ComputeInfo {
public:
  /// Operands in the order of the fused node.
  Kernel(const Runtime &runtime, std::shared_ptr<Shared> shared, const PlannedNetwork &planned,
         std::vector<KernelOperand> inputs, std::vector<KernelOperand> outputs);
  static Kernel *of(abi::ComputeInfo *info) { return static_cast<Kernel *>(info); }

private:
  class Run;

  Status compute(abi::KernelContext &context);
  Status computeOn(Network &network, abi::KernelContext &context);

  const Runtime runtime_;
  const std::shared_ptr<Shared> shared_;
  std::unique_ptr<Network> fixed_;     ///< null: extents are open
  std::unique_ptr<OpenNetworks> open_; ///< null: all extents are known
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_KERNEL_H

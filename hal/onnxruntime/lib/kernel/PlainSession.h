//===- PlainSession.h - A network that the runtime computes -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_PLAINSESSION_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_PLAINSESSION_H

#include "abi/Runtime.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::ort {

/// A session of the runtime without our provider, for runs of a partition that the device cannot compute. Several
/// threads may run at once.
class PlainSession {
public:
  /// `file`: an ONNX file. Inputs and outputs of a run are in the order of these names.
  static Result<std::unique_ptr<PlainSession>> open(const Runtime &runtime, std::string_view file,
                                                    std::vector<std::string> inputs, std::vector<std::string> outputs);
  PlainSession(const PlainSession &) = delete;
  PlainSession &operator=(const PlainSession &) = delete;

  /// Of a fused node with these inputs and outputs.
  Status run(abi::KernelContext &context) const;

private:
  PlainSession(const Runtime &runtime, std::vector<std::string> inputs, std::vector<std::string> outputs)
      : runtime_(runtime), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}
  Status create(std::string_view file);
  Status copyOut(const abi::Value &result, size_t number, abi::KernelContext &context) const;

  const Runtime runtime_;
  const std::vector<std::string> inputs_, outputs_;
  OwnedEnvironment environment_;
  OwnedSession session_;
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_KERNEL_PLAINSESSION_H

//===- Provider.h - The execution provider of a session ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_PLUGIN_PROVIDER_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_PLUGIN_PROVIDER_H

#include "kernel/Kernel.h"
#include "partition/Plan.h"

#include <memory>

namespace avocet::ort {

inline constexpr const char *kProviderName = "AvocetExecutionProvider";

/// What the runtime calls for one session. One thread at a time, but for runs of the kernels that it makes.
class Provider : public abi::Provider {
public:
  /// `logger`: of the session.
  Provider(const Runtime &runtime, const abi::Logger *logger, std::shared_ptr<Shared> shared);
  ~Provider();
  Provider(const Provider &) = delete;
  Provider &operator=(const Provider &) = delete;

  static Provider *of(abi::Provider *provider) { return static_cast<Provider *>(provider); }

private:
  Status take(const abi::Graph &graph, abi::GraphSupport &support);
  Status fuse(const Graph &graph, const std::vector<size_t> &ids, abi::GraphSupport &support) const;
  Status compileAll(std::span<const abi::Node *const> fused, std::span<abi::ComputeInfo *> infos);
  Result<std::unique_ptr<Kernel>> makeKernel(const abi::Node &fused);

  const Runtime runtime_;
  const abi::Logger *const logger_;
  const std::shared_ptr<Shared> shared_;
  PlannedNetworks planned_;
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_PLUGIN_PROVIDER_H

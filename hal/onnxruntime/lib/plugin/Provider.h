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
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace avocet::ort {

/// What the runtime calls for one session. One thread at a time, but for runs of the kernels that it makes.
class Provider : public abi::Provider {
public:
  /// `version`: of the library. `logger`: of the session.
  Provider(const Runtime &runtime, std::string_view version, const abi::Logger *logger, std::shared_ptr<Shared> shared);
  ~Provider(); // NOLINT(bugprone-derived-method-shadowing-base-method): the table is of the same name
  Provider(const Provider &) = delete;
  Provider &operator=(const Provider &) = delete;

  static Provider *of(abi::Provider *provider) { return static_cast<Provider *>(provider); }

private:
  Status take(const abi::Graph &graph, abi::GraphSupport &support);
  /// Returns those that it has taken.
  Result<std::set<size_t>> takeContexts(const Graph &graph, abi::GraphSupport &support);
  Status fuse(const Graph &graph, const std::vector<size_t> &ids, abi::GraphSupport &support) const;
  Status compileAll(std::span<const abi::Graph *const> graphs, std::span<const abi::Node *const> fused,
                    abi::ComputeInfo **infos, abi::Node **contexts);
  /// On failure there are none.
  Status makeContexts(std::span<const abi::Graph *const> graphs, std::span<const abi::Node *const> fused,
                      abi::Node **contexts);
  Result<abi::Node *> contextOf(const abi::Graph &graph, const abi::Node &fused);
  Result<const PlannedNetwork *> plannedFor(const std::vector<std::string> &outputs) const;
  Result<std::unique_ptr<Kernel>> makeKernel(const abi::Node &fused);

  const Runtime runtime_;
  const std::string compatibility_;
  const abi::Logger *const logger_;
  const std::shared_ptr<Shared> shared_;
  PlannedNetworks planned_;
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_PLUGIN_PROVIDER_H

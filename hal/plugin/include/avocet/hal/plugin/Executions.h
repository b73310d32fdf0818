//===- Executions.h - Runs of a compiled network with the same memory - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PLUGIN_EXECUTIONS_H
#define AVOCET_HAL_PLUGIN_EXECUTIONS_H

#include "avocet/hal/plugin/Area.h"
#include "avocet/hal/plugin/Engine.h"

#include <span>
#include <vector>

namespace avocet::plugin {

/// Memory of one input or output.
struct Binding {
  Place place;
  uint64_t bytes = 0;
};

/// The shapes of a network's outputs, of which its declaration leaves some open. `outputBytes`: of each output, 0 for
/// those. Aborted: the device's error.
Result<std::vector<std::vector<uint32_t>>> outputShapesOf(hal::IPreparedModel &prepared,
                                                          std::span<const uint64_t> inputBytes,
                                                          std::span<const uint64_t> outputBytes);

/// Reusable executions of a prepared model, by the memory that they use. One thread at a time.
class Executions {
public:
  Executions() = default;
  explicit Executions(Prepared prepared) : prepared_(std::move(prepared)) {}

  /// Runs the network once. The last `numOutputs` bindings are outputs. Aborted: the device's error.
  Result<hal::Timing> run(std::span<const Binding> bindings, size_t numOutputs,
                          const hal::OptionalTimePoint &deadline = std::nullopt);

private:
  struct Entry {
    std::vector<Binding> bindings;
    std::shared_ptr<hal::IExecution> execution;
  };
  Result<std::shared_ptr<hal::IExecution>> find(std::span<const Binding> bindings, size_t numOutputs);

  Prepared prepared_;
  std::vector<Entry> entries_;
};

} // namespace avocet::plugin

#endif // AVOCET_HAL_PLUGIN_EXECUTIONS_H

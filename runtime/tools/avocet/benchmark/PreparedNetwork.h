//===- PreparedNetwork.h - A network on one device of the HAL ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_PREPAREDNETWORK_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_PREPAREDNETWORK_H

#include "avocet/cache/ModelCache.h"
#include "avocet/hal/types/Interfaces.h"
#include "avocet/session/HalRequest.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace avocet::tool {

enum class CallKind : uint8_t {
  Single,   ///< a call for each execution
  Reusable, ///< an execution that is made once, and computes again
  Burst,    ///< the executions of a burst, whose memory has an identifier
  Fenced,   ///< a call without fences to wait for, and a wait for the fence that it returns
};
inline constexpr std::array<CallKind, 4> kCallKinds{CallKind::Single, CallKind::Reusable, CallKind::Burst,
                                                    CallKind::Fenced};

/// "single", "reusable", "burst", "fenced".
std::string_view toString(CallKind kind);

/// Executes a request once, and measures it.
using ExecuteOnce = std::function<hal::ExecutionOutcome()>;

/// Keeps the model and a copy of the request, which has one pool. Errors: those of the HAL.
hal::Result<ExecuteOnce> makeCalls(CallKind kind, std::shared_ptr<hal::IPreparedModel> model, hal::Request request);

/// In milliseconds.
struct RunTimes {
  double host = 0;              ///< of the call, measured by the caller
  std::optional<double> device; ///< as the device reports it; nothing: it does not
};

/// A network that a device has prepared, with memory for its inputs and outputs. One thread at a time.
class PreparedNetwork {
public:
  /// Prepares `count` times without cache files, then from cache files as often if the device offers them. Aborted: the
  /// HAL's error. `kind`: of the calls of run().
  static Result<PreparedNetwork> prepare(hal::IDevice &device, const hal::Model &network,
                                         const cache::ModelCache &compiled, uint32_t count, CallKind kind);

  const std::vector<double> &prepareMs() const { return prepareMs_; }
  const std::vector<double> &warmStartMs() const { return warmStartMs_; } ///< empty: the device offers no cache files

  /// Copies the inputs, runs once, and takes the time of the run alone. Aborted: the HAL's error.
  Result<RunTimes> run(const std::vector<std::vector<uint8_t>> &inputs);

  std::span<const uint8_t> output(size_t index) const { return request_.output(index); }

private:
  Status prepareFromFiles(hal::IDevice &device, const hal::Model &network, uint32_t count);

  session::HalRequest request_;
  ExecuteOnce execute_;
  std::vector<double> prepareMs_, warmStartMs_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_PREPAREDNETWORK_H

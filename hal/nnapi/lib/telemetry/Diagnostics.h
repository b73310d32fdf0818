//===- Diagnostics.h - Callbacks after compilations and executions ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_TELEMETRY_DIAGNOSTICS_H
#define AVOCET_HAL_NNAPI_LIB_TELEMETRY_DIAGNOSTICS_H

#include "avocet/NeuralNetworksDiagnostic.h"
#include "avocet/hal/types/Types.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace avocet::nnapi {

/// The properties of a model that callbacks may read (NeuralNetworksDiagnostic.h).
struct ModelFacts {
  std::array<uint8_t, 32> architecture{}; ///< a hash of operations, operand types and extents
  ANeuralNetworksDiagnosticDataClass inputs = ANNDIAG_DATA_CLASS_UNKNOWN;
  ANeuralNetworksDiagnosticDataClass outputs = ANNDIAG_DATA_CLASS_UNKNOWN;
  bool usesControlFlow = false;
  bool hasDynamicTensors = false; ///< of unknown extents
};

ModelFacts factsOf(const hal::Model &model);

/// What callbacks may read of a compilation and of its executions. Immutable.
struct CompilationFacts {
  ModelFacts model;
  std::string deviceIds; ///< "name=version,name=version"
  bool isCachingEnabled = false;
};

} // namespace avocet::nnapi

struct ANeuralNetworksDiagnosticCompilationInfo {
  const avocet::nnapi::CompilationFacts &facts;
  ResultCode code = ANEURALNETWORKS_NO_ERROR;
  uint64_t nanoseconds = UINT64_MAX;
};

struct ANeuralNetworksDiagnosticExecutionInfo {
  const avocet::nnapi::CompilationFacts &facts;
  ResultCode code = ANEURALNETWORKS_NO_ERROR;
  ANeuralNetworksDiagnosticExecutionMode mode = ANNDIAG_EXECUTION_MODE_UNKNOWN;
  uint64_t inRuntime = UINT64_MAX; ///< nanoseconds, as the others
  uint64_t inDriver = UINT64_MAX;
  uint64_t onDevice = UINT64_MAX;
};

namespace avocet::nnapi {

/// The callbacks of the process. Thread-safe.
namespace diagnostics {

void setCallbacks(ANeuralNetworksDiagnosticCompilationFinishedCallback compilation,
                  ANeuralNetworksDiagnosticExecutionFinishedCallback execution, void *context);
/// One atomic load. While it is false nothing needs to be measured or reported.
bool isEnabled();
void report(const ANeuralNetworksDiagnosticCompilationInfo &info);
void report(const ANeuralNetworksDiagnosticExecutionInfo &info);
/// Random, the same in the whole process.
int32_t sessionId();

} // namespace diagnostics

/// The time since its construction, if there were callbacks then.
class DiagnosticTimer {
public:
  DiagnosticTimer() {
    if (diagnostics::isEnabled())
      start_ = std::chrono::steady_clock::now();
  }
  /// UINT64_MAX: not known.
  uint64_t nanoseconds() const;

private:
  std::optional<std::chrono::steady_clock::time_point> start_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_TELEMETRY_DIAGNOSTICS_H

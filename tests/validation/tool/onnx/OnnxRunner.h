//===- OnnxRunner.h - Runs models of ONNX with known answers ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each model is compiled for the shapes of its data, and again with the values of those inputs that determine the
// program, if the compiler asks for them. It runs on the simulator in this process, and its outputs are compared.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_ONNX_ONNXRUNNER_H
#define AVOCET_VALIDATION_TOOL_ONNX_ONNXRUNNER_H

#include "OnnxCases.h"
#include "avocet/compiler/Loader.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/validation/Results.h"

#include <chrono>
#include <functional>
#include <memory>

namespace avocet::tool {

/// The reason of a failure that is a difference of values, and of nothing else.
inline constexpr std::string_view kWrongResult = "wrong result";

struct OnnxRunnerOptions {
  std::string target; ///< a name or a file
  unsigned jobs = 1;  ///< threads, at least 1
  std::chrono::seconds caseLimit = std::chrono::seconds(120);
  /// Called after each case, by one thread at a time.
  std::function<void(const hal::conformance::CaseResult &, size_t done, size_t total)> progress;
};

/// One result for each case, in order, each with one run of kind General.
std::vector<hal::conformance::CaseResult> runOnnxCases(const compiler::LoadedCompiler &compiler,
                                                       const std::shared_ptr<const firmware::Target> &target,
                                                       const std::vector<OnnxCase> &cases,
                                                       const OnnxRunnerOptions &options);

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_ONNX_ONNXRUNNER_H

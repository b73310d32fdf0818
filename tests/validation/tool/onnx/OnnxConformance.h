//===- OnnxConformance.h - avocet conformance --onnx ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_ONNX_ONNXCONFORMANCE_H
#define AVOCET_VALIDATION_TOOL_ONNX_ONNXCONFORMANCE_H

#include "OnnxRunner.h"

#include <functional>
#include <string>

namespace avocet::tool {

struct OnnxConformanceOptions {
  std::string folder;
  std::string list;    ///< of models that do not pass; empty: none
  bool update = false; ///< writes the list
  /// Of the cases to run; empty: all.
  std::function<bool(const hal::conformance::CaseInfo &)> isChosen;
  OnnxRunnerOptions runner;
};

/// The results of the chosen cases. An error: they cannot be run at all.
Result<std::vector<hal::conformance::CaseResult>> runOnnxConformance(const OnnxConformanceOptions &options);

/// Compares results with the list, or writes it. Failed if they differ; the differences are printed.
Status checkOnnxList(const OnnxConformanceOptions &options, const std::vector<hal::conformance::CaseResult> &results,
                     bool isWhole);

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_ONNX_ONNXCONFORMANCE_H

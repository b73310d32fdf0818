//===- Verdicts.h - Verdicts on a device's results -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_VERDICTS_H
#define AVOCET_VALIDATION_VERDICTS_H

#include "RequestBuffers.h"
#include "avocet/hal/types/Interfaces.h"
#include "avocet/validation/Results.h"

namespace avocet::hal::conformance {

/// A run's verdict; the caller sets the kind.
RunResult passed();
RunResult failed(std::string reason, std::string detail = "");
RunResult unsupported(std::string reason, std::string detail = "");
RunResult skipped(std::string reason);
RunResult noResources(const Status &status);

/// "execute: GENERAL_FAILURE", and the message as detail.
RunResult failedCall(std::string_view call, ErrorStatus code, const std::string &message);

/// Skipped if the device declines with GENERAL_FAILURE: it need not support a model with unknown shapes.
RunResult declinable(RunResult result, ErrorStatus code);

/// The values alone: `outputs` has one entry for each output of the case, of the expected size.
RunResult checkValues(const TestCase &test, const std::vector<Bytes> &outputs);

/// Status and shapes of a successful execution.
RunResult checkAnswer(const TestCase &test, const ExecutionOutcome &outcome);

/// The verdict on an error of an optional call: skipped if the device declines.
RunResult checkRefusal(std::string_view call, const Error &error);

/// Status, shapes, values, and that nothing else was written.
RunResult checkSuccess(const TestCase &test, const ExecutionOutcome &outcome, const RequestBuffers &buffers);

/// OUTPUT_INSUFFICIENT_SIZE with the shapes of all outputs, of which the first is too small.
RunResult checkShortOutput(const TestCase &test, const ExecutionOutcome &outcome, const RequestBuffers &buffers);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_VERDICTS_H

//===- VectorChecks.h - Checks of conformance results -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CONFORMANCE_VECTORCHECKS_H
#define AVOCET_TESTS_CONFORMANCE_VECTORCHECKS_H

#include "avocet/validation/Results.h"

namespace avocet::hal::conformance {

/// Whether the kind is optional in the HAL and supported by this device.
bool isOffered(RunKind kind);

/// Fails the test if a run of the case failed, was unsupported, or was skipped in an offered kind; the last two only
/// for cases for drivers.
void checkAnswers(const CaseResult &result);

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_CONFORMANCE_VECTORCHECKS_H

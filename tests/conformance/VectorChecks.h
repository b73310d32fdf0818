//===- VectorChecks.h - What the driver owes to conformance vectors -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CONFORMANCE_VECTORCHECKS_H
#define AVOCET_TESTS_CONFORMANCE_VECTORCHECKS_H

#include "avocet/hal/conformance/Results.h"

namespace avocet::hal::conformance {

/// Kinds that the HAL lets a device decline, and that this one offers.
bool isOffered(RunKind kind);

/// No run of the case failed, none was skipped that the device offers, and it is unsupported exactly if it contains an
/// operation of KnownUnsupported.h.
void checkAnswers(const CaseResult &result);

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_CONFORMANCE_VECTORCHECKS_H

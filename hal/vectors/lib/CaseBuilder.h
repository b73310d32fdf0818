//===- CaseBuilder.h - Makes models from a file's tables --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_VECTORS_CASEBUILDER_H
#define AVOCET_HAL_VECTORS_CASEBUILDER_H

#include "avocet/base/Status.h"
#include "avocet/hal/vectors/TestCase.h"

#include "nnapiTest_generated.h"

namespace avocet::hal::conformance {

/// Fills all members of `made` except `info`. `test` must have passed VectorFile's checks.
Status buildCase(const vectors::Case &test, Form form, TestCase &made);

} // namespace avocet::hal::conformance

#endif // AVOCET_HAL_VECTORS_CASEBUILDER_H

//===- SubmissionCheck.h - Rules of a submission ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_SUBMISSIONCHECK_H
#define AVOCET_RUNTIME_SUBMISSIONCHECK_H

#include "avocet/runtime/Backend.h"

namespace avocet::runtime {

/// Checks counts, alignments and the clock level of a submission. The device checks ranges: it faults accesses outside.
Status checkSubmission(const Submission &submission, const DeviceProperties &device);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_SUBMISSIONCHECK_H

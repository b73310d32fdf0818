//===- RecorderBackend.h - A back end that records all calls --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps another back end and writes a recording (Recording.h) of all calls that change its state. Jobs run one at a
// time: submit() returns after the job has ended, because the contents of its buffers are recorded before and after the
// job.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_RECORDER_RECORDERBACKEND_H
#define AVOCET_RUNTIME_BACKENDS_RECORDER_RECORDERBACKEND_H

#include "avocet/runtime/Backend.h"

namespace avocet::runtime {

/// `argument` is "FILE" or "FILE,BACKEND"; BACKEND is a specification as for openBackend(), by default "sim".
Result<std::unique_ptr<Backend>> openRecorderBackend(const BackendOptions &options, std::string_view argument);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_RECORDER_RECORDERBACKEND_H

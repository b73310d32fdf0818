//===- NullBackend.h - A back end without a device --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Completes every job at once, with 0 cycles and without touching memory. It is the skeleton of a back end, and
// benchmarks use it to measure the cost of the runtime alone.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_NULL_NULLBACKEND_H
#define AVOCET_RUNTIME_BACKENDS_NULL_NULLBACKEND_H

#include "avocet/runtime/Backend.h"

namespace avocet::runtime {

/// `argument` must be empty.
Result<std::unique_ptr<Backend>> openNullBackend(const BackendOptions &options, std::string_view argument);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_NULL_NULLBACKEND_H

//===- Steps.h - The steps of hostile clients -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_SERVICE_STEPS_H
#define AVOCET_TESTS_FUZZ_SERVICE_STEPS_H

#include "FuzzedService.h"
#include "Peer.h"

namespace avocet::fuzz {

/// Performs a ServiceScript. Its clients have disconnected when this returns.
void perform(const FuzzedService &service, const Table &script);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_SERVICE_STEPS_H

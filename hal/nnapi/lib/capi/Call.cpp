//===- Call.cpp -----------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/Call.h"

#include "avocet/base/Log.h"

namespace avocet::nnapi {

int report(const char *function, const ApiOutcome &outcome) {
  if (outcome.isOk())
    return ANEURALNETWORKS_NO_ERROR;
  logMessage(LogLevel::Warning, "nnapi", "{}: {} (code {})", function, outcome.error().message,
             static_cast<int>(outcome.code()));
  return outcome.code();
}

} // namespace avocet::nnapi

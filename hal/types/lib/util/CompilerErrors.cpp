//===- CompilerErrors.cpp - Errors of the compiler itself -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/CompilerErrors.h"

#include "avocet/base/Log.h"

#include <atomic>

namespace avocet::hal {
namespace {

std::atomic<uint64_t> noted{0};

} // namespace

void noteCompilerError(std::string_view component, std::string_view task, std::string_view message) {
  noted.fetch_add(1, std::memory_order_relaxed);
  logMessage(LogLevel::Error, component, "internal error of the compiler ({}): {}", task, message);
}

uint64_t compilerErrors() { return noted.load(std::memory_order_relaxed); }

} // namespace avocet::hal

//===- LinkedBackends.cpp - The back ends that programs contain --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/LinkedBackends.h"

#include "avocet/runtime/KernelBackend.h"
#include "avocet/runtime/SimBackend.h"

#include <mutex>

namespace avocet::runtime {

void registerLinkedBackends() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerSimBackend();
    registerKernelBackend();
  });
}

} // namespace avocet::runtime

//===- SystemCallNames.cpp - Names of system calls -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/sandbox/SystemCallNames.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <seccomp.h>
#include <string>

namespace avocet::hal {
namespace {

constexpr size_t kNumCalls = 512;
using Names = std::array<std::string, kNumCalls>;

Names makeNames() {
  Names names;
  for (size_t number = 0; number < kNumCalls; ++number) {
    std::unique_ptr<char, decltype(&std::free)> name(
        ::seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, static_cast<int>(number)), &std::free);
    names[number] = name ? name.get() : "unknown";
  }
  return names;
}

} // namespace

const char *systemCallName(int number) {
  static const Names *const kNames = new Names(makeNames()); // never destroyed: handlers run until the end
  return number >= 0 && static_cast<size_t>(number) < kNumCalls ? (*kNames)[static_cast<size_t>(number)].c_str()
                                                                : "unknown";
}

} // namespace avocet::hal

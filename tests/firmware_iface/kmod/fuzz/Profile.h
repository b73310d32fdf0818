//===- Profile.h - Which functions of the driver were called ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KMOD_FUZZ_PROFILE_H
#define AVOCET_TESTS_KMOD_FUZZ_PROFILE_H

#include <set>
#include <string>

namespace avocet::fuzz {

/// Reads the kernel's function profile, from its creation on. Without one in the kernel, report() is empty.
class Profile {
public:
  Profile();
  std::string report(); ///< how many of the module's functions were called, and the names of the others

private:
  std::set<std::string> functions_;
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_KMOD_FUZZ_PROFILE_H

//===- Sanitizer.h - Whether a sanitizer watches the test -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sanitizers make code 5 to 15 times slower. Tests that repeat the same code for many random cases take fewer of them
// then; the plain builds run all.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_SUPPORT_SANITIZER_H
#define AVOCET_TESTS_SUPPORT_SANITIZER_H

#include <cstddef>

#ifndef __has_feature // GCC, which defines the macros below instead
#define __has_feature(name) 0
#endif

namespace avocet {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||               \
    __has_feature(thread_sanitizer)
inline constexpr bool kHasSanitizer = true;
#else
inline constexpr bool kHasSanitizer = false;
#endif

/// The first number, or under a sanitizer the second.
constexpr size_t casesOf(size_t plain, size_t withSanitizer) { return kHasSanitizer ? withSanitizer : plain; }

} // namespace avocet

#endif // AVOCET_TESTS_SUPPORT_SANITIZER_H

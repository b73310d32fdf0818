//===- Text.h - Names that are safe to show ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names in a model cache are shown on terminals and in JSON. They may come from untrusted files, and therefore must be
// UTF-8 without control characters.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_LIB_TEXT_H
#define AVOCET_CACHE_LIB_TEXT_H

#include <cstddef>
#include <string>
#include <string_view>

namespace avocet::cache {

/// Bytes at the start of the text that keep the rule; its size when all do.
size_t cleanPrefix(std::string_view text);

/// The text with '?' for each byte that breaks the rule.
std::string cleaned(std::string_view text);

} // namespace avocet::cache

#endif // AVOCET_CACHE_LIB_TEXT_H

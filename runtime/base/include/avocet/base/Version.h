//===- Version.h - Which build this is --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For people who compare builds. Artefacts and keys of caches do not contain the commit: those of equal sources are
// equal (avocet_source_hash()).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_VERSION_H
#define AVOCET_BASE_VERSION_H

#include <string>
#include <string_view>

namespace avocet {

/// "avocet 0.1.0 (0123456789ab)": the release, and the commit of the sources. "-dirty" follows the commit if tracked
/// files differed from it; "unknown" replaces it if the sources lay in no repository. Every program and shared library
/// contains this text: `strings FILE | grep '^avocet '`.
extern const char kVersionText[];

/// "0.1.0 (0123456789ab)".
inline std::string_view versionAndCommit() {
  const std::string_view text = kVersionText;
  return text.substr(text.find(' ') + 1);
}

/// The answer of a program to --version, without a line end.
inline std::string versionLine(std::string_view program) {
  return std::string(program).append(" ").append(versionAndCommit());
}

} // namespace avocet

#endif // AVOCET_BASE_VERSION_H

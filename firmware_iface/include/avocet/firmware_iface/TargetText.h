//===- TargetText.h - Text of target files ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_TARGETTEXT_H
#define AVOCET_FIRMWARE_IFACE_TARGETTEXT_H

#include "avocet/base/Status.h"

#include <string>
#include <string_view>

namespace avocet::firmware {

/// Whether Target::load() takes the text for the path of a file, and not for the name of a shipped target.
bool isTargetFile(std::string_view nameOrPath);

/// The text from which Target::load() makes the target, with its comments.
Result<std::string> targetText(std::string_view nameOrPath);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_TARGETTEXT_H

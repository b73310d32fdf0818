//===- TargetText.h - Target files as text -*- C++ -*-===//
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

/// The text of a target file: of a shipped profile by its name, or of a file by its path. Accepts what Target::load()
/// accepts; the text is not parsed. Errors: those of readFile().
Result<std::string> targetText(std::string_view nameOrPath);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_TARGETTEXT_H

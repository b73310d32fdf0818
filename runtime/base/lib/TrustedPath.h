//===- TrustedPath.h - Opens a folder that no other user can change -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_LIB_TRUSTEDPATH_H
#define AVOCET_BASE_LIB_TRUSTEDPATH_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <string>

#include <sys/stat.h>

namespace avocet {

/// Checks that a file or folder belongs to root or to the effective user, and that no other user can write to it.
/// `shown` names it in the message.
Status requireTrusted(const struct stat &info, const std::string &shown);

/// Opens a folder (with O_PATH) by the rules of TrustedFolder.h. `create`: the last folder is made if it is missing.
Result<FileDescriptor> walkTrusted(const std::string &path, bool create);

} // namespace avocet

#endif // AVOCET_BASE_LIB_TRUSTEDPATH_H

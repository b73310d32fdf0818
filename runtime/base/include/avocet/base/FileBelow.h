//===- FileBelow.h - Files that a file names --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_FILEBELOW_H
#define AVOCET_BASE_FILEBELOW_H

#include "avocet/base/File.h"

namespace avocet {

/// Opens a regular file for reading whose path, relative to `folder`, comes from another file. InvalidArgument: the
/// path is empty, absolute or has "..", a part of it is a symbolic link, or it leads to something else than a regular
/// file. Nothing outside of the folder is opened, also if the folder changes meanwhile. Links in `folder` itself are
/// followed; empty: the working folder. Messages name the parts of the path.
Result<FileDescriptor> openBelow(const std::string &folder, const std::string &path);

/// The bytes of such a file, to be read.
Result<Mapping> mapBelow(const std::string &folder, const std::string &path);

} // namespace avocet

#endif // AVOCET_BASE_FILEBELOW_H

//===- TemporaryFiles.h - Names and owners of temporary files -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A temporary file has the name ".avocet-[TAG-]DIGITS.tmp" with 16 random hexadecimal digits, because processes of
// different PID namespaces can share a folder. Its writer holds a lock on it (flock), which ends with the last
// descriptor of the writer. So a file without a lock belongs to no process that lives, whatever has become of its
// process number.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_LIB_TEMPORARYFILES_H
#define AVOCET_BASE_LIB_TEMPORARYFILES_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace avocet {

/// A new name. The tag has lower-case letters, digits and '-'; empty: none.
Result<std::string> temporaryName(std::string_view tag);

/// Whether a file name has this form, with any tag or none.
bool isTemporaryName(std::string_view name);

/// The tag of a temporary name; empty for one without.
std::string_view tagOfTemporary(std::string_view name);

/// Locks a new file for its writer. False: another process has it, to remove it, or has removed it. True on file
/// systems without locks, where leftoversOf() removes nothing.
bool lockAsWriter(const FileDescriptor &file);

/// The names in an open folder; `folder` may be opened with O_PATH. Empty if it cannot be read.
std::vector<std::string> namesIn(int folder);

/// Which temporary files removeLeftovers() may remove.
enum class Leftovers { Untagged, All };

/// Removes the temporary files that have no writer any more.
void removeLeftovers(int folder, Leftovers which);

/// The same for files without a tag, in the first call for each folder of files in this process.
void removeLeftoversOnce(int folder, std::string_view path);

} // namespace avocet

#endif // AVOCET_BASE_LIB_TEMPORARYFILES_H

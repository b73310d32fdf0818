//===- OutputPlace.h - Resolves the path of an output file -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_LIB_OUTPUTPLACE_H
#define AVOCET_BASE_LIB_OUTPUTPLACE_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <optional>
#include <string>

#include <sys/stat.h>

namespace avocet {

/// The end of a path after all links. The folder is open, so that later steps use the same folder.
struct OutputPlace {
  enum class Kind {
    New,        ///< no file has the name
    Regular,    ///< a regular file
    Stream,     ///< a FIFO or a character device
    Descriptor, ///< a link of /proc to an open descriptor
  };

  Kind kind = Kind::New;
  FileDescriptor folder;     ///< opened with O_PATH
  std::string name;          ///< in the folder
  struct stat existing = {}; ///< valid unless the kind is New
};

/// Follows the links of a path by the rules of OutputFile.h. Refuses kinds that are never written to.
Result<OutputPlace> locateOutput(const std::string &path);

/// Opens a Stream or Descriptor for writing.
Result<FileDescriptor> openInPlace(const OutputPlace &place, const std::string &path);

} // namespace avocet

#endif // AVOCET_BASE_LIB_OUTPUTPLACE_H

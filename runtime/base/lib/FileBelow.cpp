//===- FileBelow.cpp - Files that a file names --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/FileBelow.h"

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

namespace avocet {
namespace {

/// The parts of a relative path; none: it is no path that openBelow() accepts.
std::vector<std::string> partsOf(const std::string &path) {
  if (path.starts_with('/') || path.ends_with('/') || path.find('\0') != std::string::npos)
    return {};
  std::vector<std::string> parts;
  std::istringstream stream(path);
  for (std::string part; std::getline(stream, part, '/');)
    if (!part.empty() && part != ".")
      parts.push_back(part);
  return std::ranges::count(parts, "..") > 0 ? std::vector<std::string>() : parts;
}

Result<FileDescriptor> openPart(const FileDescriptor &folder, const std::string &name, int flags) {
  FileDescriptor part(::openat(folder.get(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
  if (part.isValid())
    return part;
  const int error = errno;
  struct stat info;
  if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode))
    return invalidArgument("'" + name + "' is a symbolic link; put the file itself there");
  return errnoStatus(error, "cannot open '" + name + "'");
}

} // namespace

Result<FileDescriptor> openBelow(const std::string &folder, const std::string &path) {
  const std::vector<std::string> parts = partsOf(path);
  if (parts.empty())
    return invalidArgument("must be the path of a file in the folder, without '..' and without '/' at the beginning");
  FileDescriptor last(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!last.isValid())
    return errnoStatus(errno, "cannot open " + folder);
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    AVOCET_ASSIGN_OR_RETURN(last, openPart(last, parts[i], O_PATH | O_DIRECTORY));
  }
  // O_NONBLOCK: opening a FIFO without a writer must not block before it can be refused.
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, openPart(last, parts.back(), O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat info;
  if (::fstat(file.get(), &info) != 0)
    return errnoStatus(errno, "cannot examine '" + parts.back() + "'");
  if (!S_ISREG(info.st_mode))
    return invalidArgument("'" + parts.back() + "' is not a regular file");
  return file;
}

Result<Mapping> mapBelow(const std::string &folder, const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(const FileDescriptor file, openBelow(folder, path));
  AVOCET_ASSIGN_OR_RETURN(const uint64_t size, fileSize(file, path));
  return Mapping::map(file.get(), size, Mapping::Access::Read);
}

} // namespace avocet

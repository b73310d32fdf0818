//===- Registry.cpp - Services by name --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/wire/Registry.h"

#include "SocketPath.h"

#include "avocet/base/TrustedFolder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace avocet::hal {
namespace {

constexpr size_t kMostCharacters = 64;

bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

bool isServiceName(const std::string &name) {
  return !name.empty() && name.size() <= kMostCharacters && name.front() != '.' &&
         std::ranges::all_of(name, isNameCharacter);
}

Outcome checkFolder(const std::string &folder) {
  avocet::Result<TrustedFolder> trusted = TrustedFolder::open(folder, TrustedFolder::Missing::Error);
  if (trusted)
    return success();
  const bool isAbsent = trusted.status().code() == StatusCode::NotFound;
  return invalidArgument(fmt::format("registry {}: {}{}", folder, trusted.status().message(),
                                     isAbsent ? "; make it with: install -d -m 755 " + folder : ""));
}

/// Why a file is not used; empty: it is a socket.
std::string problemOf(const std::string &path, const std::string &name) {
  if (!isServiceName(name))
    return "its name is not that of a service";
  struct stat found = {};
  if (::lstat(path.c_str(), &found) != 0)
    return std::strerror(errno);
  return S_ISSOCK(found.st_mode) ? "" : fmt::format("it is {}, not a socket", fileKind(found.st_mode));
}

RegistryEntry entryOf(const std::string &folder, const std::string &name) {
  const std::string path = (std::filesystem::path(folder) / name).string();
  return {name, path, problemOf(path, name)};
}

} // namespace

bool isRegistry(const std::string &path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

Result<std::string> registryPath(const std::string &folder, const std::string &name) {
  if (!isServiceName(name))
    return invalidArgument(fmt::format("service name '{}': 1 to {} letters, digits, '.', '_' and '-' are allowed, the "
                                       "first not a dot",
                                       name, kMostCharacters));
  AVOCET_RETURN_IF_ERROR(checkFolder(folder));
  return (std::filesystem::path(folder) / name).string();
}

Result<std::vector<RegistryEntry>> readRegistry(const std::string &folder) {
  AVOCET_RETURN_IF_ERROR(checkFolder(folder));
  std::vector<std::string> names;
  std::error_code error;
  for (auto file = std::filesystem::directory_iterator(folder, error); !error && file != end(file);
       file.increment(error))
    if (std::string name = file->path().filename().string(); !name.starts_with('.'))
      names.push_back(std::move(name));
  if (error)
    return invalidArgument(fmt::format("registry {}: {}", folder, error.message()));
  std::ranges::sort(names);
  std::vector<RegistryEntry> entries;
  entries.reserve(names.size());
  for (const std::string &name : names)
    entries.push_back(entryOf(folder, name));
  return entries;
}

Result<std::string> registeredSocket(const std::string &folder, const std::string &name) {
  AVOCET_ASSIGN_OR_RETURN(std::string path, registryPath(folder, name));
  if (std::string problem = problemOf(path, name); !problem.empty())
    return invalidArgument(fmt::format("registry {} has no service '{}': {}", folder, name, problem));
  return path;
}

} // namespace avocet::hal

//===- NodeSearch.cpp - Finds the device node -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeSearch.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <tuple>
#include <vector>

namespace avocet::runtime {
namespace {

/// accel2 before accel10.
std::vector<std::string> nodesIn(const std::string &folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    paths.push_back(entry->path());
  std::ranges::sort(paths, {}, [](const std::string &path) { return std::tuple(path.size(), path); });
  return paths;
}

Status absent(const std::string &place) {
  return notFound(fmt::format("there is no device node {}; load the kernel driver (modprobe avocet), and see its "
                              "messages (dmesg) if it finds no device",
                              place));
}

} // namespace

Result<std::unique_ptr<Backend>> openFirst(const std::string &place, const OpenNode &open) {
  std::error_code error;
  if (std::filesystem::exists(place, error) && !std::filesystem::is_directory(place, error))
    return open(place);
  std::optional<Status> refusal;
  for (const std::string &path : nodesIn(place)) {
    Result<std::unique_ptr<Backend>> backend = open(path);
    if (backend)
      return backend;
    if (!refusal || refusal->code() == StatusCode::Unsupported)
      refusal = backend.status();
  }
  return refusal ? *refusal : absent(place);
}

} // namespace avocet::runtime

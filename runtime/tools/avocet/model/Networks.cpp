//===- Networks.cpp - The networks of an exploration ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Networks.h"

#include "avocet/base/Checksum.h"
#include "avocet/base/File.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace avocet::tool {
namespace {

namespace files = std::filesystem;

Status addFolder(const std::string &folder, std::vector<std::string> &found) {
  const size_t before = found.size();
  std::error_code error, ignored; // a link to nowhere is no network
  files::recursive_directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".tflite" && entry->is_regular_file(ignored))
      found.push_back(entry->path().string());
  if (error)
    return errnoStatus(error.value(), "cannot read the folder " + folder);
  if (found.size() == before)
    return notFound(fmt::format("{}: the folder has no .tflite file; name files of another kind one by one", folder));
  return Status::ok();
}

Status addPath(const std::string &path, std::vector<std::string> &found) {
  std::error_code error;
  if (files::is_directory(path, error))
    return addFolder(path, found);
  if (!files::exists(path, error))
    return notFound(fmt::format("{}: there is no such file or folder; give .tflite or .mlir files, or folders with "
                                ".tflite files",
                                path));
  found.push_back(path);
  return Status::ok();
}

std::string nameOf(const files::path &path) {
  const std::string stem = path.stem().string();
  const std::string folder = files::absolute(path).lexically_normal().parent_path().filename().string();
  return stem == "model" && !folder.empty() ? folder : stem;
}

/// Different files may have one name; their paths tell them apart.
void makeNamesUnique(std::vector<Network> &networks) {
  std::map<std::string, size_t> uses;
  for (const Network &network : networks)
    ++uses[network.name];
  for (Network &network : networks)
    if (uses[network.name] > 1)
      network.name = network.path;
}

} // namespace

std::string hexText(std::span<const uint8_t> bytes) {
  std::string text;
  for (uint8_t byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

static Status addNetwork(const std::string &path, std::vector<Network> &networks) {
  Network network{nameOf(path), path, {}, {}};
  AVOCET_ASSIGN_OR_RETURN(network.bytes, readFile(path));
  network.checksum = hexText(checksumOf({network.bytes}));
  if (std::ranges::find(networks, network.checksum, &Network::checksum) == networks.end())
    networks.push_back(std::move(network));
  return Status::ok();
}

Result<std::vector<Network>> findNetworks(const std::vector<std::string> &paths, std::vector<Status> *problems) {
  auto accept = [problems](Status status) {
    if (status.isOk() || problems == nullptr)
      return status;
    problems->push_back(std::move(status));
    return Status::ok();
  };
  std::vector<std::string> found;
  for (const std::string &path : paths)
    AVOCET_RETURN_IF_ERROR(accept(addPath(path, found)));
  std::vector<Network> networks;
  for (const std::string &path : found)
    AVOCET_RETURN_IF_ERROR(accept(addNetwork(path, networks)));
  makeNamesUnique(networks);
  std::ranges::sort(networks, {}, [](const Network &network) { return std::tie(network.name, network.path); });
  return networks;
}

} // namespace avocet::tool

//===- DelegateClient.cpp - TensorFlow Lite with the delegate - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DelegateClient.h"

#include "avocet/base/File.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace avocet::delegate {
namespace {

std::string newProfile() {
  static std::atomic<int> number{0};
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  return folder / fmt::format("avocet-delegate-{}-{}", ::getpid(), number++);
}

std::vector<std::string> argumentsOf(std::vector<std::string> options, const std::string &profile) {
  options.insert(options.begin(), delegateLibrary());
  options.push_back("profile=" + profile);
  return options;
}

std::string readText(const std::string &path) {
  const Result<std::vector<uint8_t>> file = readFile(path);
  return file ? std::string(file->begin(), file->end()) : "";
}

Summary readSummary(const std::string &text) {
  Summary summary;
  (void)std::sscanf(
      text.c_str(), "%lu of %lu nodes on %*s in %lu partitions; %lu networks prepared, %lu runs, %lu bytes copied",
      &summary.onDevice, &summary.nodes, &summary.partitions, &summary.prepared, &summary.runs, &summary.bytesCopied);
  return summary;
}

} // namespace

std::string delegateLibrary() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "lib" / "libavocet_delegate.so";
}

DelegateClient::DelegateClient(const std::string &library, std::vector<std::string> options)
    : profile_(newProfile()), oracle_(library, argumentsOf(std::move(options), profile_)) {}

DelegateClient::~DelegateClient() { std::remove(profile_.c_str()); }

Result<std::vector<Bytes>> DelegateClient::run(const OracleRequest &request) {
  std::remove(profile_.c_str());
  Result<std::vector<Bytes>> outputs = oracle_.run(request);
  text_ = readText(profile_);
  summary_ = readSummary(text_);
  return outputs;
}

} // namespace avocet::delegate

//===- Profile.cpp - Which functions of the driver were called ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile.h"

#include <fmt/format.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>

namespace avocet::fuzz {

namespace {

const std::filesystem::path kTracing = "/sys/kernel/tracing";

bool writeTo(const char *name, const char *text) {
  std::ofstream file(kTracing / name);
  file << text << std::flush;
  return file.good();
}

/// The functions of the module that can be traced. Their lines end with "[avocet]".
std::set<std::string> functionsOfModule() {
  std::set<std::string> names;
  std::ifstream file(kTracing / "available_filter_functions");
  for (std::string line; std::getline(file, line);)
    if (line.ends_with("[avocet]"))
      names.insert(line.substr(0, line.find(' ')));
  return names;
}

/// The first word of each line of the profiles of all processors.
std::set<std::string> calledFunctions() {
  std::set<std::string> names;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(kTracing / "trace_stat", error)) {
    std::ifstream file(entry.path());
    for (std::string line, name; std::getline(file, line);) {
      const size_t begin = line.find_first_not_of(' ');
      if (begin != std::string::npos)
        names.insert(line.substr(begin, line.find(' ', begin) - begin));
    }
  }
  return names;
}

} // namespace

Profile::Profile() {
  (void)::mount("tracefs", kTracing.c_str(), "tracefs", 0, nullptr); // or it is there already
  if (!std::filesystem::exists(kTracing / "function_profile_enabled"))
    return;
  if (writeTo("set_ftrace_filter", ":mod:avocet") && writeTo("function_profile_enabled", "1"))
    functions_ = functionsOfModule();
}

std::string Profile::report() {
  if (functions_.empty())
    return "";
  (void)writeTo("function_profile_enabled", "0");
  const std::set<std::string> called = calledFunctions();
  std::string others;
  size_t reached = 0;
  for (const std::string &name : functions_) {
    if (called.contains(name))
      ++reached;
    else
      others += " " + name;
  }
  return fmt::format("{} of {} functions of the module were called{}{}\n", reached, functions_.size(),
                     others.empty() ? "" : "; not:", others);
}

} // namespace avocet::fuzz

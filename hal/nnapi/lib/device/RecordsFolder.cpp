//===- RecordsFolder.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/RecordsFolder.h"

#include "avocet/base/Knobs.h"

#include <array>
#include <cstdlib>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet::nnapi {
namespace {

/// From the system's table of users; empty: unknown.
std::string homeFolder() {
  passwd entry{};
  passwd *found = nullptr;
  std::array<char, 4096> text{};
  if (getpwuid_r(geteuid(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr)
    return "";
  return found->pw_dir;
}

} // namespace

std::string recordsFolder() {
  if (std::string chosen = knobText(knobs::kNnapiRecords); !chosen.empty())
    return chosen;
  const std::string home = homeFolder();
  if (home.empty())
    return "";
  const std::string caches = home + "/.cache";
  mkdir(caches.c_str(), S_IRWXU); // fails if it is there; the driver finds other failures
  return caches + "/avocet";
}

} // namespace avocet::nnapi

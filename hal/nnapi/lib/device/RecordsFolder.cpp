//===- RecordsFolder.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/RecordsFolder.h"

#include "avocet/base/Fnv1a.h"
#include "avocet/base/Knobs.h"

#include <fmt/format.h>

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

/// Below .cache of the user's home; empty: the user has none.
std::string defaultFolder() {
  const std::string home = homeFolder();
  if (home.empty())
    return "";
  const std::string caches = home + "/.cache";
  mkdir(caches.c_str(), S_IRWXU); // fails if it is there; the driver finds other failures
  return caches + "/avocet";
}

} // namespace

std::string recordsFolder(const std::string &target) {
  std::string folder = knobText(knobs::kNnapiRecords);
  if (folder.empty())
    folder = defaultFolder();
  if (folder.empty())
    return "";
  mkdir(folder.c_str(), S_IRWXU); // fails if it is there; the driver makes only the folder below it
  // A driver empties the records of another target, so each has its own. A target may be the path of a file.
  Fnv1a hash;
  hash.add({reinterpret_cast<const uint8_t *>(target.data()), target.size()});
  return fmt::format("{}/{:016x}", folder, hash.value());
}

} // namespace avocet::nnapi

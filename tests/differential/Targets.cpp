//===- Targets.cpp - The targets that tests run on ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"

#include "TemporaryFolder.h"

#include "avocet/base/File.h"
#include "avocet/firmware_iface/TargetEdit.h"

#include <stdexcept>

namespace avocet::differential {
namespace {

using firmware::Target;
using firmware::TargetChange;

Status writeTight(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(const auto base, Target::load("e256s"));
  const TargetChange changes[] = {{"sram.bytes", "4096"}, {"clockHz", "5000000"}};
  AVOCET_ASSIGN_OR_RETURN(const std::string text,
                          firmware::changedTargetText(*base, changes, "tight", "e256s, small and slow"));
  return writeFile(path, text);
}

} // namespace

const std::string &tightTarget() {
  static const test::TemporaryFolder kFolder("tightTarget");
  static const std::string kPath = [] {
    std::string path = kFolder.path() / "tight.toml";
    if (const Status status = writeTight(path); !status)
      throw std::runtime_error(status.toString());
    return path;
  }();
  return kPath;
}

} // namespace avocet::differential

//===- TargetFile.cpp - Target files beside artefacts ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/TargetFile.h"

#include "avocet/base/File.h"
#include "avocet/firmware_iface/Target.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace avocet::session {
namespace {

namespace fs = std::filesystem;

std::string fileIn(const std::string &directory) { return (fs::path(directory) / kTargetFileName).string(); }

Result<std::shared_ptr<const firmware::Target>> ownTarget(const std::string &directory, const std::string &name) {
  std::error_code ignored;
  const std::string file = fileIn(directory);
  if (fs::exists(file, ignored))
    return firmware::Target::load(file);
  const std::vector<std::string> shipped = firmware::Target::shippedNames();
  if (std::ranges::find(shipped, name) == shipped.end())
    return notFound(fmt::format("{}: was compiled for the target '{}', which is not shipped, and holds no {}; give "
                                "its target file with --target FILE.toml",
                                directory, name, kTargetFileName));
  return firmware::Target::load(name);
}

} // namespace

Status keepTargetFile(const std::string &directory, const std::string &target) {
  const std::string file = fileIn(directory);
  if (!firmware::isTargetFile(target)) {
    std::error_code error;
    fs::remove(file, error);
    return error ? errnoStatus(error.value(), "cannot remove " + file) : Status::ok();
  }
  AVOCET_ASSIGN_OR_RETURN(const std::string text, firmware::targetText(target));
  return writeFile(file, text);
}

Result<std::shared_ptr<const firmware::Target>>
targetOfArtefacts(const std::string &directory, const cache::ModelCache &model, const std::string &chosen) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const firmware::Target> target,
                          chosen.empty() ? ownTarget(directory, std::string(model.targetName()))
                                         : firmware::Target::load(chosen));
  if (Status status = model.requireTarget(*target); !status.isOk())
    return std::move(status).withContext(directory);
  return target;
}

} // namespace avocet::session

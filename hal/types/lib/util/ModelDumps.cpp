//===- ModelDumps.cpp - Graphs of models as files -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/ModelDumps.h"

#include "avocet/base/File.h"
#include "avocet/base/Log.h"
#include "avocet/hal/types/GraphDump.h"

#include <fmt/format.h>
#include <sstream>

namespace avocet::hal {
namespace {

/// The lines as comments of Graphviz.
std::string comments(const std::string &lines) {
  std::istringstream input(lines);
  std::string text;
  for (std::string line; std::getline(input, line);)
    text += "// " + line + "\n";
  return text;
}

} // namespace

void ModelDumps::write(const std::string &device, const Model &model) {
  const uint32_t number = ++models_;
  if (number > kMostFiles) {
    if (number == kMostFiles + 1)
      logMessage(LogLevel::Warning, "hal", "{} models are in {}; further ones are not written", kMostFiles, folder_);
    return;
  }
  const std::string path = fmt::format("{}/model-{:05}.dot", folder_, number);
  const std::string name = fmt::format("{} model {}", device, number);
  const avocet::Status written = writeFile(
      path, comments("HAL versions that express the model:\n" + versionReport(model)) + graphDump(name, model));
  if (!written.isOk())
    logMessage(LogLevel::Error, "hal", "model {} not written: {}", number, written.message());
}

} // namespace avocet::hal

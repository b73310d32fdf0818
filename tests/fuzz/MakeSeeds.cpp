//===- MakeSeeds.cpp - Writes the seeds of fuzz targets --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomCommand.h"
#include "SmallModel.h"
#include "avocet/base/File.h"
#include "avocet/cache/ModelCacheWriter.h"

#include <cstdio>
#include <filesystem>

using namespace avocet;
using namespace avocet::cache;
using namespace avocet::firmware;

namespace {

Status writeStream(const std::string &path, std::span<const Command> commands) {
  std::vector<uint32_t> words = encodeStream(commands);
  return writeFile(path, std::span(reinterpret_cast<const uint8_t *>(words.data()), words.size() * sizeof(uint32_t)));
}

Status writeControl(const std::string &path) {
  std::vector<uint32_t> words = encodeControl(smallControl());
  return writeFile(path, std::span(reinterpret_cast<const uint8_t *>(words.data()), words.size() * sizeof(uint32_t)));
}

/// One short stream for each kind of command, and the two of the small model.
Status makeDecoderSeeds(const std::string &folder) {
  RandomFields random(1);
  for (size_t code = 0; code < kOperationNames.size();) {
    Command command = random.command();
    if (command.body.index() != code || encodeStream({&command, 1}).size() > 250)
      continue;
    std::vector<Command> commands = {command, {0, EndCommand{}}};
    if (code == 0)
      commands.pop_back();
    AVOCET_RETURN_IF_ERROR(writeStream(folder + std::string(kOperationNames[code++]), commands));
  }
  AVOCET_RETURN_IF_ERROR(writeStream(folder + "stream-mac", smallMacCommands()));
  AVOCET_RETURN_IF_ERROR(writeStream(folder + "stream-dma", smallDmaCommands()));
  return writeControl(folder + "control");
}

Status writeModel(const std::string &path, const ModelDescription &model) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, writeModelCache(model));
  return writeFile(path, bytes);
}

/// The small model, one that repeats it in a loop, one with yields, one with nothing in it, and one with every optional
/// part left out.
Status makeArtefactSeeds(const std::string &folder) {
  AVOCET_RETURN_IF_ERROR(writeModel(folder + "small", smallModel()));
  AVOCET_RETURN_IF_ERROR(writeModel(folder + "loop", smallLoopModel()));
  AVOCET_RETURN_IF_ERROR(writeModel(folder + "yields", smallYieldingModel()));
  AVOCET_RETURN_IF_ERROR(writeModel(folder + "empty", {}));
  ModelDescription plain = smallModel();
  plain.ir.clear();
  plain.sourceMap.clear();
  plain.memoryPlan.clear();
  plain.inputs[0].quantization = {};
  return writeModel(folder + "plain", plain);
}

Status makeSeeds(const std::string &root) {
  std::error_code ignored;
  for (const char *name : {"/decoder/corpus", "/artefact/corpus"})
    std::filesystem::create_directories(root + name, ignored);
  AVOCET_RETURN_IF_ERROR(makeDecoderSeeds(root + "/decoder/corpus/"));
  return makeArtefactSeeds(root + "/artefact/corpus/");
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: avocetMakeSeeds tests/fuzz\n");
    return 2;
  }
  Status status = makeSeeds(argv[1]);
  if (!status)
    std::fprintf(stderr, "%s\n", status.toString().c_str());
  return status ? 0 : 1;
}

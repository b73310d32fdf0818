//===- MakeSeeds.cpp - Writes the seeds of fuzz targets --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomCommand.h"
#include "Recording.h"
#include "Seeds.h"
#include "SmallModel.h"
#include "avocet/base/File.h"
#include "avocet/base/GuardedMain.h"
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

/// One short stream for each kind of command, and the two streams of the small model.
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

/// The small model, one that repeats it in a loop, one with yields, one with a source map, an empty one, and one
/// without the optional parts.
Status makeArtefactSeeds(const std::string &folder) {
  AVOCET_RETURN_IF_ERROR(writeModel(folder + "small", smallModel()));
  AVOCET_RETURN_IF_ERROR(writeModel(folder + "loop", smallLoopModel()));
  AVOCET_RETURN_IF_ERROR(writeModel(folder + "yields", smallYieldingModel()));
  AVOCET_RETURN_IF_ERROR(writeModel(folder + "mapped", smallMappedModel()));
  AVOCET_RETURN_IF_ERROR(writeModel(folder + "empty", {}));
  ModelDescription state = smallModel();
  state.inputs.push_back(state.outputs[0]);
  state.inputs.back().isState = true;
  state.inputs.back().initial = {1, 2};
  state.regions.push_back({RegionKind::Input, 1, 2});
  AVOCET_RETURN_IF_ERROR(writeModel(folder + "state", state));
  ModelDescription plain = smallModel();
  plain.sourceMap.clear();
  plain.memoryPlan.clear();
  plain.inputs[0].quantization = {};
  return writeModel(folder + "plain", plain);
}

runtime::JobRun jobRun(uint64_t job) {
  runtime::JobRun run;
  run.context = 1;
  run.target_fingerprint = 0x1234;
  run.encoding_version = 1;
  run.streams = {runtime::RecordedStream(2, 0, 0x10000, 2, 0)};
  run.regions = {runtime::RecordedRegion(0x10000, 8, 3)};
  run.job = job;
  run.state = 1;
  run.cycles = 100;
  run.output_hash = 77;
  return run;
}

Status writeRecording(const std::string &path, const std::vector<runtime::Record> &records) {
  std::vector<uint8_t> bytes;
  runtime::appendHeader({0x1234, "e256"}, bytes);
  for (const runtime::Record &record : records)
    runtime::appendRecord(record, bytes);
  runtime::appendRecord(runtime::RecordingEnd{{}, records.size()}, bytes);
  return writeFile(path, bytes);
}

/// One recording of buffers only, and one with two jobs. The second job waits for the first and has a deadline.
Status makeRecordingSeeds(const std::string &folder) {
  std::vector<runtime::Record> records = {runtime::ContextCreated{{}, 1, 7}, runtime::BufferCreated{{}, 1, 8},
                                          runtime::BufferContents{{}, 1, 0, std::vector<uint8_t>(8)},
                                          runtime::BufferMapped{{}, 1, 1, 0x10000, 3}};
  AVOCET_RETURN_IF_ERROR(writeRecording(folder + "buffers", records));
  records.push_back(jobRun(1));
  runtime::JobRun late = jobRun(2);
  late.deadline_ns = 5'000'000;
  late.dependencies = {runtime::RecordedDependency(1, 1)};
  records.push_back(late);
  records.insert(records.end(), {runtime::DeviceReset{}, runtime::BufferUnmapped{{}, 1, 0x10000},
                                 runtime::BufferDestroyed{{}, 1}, runtime::ContextDestroyed{{}, 1}});
  return writeRecording(folder + "job", records);
}

Status makeSeeds(const std::string &root) {
  std::error_code ignored;
  for (const char *name :
       {"/decoder/corpus", "/artefact/corpus", "/recording/corpus", "/service/corpus", "/client/corpus"})
    std::filesystem::create_directories(root + name, ignored);
  AVOCET_RETURN_IF_ERROR(fuzz::makeServiceSeeds(root + "/service/corpus/"));
  AVOCET_RETURN_IF_ERROR(fuzz::makeClientSeeds(root + "/client/corpus/"));
  AVOCET_RETURN_IF_ERROR(makeDecoderSeeds(root + "/decoder/corpus/"));
  AVOCET_RETURN_IF_ERROR(makeArtefactSeeds(root + "/artefact/corpus/"));
  return makeRecordingSeeds(root + "/recording/corpus/");
}

} // namespace

static int runMain(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: avocetMakeSeeds tests/fuzz\n");
    return 2;
  }
  Status status = makeSeeds(argv[1]);
  if (!status)
    std::fprintf(stderr, "%s\n", status.toString().c_str());
  return status ? 0 : 1;
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }

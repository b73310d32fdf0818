//===- Record.h - The result of one design point ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A design point is one network on one target. Its record holds only what is the same for every computation of the
// point: no times of the host.
//
// A folder of files with one record in a line. Each process appends to a file of its own, so that processes on several
// machines share the folder. A record is one write: a process that is killed leaves at most one incomplete line, which
// readers leave out. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RECORD_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RECORD_H

#include "avocet/base/File.h"

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::tool {

enum class PointState {
  Ok,
  Refused, ///< the network cannot run on the target; computing it again gives the same
  Failed   ///< the computation broke off; the next exploration tries again
};
std::string_view toString(PointState state);

/// What the compiler decided for one layer of the network.
struct LayerSchedule {
  std::string name;
  std::string operation; ///< with the operations that are fused into it
  std::string engine;
  uint64_t tiles = 0;      ///< commands of the MAC array and the DSP
  std::string largestTile; ///< rows x columns x channels of the largest output of a command
  uint64_t sramBytes = 0;  ///< on-chip bytes that its commands touch
  uint64_t dramBytes = 0;  ///< through the off-chip port
  uint64_t cycles = 0;     ///< its share of the network's

  bool hasSameSchedule(const LayerSchedule &other) const;
};

struct Record {
  std::string key; ///< see pointKey()
  PointState state = PointState::Ok;
  std::string reason; ///< unless Ok

  uint64_t cycles = 0;
  uint64_t rooflineCycles = 0;
  uint64_t deviceCycles = 0;
  double energyPicojoules = 0;
  uint64_t sramPeakBytes = 0; ///< most bytes in use in one step of the memory plan
  uint64_t sramTrafficBytes = 0;
  uint64_t dramBytes = 0;
  uint64_t refetchedBytes = 0; ///< of dramBytes: weights that were read again
  uint64_t spilledBytes = 0;   ///< of dramBytes: intermediate results
  std::string bound;           ///< what sets the cycles
  std::vector<LayerSchedule> layers;
};

/// A line of a results file, without its end.
std::string recordLine(const Record &record);

/// None if the line is no record, for example because its writer was killed.
std::optional<Record> parseRecord(std::string_view line);

/// The key of a point: what its record depends on.
std::string pointKey(const std::string &modelChecksum, uint64_t targetFingerprint, const std::string &build,
                     const std::string &options);

class ResultStore {
public:
  /// Creates the folder, and reads what is in it.
  static Result<ResultStore> open(const std::string &folder);

  /// Opens "WRITER.jsonl" in the folder for append(). FailedPrecondition: another process writes to it.
  Status startWriting(const std::string &writer);

  /// Reads what other processes have appended.
  Status refresh();

  /// Writes a record; it replaces an earlier one with its key.
  Status append(Record record);

  /// Null if there is none. Valid until the next change.
  const Record *find(const std::string &key) const;

private:
  explicit ResultStore(std::string folder) : folder_(std::move(folder)) {}
  Status readNew(const std::string &path);
  void keep(Record record);

  std::string folder_;
  std::map<std::string, uint64_t> readBytes_; ///< by path: up to the end of a line
  std::map<std::string, Record> records_;     ///< by key
  FileDescriptor output_;
  std::string outputPath_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RECORD_H

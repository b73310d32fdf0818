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
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RECORD_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RECORD_H

#include <cstdint>
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

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RECORD_H

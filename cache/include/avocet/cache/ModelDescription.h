//===- ModelDescription.h - Contents of a model cache -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of a model cache as plain values, the input of the writer. schema/modelCache.fbs defines the meaning of
// each field and the rules between them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_MODELDESCRIPTION_H
#define AVOCET_CACHE_MODELDESCRIPTION_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::cache {

/// Version of the format; files of any other version are refused.
inline constexpr uint32_t kFormatVersion = 6;

/// Limits of a model cache.
inline constexpr uint32_t kMaxRank = 32;
inline constexpr uint64_t kMaxModelBytes = uint64_t{1} << 30;

struct Quantization {
  std::vector<float> scales; ///< empty: not quantized
  std::vector<int32_t> zeroPoints;
  int32_t axis = -1;
};

struct Operand {
  std::string name;
  firmware::DataType type = firmware::DataType::Int8;
  std::vector<int32_t> shape;
  uint64_t bytes = 0;
  Quantization quantization;
  bool isState = false;              ///< of inputs: the last outputs hold the states for the next run
  std::vector<uint8_t> initial = {}; ///< bytes of a state in the first run; empty: zeros
};

enum class RegionKind : uint8_t { Input = 0, Output = 1, Constants = 2, Scratch = 3 };
inline constexpr uint32_t kNumRegionKinds = 4;

/// "input", "output", "constants", "scratch"; "?" for any other number.
std::string_view toString(RegionKind kind);

struct Region {
  RegionKind kind = RegionKind::Input;
  uint32_t index = 0; ///< of the input or output, else 0
  uint64_t bytes = 0;
  bool operator==(const Region &) const = default;
};

/// "No operation" and "no number" in the source map.
inline constexpr uint32_t kNoSource = 0xFFFFFFFFu;

/// Where a command came from.
struct SourceCommand {
  uint32_t step = kNoSource;      ///< of the schedule
  uint32_t operation = kNoSource; ///< index into ModelDescription::sourceOperations, of commands that compute
  uint32_t row = 0, column = 0, channel = 0; ///< of the operation's first result, where the command's output begins

  bool operator==(const SourceCommand &) const = default;
};

struct Stream {
  firmware::Engine engine;
  std::vector<uint32_t> words; ///< encoded, the end command included
  uint32_t section = 0;
  std::vector<SourceCommand> sources = {}; ///< by command, or empty
};

struct MemoryEntry {
  std::string name;
  uint32_t region = firmware::kSramRegion; ///< region number as in commands
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t firstStep = 0;
  uint32_t lastStep = 0;
  uint32_t operation = kNoSource; ///< whose result or constants the buffer holds
};

struct Layer {
  std::string name;
  std::string operation;
  firmware::EngineKind engine = firmware::EngineKind::Mac;
  uint64_t macs = 0;
  uint64_t rooflineCycles = 0;
  uint64_t weightBytes = 0;
  uint64_t inputBytes = 0;
  uint64_t outputBytes = 0;
  uint64_t computeCycles = 0;
  uint64_t deviceCycles = 0; ///< 0: not known
  std::string group = {};    ///< of layers that reports show as one, such as "ATTENTION name"; empty: of none
};

struct SourceEntry {
  uint32_t layer = 0;
  uint32_t operation = kNoSource; ///< number of the operator in the user's file
  std::string location;
  std::string kind = {}; ///< of the operator
  bool operator==(const SourceEntry &) const = default;
};

/// An operation of the placed network and its first result.
struct SourceOperation {
  std::string name; ///< of the tensor in the user's file
  uint32_t layer = 0;
  firmware::DataType type = firmware::DataType::Int8;
  uint32_t height = 0, width = 0, channels = 0;
};

struct ModelDescription {
  std::string compilerVersion;
  std::string modelName;
  std::string targetName;
  uint64_t targetFingerprint = 0;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  std::vector<Region> regions; ///< region number in commands: index + 1
  std::vector<Stream> streams;
  std::vector<MemoryEntry> memoryPlan;
  std::vector<Layer> layers;
  std::vector<SourceEntry> sourceMap;
  std::vector<SourceOperation> sourceOperations;
  uint64_t dataBytes = 0;
  uint64_t sramPeakBytes = 0;
  uint64_t rooflineCycles = 0;
  uint64_t deviceCycles = 0;     ///< 0: not known
  uint64_t leastDramBytes = 0;   ///< 0: not known
  uint64_t predictedCycles = 0;  ///< 0: not known
  std::vector<uint32_t> control; ///< encoded control program; empty: section 0 runs once
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_MODELDESCRIPTION_H

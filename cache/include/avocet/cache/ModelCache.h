//===- ModelCache.h - A verified view of a model cache ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading a model cache. An object exists only for bytes that passed all checks: structure, versions, and every rule of
// schema/modelCache.fbs, down to the footprint of each command. Users need no other check, except that the device of
// the job must be the target's (requireTarget()). The bytes are a private copy in memory, so that no process can change
// them after the check. Immutable; may be used from any thread. All views live as long as the object. Nothing here
// needs the compiler.
//
// Errors: DataLoss for bytes that break a rule ("model.avom: streams[1]: word 12: dma.kind is 7, must be 0 to 1"),
// Unsupported for other versions, FailedPrecondition for another target.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_MODELCACHE_H
#define AVOCET_CACHE_MODELCACHE_H

#include "avocet/base/Checksum.h"
#include "avocet/base/Status.h"
#include "avocet/cache/ModelDescription.h"
#include "avocet/firmware_iface/Target.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace avocet::cache {

namespace fb {
struct Model;
} // namespace fb

struct OperandView {
  std::string_view name;
  firmware::DataType type;
  std::span<const int32_t> shape;
  uint64_t bytes;
  std::span<const float> scales; ///< empty: not quantized
  std::span<const int32_t> zeroPoints;
  int32_t axis;
  bool isState = false;                  ///< see ModelCache::numStates()
  std::span<const uint8_t> initial = {}; ///< of a state; empty: zeros
};

struct StreamView {
  firmware::Engine engine;
  std::span<const uint32_t> words;
  uint32_t section;
  std::span<const SourceCommand> sources = {}; ///< by command; empty without a source map
};

struct MemoryEntryView {
  std::string_view name;
  uint32_t region;
  uint64_t address;
  uint64_t bytes;
  uint32_t firstStep;
  uint32_t lastStep;
  uint32_t operation = kNoSource; ///< index of a source operation
};

struct LayerView {
  std::string_view name;
  std::string_view operation;
  firmware::EngineKind engine;
  uint64_t macs;
  uint64_t rooflineCycles;
  uint64_t weightBytes;
  uint64_t inputBytes;
  uint64_t outputBytes;
  uint64_t computeCycles;
  uint64_t deviceCycles;
  std::string_view group;
};

struct SourceEntryView {
  uint32_t layer;
  uint32_t operation;
  std::string_view location;
  std::string_view kind;
};

struct SourceOperationView {
  std::string_view name;
  uint32_t layer;
  firmware::DataType type;
  uint32_t height;
  uint32_t width;
  uint32_t channels;
};

class ModelCache {
public:
  /// Verifies the bytes of a model cache. `origin` is their name in errors.
  static Result<std::shared_ptr<const ModelCache>> adopt(std::vector<uint8_t> bytes, std::string_view origin);

  /// FailedPrecondition unless the model was compiled for exactly this target.
  Status requireTarget(const firmware::Target &target) const;

  std::string_view compilerVersion() const;
  std::string_view modelName() const;
  std::string_view targetName() const;
  uint64_t targetFingerprint() const;
  /// Of the data cache in the same folder of artefacts; nothing for a model cache that was not read from one.
  std::optional<Checksum> dataIdentity() const;
  uint64_t dataBytes() const;     ///< size of the data cache, which is the size of the Constants region
  uint64_t scratchBytes() const;  ///< size of the Scratch region, 0 without one
  uint64_t sramPeakBytes() const; ///< every SRAM access lies below this address
  uint64_t rooflineCycles() const;
  uint64_t leastDramBytes() const; ///< that must cross the off-chip port; 0: not known
  uint64_t deviceCycles() const;   ///< the bound with all limits of the device; 0: not known
  /// Estimated device cycles of one run on an idle device; neither an upper nor a lower bound. For a network with
  /// branches or loops: the sum over its sections, each counted once. 0: not known.
  uint64_t predictedCycles() const;

  size_t numInputs() const;
  size_t numOutputs() const;
  /// Tensors that outlive a run: the last numStates() inputs and the last numStates() outputs, in the same order. The
  /// output of one run is the input of the next one.
  size_t numStates() const;
  size_t numRegions() const;
  size_t numStreams() const;
  size_t numMemoryEntries() const;
  size_t numLayers() const;
  size_t numSourceEntries() const;
  size_t numSourceOperations() const; ///< 0 without a source map

  /// The words of the control program; empty: section 0 runs once.
  std::span<const uint32_t> control() const;

  /// The index must be below the count.
  OperandView input(size_t index) const;
  OperandView output(size_t index) const;
  Region region(size_t index) const;
  StreamView stream(size_t index) const;
  MemoryEntryView memoryEntry(size_t index) const;
  LayerView layer(size_t index) const;
  SourceEntryView sourceEntry(size_t index) const;
  SourceOperationView sourceOperation(size_t index) const;

  /// The whole file, header included.
  std::span<const uint8_t> bytes() const { return bytes_; }

private:
  ModelCache(std::vector<uint8_t> bytes, const fb::Model *root) : bytes_(std::move(bytes)), root_(root) {}

  std::vector<uint8_t> bytes_;
  const fb::Model *root_; ///< points into bytes_
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_MODELCACHE_H

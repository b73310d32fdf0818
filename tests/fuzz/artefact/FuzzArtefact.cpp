//===- FuzzArtefact.cpp - Hostile model caches -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/ModelCache.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Control.h"

#include <cstdlib>

using namespace avocet;
using namespace avocet::cache;

namespace {

void require(bool condition) {
  if (!condition)
    std::abort();
}

uint64_t sumOf(const OperandView &operand) {
  uint64_t sum = operand.bytes + operand.name.size();
  for (int32_t extent : operand.shape)
    sum += static_cast<uint64_t>(extent);
  for (size_t i = 0; i < operand.scales.size(); ++i)
    sum += operand.scales[i] > 0 ? static_cast<uint64_t>(int64_t{operand.zeroPoints[i]}) : 0;
  return sum;
}

void useOperation(const ModelCache &cache, uint32_t operation) {
  require(operation == kNoSource || operation < cache.numSourceOperations());
}

void useStream(const ModelCache &cache, const StreamView &stream) {
  const auto commands = firmware::decodeStream(stream.words);
  require(commands.isOk());
  require(stream.sources.empty() || stream.sources.size() == commands->size());
  for (const SourceCommand &source : stream.sources) {
    useOperation(cache, source.operation);
    if (source.operation != kNoSource)
      require(source.row < cache.sourceOperation(source.operation).height);
  }
}

/// Reads every field of a verified cache, so that the sanitizers find reads out of bounds.
void use(const ModelCache &cache) {
  volatile uint64_t sum = cache.scratchBytes() + cache.modelName().size();
  for (size_t i = 0; i < cache.numInputs(); ++i)
    sum = sum + sumOf(cache.input(i));
  for (size_t i = 0; i < cache.numOutputs(); ++i)
    sum = sum + sumOf(cache.output(i));
  for (size_t i = 0; i < cache.numRegions(); ++i)
    require(cache.region(i).kind <= RegionKind::Scratch);
  for (size_t i = 0; i < cache.numStreams(); ++i)
    useStream(cache, cache.stream(i));
  require(firmware::decodeControl(cache.control()).isOk());
  for (size_t i = 0; i < cache.numMemoryEntries(); ++i) {
    require(cache.memoryEntry(i).region <= cache.numRegions());
    useOperation(cache, cache.memoryEntry(i).operation);
  }
  for (size_t i = 0; i < cache.numLayers(); ++i)
    sum = sum + cache.layer(i).name.size() + cache.layer(i).operation.size();
  for (size_t i = 0; i < cache.numSourceEntries(); ++i)
    require(cache.sourceEntry(i).layer < cache.numLayers() && cache.sourceEntry(i).kind.size() < cache.bytes().size());
  for (size_t i = 0; i < cache.numSourceOperations(); ++i)
    require(cache.sourceOperation(i).layer < cache.numLayers());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<std::shared_ptr<const ModelCache>> cache = ModelCache::adopt({data, data + size}, "fuzz.avom");
  if (cache)
    use(**cache);
  else
    require(cache.status().message().starts_with("fuzz.avom: "));
  return 0;
}

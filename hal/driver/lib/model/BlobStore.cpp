//===- BlobStore.cpp - Compilations in the driver's own cache ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A blob is the size of the model part (8 bytes, little endian), the model part, and the data. The model part is that
// of a client's file, or for a program of executions its model cache alone.
//
//===----------------------------------------------------------------------===//

#include "model/BlobStore.h"

#include "avocet/base/Log.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/HalResult.h"

#include <array>
#include <cstring>

namespace avocet::hal {
namespace {

constexpr size_t kHeaderBytes = sizeof(uint64_t);

/// A hash of all inputs of the compiler. Target and version are in the cache's generation. The format is included,
/// since a client may pass the bytes of another model as a network.
cache::BlobKey keyOf(const cache::BlobCache &blobs, const ModelBytes &source, uint32_t optimize) {
  const std::array<uint8_t, 2> how = {static_cast<uint8_t>(source.format), static_cast<uint8_t>(optimize)};
  std::vector<std::span<const uint8_t>> parts = {how, source.bytes};
  parts.insert(parts.end(), source.pools.begin(), source.pools.end());
  return blobs.keyOf(parts);
}

struct Parts {
  std::vector<uint8_t> model; ///< a copy, since FlatBuffers need an alignment that the bytes after the header lack
  std::shared_ptr<const cache::DataCache> data;
};

Result<Parts> unpack(std::span<const uint8_t> blob) {
  uint64_t modelBytes = 0;
  if (blob.size() < kHeaderBytes)
    return generalFailure("blob: is too short");
  std::memcpy(&modelBytes, blob.data(), sizeof(modelBytes));
  if (modelBytes > blob.size() - kHeaderBytes)
    return generalFailure("blob: is too short");
  const std::span<const uint8_t> model = blob.subspan(kHeaderBytes, modelBytes);
  Parts parts{{model.begin(), model.end()}, nullptr};
  AVOCET_ASSIGN_OR_RETURN(parts.data,
                          toHalResult(cache::DataCache::fromBytes(blob.subspan(kHeaderBytes + modelBytes))));
  return parts;
}

std::vector<uint8_t> pack(std::span<const uint8_t> model, std::span<const uint8_t> data) {
  const uint64_t modelBytes = model.size();
  std::vector<uint8_t> blob(kHeaderBytes);
  blob.reserve(kHeaderBytes + model.size() + data.size());
  std::memcpy(blob.data(), &modelBytes, sizeof(modelBytes));
  blob.insert(blob.end(), model.begin(), model.end());
  blob.insert(blob.end(), data.begin(), data.end());
  return blob;
}

Result<CompiledModel> compiledModelIn(std::span<const uint8_t> blob) {
  AVOCET_ASSIGN_OR_RETURN(Parts parts, unpack(blob));
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, deserialize(parts.model));
  if (compiled.program != nullptr)
    AVOCET_RETURN_IF_ERROR(setData(compiled, std::move(parts.data)));
  return compiled;
}

Outcome put(cache::BlobCache &blobs, const cache::BlobKey &key, const CompiledModel &compiled) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> model, serialize(compiled));
  const auto data = compiled.data ? compiled.data->bytes() : std::span<const uint8_t>();
  return toHalResult(blobs.put(key, pack(model, data)));
}

void note(const Outcome &kept) {
  if (!kept)
    logMessage(LogLevel::Info, "driver", "compilation not stored in the blob cache: {}", kept.error().message);
}

/// The cached result with the interface of this preparation, which the key does not cover. Empty if the cache has no
/// usable entry.
std::optional<CompiledModel> find(cache::BlobCache &blobs, const cache::BlobKey &key, const Model &model) {
  avocet::Result<std::vector<uint8_t>> blob = blobs.get(key);
  if (!blob) {
    verbose(VerboseTag::Compilation, "compilation not in the blob cache: {}", blob.status().message());
    return std::nullopt;
  }
  Result<CompiledModel> compiled = compiledModelIn(*blob);
  if (!compiled) {
    verbose(VerboseTag::Compilation, "compilation in the blob cache is unusable: {}", compiled.error().message);
    return std::nullopt;
  }
  verbose(VerboseTag::Compilation, "compilation found in the blob cache, {} bytes", blob->size());
  compiled->signature = Signature(model);
  return std::move(*compiled);
}

Result<CompiledModel> compileInTurn(ClientState &client, const Model &model, ModelBytes source,
                                    const PrepareOptions &options) {
  const CallLimit limit = client.limit(options.deadline);
  AVOCET_ASSIGN_OR_RETURN(CompilerTurns::Turn turn, client.compilations().enter(limit));
  return compileModel(client.core().compiler(), model, std::move(source), limit, client.core().levels());
}

Result<CompiledModel> findOrCompile(ClientState &client, const Model &model, const PrepareOptions &options) {
  DeviceCore &core = client.core();
  AVOCET_ASSIGN_OR_RETURN(std::vector<AttributeValue> attributes, compilationAttributes(options));
  AVOCET_ASSIGN_OR_RETURN(ModelBytes source, modelBytesOf(model, client.memory().get(), attributes));
  if (core.blobs() == nullptr) {
    verbose(VerboseTag::Compilation, "compilation not in the blob cache: the device has none");
    return compileInTurn(client, model, std::move(source), options);
  }
  cache::BlobKey key = keyOf(*core.blobs(), source, core.levels().asked);
  std::optional<CompiledModel> found = find(*core.blobs(), key, model);
  (found ? core.counters().cacheHits : core.counters().cacheMisses) += 1;
  if (found)
    return std::move(*found);
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, compileInTurn(client, model, std::move(source), options));
  if (compiled.program == nullptr || compiled.optimize >= core.levels().asked)
    note(put(*core.blobs(), key, compiled));
  return compiled;
}

} // namespace

Result<CompiledModel> compileThroughBlobs(ClientState &client, const Model &model, const PrepareOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, findOrCompile(client, model, options));
  compiled.priority = options.priority;
  compiled.preference = options.preference;
  return compiled;
}

void keepInBlobs(cache::BlobCache &blobs, const ModelBytes &source, const CompiledModel &compiled) {
  note(put(blobs, keyOf(blobs, source, compiled.optimize), compiled));
}

/// Hashing the whole model again for each execution's facts would cost as much as reading its weights.
cache::BlobKey ProgramBlobs::keyOf(const Facts &facts) {
  std::call_once(hashed_, [this] { model_ = hal::keyOf(blobs_, *source_, asked_); });
  static constexpr std::array<uint8_t, 2> kGiven = {0, 1};
  std::vector<std::span<const uint8_t>> parts = {model_};
  for (const InputFacts &input : facts) {
    parts.push_back(std::span(kGiven).subspan(input.isOmitted ? 1 : 0, 1));
    parts.push_back({reinterpret_cast<const uint8_t *>(input.dimensions.data()),
                     input.dimensions.size() * sizeof(input.dimensions[0])});
    parts.push_back(input.value);
  }
  return blobs_.keyOf(parts);
}

std::optional<KeptProgram> ProgramBlobs::find(const Facts &facts) {
  avocet::Result<std::vector<uint8_t>> blob = blobs_.get(keyOf(facts));
  if (!blob)
    return std::nullopt;
  Result<Parts> parts = unpack(*blob);
  if (!parts)
    return std::nullopt;
  auto program = std::make_shared<const std::vector<uint8_t>>(std::move(parts->model));
  return KeptProgram{facts, std::move(program), std::move(parts->data), asked_};
}

void ProgramBlobs::put(const KeptProgram &program) {
  if (program.optimize < asked_)
    return;
  note(toHalResult(blobs_.put(keyOf(program.facts), pack(*program.program, program.data->bytes()))));
}

} // namespace avocet::hal

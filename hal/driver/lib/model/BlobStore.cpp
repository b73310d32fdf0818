//===- BlobStore.cpp - Compilations in the driver's own cache ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A blob is the size of the model part (8 bytes, little endian), the model part as in a client's file, and the data.
//
//===----------------------------------------------------------------------===//

#include "model/BlobStore.h"

#include "avocet/base/Log.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/HalResult.h"

#include <cstring>

namespace avocet::hal {
namespace {

constexpr size_t kHeaderBytes = sizeof(uint64_t);

/// A hash of all inputs of the compiler. Target and version are in the cache's generation. The format is included,
/// since a client may pass the bytes of another model as a network.
cache::BlobKey keyOf(const cache::BlobCache &blobs, const ModelBytes &source) {
  const auto format = static_cast<uint8_t>(source.format);
  std::vector<std::span<const uint8_t>> parts = {std::span(&format, 1), source.bytes};
  parts.insert(parts.end(), source.pools.begin(), source.pools.end());
  return blobs.keyOf(parts);
}

Result<CompiledModel> unpack(std::span<const uint8_t> blob) {
  uint64_t modelBytes = 0;
  if (blob.size() < kHeaderBytes)
    return generalFailure("blob: is too short");
  std::memcpy(&modelBytes, blob.data(), sizeof(modelBytes));
  if (modelBytes > blob.size() - kHeaderBytes)
    return generalFailure("blob: is too short");
  // A copy, since FlatBuffers need an alignment that the bytes after the header lack.
  std::vector<uint8_t> model(blob.begin() + kHeaderBytes,
                             blob.begin() + static_cast<ptrdiff_t>(kHeaderBytes + modelBytes));
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, deserialise(model));
  if (compiled.program != nullptr) {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const cache::DataCache> data,
                            toHalResult(cache::DataCache::fromBytes(blob.subspan(kHeaderBytes + modelBytes))));
    AVOCET_RETURN_IF_ERROR(setData(compiled, std::move(data)));
  }
  return compiled;
}

Outcome put(cache::BlobCache &blobs, const cache::BlobKey &key, const CompiledModel &compiled) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> model, serialise(compiled));
  uint64_t modelBytes = model.size();
  std::vector<uint8_t> blob(kHeaderBytes);
  std::memcpy(blob.data(), &modelBytes, sizeof(modelBytes));
  blob.insert(blob.end(), model.begin(), model.end());
  if (compiled.data != nullptr)
    blob.insert(blob.end(), compiled.data->bytes().begin(), compiled.data->bytes().end());
  return toHalResult(blobs.put(key, blob));
}

/// The cached result with the interface of this preparation, which the key does not cover. Empty if the cache has no
/// usable entry.
std::optional<CompiledModel> find(cache::BlobCache &blobs, const cache::BlobKey &key, const Model &model) {
  avocet::Result<std::vector<uint8_t>> blob = blobs.get(key);
  if (!blob) {
    verbose(VerboseTag::Compilation, "compilation not in the blob cache: {}", blob.status().message());
    return std::nullopt;
  }
  Result<CompiledModel> compiled = unpack(*blob);
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
  return compileModel(client.core().compiler(), model, std::move(source), limit);
}

Result<CompiledModel> findOrCompile(ClientState &client, const Model &model, const PrepareOptions &options) {
  DeviceCore &core = client.core();
  AVOCET_ASSIGN_OR_RETURN(std::vector<AttributeValue> attributes, compilationAttributes(options));
  AVOCET_ASSIGN_OR_RETURN(ModelBytes source, modelBytesOf(model, client.memory().get(), attributes));
  if (core.blobs() == nullptr) {
    verbose(VerboseTag::Compilation, "compilation not in the blob cache: the device has none");
    return compileInTurn(client, model, std::move(source), options);
  }
  cache::BlobKey key = keyOf(*core.blobs(), source);
  if (std::optional<CompiledModel> found = find(*core.blobs(), key, model))
    return std::move(*found);
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, compileInTurn(client, model, std::move(source), options));
  if (Outcome kept = put(*core.blobs(), key, compiled); !kept)
    logMessage(LogLevel::Info, "driver", "compilation not stored in the blob cache: {}", kept.error().message);
  return compiled;
}

} // namespace

Result<CompiledModel> compileThroughBlobs(ClientState &client, const Model &model, const PrepareOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, findOrCompile(client, model, options));
  compiled.priority = options.priority;
  compiled.preference = options.preference;
  return compiled;
}

} // namespace avocet::hal

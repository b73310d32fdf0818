//===- Preparation.cpp - Prepares models, also from cache files -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Preparation.h"

#include "avocet/base/File.h"
#include "avocet/base/Log.h"
#include "avocet/cache/SecureFiles.h"
#include "avocet/hal/extensions/Attributes.h"
#include "avocet/hal/extensions/Lowering.h"
#include "avocet/hal/types/PeerFile.h"
#include "avocet/hal/types/Tracing.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/HalResult.h"
#include "memory/PoolFile.h"
#include "model/BlobStore.h"
#include "model/ForeignTypes.h"
#include "model/TfliteModel.h"

#include <chrono>
#include <fmt/core.h>

namespace avocet::hal {
namespace {

std::span<const uint8_t> dataOf(const CompiledModel &model) {
  return model.data ? model.data->bytes() : std::span<const uint8_t>();
}

cache::CacheFilePair filesOf(const CacheFiles &files) { return {*files.modelCache[0], *files.dataCache[0]}; }
std::vector<SharedHandle> handlesOf(const CacheFiles &files) { return {files.modelCache[0], files.dataCache[0]}; }

Outcome save(ClientState &client, const CompiledModel &model, const CacheFiles &files) {
  DeviceCore &core = client.core();
  if (core.tokens() == nullptr)
    return generalFailure("this device offers no compilation caching");
  AVOCET_RETURN_IF_ERROR(validateCacheFiles(kCacheFiles, files.modelCache, files.dataCache));
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, serialise(model));
  if (uint64_t total = bytes.size() + dataOf(model).size(); total > client.cacheBytes())
    return error(
        ErrorStatus::ResourceExhaustedPersistent,
        fmt::format("{} bytes are more than the client's cache files may have, {}", total, client.cacheBytes()));
  // A thread blocked by the client's file system may continue after this call, so the work owns all that it uses.
  auto shared = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  return withPeerFiles<Nothing>(handlesOf(files), [tokens = core.sharedTokens(), shared, data = model.data, files] {
    const auto constants = data ? data->bytes() : std::span<const uint8_t>();
    return toHalResult(cache::saveCompilation(*tokens, files.token, *shared, constants, filesOf(files)));
  });
}

/// A failure to write the cache files does not fail the preparation.
void trySave(ClientState &client, const CompiledModel &model, const CacheFiles &files) {
  if (!files.areGiven())
    return;
  if (Outcome saved = save(client, model, files); !saved)
    logMessage(LogLevel::Warning, "driver", "compilation not cached: {}",
               verboseError(VerboseTag::Compilation, "compilation not saved", saved.error()).message);
  else
    verbose(VerboseTag::Compilation, "compilation saved in the client's cache files");
}

Prepared finish(const std::shared_ptr<ClientState> &client, CompiledModel compiled) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<PreparedModel> prepared, PreparedModel::create(client, std::move(compiled)));
  return std::shared_ptr<IPreparedModel>(std::move(prepared));
}

/// The model file was written by this driver (checked by its hash). The data file is checked for damage only: who can
/// change it can make the results wrong, and nothing else.
Result<CompiledModel> read(const cache::TokenStore &tokens, Quota &memory, const CacheFiles &files) {
  const std::optional<PeerFileFacts> claimed = factsOf(*files.modelCache[0]);
  if (!claimed)
    return invalidArgument("prepare: the descriptor of the model cache file is not open");
  AVOCET_ASSIGN_OR_RETURN(Charge charge, memory.take(claimed->size)); // for the checked copy
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes,
                          toHalResult(cache::loadCompilation(tokens, files.token, filesOf(files))));
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, deserialise(bytes));
  if (compiled.program != nullptr) {
    const uint64_t dataBytes = compiled.program->dataBytes();
    AVOCET_ASSIGN_OR_RETURN(Charge copy, memory.take(dataBytes)); // until the program is charged for it
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const cache::DataCache> data,
                            toHalResult(cache::DataCache::fromFile(*files.dataCache[0], dataBytes)));
    AVOCET_RETURN_IF_ERROR(setData(compiled, std::move(data)));
  }
  return compiled;
}

Result<CompiledModel> load(ClientState &client, const CacheFiles &files) {
  // As in save(): the work owns all that it uses.
  return withPeerFiles<CompiledModel>(handlesOf(files),
                                      [tokens = client.core().sharedTokens(), memory = client.memory(), files] {
                                        return withoutExceptions([&] { return read(*tokens, *memory, files); });
                                      });
}

/// A network in the TFLite extension has operands of its own.
Outcome checkNetwork(const Model &model, const CompiledModel &compiled) {
  AVOCET_ASSIGN_OR_RETURN(std::optional<uint32_t> file, tfliteFileOf(model));
  if (!file)
    return success();
  if (compiled.program == nullptr)
    return generalFailure("model: the shapes of its network are not all known, which is not supported");
  return checkTfliteOperands(model, *compiled.program);
}

/// From the compiler or the driver's own cache.
Result<CompiledModel> compile(ClientState &client, const Model &model, const PrepareOptions &options) {
  AVOCET_RETURN_IF_ERROR(checkNoForeignTypes(model));
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, compileThroughBlobs(client, model, options));
  AVOCET_RETURN_IF_ERROR(checkNetwork(model, compiled));
  return compiled;
}

Result<CompiledModel> compileLowered(ClientState &client, const Model &model, const PrepareOptions &options) {
  if (!usesExtensions(model))
    return compile(client, model, options);
  AVOCET_ASSIGN_OR_RETURN(Model lowered, lowerExtensions(model));
  return compile(client, lowered, options);
}

Error tooLate() { return error(ErrorStatus::MissedDeadlinePersistent, "prepare: the deadline has passed"); }

Prepared prepareNew(const std::shared_ptr<ClientState> &client, const Model &model, const PrepareOptions &options) {
  const CallLimit limit = client->limit(options.deadline);
  if (limit.hasPassed())
    return tooLate();
  HalSpan span(TraceLayer::Driver, TracePhase::Compilation, "prepareModel");
  const auto start = std::chrono::steady_clock::now();
  verbose(VerboseTag::Model, "model of {} operations, {} operands, {} inputs, {} outputs, {} subgraphs, {} pools",
          model.main.operations.size(), model.main.operands.size(), model.main.inputIndexes.size(),
          model.main.outputIndexes.size(), model.referenced.size(), model.pools.size());
  verbose(VerboseTag::Compilation, "prepare a model of {} operations", model.main.operations.size());
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, compileLowered(*client, model, options));
  if (limit.isOver())
    return limit.whyOver("while the model was prepared");
  verbose(VerboseTag::Compilation, "prepared after {:.1f} ms",
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  if (compiled.program == nullptr)
    verbose(VerboseTag::Compilation, "the model has no program until an execution gives shapes and values");
  trySave(*client, compiled, options.cache);
  return finish(client, std::move(compiled));
}

Prepared loadPrepared(const std::shared_ptr<ClientState> &client, const OptionalTimePoint &deadline,
                      const CacheFiles &cache) {
  AVOCET_RETURN_IF_ERROR(validate(deadline));
  if (client->core().tokens() == nullptr)
    return generalFailure("prepare: this device offers no compilation caching");
  AVOCET_RETURN_IF_ERROR(validateCacheFiles(kCacheFiles, cache.modelCache, cache.dataCache));
  if (client->limit(deadline).hasPassed())
    return tooLate();
  HalSpan span(TraceLayer::Driver, TracePhase::Compilation, "prepareModelFromCache");
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, load(*client, cache));
  verbose(VerboseTag::Compilation, "prepared from the client's cache files");
  return finish(client, std::move(compiled));
}

} // namespace

Outcome checkPreparation(const Model &model, const PrepareOptions &options) {
  AVOCET_RETURN_IF_ERROR(checkPools(model.pools));
  AVOCET_RETURN_IF_ERROR(validate(model));
  AVOCET_RETURN_IF_ERROR(validate(options.preference));
  AVOCET_RETURN_IF_ERROR(validate(options.priority));
  AVOCET_RETURN_IF_ERROR(validate(options.deadline));
  AVOCET_RETURN_IF_ERROR(validate(options.hints, options.extensionNameToPrefix));
  AVOCET_RETURN_IF_ERROR(compilationAttributes(options));
  return success();
}

Prepared prepareModel(const std::shared_ptr<ClientState> &client, const Model &model, const PrepareOptions &options) {
  Prepared prepared = prepareNew(client, model, options);
  return prepared ? std::move(prepared) : verboseError(VerboseTag::Compilation, "not prepared", prepared.error());
}

Prepared prepareModelFromCache(const std::shared_ptr<ClientState> &client, const OptionalTimePoint &deadline,
                               const CacheFiles &cache) {
  Prepared prepared = loadPrepared(client, deadline, cache);
  return prepared
             ? std::move(prepared)
             : verboseError(VerboseTag::Compilation, "not prepared from the client's cache files", prepared.error());
}

} // namespace avocet::hal

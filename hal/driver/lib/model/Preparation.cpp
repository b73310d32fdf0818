//===- Preparation.cpp - Prepares models, also from cache files -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Preparation.h"

#include "avocet/base/Log.h"
#include "avocet/hal/extensions/Attributes.h"
#include "avocet/hal/extensions/Lowering.h"
#include "avocet/hal/types/Tracing.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/types/VerboseLog.h"
#include "memory/PoolFile.h"
#include "model/BlobStore.h"
#include "model/ClientFiles.h"
#include "model/ForeignTypes.h"
#include "model/NetworkModel.h"

#include <chrono>

namespace avocet::hal {
namespace {

/// A failure to write the cache files does not fail the preparation.
bool trySave(ClientState &client, const CompiledModel &model, const CacheFiles &files) {
  if (!files.areGiven())
    return false;
  const Outcome saved = writeClientFiles(client, model, files);
  if (saved)
    verbose(VerboseTag::Compilation, "compilation saved in the client's cache files");
  else
    logMessage(LogLevel::Warning, "driver", "compilation not cached: {}",
               verboseError(VerboseTag::Compilation, "compilation not saved", saved.error()).message);
  return saved.isOk();
}

/// Null if the compilation never changes.
std::shared_ptr<CacheFileWriter> writerFor(const ClientState &client, const CompiledModel &compiled,
                                           const CacheFiles &files) {
  return compiled.source ? std::make_shared<CacheFileWriter>(client, files, compiled) : nullptr;
}

Prepared finish(const std::shared_ptr<ClientState> &client, CompiledModel compiled,
                std::shared_ptr<CacheFileWriter> files) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<PreparedModel> prepared,
                          PreparedModel::create(client, std::move(compiled), std::move(files)));
  return std::shared_ptr<IPreparedModel>(std::move(prepared));
}

/// A whole network has operands of its own.
Outcome checkNetwork(const Model &model, const CompiledModel &compiled) {
  AVOCET_ASSIGN_OR_RETURN(std::optional<NetworkParts> network, networkOf(model));
  if (!network)
    return success();
  if (compiled.program == nullptr)
    return generalFailure("model: the shapes of its network are not all known, which is not supported");
  return checkNetworkOperands(model, network->format, *compiled.program);
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
  const bool isSaved = trySave(*client, compiled, options.cache);
  auto files = isSaved ? writerFor(*client, compiled, options.cache) : nullptr;
  return finish(client, std::move(compiled), std::move(files));
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
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, readClientFiles(*client, cache));
  verbose(VerboseTag::Compilation, "prepared from the client's cache files");
  auto files = writerFor(*client, compiled, cache);
  return finish(client, std::move(compiled), std::move(files));
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
  Counters &counters = client->core().counters();
  (prepared ? counters.cacheHits : counters.cacheMisses) += 1;
  return prepared
             ? std::move(prepared)
             : verboseError(VerboseTag::Compilation, "not prepared from the client's cache files", prepared.error());
}

} // namespace avocet::hal

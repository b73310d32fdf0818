//===- ClientFiles.cpp - Compilations in a client's cache files -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/ClientFiles.h"

#include "avocet/base/Log.h"
#include "avocet/cache/SecureFiles.h"
#include "avocet/hal/types/PeerFile.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/HalResult.h"

#include <algorithm>
#include <fmt/core.h>
#include <ranges>

namespace avocet::hal {
namespace {

cache::CacheFilePair filesOf(const CacheFiles &files) { return {*files.modelCache[0], *files.dataCache[0]}; }
std::vector<SharedHandle> handlesOf(const CacheFiles &files) { return {files.modelCache[0], files.dataCache[0]}; }

/// The bytes of both files.
struct Contents {
  std::vector<uint8_t> model;
  std::vector<uint8_t> joined;                  ///< the data, if programs of executions add to it
  std::shared_ptr<const cache::DataCache> data; ///< the data otherwise; null: none
  std::span<const uint8_t> dataBytes() const {
    return joined.empty() && data ? data->bytes() : std::span<const uint8_t>(joined);
  }
  uint64_t size() const { return model.size() + dataBytes().size(); }
};

Result<Contents> contentsOf(const CompiledModel &model) {
  Contents contents;
  contents.data = model.data;
  DataLayout layout;
  if (!model.specialisations.empty())
    layout = layOut(contents.dataBytes(), model.specialisations);
  AVOCET_ASSIGN_OR_RETURN(contents.model, serialise(model, layout.parts));
  contents.joined = std::move(layout.bytes);
  return contents;
}

/// Leaves out the programs used longest ago if the client may not write all of them.
Result<Contents> fittingContents(const FileOwner &owner, CompiledModel model) {
  while (true) {
    AVOCET_ASSIGN_OR_RETURN(Contents contents, contentsOf(model));
    if (contents.size() <= owner.maxBytes)
      return contents;
    if (model.specialisations.empty())
      return error(
          ErrorStatus::ResourceExhaustedPersistent,
          fmt::format("{} bytes are more than the client's cache files may have, {}", contents.size(), owner.maxBytes));
    model.specialisations.pop_back();
  }
}

using Save = decltype(cache::saveCompilation);

Outcome write(const FileOwner &owner, const CompiledModel &model, const CacheFiles &files, Save &save) {
  if (owner.tokens == nullptr)
    return generalFailure("this device offers no compilation caching");
  AVOCET_RETURN_IF_ERROR(validateCacheFiles(kCacheFiles, files.modelCache, files.dataCache));
  AVOCET_ASSIGN_OR_RETURN(Contents contents, fittingContents(owner, model));
  // A thread blocked by the client's file system may continue after this call, so the work owns all that it uses.
  auto shared = std::make_shared<const Contents>(std::move(contents));
  return withPeerFiles<Nothing>(handlesOf(files), [tokens = owner.tokens, shared, files, &save] {
    return toHalResult(save(*tokens, files.token, shared->model, shared->dataBytes(), filesOf(files)));
  });
}

/// Copies of equal parts are shared. The client's memory may not suffice for all: the rest is compiled again when
/// needed.
Outcome readPrograms(Quota &memory, const CacheFiles &files, std::vector<KeptProgram> &programs) {
  for (auto program = programs.begin(); program != programs.end(); ++program) {
    auto same = std::find_if(programs.begin(), program, [&](const auto &known) { return known.part == program->part; });
    const uint64_t dataBytes = same == program ? program->part.bytes : 0;
    Result<Charge> charge = memory.take(program->program->size() + dataBytes);
    if (!charge) {
      programs.erase(program, programs.end());
      break;
    }
    program->charge = std::make_shared<const Charge>(std::move(*charge));
    if (same != program) {
      program->data = same->data;
      continue;
    }
    AVOCET_ASSIGN_OR_RETURN(
        std::shared_ptr<const cache::DataCache> data,
        toHalResult(cache::DataCache::fromPart(*files.dataCache[0], program->part.offset, program->part.bytes)));
    AVOCET_RETURN_IF_ERROR(setData(*program, std::move(data)));
  }
  return success();
}

/// The whole data file, unless programs of executions have parts of it.
avocet::Result<std::shared_ptr<const cache::DataCache>> dataOfProgram(const CompiledModel &compiled,
                                                                      const CacheFiles &files) {
  const uint64_t bytes = compiled.program->dataBytes();
  return compiled.specialisations.empty() ? cache::DataCache::fromFile(*files.dataCache[0], bytes)
                                          : cache::DataCache::fromPart(*files.dataCache[0], 0, bytes);
}

/// The model file was written by this driver (checked by its hash). The data file is checked for damage only: who can
/// change it can make the results wrong, and nothing else.
Result<CompiledModel> read(const cache::TokenStore &tokens, Quota &memory, const CacheFiles &files) {
  const std::optional<PeerFileFacts> claimed = factsOf(*files.modelCache[0]);
  if (!claimed)
    return invalidArgument("prepare: the descriptor of the model cache file is not open");
  AVOCET_ASSIGN_OR_RETURN(Charge charge, memory.take(claimed->size)); // for the checked copy
  AVOCET_ASSIGN_OR_RETURN(cache::LoadedCompilation loaded,
                          toHalResult(cache::loadCompilation(tokens, files.token, filesOf(files))));
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, deserialise(loaded.model));
  if (compiled.program != nullptr) {
    AVOCET_ASSIGN_OR_RETURN(Charge copy, memory.take(compiled.program->dataBytes())); // until the program is charged
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const cache::DataCache> data, toHalResult(dataOfProgram(compiled, files)));
    AVOCET_RETURN_IF_ERROR(setData(compiled, std::move(data)));
  }
  AVOCET_RETURN_IF_ERROR(readPrograms(memory, files, compiled.specialisations));
  return compiled;
}

} // namespace

FileOwner::FileOwner(const ClientState &client) : tokens(client.core().sharedTokens()), maxBytes(client.cacheBytes()) {}

Outcome writeClientFiles(const ClientState &client, const CompiledModel &model, const CacheFiles &files) {
  return write(FileOwner(client), model, files, cache::saveCompilation);
}

Result<CompiledModel> readClientFiles(ClientState &client, const CacheFiles &files) {
  // As in write(): the work owns all that it uses.
  return withPeerFiles<CompiledModel>(handlesOf(files),
                                      [tokens = client.core().sharedTokens(), memory = client.memory(), files] {
                                        return withoutExceptions([&] { return read(*tokens, *memory, files); });
                                      });
}

CacheFileWriter::CacheFileWriter(const ClientState &client, CacheFiles files, CompiledModel model)
    : owner_(client), files_(std::move(files)), model_(std::move(model)),
      kept_(client.core().options().maxSpecialisations) {
  for (auto &program : std::views::reverse(model_.specialisations))
    kept_.put(std::move(program));
  model_.specialisations.clear();
}

std::optional<KeptProgram> CacheFileWriter::find(const Facts &facts) {
  std::lock_guard lock(mutex_);
  return kept_.find(facts);
}

void CacheFileWriter::add(ClientState &client, KeptProgram program) {
  {
    std::lock_guard lock(mutex_);
    kept_.put(std::move(program));
  }
  request(client);
}

/// A second task of the background thread might find its queue full, and nothing would write the program later.
void CacheFileWriter::set(CompiledModel model) {
  {
    std::lock_guard lock(mutex_);
    std::swap(model_, model); // the old one is destroyed without the lock
    if (isLost_)
      return;
  }
  save();
}

/// If the queue is full, the next change is written with this one.
void CacheFileWriter::request(ClientState &client) {
  {
    std::lock_guard lock(mutex_);
    if (isQueued_ || isLost_)
      return;
    isQueued_ = true;
  }
  if (client.core().background().post(client.owner(), [self = shared_from_this()] { self->save(); }))
    return;
  std::lock_guard lock(mutex_);
  isQueued_ = false;
}

void CacheFileWriter::save() {
  CompiledModel model;
  {
    std::lock_guard lock(mutex_);
    isQueued_ = false; // later changes are not in this copy
    model = model_;
    model.specialisations = kept_.all();
  }
  const Outcome saved = withoutExceptions([&] { return write(owner_, model, files_, cache::replaceCompilation); });
  if (saved) {
    verbose(VerboseTag::Compilation, "the client's cache files have {} programs of executions",
            model.specialisations.size());
    return;
  }
  logMessage(LogLevel::Info, "driver", "cache files not updated: {}", saved.error().message);
  std::lock_guard lock(mutex_);
  isLost_ = saved.code() == ErrorStatus::GeneralFailure;
}

} // namespace avocet::hal

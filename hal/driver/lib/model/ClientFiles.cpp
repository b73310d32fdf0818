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
  if (!model.specializations.empty())
    layout = layOut(contents.dataBytes(), model.specializations);
  AVOCET_ASSIGN_OR_RETURN(contents.model, serialize(model, layout.parts));
  contents.joined = std::move(layout.bytes);
  return contents;
}

/// Leaves out the programs used longest ago if the client may not write all of them.
Result<Contents> fittingContents(const FileOwner &owner, CompiledModel model) {
  while (true) {
    AVOCET_ASSIGN_OR_RETURN(Contents contents, contentsOf(model));
    if (contents.size() <= owner.maxBytes)
      return contents;
    if (model.specializations.empty())
      return error(
          ErrorStatus::ResourceExhaustedPersistent,
          fmt::format("{} bytes are more than the client's cache files may have, {}", contents.size(), owner.maxBytes));
    model.specializations.pop_back();
  }
}

Outcome checkWritable(const FileOwner &owner, const CacheFiles &files) {
  if (owner.tokens == nullptr)
    return generalFailure("this device offers no compilation caching");
  return validateCacheFiles(kCacheFiles, files.modelCache, files.dataCache);
}

/// The constants of a program from the data file. `known`: programs of the file that have theirs; equal parts are
/// shared.
Outcome readConstants(const CacheFiles &files, std::span<const KeptProgram> known, KeptProgram &program) {
  auto same = std::ranges::find(known, program.part, &KeptProgram::part);
  if (same != known.end()) {
    program.data = same->data;
    return success();
  }
  AVOCET_ASSIGN_OR_RETURN(
      std::shared_ptr<const cache::DataCache> data,
      toHalResult(cache::DataCache::fromPart(*files.dataCache[0], program.part.offset, program.part.bytes)));
  return setData(program, std::move(data));
}

/// The client's memory may not suffice for all: the rest is compiled again when needed.
Outcome readPrograms(Quota &memory, const CacheFiles &files, std::vector<KeptProgram> &programs) {
  for (auto program = programs.begin(); program != programs.end(); ++program) {
    const std::span<const KeptProgram> known(programs.begin(), program);
    const bool isShared = std::ranges::find(known, program->part, &KeptProgram::part) != known.end();
    Result<Charge> charge = memory.take(program->program->size() + (isShared ? 0 : program->part.bytes));
    if (!charge) {
      programs.erase(program, programs.end());
      break;
    }
    program->charge = std::make_shared<const Charge>(std::move(*charge));
    AVOCET_RETURN_IF_ERROR(readConstants(files, known, *program));
  }
  return success();
}

/// The whole data file, unless programs of executions have parts of it.
avocet::Result<std::shared_ptr<const cache::DataCache>> dataOfProgram(const CompiledModel &compiled,
                                                                      const CacheFiles &files) {
  const uint64_t bytes = compiled.program->dataBytes();
  return compiled.specializations.empty() ? cache::DataCache::fromFile(*files.dataCache[0], bytes)
                                          : cache::DataCache::fromPart(*files.dataCache[0], 0, bytes);
}

/// Whether the files hold a compilation of the model to which the source belongs. A client may use its token for
/// another model. Files without a source hold a final program, to which nothing can be added.
bool isOfModel(const CompiledModel &saved, const ModelBytes &source) {
  return saved.source != nullptr && saved.source->format == source.format && saved.source->bytes == source.bytes &&
         saved.source->pools == source.pools;
}

/// The saved program of the model instead of its own, if it is of a higher level.
Outcome takeBetterProgram(CompiledModel &model, CompiledModel &saved, const CacheFiles &files) {
  if (saved.program == nullptr || saved.optimize <= model.optimize)
    return success();
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const cache::DataCache> data, toHalResult(dataOfProgram(saved, files)));
  AVOCET_RETURN_IF_ERROR(setData(saved, std::move(data)));
  model.program = saved.program;
  model.data = saved.data;
  model.optimize = saved.optimize;
  return success();
}

/// Adds to `model` what another process has saved in the files since they were read. Own programs count as used later.
/// Of two programs for the same facts, the one of the higher level stays. Programs whose constants are damaged are left
/// out. The copies exist during the write only.
void addSaved(CompiledModel &model, CompiledModel saved, const CacheFiles &files, size_t mostPrograms) {
  if (const Outcome better = takeBetterProgram(model, saved, files); !better)
    verbose(VerboseTag::Compilation, "the program in the client's files is replaced: {}", better.error().message);
  std::vector<KeptProgram> read;
  for (KeptProgram &program : saved.specializations)
    if (readConstants(files, read, program))
      read.push_back(std::move(program));
  KeptPrograms all(mostPrograms);
  for (KeptProgram &program : std::views::reverse(read))
    all.put(std::move(program));
  for (KeptProgram &program : std::views::reverse(model.specializations))
    if (const auto known = all.find(program.facts); !known || known->optimize <= program.optimize)
      all.put(std::move(program));
  model.specializations = all.all();
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
  AVOCET_ASSIGN_OR_RETURN(CompiledModel compiled, deserialize(loaded.model));
  if (compiled.program != nullptr) {
    AVOCET_ASSIGN_OR_RETURN(Charge copy, memory.take(compiled.program->dataBytes())); // until the program is charged
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const cache::DataCache> data, toHalResult(dataOfProgram(compiled, files)));
    AVOCET_RETURN_IF_ERROR(setData(compiled, std::move(data)));
  }
  AVOCET_RETURN_IF_ERROR(readPrograms(memory, files, compiled.specializations));
  return compiled;
}

/// The model together with what is in the files. The caller holds their lock. GeneralFailure: it is another model.
Result<Contents> joinedContents(const FileOwner &owner, const ModelBytes &source, CompiledModel model,
                                std::span<const uint8_t> savedModel, const CacheFiles &files, size_t mostPrograms) {
  AVOCET_ASSIGN_OR_RETURN(CompiledModel saved, deserialize(savedModel));
  if (!isOfModel(saved, source))
    return generalFailure("they hold a final program or another model");
  addSaved(model, std::move(saved), files, mostPrograms);
  verbose(VerboseTag::Compilation, "the client's cache files get {} programs of executions",
          model.specializations.size());
  return fittingContents(owner, std::move(model));
}

Outcome replaceInFiles(const FileOwner &owner, const std::shared_ptr<const ModelBytes> &source, CompiledModel model,
                       const CacheFiles &files, size_t mostPrograms) {
  AVOCET_RETURN_IF_ERROR(checkWritable(owner, files));
  // As in writeClientFiles(): the work owns all that it uses.
  return withPeerFiles<Nothing>(
      handlesOf(files), [owner, source, model = std::move(model), files, mostPrograms]() -> Outcome {
        return withoutExceptions([&]() -> Outcome {
          Outcome refused = success();
          const cache::Replace replace = [&](std::span<const uint8_t> saved) -> avocet::Result<cache::Replacement> {
            Result<Contents> contents = joinedContents(owner, *source, model, saved, files, mostPrograms);
            if (!contents) {
              refused = contents.error();
              return failedPrecondition(contents.error().message);
            }
            auto shared = std::make_shared<const Contents>(std::move(*contents));
            return cache::Replacement{shared->model, shared->dataBytes(), shared};
          };
          const Status replaced = cache::replaceCompilation(*owner.tokens, files.token, replace, filesOf(files));
          return refused ? toHalResult(replaced) : refused;
        });
      });
}

} // namespace

FileOwner::FileOwner(const ClientState &client) : tokens(client.core().sharedTokens()), maxBytes(client.cacheBytes()) {}

Outcome writeClientFiles(const ClientState &client, const CompiledModel &model, const CacheFiles &files) {
  const FileOwner owner(client);
  AVOCET_RETURN_IF_ERROR(checkWritable(owner, files));
  AVOCET_ASSIGN_OR_RETURN(Contents contents, fittingContents(owner, model));
  // A thread blocked by the client's file system may continue after this call, so the work owns all that it uses.
  auto shared = std::make_shared<const Contents>(std::move(contents));
  return withPeerFiles<Nothing>(handlesOf(files), [tokens = owner.tokens, shared, files] {
    return toHalResult(
        cache::saveCompilation(*tokens, files.token, shared->model, shared->dataBytes(), filesOf(files)));
  });
}

Result<CompiledModel> readClientFiles(ClientState &client, const CacheFiles &files) {
  // As in writeClientFiles(): the work owns all that it uses.
  return withPeerFiles<CompiledModel>(handlesOf(files),
                                      [tokens = client.core().sharedTokens(), memory = client.memory(), files] {
                                        return withoutExceptions([&] { return read(*tokens, *memory, files); });
                                      });
}

CacheFileWriter::CacheFileWriter(const ClientState &client, CacheFiles files, CompiledModel model)
    : owner_(client), files_(std::move(files)), mostPrograms_(client.core().options().maxSpecializations),
      source_(model.source), model_(std::move(model)), kept_(mostPrograms_) {
  for (auto &program : std::views::reverse(model_.specializations))
    kept_.put(std::move(program));
  model_.specializations.clear();
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
    model.specializations = kept_.all();
  }
  const Outcome saved =
      withoutExceptions([&] { return replaceInFiles(owner_, source_, std::move(model), files_, mostPrograms_); });
  if (saved)
    return;
  logMessage(LogLevel::Info, "driver", "cache files not updated: {}", saved.error().message);
  std::lock_guard lock(mutex_);
  isLost_ = saved.code() == ErrorStatus::GeneralFailure;
}

} // namespace avocet::hal

//===- Programs.cpp - The programs of one prepared model --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver that compiles in stages answers with a program of the compiler's fastest level. The program of the level
// that was asked for is compiled on the device's background thread, and replaces it.
//
//===----------------------------------------------------------------------===//

#include "model/Programs.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/HalResult.h"
#include "model/CompiledModel.h"

#include <algorithm>
#include <fmt/core.h>
#include <memory>
#include <shared_mutex>
#include <stop_token>

namespace avocet::hal {
namespace {

/// A compilation for the background. It owns all that it uses, and keeps neither the model nor the client alive, so
/// that both may end at any time.
struct Improvement {
  std::shared_ptr<CompilerGate> compiler;
  DeadlineClock clock;
  std::stop_token ended; ///< of the model
  std::shared_ptr<const ModelBytes> source;
  Facts facts;                                     ///< empty: the model's own program
  CompileOrder order;                              ///< with the level that was asked for
  std::weak_ptr<Programs> programs;                ///< gets the result, if it still exists
  std::shared_ptr<std::shared_mutex> replacements; ///< of the client
};

/// Takes no turn at the compiler: the background has one thread for all clients, and must not delay those who wait.
static Result<KeptProgram> compile(const Improvement &work) {
  const CallLimit limit(work.clock, std::nullopt, work.ended);
  const std::vector<uint8_t> special =
      work.facts.empty() ? std::vector<uint8_t>() : specialize(work.source->bytes, work.facts);
  const std::span<const uint8_t> model = work.facts.empty() ? work.source->bytes : special;
  AVOCET_ASSIGN_OR_RETURN(compiler::CompileResult result,
                          work.compiler->compile(model, work.source->poolSpans(), limit, work.order));
  if (!result.status.isOk())
    return errorOf(result, limit);
  return keptProgramOf(work.facts, result, work.order.optimize);
}

/// Compiles, unless the model has ended, and passes the result to Programs::replace().
void improve(const Improvement &work) {
  if (work.ended.stop_requested())
    return;
  const Result<KeptProgram> made = withoutExceptions([&] { return compile(work); });
  const std::shared_lock lock(*work.replacements); // until the programs are released, which may be the last ones
  if (std::shared_ptr<Programs> programs = work.programs.lock(); programs && !work.ended.stop_requested())
    programs->replace(made, *work.source);
}

/// Values that shape a program are paddings, axes and the like.
constexpr uint64_t kMaxValueBytes = 1 << 20;

constexpr std::string_view kWhileCompiling = "while the model was compiled for its shapes";

uint64_t bytesOf(const ModelBytes &source) {
  uint64_t bytes = source.bytes.size();
  for (const std::vector<uint8_t> &pool : source.pools)
    bytes += pool.size();
  return bytes;
}

} // namespace

Programs::Programs(std::shared_ptr<ClientState> client, std::shared_ptr<runtime::Context> context, CompiledModel model,
                   std::shared_ptr<CacheFileWriter> files)
    : client_(std::move(client)), context_(std::move(context)), signature_(std::move(model.signature)),
      format_(model.format), isOpen_(model.program == nullptr),
      source_(model.isSourceTemporary ? nullptr : model.source), files_(std::move(files)),
      valueInputs_(std::move(model.valueInputs)), priority_(model.priority), preference_(model.preference),
      whenGone_(client_->whenGone(), [this] { ended_.request_stop(); }) {
  if (source_ != nullptr && client_->core().blobs() != nullptr)
    blobs_.emplace(*client_->core().blobs(), source_, client_->core().levels().asked);
}

Result<std::shared_ptr<Programs>> Programs::create(std::shared_ptr<ClientState> client,
                                                   std::shared_ptr<runtime::Context> context, CompiledModel model,
                                                   std::shared_ptr<CacheFileWriter> files) {
  const LoadedProgram program{model.program, model.data};
  if (model.source && model.source->charge.amount() == 0) { // it came from a cache
    AVOCET_ASSIGN_OR_RETURN(model.source->charge, client->memory()->take(bytesOf(*model.source)));
  }
  const uint32_t optimize = model.optimize;
  const std::shared_ptr<const ModelBytes> source = model.source;
  std::shared_ptr<Programs> programs(
      new Programs(std::move(client), std::move(context), std::move(model), std::move(files)));
  if (program.model != nullptr) {
    AVOCET_ASSIGN_OR_RETURN(programs->fixed_, programs->load(program));
    programs->improve({}, source, optimize);
  }
  return programs;
}

/// All programs come through load(): from the compiler, as better ones, and from caches.
static Outcome checkPredictedTime(const cache::ModelCache &program, const DeviceCore &core) {
  const Duration most = core.options().maxPredictedTime;
  const double seconds = core.target().nanoseconds(program.predictedCycles()) / 1e9;
  const double mostSeconds = std::chrono::duration<double>(most).count();
  if (most == Duration::zero() || seconds <= mostSeconds)
    return success();
  return error(
      ErrorStatus::ResourceExhaustedPersistent,
      fmt::format("model: one run is predicted to take {:.3g} s of device time, at most {:.3g} s are accepted; "
                  "make the network smaller, divide it, or raise the service's limit (avocetd --max-run-seconds)",
                  seconds, mostSeconds));
}

Programs::Found Programs::load(const LoadedProgram &program) {
  AVOCET_RETURN_IF_ERROR(checkPredictedTime(*program.model, client_->core()));
  AVOCET_ASSIGN_OR_RETURN(RowCounts rows, RowCounts::of(*program.model, signature_.numOutputs()));
  return Program::load(context_, program.model, *program.data, std::move(rows), client_->memory());
}

/// The bytes of a program from a cache are checked here, as those from the compiler are.
Result<LoadedProgram> Programs::check(const KeptProgram &kept) const {
  LoadedProgram program{nullptr, kept.data};
  AVOCET_ASSIGN_OR_RETURN(program.model, toHalResult(cache::ModelCache::adopt(*kept.program, "model")));
  const size_t numInputs = kept.facts.empty()
                               ? signature_.numInputs()
                               : static_cast<size_t>(std::ranges::count(kept.facts, false, &InputFacts::isOmitted));
  AVOCET_RETURN_IF_ERROR(checkProgram(*program.model, numInputs, signature_.numOutputs()));
  return program;
}

Programs::Found Programs::load(const KeptProgram &kept) {
  AVOCET_ASSIGN_OR_RETURN(LoadedProgram program, check(kept));
  return load(program);
}

Result<KeptProgram> Programs::compile(const Facts &facts, const CallLimit &limit) {
  const std::vector<uint8_t> bytes = specialize(source_->bytes, facts);
  AVOCET_ASSIGN_OR_RETURN(CompilerTurns::Turn turn, client_->compilations().enter(limit));
  client_->core().counters().specializations += 1;
  uint32_t level = 0;
  auto compileAt = [&](uint32_t optimize) {
    return client_->core().compiler().compile(bytes, source_->poolSpans(), limit,
                                              {compiler::InputFormat::Nnapi, isOpen_, optimize});
  };
  AVOCET_ASSIGN_OR_RETURN(compiler::CompileResult result, compileInStages(client_->core().levels(), compileAt, level));
  if (result.needsSpecialization)
    return generalFailure("model: tensors without elements are not supported");
  if (!result.status.isOk())
    return errorOf(result, limit);
  return keptProgramOf(facts, result, level);
}

/// Posts the compilation of a better program, if the source is there and the level is below the one asked for.
void Programs::improve(const Facts &facts, std::shared_ptr<const ModelBytes> source, uint32_t optimize) {
  DeviceCore &core = client_->core();
  if (source == nullptr || optimize >= core.levels().asked)
    return;
  const CompileOrder order{source->format, !facts.empty() && isOpen_, core.levels().asked, true};
  Improvement work{core.sharedCompiler(), core.clock(),           ended_.get_token(), std::move(source), facts, order,
                   weak_from_this(),      client_->replacements()};
  if (core.background().post(client_->owner(), [work = std::move(work)] { hal::improve(work); }))
    return;
  core.counters().improvementsFailed += 1;
  verbose(VerboseTag::Compilation, "the program stays at level {}: too many compilations wait", optimize);
}

/// In the driver's own cache and the client's files too. The source of those may have served only for this.
Outcome Programs::replaceOwn(const KeptProgram &made, const ModelBytes &source) {
  AVOCET_ASSIGN_OR_RETURN(LoadedProgram checked, check(made));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Program> program, load(checked));
  {
    std::lock_guard lock(mutex_);
    fixed_.swap(program); // the old one is destroyed without the lock, and not before its last run ends
  }
  CompiledModel model{.signature = signature_,
                      .priority = priority_,
                      .preference = preference_,
                      .program = checked.model,
                      .data = checked.data,
                      .source = source_,
                      .valueInputs = valueInputs_,
                      .optimize = made.optimize,
                      .format = format_,
                      .isSourceTemporary = false,
                      .specializations = {},
                      .dataChecksum = {}};
  if (cache::BlobCache *blobs = client_->core().blobs(); blobs != nullptr)
    keepInBlobs(*blobs, source, model);
  if (files_ != nullptr)
    files_->set(std::move(model));
  return success();
}

/// Without effect on executions if the program was evicted.
Outcome Programs::replaceSpecial(const KeptProgram &made) {
  std::promise<Found> ready;
  ready.set_value(load(made));
  std::shared_future<Found> program = ready.get_future().share();
  AVOCET_RETURN_IF_ERROR(program.get());
  {
    std::lock_guard lock(mutex_);
    auto entry = std::ranges::find(entries_, made.facts, &Entry::facts);
    if (entry != entries_.end())
      std::swap(entry->program, program);
  }
  if (blobs_)
    blobs_->put(made);
  keepInFiles(made);
  return success();
}

void Programs::replace(const Result<KeptProgram> &made, const ModelBytes &source) {
  const Outcome replaced = withoutExceptions([&]() -> Outcome {
    AVOCET_RETURN_IF_ERROR(made);
    return made->facts.empty() ? replaceOwn(*made, source) : replaceSpecial(*made);
  });
  Counters &counters = client_->core().counters();
  (replaced ? counters.improvements : counters.improvementsFailed) += 1;
  if (replaced)
    verbose(VerboseTag::Compilation, "a program was replaced by one of level {}", made->optimize);
  else
    verbose(VerboseTag::Compilation, "a program stays as it is: {}", replaced.error().message);
}

/// If the client's memory has room for the copy that the writer keeps.
void Programs::keepInFiles(KeptProgram program) {
  if (files_ == nullptr)
    return;
  if (Result<Charge> charge = client_->memory()->take(bytesOf(std::span(&program, 1)))) {
    program.charge = std::make_shared<const Charge>(std::move(*charge));
    files_->add(*client_, std::move(program));
  }
}

std::optional<KeptProgram> Programs::findKept(const Facts &facts) {
  if (files_ != nullptr)
    if (std::optional<KeptProgram> kept = files_->find(facts))
      return kept;
  std::optional<KeptProgram> kept = blobs_ ? blobs_->find(facts) : std::nullopt;
  if (kept)
    keepInFiles(*kept);
  return kept;
}

/// A program from a cache that does not load is compiled again.
Programs::Found Programs::obtain(const Facts &facts, const CallLimit &limit) {
  if (std::optional<KeptProgram> kept = findKept(facts))
    if (Found program = load(*kept)) {
      client_->core().counters().specializationsCached += 1;
      improve(facts, source_, kept->optimize);
      return program;
    }
  AVOCET_ASSIGN_OR_RETURN(KeptProgram compiled, compile(facts, limit));
  Found program = load(compiled);
  if (!program)
    return program;
  if (blobs_)
    blobs_->put(compiled);
  const uint32_t level = compiled.optimize;
  keepInFiles(std::move(compiled));
  improve(facts, source_, level);
  return program;
}

Result<std::shared_ptr<Program>> Programs::find(const RequestView &view, const CallLimit &limit) {
  bool isComplete = true;
  for (size_t i = 0; i < view.numInputs(); ++i)
    isComplete &= !view.isInputOmitted(i);
  if (!isOpen_ && isComplete)
    return own();
  if (!source_)
    return invalidArgument("request: an input is omitted that is not optional in the model");
  AVOCET_ASSIGN_OR_RETURN(Facts facts, factsOf(view));
  return lookUp(std::move(facts), limit);
}

std::shared_ptr<Program> Programs::own() {
  std::lock_guard lock(mutex_);
  return fixed_;
}

Result<Facts> Programs::factsOf(const RequestView &view) const {
  Facts facts(view.numInputs());
  for (size_t i = 0; i < facts.size(); ++i) {
    facts[i].isOmitted = view.isInputOmitted(i);
    if (!facts[i].isOmitted && !isFullySpecified(signature_.input(i)))
      facts[i].dimensions = view.inputDimensions(i);
  }
  for (uint32_t i : valueInputs_) {
    if (facts[i].isOmitted)
      continue;
    if (view.inputBytes(i) > kMaxValueBytes)
      return generalFailure(
          fmt::format("request: input {} determines the program and has {} bytes, at most {} are accepted", i,
                      view.inputBytes(i), kMaxValueBytes));
    facts[i].value.resize(view.inputBytes(i));
    AVOCET_RETURN_IF_ERROR(view.readInput(i, facts[i].value));
  }
  return facts;
}

/// Returns the entry of another caller; or empty, after adding an entry with the future of `mine`.
std::optional<std::shared_future<Programs::Found>> Programs::joinOrLead(const Facts &facts, std::promise<Found> &mine) {
  std::lock_guard lock(mutex_);
  auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &e) { return e.facts == facts; });
  if (entry != entries_.end()) {
    verbose(VerboseTag::Execution, "program for the shapes and values of the request: kept");
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->program;
  }
  entries_.push_front({facts, mine.get_future().share()});
  bool isEvicting = false;
  for (; entries_.size() > std::max<size_t>(client_->core().options().maxSpecializations, 1); entries_.pop_back())
    isEvicting = true;
  verbose(VerboseTag::Execution, "program for the shapes and values of the request: to be compiled{}",
          isEvicting ? "; the least recently used one is evicted" : "");
  return std::nullopt;
}

void Programs::forget(const Facts &facts) {
  std::lock_guard lock(mutex_);
  entries_.remove_if([&](const Entry &entry) { return entry.facts == facts; });
}

Programs::Found Programs::lead(const Facts &facts, std::promise<Found> mine, const CallLimit &limit) {
  Found program = withoutExceptions([&] { return obtain(facts, limit); });
  if (!program)
    forget(facts);
  mine.set_value(program);
  return program;
}

/// A caller that waited for a compilation cancelled by another request's deadline compiles itself.
Programs::Found Programs::lookUp(Facts facts, const CallLimit &limit) {
  while (true) {
    std::promise<Found> mine;
    std::optional<std::shared_future<Found>> theirs = joinOrLead(facts, mine);
    if (!theirs)
      return lead(facts, std::move(mine), limit);
    if (!limit.await([&](Duration time) { return theirs->wait_for(time) == std::future_status::ready; }))
      return limit.whyOver(kWhileCompiling);
    const Found &program = theirs->get();
    if (program || program.code() != ErrorStatus::MissedDeadlineTransient)
      return program;
    if (limit.isOver())
      return limit.whyOver(kWhileCompiling);
  }
}

std::vector<std::shared_ptr<Program>> Programs::loaded() {
  std::vector<std::shared_ptr<Program>> programs;
  std::lock_guard lock(mutex_);
  if (fixed_ != nullptr)
    programs.push_back(fixed_);
  for (const Entry &entry : entries_)
    if (entry.program.wait_for(std::chrono::seconds(0)) == std::future_status::ready && entry.program.get())
      programs.push_back(*entry.program.get());
  return programs;
}

size_t Programs::trim(TimePoint before) {
  size_t left = 0;
  for (const auto &program : loaded())
    left += program->trim(before);
  return left;
}

void Programs::release(const runtime::BufferMapping *mapping) {
  for (const auto &program : loaded())
    program->release(mapping);
}

} // namespace avocet::hal

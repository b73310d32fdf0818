//===- Programs.h - The programs of one prepared model ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model whose shapes are known has one program, compiled when it is prepared. Otherwise there is one for each set of
// facts of executions. The first execution compiles it while others wait; the least recently used ones are evicted.
//
// A program below the level that was asked for is replaced when the better one is compiled. Runs keep the program that
// they have got; the next find() returns the new one.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_PROGRAMS_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_PROGRAMS_H

#include "client/Client.h"
#include "execution/RequestView.h"
#include "model/BlobStore.h"
#include "model/ClientFiles.h"
#include "model/CompiledModel.h"
#include "model/Program.h"

#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace avocet::hal {

/// Thread-safe.
class Programs : public std::enable_shared_from_this<Programs> {
public:
  /// Loads the model's program, if any; `model` is moved from. `files`: see CacheFileWriter; may be null.
  static Result<std::shared_ptr<Programs>> create(std::shared_ptr<ClientState> client,
                                                  std::shared_ptr<runtime::Context> context, CompiledModel model,
                                                  std::shared_ptr<CacheFileWriter> files);

  /// Ends compilations in the background.
  ~Programs() { ended_.request_stop(); }

  const Signature &signature() const { return signature_; }
  /// Whether indices out of range are errors of executions.
  bool demandsIndices() const { return format_ != compiler::InputFormat::Nnapi; }

  /// The program for a request. MissedDeadlineTransient: it had to be compiled and was not ready in time.
  /// InvalidArgument or GeneralFailure: no program exists for the facts. ResourceExhaustedPersistent: a tensor has more
  /// than compiler::kMaxOpenElements elements.
  Result<std::shared_ptr<Program>> find(const RequestView &view, const CallLimit &limit);

  /// Takes the result of an Improvement. On the background thread.
  void replace(const Result<KeptProgram> &made, const ModelBytes &source);

  /// Whether find() reads values of inputs.
  bool readsValues() const { return !valueInputs_.empty(); }

  /// As Program::trim() and Program::release(), over all of them.
  size_t trim(TimePoint before);
  void release(const runtime::BufferMapping *mapping);

private:
  using Found = Result<std::shared_ptr<Program>>;
  struct Entry {
    Facts facts;
    std::shared_future<Found> program;
  };

  Programs(std::shared_ptr<ClientState> client, std::shared_ptr<runtime::Context> context, CompiledModel model,
           std::shared_ptr<CacheFileWriter> files);
  Result<Facts> factsOf(const RequestView &view) const;
  Result<std::shared_ptr<Program>> lookUp(Facts facts, const CallLimit &limit);
  std::optional<std::shared_future<Found>> joinOrLead(const Facts &facts, std::promise<Found> &mine);
  Found lead(const Facts &facts, std::promise<Found> mine, const CallLimit &limit);
  void forget(const Facts &facts);
  std::vector<std::shared_ptr<Program>> loaded();
  Found obtain(const Facts &facts, const CallLimit &limit);
  std::optional<KeptProgram> findKept(const Facts &facts);
  void keepInFiles(KeptProgram program);
  void improve(const Facts &facts, std::shared_ptr<const ModelBytes> source, uint32_t optimize);
  Outcome replaceOwn(const KeptProgram &made, const ModelBytes &source);
  Outcome replaceSpecial(const KeptProgram &made);
  std::shared_ptr<Program> own();
  Result<KeptProgram> compile(const Facts &facts, const CallLimit &limit);
  Found load(const LoadedProgram &program);
  Found load(const KeptProgram &kept);
  Result<LoadedProgram> check(const KeptProgram &kept) const;

  const std::shared_ptr<ClientState> client_;
  const std::shared_ptr<runtime::Context> context_;
  const Signature signature_;

  const compiler::InputFormat format_;
  const bool isOpen_;                            ///< no request is without facts; support was checked only up to a size
  const std::shared_ptr<ModelBytes> source_;     ///< not null if it may have to be compiled again
  const std::shared_ptr<CacheFileWriter> files_; ///< may be null
  std::optional<ProgramBlobs> blobs_;            ///< in the driver's own cache, if it is on
  const std::vector<uint32_t> valueInputs_;      ///< inputs whose values shape the program
  const Priority priority_;
  const ExecutionPreference preference_;
  std::stop_source ended_; ///< by the end of this object or of the client
  std::stop_callback<std::function<void()>> whenGone_;
  std::mutex mutex_;               ///< guards the members below; a leaf
  std::shared_ptr<Program> fixed_; ///< for requests without facts; may be null
  std::list<Entry> entries_;       ///< most recently used first
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_PROGRAMS_H

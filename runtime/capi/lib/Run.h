//===- Run.h - A model on a device ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_CAPI_LIB_RUN_H
#define AVOCET_RUNTIME_CAPI_LIB_RUN_H

#include "Objects.h"
#include "avocet/analysis/Report.h"
#include "avocet/base/File.h"
#include "avocet/documents/ServedReport.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <thread>

namespace avocet::capi {

/// For NULL, or to find what the name of a device means.
Result<std::shared_ptr<const Device>> openDevice(const std::string &name, const Options &options);

/// A session, and who uses it: one execution at a time, on the caller's thread or on one of its own.
class Run : public std::enable_shared_from_this<Run> {
public:
  static Result<std::shared_ptr<Run>> create(const Model &model, const Device &device, const Options &options);
  ~Run();

  const cache::ModelCache &model() const { return *loaded_.artefacts.model; }
  TensorHandles &tensors() { return tensors_; }
  Tensor tensor(AvocetRole role, size_t index);

  /// Null while the run executes.
  void *data(AvocetRole role, size_t index);
  /// Empty: memory of the run.
  Status bind(AvocetRole role, size_t index, std::span<uint8_t> memory);

  /// Fills an input.
  Status storeImage(size_t index, const session::Image &image, const session::PictureChoice &choice);
  /// The best classes of an output as a document.
  Result<std::string> classesText(size_t index, const session::PictureChoice &choice, size_t top);

  Status execute();
  Status start(AvocetCompleted completed, void *user);
  Status wait(std::chrono::nanoseconds limit);
  Result<int> descriptor();
  Status cancel() { return session_->cancel(); }
  Status reset();

  uint64_t cycles() const;
  uint64_t copiedBytes() const;
  Result<std::string> reportText() const;
  Result<std::string> traceText() const;

  /// Cancels and waits. No execution starts any more.
  void close();

private:
  Run() = default;
  Status open(const Model &model, const Device &device, const Options &options);
  Status openRemote(const Model &model, const Device &device, const Options &options);
  Result<session::ModelMetadata> metadata();
  Status acquire();
  void release(const Status &status);
  /// Keeps executions out; the run is acquired before.
  class NoExecution {
  public:
    explicit NoExecution(Run &run) : run_(run) {}
    NoExecution(const NoExecution &) = delete;
    NoExecution &operator=(const NoExecution &) = delete;
    ~NoExecution() { run_.release(failedPrecondition("nothing was executed")); }

  private:
    Run &run_;
  };
  Status runOnce();
  Status startWorker();
  void work();
  void signal(bool isIdle);
  bool isOnWorker() const { return worker_.get_id() == std::this_thread::get_id(); }

  /// Memory of the caller that the place cannot use; by tensor.
  using Copies = std::vector<std::span<uint8_t>>;

  session::LoadedModel loaded_;
  std::shared_ptr<const Source> source_;
  runtime::DeviceProperties properties_;
  std::unique_ptr<session::Session> session_;
  const session::ServedSession *served_ = nullptr; ///< null: a session of another kind
  TensorHandles tensors_;

  mutable std::mutex mutex_; ///< guards all below; a leaf of the lock order
  std::condition_variable changed_;
  bool isBusy_ = false, isStarted_ = false, isClosed_ = false;
  bool wasStarted_ = false; ///< at least once
  Status last_;             ///< of the last started execution
  std::thread worker_;      ///< of started executions
  FileDescriptor event_;
  AvocetCompleted completed_ = nullptr;
  void *completedUser_ = nullptr;

  std::optional<session::ModelMetadata> metadata_; ///< once it was read; only whom acquire() lets in uses it

  // Of the execution that is on its way, or the last one.
  Copies copiedInputs_, copiedOutputs_;
  uint64_t copiedBytes_ = 0;
  uint32_t count_ = 0; ///< of executions without an error
  session::RunRecord record_;
  std::optional<documents::ServedReport> servedReport_; ///< of a device of a service
};

using RunTable = HandleTable<AvocetRun, Run, HandleKind::Run>;

} // namespace avocet::capi

#endif // AVOCET_RUNTIME_CAPI_LIB_RUN_H

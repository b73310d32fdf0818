//===- RecorderBackend.cpp - A back end that records all calls --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecorderBackend.h"

#include "Recording.h"
#include "avocet/base/Checksum.h"
#include "avocet/base/Log.h"
#include "avocet/base/OutputFile.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <mutex>

namespace avocet::runtime {
namespace {

/// A recording that grows while the recorded program runs. It is visible from the start, so that a program that crashes
/// leaves the records written until then. After the first error nothing more is written, and finish() reports it: a
/// recorder must not change what the recorded program does.
class RecordingFile {
public:
  static Result<RecordingFile> create(const std::string &path, std::span<const uint8_t> header) {
    AVOCET_ASSIGN_OR_RETURN(OutputFile file, OutputFile::create(path));
    AVOCET_RETURN_IF_ERROR(file.write(header));
    AVOCET_RETURN_IF_ERROR(file.publish());
    return RecordingFile(std::move(file), header.size());
  }

  /// Appends one whole record.
  void write(Record record) {
    if (isFinished_ || !status_.isOk())
      return;
    std::vector<uint8_t> bytes;
    appendRecord(std::move(record), bytes);
    status_ = file_.write(bytes);
    if (status_.isOk()) {
      size_ += bytes.size();
      ++records_;
      return;
    }
    file_.truncate(size_); // a partial record would make the whole recording unreadable
    status_ = Status(status_.code(), status_.message() + "; the recording was cut, and replay refuses it");
    logMessage(LogLevel::Error, "runtime", "{}", status_.message());
  }

  /// Writes the end mark; later records are left out. The first error since the file was created.
  Status finish() {
    write(RecordingEnd{{}, records_});
    if (status_.isOk() && !isFinished_)
      status_ = file_.close();
    isFinished_ = true;
    return status_;
  }

private:
  RecordingFile(OutputFile file, uint64_t size) : file_(std::move(file)), size_(size) {}

  OutputFile file_;
  uint64_t size_;        ///< bytes of whole records
  uint64_t records_ = 0; ///< that were written
  bool isFinished_ = false;
  Status status_;
};

class RecorderBackend final : public Backend {
public:
  RecorderBackend(std::unique_ptr<Backend> inner, RecordingFile file)
      : inner_(std::move(inner)), file_(std::move(file)), properties_(inner_->properties()) {
    properties_.backend = "recorder," + properties_.backend;
    properties_.hasSyncFiles = false; // a recording could not be replayed with fences of other drivers
  }

  RecorderBackend(const RecorderBackend &) = delete;
  RecorderBackend &operator=(const RecorderBackend &) = delete;
  ~RecorderBackend() override { (void)file_.finish(); } // errors are in the log

  const DeviceProperties &properties() const override { return properties_; }

  Status finish() override {
    std::lock_guard lock(mutex_);
    return file_.finish();
  }

  Result<ContextHandle> createContext(uint32_t owner) override {
    std::lock_guard lock(mutex_);
    AVOCET_ASSIGN_OR_RETURN(ContextHandle context, inner_->createContext(owner));
    mappings_[context];
    record(ContextCreated{{}, context, owner});
    return context;
  }

  Status destroyContext(ContextHandle context) override {
    std::lock_guard lock(mutex_);
    AVOCET_RETURN_IF_ERROR(inner_->destroyContext(context));
    mappings_.erase(context);
    record(ContextDestroyed{{}, context});
    return Status::ok();
  }

  Result<BufferHandle> createBuffer(uint64_t bytes) override {
    std::lock_guard lock(mutex_);
    AVOCET_ASSIGN_OR_RETURN(BufferHandle buffer, inner_->createBuffer(bytes));
    return watchBuffer(buffer, 0, bytes);
  }

  Result<BufferHandle> importBuffer(const FileDescriptor &file, uint64_t offset, uint64_t bytes,
                                    bool writable) override {
    std::lock_guard lock(mutex_);
    AVOCET_ASSIGN_OR_RETURN(BufferHandle buffer, inner_->importBuffer(file, offset, bytes, writable));
    return watchBuffer(buffer, offset, bytes);
  }

  Result<FileDescriptor> exportBuffer(BufferHandle buffer) override { return inner_->exportBuffer(buffer); }

  Status destroyBuffer(BufferHandle buffer) override {
    std::lock_guard lock(mutex_);
    AVOCET_RETURN_IF_ERROR(inner_->destroyBuffer(buffer));
    buffers_.erase(buffer);
    record(BufferDestroyed{{}, buffer});
    return Status::ok();
  }

  Result<uint64_t> map(ContextHandle context, BufferHandle buffer, Access access) override {
    std::lock_guard lock(mutex_);
    AVOCET_ASSIGN_OR_RETURN(uint64_t address, inner_->map(context, buffer, access));
    mappings_[context][address] = buffer;
    record(BufferMapped{{}, context, buffer, address, static_cast<uint32_t>(access)});
    return address;
  }

  Status unmap(ContextHandle context, uint64_t address) override {
    std::lock_guard lock(mutex_);
    AVOCET_RETURN_IF_ERROR(inner_->unmap(context, address));
    mappings_[context].erase(address);
    record(BufferUnmapped{{}, context, address});
    return Status::ok();
  }

  Result<JobHandle> submit(const Submission &submission) override {
    AVOCET_ASSIGN_OR_RETURN(RecordedJob job, runRecorded(submission));
    if (submission.sink != nullptr) {
      submission.sink->jobQueued(job.handle);
      submission.sink->jobEnded(job.handle, job.outcome);
    }
    return job.handle;
  }

  /// Without the lock, which is held while the job runs.
  Status cancel(ContextHandle context, JobHandle job) override { return inner_->cancel(context, job); }

  /// Jobs have ended when submit() returns: no work is left.
  void drive(ContextHandle, JobHandle) override {}

  /// Jobs have ended when submit() returns, so this only reads the outcome from the wrapped back end.
  Result<JobOutcome> wait(ContextHandle context, JobHandle job, std::chrono::nanoseconds timeout) override {
    return inner_->wait(context, job, timeout);
  }

  Status reset() override {
    // Without the lock: a submit() whose job hangs holds it, and reset() must end that job.
    AVOCET_RETURN_IF_ERROR(inner_->reset());
    std::lock_guard lock(mutex_);
    record(DeviceReset{});
    return Status::ok();
  }

private:
  struct RecordedJob {
    JobHandle handle = 0;
    JobOutcome outcome;
  };
  struct WatchedBuffer {
    Mapping memory;
    uint64_t recordedHash = 0;
    bool recorded = false;
  };

  void record(Record record) { file_.write(std::move(record)); }

  Result<BufferHandle> watchBuffer(BufferHandle buffer, uint64_t offset, uint64_t bytes) {
    AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, inner_->exportBuffer(buffer));
    AVOCET_ASSIGN_OR_RETURN(buffers_[buffer].memory, Mapping::map(file.get(), bytes, Mapping::Access::Read, offset));
    record(BufferCreated{{}, buffer, bytes});
    return buffer;
  }

  /// Records every buffer that the job can access and whose contents have changed since they were last recorded.
  void recordContents(ContextHandle context) {
    for (const auto &[address, buffer] : mappings_[context]) {
      WatchedBuffer &watched = buffers_.at(buffer);
      auto bytes = std::as_const(watched.memory).bytes();
      const uint64_t hash = Fnv1a().add(bytes).value();
      if (watched.recorded && watched.recordedHash == hash)
        continue;
      watched.recorded = true;
      watched.recordedHash = hash;
      recordBytes(buffer, bytes);
    }
  }

  void recordBytes(BufferHandle buffer, std::span<const uint8_t> bytes) {
    for (uint64_t offset = 0; offset < bytes.size(); offset += kContentsPieceBytes) {
      const auto piece = bytes.subspan(offset, std::min(kContentsPieceBytes, bytes.size() - offset));
      record(BufferContents{{}, buffer, offset, {piece.begin(), piece.end()}});
    }
  }

  uint64_t hashOutputs(const JobRun &run) {
    Fnv1a hash;
    for (const RecordedRegion &region : run.regions) {
      if ((region.access() & static_cast<uint32_t>(Access::Write)) == 0)
        continue;
      hash.add(viewOf(run.context, region.address(), region.bytes()));
    }
    return hash.value();
  }

  /// The bytes of a range of a context; empty if the range is not inside one mapping.
  std::span<const uint8_t> viewOf(ContextHandle context, uint64_t address, uint64_t bytes) {
    auto &mappings = mappings_[context];
    auto next = mappings.upper_bound(address);
    if (next == mappings.begin())
      return {};
    auto [begin, buffer] = *std::prev(next);
    auto memory = std::as_const(buffers_.at(buffer).memory).bytes();
    uint64_t offset = address - begin;
    if (offset > memory.size() || bytes > memory.size() - offset)
      return {};
    return memory.subspan(offset, bytes);
  }

  static JobRun describe(const Submission &submission) {
    JobRun run;
    run.context = submission.context;
    run.priority = submission.priority;
    run.watchdog_cycles = submission.watchdogCycles;
    run.target_fingerprint = submission.targetFingerprint;
    run.encoding_version = submission.encodingVersion;
    run.user_data = submission.userData;
    run.control_address = submission.control.address;
    run.control_words = submission.control.words;
    run.loop_timeout_ns = submission.loopTimeoutNs;
    if (submission.deadline)
      run.deadline_ns = submission.deadline->count();
    for (const JobReference &dependency : submission.dependencies)
      run.dependencies.emplace_back(dependency.context, dependency.job);
    for (const StreamBinding &stream : submission.streams)
      run.streams.emplace_back(static_cast<uint32_t>(stream.engine.kind), stream.engine.index, stream.address,
                               stream.words, stream.section);
    for (const RegionBinding &region : submission.regions)
      run.regions.emplace_back(region.address, region.bytes, static_cast<uint32_t>(region.access));
    return run;
  }

  Result<RecordedJob> runRecorded(Submission submission) {
    std::lock_guard lock(mutex_);
    if (mappings_.contains(submission.context))
      recordContents(submission.context);
    submission.sink = nullptr;
    submission.driven = false;
    RecordedJob job;
    AVOCET_ASSIGN_OR_RETURN(job.handle, inner_->submit(submission));
    AVOCET_ASSIGN_OR_RETURN(job.outcome, inner_->wait(submission.context, job.handle, std::chrono::nanoseconds(-1)));
    JobRun run = describe(submission);
    run.job = job.handle;
    run.state = static_cast<uint32_t>(job.outcome.state);
    run.cycles = job.outcome.counters.cycles;
    run.fault_code = static_cast<uint32_t>(job.outcome.fault);
    run.output_hash = hashOutputs(run);
    record(run);
    return job;
  }

  std::unique_ptr<Backend> inner_;
  std::mutex mutex_; ///< guards all below; held while a job runs, see the header
  RecordingFile file_;
  DeviceProperties properties_;
  std::map<BufferHandle, WatchedBuffer> buffers_;
  std::map<ContextHandle, std::map<uint64_t, BufferHandle>> mappings_;
};

} // namespace

Result<std::unique_ptr<Backend>> openRecorderBackend(const BackendOptions &options, std::string_view argument) {
  size_t comma = argument.find(',');
  std::string path(argument.substr(0, comma));
  std::string_view inner = comma == std::string_view::npos ? "sim" : argument.substr(comma + 1);
  if (path.empty())
    return invalidArgument("back end recorder needs a file: recorder:FILE or recorder:FILE,BACKEND");
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Backend> backend, openBackend(inner, options));
  const firmware::Target &target = *backend->properties().target;
  std::vector<uint8_t> header;
  appendHeader({target.fingerprint(), target.name()}, header);
  AVOCET_ASSIGN_OR_RETURN(RecordingFile file, RecordingFile::create(path, header));
  return std::unique_ptr<Backend>(new RecorderBackend(std::move(backend), std::move(file)));
}

} // namespace avocet::runtime

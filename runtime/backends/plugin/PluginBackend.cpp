//===- PluginBackend.cpp - The table of a plug-in as a back end --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginBackend.h"

#include "PluginValues.h"
#include "avocet/base/CleanText.h"
#include "avocet/firmware_iface/TargetEdit.h"

#include <fcntl.h>
#include <fmt/format.h>

namespace avocet::runtime::plugin {
namespace {

constexpr uint32_t kMostQueueDepth = 256; ///< the outcomes that wait() keeps
static_assert(static_cast<int>(StatusCode::Internal) == AVOCET_BACKEND_INTERNAL &&
              static_cast<int>(StatusCode::DataLoss) == AVOCET_BACKEND_DATA_LOSS &&
              static_cast<int>(StatusCode::DeadlineExceeded) == AVOCET_BACKEND_DEADLINE_EXCEEDED &&
              static_cast<int>(StatusCode::DeviceLost) == AVOCET_BACKEND_DEVICE_LOST);
static_assert(static_cast<uint32_t>(Access::Read) == AVOCET_BACKEND_READ &&
              static_cast<uint32_t>(Access::Write) == AVOCET_BACKEND_WRITE && kPageBytes == AVOCET_BACKEND_PAGE_BYTES);

/// The error of a call, and the message that the plug-in writes.
class Call {
public:
  explicit Call(const std::string &name) : name_(name) {
    message_.size = sizeof(message_);
    message_.text[0] = '\0'; // the rest is not cleared: each job makes several calls
  }

  AvocetBackendMessage *message() { return &message_; }

  Status status(AvocetBackendCode code) const {
    if (code == AVOCET_BACKEND_OK)
      return Status::ok();
    const std::string_view written(message_.text, ::strnlen(message_.text, sizeof(message_.text)));
    if (code < 0 || code > AVOCET_BACKEND_INTERNAL)
      return internalError(
          fmt::format("back end {}: it returned the unknown code {}: {}", name_, code, clean(written)));
    return {static_cast<StatusCode>(code), fmt::format("back end {}: {}", name_, clean(written))};
  }

  /// A result that the contract excludes.
  Status wrong(const std::string &what) const { return internalError(fmt::format("back end {}: {}", name_, what)); }

private:
  static std::string clean(std::string_view text) { return text.empty() ? "no reason was given" : cleanMessage(text); }

  const std::string &name_;
  AvocetBackendMessage message_;
};

/// The arrays of a submission in the plug-in's form. One for each thread, so that submit() allocates nothing once they
/// have grown.
struct SubmissionArrays {
  std::vector<AvocetBackendStream> streams;
  std::vector<AvocetBackendRegion> regions;
  std::vector<AvocetBackendJob> dependencies;

  void fill(const Submission &submission) {
    streams.clear();
    for (const StreamBinding &each : submission.streams)
      streams.push_back(
          {static_cast<uint32_t>(each.engine.kind), each.engine.index, each.address, each.words, each.section});
    regions.clear();
    for (const RegionBinding &each : submission.regions)
      regions.push_back({each.address, each.bytes, static_cast<uint32_t>(each.access), 0});
    dependencies.clear();
    for (const JobReference &each : submission.dependencies)
      dependencies.push_back({each.context, 0, each.job});
  }
};

void reportQueued(void *sink, uint64_t job) { static_cast<CompletionSink *>(sink)->jobQueued(job); }

void reportEnded(void *sink, uint64_t job, const AvocetBackendOutcome *outcome) {
  AvocetBackendOutcome own{};
  if (outcome != nullptr)
    own = readSized(outcome);
  static_cast<CompletionSink *>(sink)->jobEnded(job, fromPlugin(own));
}

void reportProfile(void *user, const AvocetBackendProfile *profile) {
  if (profile != nullptr)
    (*static_cast<std::function<void(const firmware::JobProfile &)> *>(user))(fromPlugin(readSized(profile)));
}

uint32_t flagsOf(const BackendOptions &options) {
  return flagIf(options.functional, AVOCET_BACKEND_FUNCTIONAL) | flagIf(options.timing, AVOCET_BACKEND_TIMING) |
         flagIf(options.trace, AVOCET_BACKEND_TRACE) | flagIf(options.counters, AVOCET_BACKEND_COUNTERS);
}

uint32_t flagsOf(const Submission &submission) {
  return flagIf(submission.driven, AVOCET_BACKEND_DRIVEN) |
         flagIf(submission.deadline.has_value(), AVOCET_BACKEND_HAS_DEADLINE) |
         flagIf(submission.clockLevel.has_value(), AVOCET_BACKEND_HAS_CLOCK_LEVEL);
}

class PluginBackend final : public Backend {
public:
  PluginBackend(const AvocetBackendTable &table, const BackendOptions &options)
      : table_(readSized(&table)), name_(table.name), profileSink_(options.profileSink) {
    properties_.backend = name_;
    properties_.target = options.target;
  }

  ~PluginBackend() override {
    if (device_ != nullptr)
      table_.close(device_);
  }

  Status start(const BackendOptions &options, std::string_view argument) {
    const std::string text(argument);
    const firmware::Target &target = *options.target;
    const std::string figures = firmware::printTarget(target, target.name(), target.description());
    AvocetBackendOptions own{.size = sizeof(AvocetBackendOptions),
                             .flags = flagsOf(options),
                             .threads = options.threads,
                             .reserved = 0,
                             .argument = text.c_str(),
                             .targetName = target.name().c_str(),
                             .targetText = figures.c_str(),
                             .targetFingerprint = target.fingerprint(),
                             .profile = profileSink_ ? reportProfile : nullptr,
                             .profileUser = &profileSink_};
    Call call(name_);
    AvocetBackendDevice *device = nullptr;
    AVOCET_RETURN_IF_ERROR(call.status(table_.open(&own, &device, call.message())));
    if (device == nullptr)
      return call.wrong("it opened no device and gave no error");
    device_ = device;
    return readProperties();
  }

  const DeviceProperties &properties() const override { return properties_; }

  Result<ContextHandle> createContext(uint32_t owner) override {
    Call call(name_);
    ContextHandle context = 0;
    AVOCET_RETURN_IF_ERROR(call.status(table_.createContext(device_, owner, &context, call.message())));
    return nonZero(call, context, "context");
  }

  Status destroyContext(ContextHandle context) override {
    Call call(name_);
    return call.status(table_.destroyContext(device_, context, call.message()));
  }

  Result<BufferHandle> createBuffer(uint64_t bytes) override {
    Call call(name_);
    BufferHandle buffer = 0;
    AVOCET_RETURN_IF_ERROR(call.status(table_.createBuffer(device_, bytes, &buffer, call.message())));
    return nonZero(call, buffer, "buffer");
  }

  Result<BufferHandle> importBuffer(const FileDescriptor &file, uint64_t offset, uint64_t bytes,
                                    bool writable) override {
    Call call(name_);
    BufferHandle buffer = 0;
    AVOCET_RETURN_IF_ERROR(call.status(
        table_.importBuffer(device_, file.get(), offset, bytes, writable ? 1 : 0, &buffer, call.message())));
    return nonZero(call, buffer, "buffer");
  }

  Result<BufferHandle> importMemory(std::span<uint8_t> memory, bool writable) override {
    if (table_.importMemory == nullptr)
      return Backend::importMemory(memory, writable);
    Call call(name_);
    BufferHandle buffer = 0;
    AVOCET_RETURN_IF_ERROR(call.status(
        table_.importMemory(device_, memory.data(), memory.size(), writable ? 1 : 0, &buffer, call.message())));
    return nonZero(call, buffer, "buffer");
  }

  Result<FileDescriptor> exportBuffer(BufferHandle buffer) override {
    Call call(name_);
    int32_t file = -1;
    AVOCET_RETURN_IF_ERROR(call.status(table_.exportBuffer(device_, buffer, &file, call.message())));
    if (file < 0 || ::fcntl(file, F_GETFD) < 0)
      return call.wrong(fmt::format("the exported descriptor {} is not open", file));
    return FileDescriptor(file);
  }

  Status destroyBuffer(BufferHandle buffer) override {
    Call call(name_);
    return call.status(table_.destroyBuffer(device_, buffer, call.message()));
  }

  Result<uint64_t> map(ContextHandle context, BufferHandle buffer, Access access) override {
    Call call(name_);
    uint64_t address = 0;
    AVOCET_RETURN_IF_ERROR(
        call.status(table_.map(device_, context, buffer, static_cast<uint32_t>(access), &address, call.message())));
    if (address == 0 || address % kPageBytes != 0)
      return call.wrong(
          fmt::format("buffer {} was mapped at {:#x}, which is 0 or no multiple of {}", buffer, address, kPageBytes));
    return address;
  }

  Status unmap(ContextHandle context, uint64_t address) override {
    Call call(name_);
    return call.status(table_.unmap(device_, context, address, call.message()));
  }

  Result<JobHandle> submit(const Submission &submission) override {
    AVOCET_RETURN_IF_ERROR(checkSubmission(submission, properties_));
    thread_local SubmissionArrays arrays;
    arrays.fill(submission);
    int32_t endFile = -1;
    AvocetBackendSubmission own = convert(submission, arrays);
    if (submission.endFile != nullptr && properties_.hasSyncFiles)
      own.endFile = &endFile;
    Call call(name_);
    JobHandle job = 0;
    AVOCET_RETURN_IF_ERROR(call.status(table_.submit(device_, &own, &job, call.message())));
    if (endFile >= 0)
      *submission.endFile = FileDescriptor(endFile);
    return nonZero(call, job, "job");
  }

  Status cancel(ContextHandle context, JobHandle job) override {
    Call call(name_);
    return call.status(table_.cancel(device_, context, job, call.message()));
  }

  void drive(ContextHandle context, JobHandle job) override {
    if (table_.drive != nullptr)
      table_.drive(device_, context, job);
  }

  Result<JobOutcome> wait(ContextHandle context, JobHandle job, std::chrono::nanoseconds timeout) override {
    Call call(name_);
    AvocetBackendOutcome outcome{};
    outcome.size = sizeof(outcome);
    AVOCET_RETURN_IF_ERROR(call.status(table_.wait(device_, context, job, timeout.count(), &outcome, call.message())));
    return fromPlugin(outcome);
  }

  Status reset() override {
    Call call(name_);
    return call.status(table_.reset(device_, call.message()));
  }

  Status finish() override {
    Call call(name_);
    return table_.finish == nullptr ? Status::ok() : call.status(table_.finish(device_, call.message()));
  }

private:
  template <typename Handle> static Result<Handle> nonZero(const Call &call, Handle handle, const char *what) {
    if (handle == 0)
      return call.wrong(fmt::format("the {} that it made has the handle 0", what));
    return handle;
  }

  static AvocetBackendSubmission convert(const Submission &submission, const SubmissionArrays &arrays) {
    return {.size = sizeof(AvocetBackendSubmission),
            .context = submission.context,
            .priority = submission.priority,
            .flags = flagsOf(submission),
            .streams = arrays.streams.data(),
            .regions = arrays.regions.data(),
            .dependencies = arrays.dependencies.data(),
            .syncFiles = submission.syncFiles.data(),
            .streamCount = static_cast<uint32_t>(arrays.streams.size()),
            .regionCount = static_cast<uint32_t>(arrays.regions.size()),
            .dependencyCount = static_cast<uint32_t>(arrays.dependencies.size()),
            .syncFileCount = static_cast<uint32_t>(submission.syncFiles.size()),
            .watchdogCycles = submission.watchdogCycles,
            .targetFingerprint = submission.targetFingerprint,
            .userData = submission.userData,
            .loopTimeoutNs = submission.loopTimeoutNs,
            .deadlineNs = submission.deadline ? submission.deadline->count() : 0,
            .controlAddress = submission.control.address,
            .controlWords = submission.control.words,
            .encodingVersion = submission.encodingVersion,
            .clockLevel = submission.clockLevel.value_or(0),
            .reserved = 0,
            .endFile = nullptr,
            .sink = submission.sink,
            .queued = submission.sink ? reportQueued : nullptr,
            .ended = submission.sink ? reportEnded : nullptr};
  }

  /// The device is not used if it breaks a limit, since the runtime relies on them.
  Status readProperties() {
    AvocetBackendProperties own{};
    own.size = sizeof(own);
    table_.properties(device_, &own);
    properties_.encodingVersion = own.encodingVersion;
    properties_.queueDepth = own.queueDepth;
    properties_.contexts = own.contexts;
    properties_.computes = (own.flags & AVOCET_BACKEND_COMPUTES) != 0;
    properties_.measures = (own.flags & AVOCET_BACKEND_MEASURES) != 0;
    properties_.hasSyncFiles = (own.flags & AVOCET_BACKEND_SYNC_FILES) != 0;
    properties_.hasClockLevels = (own.flags & AVOCET_BACKEND_CLOCK_LEVELS) != 0;
    const std::string device = fmt::format("back end {}: its device ", name_);
    if (own.targetFingerprint != properties_.target->fingerprint())
      return failedPrecondition(fmt::format("{}has another target than {}; compile for the device's own target", device,
                                            properties_.target->name()));
    if (own.encodingVersion == 0)
      return failedPrecondition(device + "names no version of command streams; set encodingVersion");
    if (own.queueDepth == 0 || own.queueDepth > kMostQueueDepth)
      return failedPrecondition(
          fmt::format("{}has a queue depth of {}, must be 1 to {}", device, own.queueDepth, kMostQueueDepth));
    return Status::ok();
  }

  const AvocetBackendTable table_; ///< functions that the plug-in does not have are null
  const std::string name_;
  std::function<void(const firmware::JobProfile &)> profileSink_;
  DeviceProperties properties_;
  AvocetBackendDevice *device_ = nullptr;
};

} // namespace

Result<std::unique_ptr<Backend>> openPluginBackend(const AvocetBackendTable &table, const BackendOptions &options,
                                                   std::string_view argument) {
  auto backend = std::make_unique<PluginBackend>(table, options);
  AVOCET_RETURN_IF_ERROR(backend->start(options, argument));
  return std::unique_ptr<Backend>(std::move(backend));
}

} // namespace avocet::runtime::plugin

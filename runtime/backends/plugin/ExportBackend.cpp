//===- ExportBackend.cpp - A C++ back end as a plug-in ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/ExportBackend.h"

#include "PluginValues.h"

#include <exception>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <vector>

using avocet::runtime::CompletionSink;
using avocet::runtime::JobHandle;
using avocet::runtime::JobOutcome;

namespace {

class SinkPool;

/// The call-backs of one job; returns to its pool when the job has ended.
class HostSink final : public CompletionSink {
public:
  explicit HostSink(SinkPool &pool) : pool_(pool) {}

  void begin(const AvocetBackendSubmission &submission) {
    sink_ = submission.sink;
    queued_ = submission.queued;
    ended_ = submission.ended;
  }

  void jobQueued(JobHandle job) noexcept override {
    if (queued_ != nullptr)
      queued_(sink_, job);
  }

  void jobEnded(JobHandle job, const JobOutcome &outcome) noexcept override;

private:
  SinkPool &pool_;
  void *sink_ = nullptr;
  void (*queued_)(void *sink, uint64_t job) = nullptr;
  void (*ended_)(void *sink, uint64_t job, const AvocetBackendOutcome *outcome) = nullptr;
};

/// As many sinks as jobs were ever open at a time: submit() allocates nothing once there are enough.
class SinkPool {
public:
  HostSink *take(const AvocetBackendSubmission &submission) {
    std::lock_guard lock(mutex_);
    if (free_.empty()) {
      all_.push_back(std::make_unique<HostSink>(*this));
      free_.reserve(all_.size());
      free_.push_back(all_.back().get());
    }
    HostSink *sink = free_.back();
    free_.pop_back();
    sink->begin(submission);
    return sink;
  }

  void giveBack(HostSink *sink) {
    std::lock_guard lock(mutex_);
    free_.push_back(sink);
  }

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<HostSink>> all_;
  std::vector<HostSink *> free_;
};

void HostSink::jobEnded(JobHandle job, const JobOutcome &outcome) noexcept {
  const AvocetBackendOutcome converted = avocet::runtime::plugin::toPlugin(outcome);
  void *const sink = sink_;
  const auto ended = ended_;
  pool_.giveBack(this);
  if (ended != nullptr)
    ended(sink, job, &converted);
}

} // namespace

/// A back end that a host has opened. Its jobs end before their sinks do.
struct AvocetBackendDevice {
  SinkPool sinks;
  std::unique_ptr<avocet::runtime::Backend> backend;
};

namespace avocet::runtime {
namespace {

/// The arrays of a submission in the form of the runtime. One for each thread, so that submit() allocates nothing once
/// they have grown.
struct SubmissionArrays {
  std::vector<StreamBinding> streams;
  std::vector<RegionBinding> regions;
  std::vector<JobReference> dependencies;

  void fill(const AvocetBackendSubmission &given) {
    streams.clear();
    for (const AvocetBackendStream &each : std::span(given.streams, given.streamCount))
      streams.push_back({{static_cast<firmware::EngineKind>(each.engineKind), each.engineIndex},
                         each.address,
                         each.words,
                         each.section});
    regions.clear();
    for (const AvocetBackendRegion &each : std::span(given.regions, given.regionCount))
      regions.push_back({each.address, each.bytes, static_cast<Access>(each.access)});
    dependencies.clear();
    for (const AvocetBackendJob &each : std::span(given.dependencies, given.dependencyCount))
      dependencies.push_back({each.context, each.job});
  }
};

using plugin::flagIf;
using plugin::readSized;
using plugin::toPlugin;
using plugin::writeSized;

/// The texts of `backend` stay valid: they live as long as the process.
ExportedBackend &exported() {
  static ExportedBackend instance;
  return instance;
}

AvocetBackendCode report(const Status &status, AvocetBackendMessage *message) {
  const size_t room =
      message->size > offsetof(AvocetBackendMessage, text) ? message->size - offsetof(AvocetBackendMessage, text) : 0;
  if (!status.isOk() && room > 0) {
    const size_t length = status.message().copy(message->text, room - 1);
    message->text[length] = '\0';
  }
  return static_cast<AvocetBackendCode>(status.code());
}

/// Calls a function that returns a Status. No exception passes to the host.
template <typename Function> AvocetBackendCode guarded(AvocetBackendMessage *message, Function &&function) {
  try {
    return report(function(), message);
  } catch (const std::bad_alloc &) {
    return report(resourceExhausted("no memory is left"), message);
  } catch (const std::exception &error) {
    return report(internalError(error.what()), message);
  } catch (...) {
    return report(internalError("unknown exception"), message);
  }
}

template <typename Value> Status store(Result<Value> result, Value *place) {
  AVOCET_ASSIGN_OR_RETURN(*place, std::move(result));
  return Status::ok();
}

Result<BackendOptions> optionsOf(const AvocetBackendOptions &given) {
  BackendOptions options;
  AVOCET_ASSIGN_OR_RETURN(options.target, firmware::Target::parse(given.targetText, given.targetName));
  if (options.target->fingerprint() != given.targetFingerprint)
    return failedPrecondition(fmt::format("target {} has figures that this plug-in reads otherwise; build it with the "
                                          "release of the program",
                                          given.targetName));
  options.functional = (given.flags & AVOCET_BACKEND_FUNCTIONAL) != 0;
  options.timing = (given.flags & AVOCET_BACKEND_TIMING) != 0;
  options.trace = (given.flags & AVOCET_BACKEND_TRACE) != 0;
  options.counters = (given.flags & AVOCET_BACKEND_COUNTERS) != 0;
  options.threads = std::max(1u, given.threads);
  if (given.profile != nullptr)
    options.profileSink = [receiver = given.profile, user = given.profileUser](const firmware::JobProfile &profile) {
      plugin::passToPlugin(profile, [&](const AvocetBackendProfile &converted) { receiver(user, &converted); });
    };
  return options;
}

AvocetBackendCode openDevice(const AvocetBackendOptions *given, AvocetBackendDevice **device,
                             AvocetBackendMessage *message) {
  return guarded(message, [&]() -> Status {
    const AvocetBackendOptions own = readSized(given);
    AVOCET_ASSIGN_OR_RETURN(const BackendOptions options, optionsOf(own));
    AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Backend> backend, exported().open(options, own.argument));
    auto opened = std::make_unique<AvocetBackendDevice>();
    opened->backend = std::move(backend);
    *device = opened.release();
    return Status::ok();
  });
}

void closeDevice(AvocetBackendDevice *device) { delete device; }

void readProperties(AvocetBackendDevice *device, AvocetBackendProperties *properties) {
  const DeviceProperties &own = device->backend->properties();
  writeSized({.size = sizeof(AvocetBackendProperties),
              .flags = flagIf(own.computes, AVOCET_BACKEND_COMPUTES) | flagIf(own.measures, AVOCET_BACKEND_MEASURES) |
                       flagIf(own.hasSyncFiles, AVOCET_BACKEND_SYNC_FILES) |
                       flagIf(own.hasClockLevels, AVOCET_BACKEND_CLOCK_LEVELS),
              .targetFingerprint = own.target->fingerprint(),
              .encodingVersion = own.encodingVersion,
              .queueDepth = own.queueDepth,
              .contexts = own.contexts,
              .reserved = 0},
             properties);
}

AvocetBackendCode createContext(AvocetBackendDevice *device, uint32_t owner, uint32_t *context,
                                AvocetBackendMessage *message) {
  return guarded(message, [&] { return store(device->backend->createContext(owner), context); });
}

AvocetBackendCode destroyContext(AvocetBackendDevice *device, uint32_t context, AvocetBackendMessage *message) {
  return guarded(message, [&] { return device->backend->destroyContext(context); });
}

AvocetBackendCode createBuffer(AvocetBackendDevice *device, uint64_t bytes, uint32_t *buffer,
                               AvocetBackendMessage *message) {
  return guarded(message, [&] { return store(device->backend->createBuffer(bytes), buffer); });
}

AvocetBackendCode importBuffer(AvocetBackendDevice *device, int32_t file, uint64_t offset, uint64_t bytes,
                               uint32_t writable, uint32_t *buffer, AvocetBackendMessage *message) {
  return guarded(message, [&] {
    FileDescriptor borrowed(file);
    Status status = store(device->backend->importBuffer(borrowed, offset, bytes, writable != 0), buffer);
    borrowed.release();
    return status;
  });
}

AvocetBackendCode importMemory(AvocetBackendDevice *device, void *memory, uint64_t bytes, uint32_t writable,
                               uint32_t *buffer, AvocetBackendMessage *message) {
  return guarded(message, [&] {
    const std::span<uint8_t> span(static_cast<uint8_t *>(memory), bytes);
    return store(device->backend->importMemory(span, writable != 0), buffer);
  });
}

AvocetBackendCode exportBuffer(AvocetBackendDevice *device, uint32_t buffer, int32_t *file,
                               AvocetBackendMessage *message) {
  return guarded(message, [&]() -> Status {
    AVOCET_ASSIGN_OR_RETURN(FileDescriptor descriptor, device->backend->exportBuffer(buffer));
    *file = descriptor.release();
    return Status::ok();
  });
}

AvocetBackendCode destroyBuffer(AvocetBackendDevice *device, uint32_t buffer, AvocetBackendMessage *message) {
  return guarded(message, [&] { return device->backend->destroyBuffer(buffer); });
}

AvocetBackendCode mapBuffer(AvocetBackendDevice *device, uint32_t context, uint32_t buffer, uint32_t access,
                            uint64_t *address, AvocetBackendMessage *message) {
  return guarded(message,
                 [&] { return store(device->backend->map(context, buffer, static_cast<Access>(access)), address); });
}

AvocetBackendCode unmapBuffer(AvocetBackendDevice *device, uint32_t context, uint64_t address,
                              AvocetBackendMessage *message) {
  return guarded(message, [&] { return device->backend->unmap(context, address); });
}

Submission submissionOf(const AvocetBackendSubmission &given, SubmissionArrays &arrays) {
  arrays.fill(given);
  Submission submission;
  submission.context = given.context;
  submission.streams = arrays.streams;
  submission.regions = arrays.regions;
  submission.dependencies = arrays.dependencies;
  submission.syncFiles = {given.syncFiles, given.syncFileCount};
  submission.priority = given.priority;
  submission.watchdogCycles = given.watchdogCycles;
  submission.targetFingerprint = given.targetFingerprint;
  submission.encodingVersion = given.encodingVersion;
  submission.userData = given.userData;
  submission.control = {given.controlAddress, given.controlWords};
  submission.loopTimeoutNs = given.loopTimeoutNs;
  submission.driven = (given.flags & AVOCET_BACKEND_DRIVEN) != 0;
  if ((given.flags & AVOCET_BACKEND_HAS_DEADLINE) != 0)
    submission.deadline = std::chrono::nanoseconds(given.deadlineNs);
  if ((given.flags & AVOCET_BACKEND_HAS_CLOCK_LEVEL) != 0)
    submission.clockLevel = given.clockLevel;
  return submission;
}

AvocetBackendCode submitJob(AvocetBackendDevice *device, const AvocetBackendSubmission *given, uint64_t *job,
                            AvocetBackendMessage *message) {
  return guarded(message, [&]() -> Status {
    thread_local SubmissionArrays arrays;
    const AvocetBackendSubmission own = readSized(given);
    Submission submission = submissionOf(own, arrays);
    FileDescriptor endFile;
    if (own.endFile != nullptr)
      submission.endFile = &endFile;
    HostSink *sink = device->sinks.take(own);
    submission.sink = sink;
    Result<JobHandle> submitted = device->backend->submit(submission);
    if (!submitted) {
      device->sinks.giveBack(sink);
      return submitted.status();
    }
    if (endFile.isValid())
      *own.endFile = endFile.release();
    *job = *submitted;
    return Status::ok();
  });
}

AvocetBackendCode cancelJob(AvocetBackendDevice *device, uint32_t context, uint64_t job,
                            AvocetBackendMessage *message) {
  return guarded(message, [&] { return device->backend->cancel(context, job); });
}

void driveJob(AvocetBackendDevice *device, uint32_t context, uint64_t job) { device->backend->drive(context, job); }

AvocetBackendCode waitForJob(AvocetBackendDevice *device, uint32_t context, uint64_t job, int64_t nanoseconds,
                             AvocetBackendOutcome *outcome, AvocetBackendMessage *message) {
  return guarded(message, [&]() -> Status {
    AVOCET_ASSIGN_OR_RETURN(const JobOutcome own,
                            device->backend->wait(context, job, std::chrono::nanoseconds(nanoseconds)));
    writeSized(toPlugin(own), outcome);
    return Status::ok();
  });
}

AvocetBackendCode resetDevice(AvocetBackendDevice *device, AvocetBackendMessage *message) {
  return guarded(message, [&] { return device->backend->reset(); });
}

AvocetBackendCode finishDevice(AvocetBackendDevice *device, AvocetBackendMessage *message) {
  return guarded(message, [&] { return device->backend->finish(); });
}

} // namespace

const AvocetBackendTable *exportBackend(const ExportedBackend &backend) {
  exported() = backend;
  static const AvocetBackendTable kTable = {.size = sizeof(AvocetBackendTable),
                                            .abi = AVOCET_BACKEND_ABI,
                                            .name = backend.name,
                                            .version = backend.version,
                                            .description = backend.description,
                                            .nodes = backend.nodes,
                                            .requests = static_cast<uint32_t>(backend.requests),
                                            .reserved = 0,
                                            .open = openDevice,
                                            .close = closeDevice,
                                            .properties = readProperties,
                                            .createContext = createContext,
                                            .destroyContext = destroyContext,
                                            .createBuffer = createBuffer,
                                            .importBuffer = importBuffer,
                                            .importMemory = importMemory,
                                            .exportBuffer = exportBuffer,
                                            .destroyBuffer = destroyBuffer,
                                            .map = mapBuffer,
                                            .unmap = unmapBuffer,
                                            .submit = submitJob,
                                            .cancel = cancelJob,
                                            .drive = driveJob,
                                            .wait = waitForJob,
                                            .reset = resetDevice,
                                            .finish = finishDevice};
  return &kTable;
}

} // namespace avocet::runtime

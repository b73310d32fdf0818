//===- KernelBackend.cpp - The kernel driver as a back end -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/KernelBackend.h"

#include "DrmDevice.h"
#include "JobWatcher.h"
#include "avocet/base/Log.h"
#include "avocet/runtime/Backend.h"

#include <algorithm>
#include <fmt/format.h>
#include <time.h>

namespace avocet::runtime {
namespace {

constexpr uint32_t kQueueDepth = JobLog::kHistory;

/// Lock order: lifetimes_ and imports_, then tables_, then the watcher's. No call of the driver that waits for a job is
/// made with tables_ held.
class KernelBackend final : public Backend {
public:
  explicit KernelBackend(DrmDevice device) : device_(std::move(device)) {}

  Status start(const BackendOptions &options) {
    AVOCET_ASSIGN_OR_RETURN(const uint64_t fingerprint, device_.parameter(AVOCET_PARAM_TARGET_FINGERPRINT));
    if (fingerprint != options.target->fingerprint())
      return failedPrecondition(
          fmt::format("the device is a {}, not a {}: choose its target (--target), or another node",
                      device_.targetName(), options.target->name()));
    AVOCET_ASSIGN_OR_RETURN(const uint64_t encoding, device_.parameter(AVOCET_PARAM_ENCODING_VERSION));
    AVOCET_ASSIGN_OR_RETURN(const uint64_t contexts, device_.parameter(AVOCET_PARAM_MAX_CONTEXTS));
    AVOCET_ASSIGN_OR_RETURN(const uint64_t depth, device_.parameter(AVOCET_PARAM_QUEUE_DEPTH));
    AVOCET_ASSIGN_OR_RETURN(const uint64_t features, device_.parameter(AVOCET_PARAM_FEATURES));
    properties_ = {"kernel",
                   options.target,
                   static_cast<uint32_t>(encoding),
                   static_cast<uint32_t>(std::min<uint64_t>(depth, kQueueDepth)),
                   (features & AVOCET_FEATURE_FUNCTIONAL_OFF) == 0,
                   (features & AVOCET_FEATURE_TIMING_OFF) == 0,
                   static_cast<uint32_t>(contexts),
                   true};
    AVOCET_ASSIGN_OR_RETURN(watcher_, JobWatcher::create(device_));
    return Status::ok();
  }

  ~KernelBackend() override {
    while (!contexts_.empty())
      (void)destroyContext(contexts_.begin()->first);
    while (!buffers_.empty())
      (void)destroyBuffer(buffers_.begin()->first);
  }

  const DeviceProperties &properties() const override { return properties_; }

  Result<ContextHandle> createContext(uint32_t owner) override {
    avocet_context_create call{.flags = 0, .context = 0, .owner = owner, .pad = 0};
    std::lock_guard lifetime(lifetimes_);
    AVOCET_RETURN_IF_ERROR(device_.call(AVOCET_IOCTL_CONTEXT_CREATE, call, "creating a context"));
    std::lock_guard lock(tables_);
    const ContextHandle handle = nextContext_++;
    contexts_[handle] = {call.context, std::make_shared<JobLog>(handle, properties_.queueDepth), {}};
    return handle;
  }

  Status destroyContext(ContextHandle context) override {
    ContextEntry entry;
    {
      std::lock_guard lock(tables_);
      AVOCET_ASSIGN_OR_RETURN(ContextEntry * found, findContext(context));
      entry = std::move(*found);
      contexts_.erase(context);
      for (const auto &[address, mapping] : entry.mappings)
        --buffers_.at(mapping.buffer).mappings;
    }
    std::lock_guard lifetime(lifetimes_);
    avocet_context_destroy call{.context = entry.number, .pad = 0};
    const Status status = device_.call(AVOCET_IOCTL_CONTEXT_DESTROY, call, "destroying a context");
    watcher_->endAll(entry.number);
    return status;
  }

  Result<BufferHandle> createBuffer(uint64_t bytes) override {
    if (bytes == 0)
      return invalidArgument("buffer: size is 0, must be at least 1");
    avocet_bo_create call{.size = bytes, .flags = 0, .handle = 0, .mmap_offset = 0};
    if (Status status = device_.call(AVOCET_IOCTL_BO_CREATE, call, "creating a buffer"); !status.isOk())
      return status.code() == StatusCode::InvalidArgument
                 ? resourceExhausted(fmt::format("buffer: {} bytes are more than a buffer can have", bytes))
                 : status;
    return addBuffer({call.handle, 0, true, 0, {}});
  }

  Result<BufferHandle> importBuffer(const FileDescriptor &file, uint64_t offset, uint64_t bytes,
                                    bool writable) override {
    if (bytes == 0 || !file.isValid())
      return invalidArgument("buffer: nothing to import (no descriptor, or 0 bytes)");
    if (offset % kPageBytes != 0)
      return invalidArgument(fmt::format("buffer: offset {} is not a multiple of {}", offset, kPageBytes));
    AVOCET_ASSIGN_OR_RETURN(FileDescriptor own, file.duplicate());
    std::lock_guard lock(imports_);
    if (Result<uint32_t> handle = device_.importDmaBuf(file))
      return addDmaBuf(*handle, offset, bytes, writable, std::move(own));
    AVOCET_ASSIGN_OR_RETURN(const uint64_t have, fileSize(file, "the imported descriptor"));
    if (have < offset || have - offset < bytes)
      return dataLoss(
          fmt::format("buffer: the imported file has {} bytes, {} from {} on are needed", have, bytes, offset));
    const auto access = writable ? Mapping::Access::ReadWrite : Mapping::Access::Read;
    AVOCET_ASSIGN_OR_RETURN(const Mapping memory, Mapping::map(file.get(), bytes, access, offset));
    AVOCET_ASSIGN_OR_RETURN(const uint32_t handle, device_.importMemory(memory.bytes(), writable));
    return addBuffer({handle, 0, writable, 0, std::move(own)});
  }

  Result<BufferHandle> importMemory(std::span<uint8_t> memory, bool writable) override {
    std::lock_guard lock(imports_);
    AVOCET_ASSIGN_OR_RETURN(const uint32_t handle, device_.importMemory(memory, writable));
    return addBuffer({handle, 0, writable, 0, {}});
  }

  Result<FileDescriptor> exportBuffer(BufferHandle buffer) override {
    std::lock_guard lock(tables_);
    AVOCET_ASSIGN_OR_RETURN(BufferEntry * entry, findBuffer(buffer));
    return entry->file.isValid() ? entry->file.duplicate() : device_.exportHandle(entry->handle);
  }

  Status destroyBuffer(BufferHandle buffer) override {
    std::lock_guard importing(imports_);
    std::lock_guard lock(tables_);
    AVOCET_ASSIGN_OR_RETURN(BufferEntry * entry, findBuffer(buffer));
    if (entry->mappings != 0)
      return failedPrecondition(fmt::format("buffer {} is still mapped {} times", buffer, entry->mappings));
    const uint32_t handle = entry->handle;
    buffers_.erase(buffer);
    return --handleUses_[handle] == 0 ? device_.closeHandle(handle) : Status::ok();
  }

  Result<uint64_t> map(ContextHandle context, BufferHandle buffer, Access access) override {
    const uint32_t bits = static_cast<uint32_t>(access);
    if (bits == 0 || bits > static_cast<uint32_t>(Access::ReadWrite))
      return invalidArgument(fmt::format("map: access is {}, must be 1 (read), 2 (write) or 3 (both)", bits));
    std::lock_guard lock(tables_);
    AVOCET_ASSIGN_OR_RETURN(ContextEntry * contextEntry, findContext(context));
    AVOCET_ASSIGN_OR_RETURN(BufferEntry * entry, findBuffer(buffer));
    if ((bits & firmware::access::kWrite) != 0 && !entry->writable)
      return invalidArgument(fmt::format("map: buffer {} is read-only", buffer));
    avocet_map call{
        .context = contextEntry->number, .handle = entry->handle, .access = bits, .pad = 0, .device_address = 0};
    AVOCET_RETURN_IF_ERROR(device_.call(AVOCET_IOCTL_MAP, call, "mapping a buffer"));
    const uint64_t address = call.device_address + entry->offset;
    contextEntry->mappings[address] = {buffer, call.device_address};
    ++entry->mappings;
    return address;
  }

  Status unmap(ContextHandle context, uint64_t address) override {
    std::lock_guard lock(tables_);
    AVOCET_ASSIGN_OR_RETURN(ContextEntry * entry, findContext(context));
    auto mapping = entry->mappings.find(address);
    if (mapping == entry->mappings.end())
      return invalidArgument(fmt::format("unmap: nothing is mapped at {:#x} of context {}", address, context));
    avocet_unmap call{.context = entry->number, .pad = 0, .device_address = mapping->second.deviceAddress};
    AVOCET_RETURN_IF_ERROR(device_.call(AVOCET_IOCTL_UNMAP, call, "unmapping a buffer"));
    --buffers_.at(mapping->second.buffer).mappings;
    entry->mappings.erase(mapping);
    return Status::ok();
  }

  Result<JobHandle> submit(const Submission &submission) override {
    AVOCET_RETURN_IF_ERROR(checkSubmission(submission, properties_));
    std::lock_guard lock(tables_);
    AVOCET_ASSIGN_OR_RETURN(ContextEntry * context, findContext(submission.context));
    std::vector<FileDescriptor> fences;
    AVOCET_ASSIGN_OR_RETURN(const bool hasFailed, takeFences(submission, fences));
    avocet_submit call = describe(submission, context->number);
    AVOCET_ASSIGN_OR_RETURN(const JobHandle job, context->jobs->begin(submission.sink));
    if (const firmware::FaultCode fault = refusal(submission, hasFailed); fault != firmware::FaultCode::None) {
      context->jobs->end(job, faulted(fault));
      return job;
    }
    std::vector<__s32> numbers(submission.syncFiles.begin(), submission.syncFiles.end());
    for (const FileDescriptor &fence : fences)
      numbers.push_back(fence.get());
    call.in_fences = reinterpret_cast<uintptr_t>(numbers.data());
    call.in_fence_count = static_cast<__u32>(numbers.size());
    const std::vector<avocet_stream> streams = streamsOf(submission);
    const std::vector<avocet_region> regions = regionsOf(submission);
    call.streams = reinterpret_cast<uintptr_t>(streams.data());
    call.regions = reinterpret_cast<uintptr_t>(regions.data());
    // The job has its number, so a refusal ends it.
    if (Status status = device_.call(AVOCET_IOCTL_SUBMIT, call, "submitting a job"); !status.isOk()) {
      logMessage(LogLevel::Error, "runtime", "{}", status.message());
      context->jobs->end(job, faulted(firmware::FaultCode::HardwareError));
      return job;
    }
    FileDescriptor fence(call.out_fence);
    if (submission.endFile != nullptr)
      if (Result<FileDescriptor> copy = fence.duplicate())
        *submission.endFile = std::move(*copy);
    AVOCET_RETURN_IF_ERROR(watcher_->add(job, {context->number, call.job, std::move(fence), context->jobs}));
    return job;
  }

  Status cancel(ContextHandle context, JobHandle job) override {
    std::lock_guard lock(tables_);
    AVOCET_ASSIGN_OR_RETURN(ContextEntry * entry, findContext(context));
    AVOCET_RETURN_IF_ERROR(entry->jobs->stateOf(job).status());
    const auto [number, kernelJob] = watcher_->numberOf(job);
    if (kernelJob == 0)
      return Status::ok();
    avocet_cancel call{.context = number, .pad = 0, .job = kernelJob};
    return device_.call(AVOCET_IOCTL_CANCEL, call, "cancelling a job");
  }

  void drive(ContextHandle, JobHandle) override {}

  Result<JobOutcome> wait(ContextHandle context, JobHandle job, std::chrono::nanoseconds timeout) override {
    std::shared_ptr<JobLog> jobs;
    {
      std::lock_guard lock(tables_);
      AVOCET_ASSIGN_OR_RETURN(ContextEntry * entry, findContext(context));
      jobs = entry->jobs;
    }
    return jobs->wait(job, timeout);
  }

  Status reset() override {
    avocet_reset call{.flags = 0, .pad = 0};
    return device_.call(AVOCET_IOCTL_RESET, call, "resetting the device");
  }

private:
  struct MappingEntry {
    BufferHandle buffer;
    uint64_t deviceAddress; ///< of the whole buffer; ours begins at the offset that it was imported with
  };
  struct ContextEntry {
    uint32_t number = 0; ///< the kernel's
    std::shared_ptr<JobLog> jobs;
    std::map<uint64_t, MappingEntry> mappings; ///< by address
  };
  struct BufferEntry {
    uint32_t handle;
    uint64_t offset; ///< of its first byte in the GEM object
    bool writable;
    uint32_t mappings;
    FileDescriptor file; ///< of an imported one
  };

  Result<BufferHandle> addBuffer(BufferEntry entry) {
    std::lock_guard lock(tables_);
    ++handleUses_[entry.handle];
    buffers_.emplace(nextBuffer_, std::move(entry));
    return nextBuffer_++;
  }

  /// All imports of one dma-buf have one handle.
  Result<BufferHandle> addDmaBuf(uint32_t handle, uint64_t offset, uint64_t bytes, bool writable, FileDescriptor file) {
    avocet_bo_info call{.handle = handle, .flags = 0, .size = 0, .mmap_offset = 0};
    Status status = device_.call(AVOCET_IOCTL_BO_INFO, call, "size of a buffer");
    if (status.isOk() && (call.size < offset || call.size - offset < bytes))
      status = dataLoss(
          fmt::format("buffer: the imported dma-buf has {} bytes, {} from {} on are needed", call.size, bytes, offset));
    if (status.isOk())
      return addBuffer({handle, offset, writable, 0, std::move(file)});
    std::lock_guard lock(tables_);
    if (!handleUses_.contains(handle) || handleUses_[handle] == 0)
      (void)device_.closeHandle(handle);
    return status;
  }

  Result<ContextEntry *> findContext(ContextHandle context) {
    auto found = contexts_.find(context);
    if (found == contexts_.end())
      return invalidArgument(fmt::format("there is no context {}", context));
    return &found->second;
  }

  Result<BufferEntry *> findBuffer(BufferHandle buffer) {
    auto found = buffers_.find(buffer);
    if (found == buffers_.end())
      return invalidArgument(fmt::format("there is no buffer {}", buffer));
    return &found->second;
  }

  /// True: a dependency has failed already. Those that are complete need no fence.
  Result<bool> takeFences(const Submission &submission, std::vector<FileDescriptor> &fences) {
    bool hasFailed = false;
    for (const JobReference &dependency : submission.dependencies) {
      if (FileDescriptor fence = watcher_->fenceOf(dependency.job); fence.isValid()) {
        fences.push_back(std::move(fence));
        continue;
      }
      auto context = contexts_.find(dependency.context);
      if (context == contexts_.end())
        return invalidArgument(fmt::format("submit: there is no context {} for a dependency", dependency.context));
      AVOCET_ASSIGN_OR_RETURN(const JobLog::State state, context->second.jobs->stateOf(dependency.job));
      hasFailed |= state == JobLog::State::Faulted;
    }
    return hasFailed;
  }

  /// The fault of a job that the kernel would not take.
  firmware::FaultCode refusal(const Submission &submission, bool hasFailedDependency) const {
    if (submission.encodingVersion != properties_.encodingVersion)
      return firmware::FaultCode::VersionMismatch;
    if (submission.targetFingerprint != properties_.target->fingerprint())
      return firmware::FaultCode::TargetMismatch;
    return hasFailedDependency ? firmware::FaultCode::DependencyFailed : firmware::FaultCode::None;
  }

  avocet_submit describe(const Submission &submission, uint32_t context) const {
    avocet_submit call{};
    call.context = context;
    call.flags = AVOCET_SUBMIT_OUT_FENCE;
    call.stream_count = static_cast<__u32>(submission.streams.size());
    call.region_count = static_cast<__u32>(submission.regions.size());
    call.priority = submission.priority;
    call.watchdog_cycles = submission.watchdogCycles;
    call.target_fingerprint = submission.targetFingerprint;
    call.encoding_version = submission.encodingVersion;
    call.user_data = submission.userData;
    call.control_program = submission.control.address;
    call.control_words = submission.control.words;
    call.loop_timeout_ns = submission.loopTimeoutNs;
    if (submission.deadline) {
      timespec now{};
      ::clock_gettime(CLOCK_MONOTONIC, &now);
      call.deadline_ns = std::max<int64_t>(1, now.tv_sec * 1'000'000'000 + now.tv_nsec + submission.deadline->count());
    }
    return call;
  }

  static std::vector<avocet_stream> streamsOf(const Submission &submission) {
    std::vector<avocet_stream> streams;
    for (const StreamBinding &stream : submission.streams)
      streams.push_back(
          {static_cast<__u32>(stream.engine.kind), stream.engine.index, stream.address, stream.words, stream.section});
    return streams;
  }

  static std::vector<avocet_region> regionsOf(const Submission &submission) {
    std::vector<avocet_region> regions;
    for (const RegionBinding &region : submission.regions)
      regions.push_back({region.address, region.bytes, static_cast<__u32>(region.access), 0});
    return regions;
  }

  static JobOutcome faulted(firmware::FaultCode code) {
    JobOutcome outcome;
    outcome.state = firmware::JobState::Faulted;
    outcome.fault = code;
    return outcome;
  }

  DrmDevice device_;
  DeviceProperties properties_;
  std::unique_ptr<JobWatcher> watcher_;
  std::mutex lifetimes_; ///< the kernel's number of a context is not used again before its jobs are reported
  std::mutex imports_;   ///< a handle is not closed while the same dma-buf is imported again
  std::mutex tables_;    ///< guards all below
  std::map<ContextHandle, ContextEntry> contexts_;
  std::map<BufferHandle, BufferEntry> buffers_;
  std::map<uint32_t, uint32_t> handleUses_; ///< buffers by GEM handle
  ContextHandle nextContext_ = 1;
  BufferHandle nextBuffer_ = 1;
};

Result<std::unique_ptr<Backend>> openNode(const BackendOptions &options, const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(DrmDevice device, DrmDevice::open(path));
  auto backend = std::make_unique<KernelBackend>(std::move(device));
  AVOCET_RETURN_IF_ERROR(backend->start(options).withContext(path));
  return std::unique_ptr<Backend>(std::move(backend));
}

} // namespace

Result<std::unique_ptr<Backend>> openKernelBackend(const BackendOptions &options, std::string_view argument) {
  if (options.target == nullptr)
    return invalidArgument("back end kernel needs a target");
  return openFirst(argument.empty() ? std::string(kKernelNodes) : std::string(argument),
                   [&](const std::string &path) { return openNode(options, path); });
}

void registerKernelBackend() { registerBackend("kernel", openKernelBackend); }

} // namespace avocet::runtime

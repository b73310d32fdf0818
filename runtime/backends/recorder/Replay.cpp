//===- Replay.cpp - Plays a recording on a back end -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Replay.h"

#include "Recording.h"
#include "avocet/base/Checksum.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace avocet::runtime {
namespace {

/// Performs one record after the other. Handles and addresses of the recording are translated to those of the back end.
class Player {
public:
  Player(Backend &backend, ReplaySummary &summary) : backend_(backend), summary_(summary) {}

  ~Player() {
    for (const auto &[recorded, context] : contexts_)
      (void)backend_.destroyContext(context.handle);
    for (const auto &[recorded, buffer] : buffers_)
      (void)backend_.destroyBuffer(buffer.handle);
  }
  Player(const Player &) = delete;
  Player &operator=(const Player &) = delete;

  Status operator()(const ContextCreated &record) {
    AVOCET_ASSIGN_OR_RETURN(ContextHandle handle, backend_.createContext(record.owner));
    contexts_[record.context].handle = handle;
    return Status::ok();
  }

  Status operator()(const ContextDestroyed &record) {
    ContextHandle handle = contexts_.at(record.context).handle;
    contexts_.erase(record.context);
    return backend_.destroyContext(handle);
  }

  Status operator()(const BufferCreated &record) {
    AVOCET_ASSIGN_OR_RETURN(BufferHandle handle, backend_.createBuffer(record.bytes));
    PlayedBuffer &buffer = buffers_[record.buffer];
    buffer.handle = handle;
    AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, backend_.exportBuffer(handle));
    AVOCET_ASSIGN_OR_RETURN(buffer.memory, Mapping::map(file.get(), record.bytes, Mapping::Access::ReadWrite));
    return Status::ok();
  }

  Status operator()(const BufferDestroyed &record) {
    BufferHandle handle = buffers_.at(record.buffer).handle;
    buffers_.erase(record.buffer);
    return backend_.destroyBuffer(handle);
  }

  Status operator()(const BufferContents &record) {
    std::ranges::copy(record.bytes, buffers_.at(record.buffer).memory.bytes().subspan(record.offset).begin());
    return Status::ok();
  }

  Status operator()(const BufferMapped &record) {
    PlayedContext &context = contexts_.at(record.context);
    PlayedBuffer &buffer = buffers_.at(record.buffer);
    AVOCET_ASSIGN_OR_RETURN(uint64_t address,
                            backend_.map(context.handle, buffer.handle, static_cast<Access>(record.access)));
    context.mappings[record.address] = {address, record.buffer};
    return Status::ok();
  }

  Status operator()(const BufferUnmapped &record) {
    PlayedContext &context = contexts_.at(record.context);
    auto mapping = context.mappings.extract(record.address);
    return backend_.unmap(context.handle, mapping.mapped().address);
  }

  Status operator()(const JobRun &record) {
    PlayedContext &context = contexts_.at(record.context);
    std::vector<StreamBinding> streams;
    for (const RecordedStream &stream : record.streams)
      streams.push_back({{static_cast<firmware::EngineKind>(stream.engine_kind()), stream.engine_index()},
                         context.translate(stream.address()),
                         stream.words(),
                         stream.section()});
    std::vector<RegionBinding> regions;
    for (const RecordedRegion &region : record.regions)
      regions.push_back({context.translate(region.address()), region.bytes(), static_cast<Access>(region.access())});
    std::vector<JobReference> dependencies;
    for (const RecordedDependency &dependency : record.dependencies)
      dependencies.push_back(jobs_.at({dependency.context(), dependency.job()}));
    Submission submission = describe(record, context);
    submission.streams = streams;
    submission.regions = regions;
    submission.dependencies = dependencies;
    AVOCET_ASSIGN_OR_RETURN(JobHandle job, backend_.submit(submission));
    jobs_[{record.context, record.job}] = {context.handle, job};
    AVOCET_ASSIGN_OR_RETURN(JobOutcome outcome, backend_.wait(context.handle, job, std::chrono::nanoseconds(-1)));
    compare(record, outcome, hashOutputs(record, context));
    return Status::ok();
  }

  Status operator()(const DeviceReset &) { return backend_.reset(); }
  Status operator()(const RecordingEnd &) { return Status::ok(); }

private:
  struct PlayedBuffer {
    BufferHandle handle = 0;
    Mapping memory;
  };
  struct PlayedMapping {
    uint64_t address = 0;
    uint32_t buffer = 0; ///< recorded handle
  };
  struct PlayedContext {
    ContextHandle handle = 0;
    std::map<uint64_t, PlayedMapping> mappings; ///< by recorded address

    /// An address outside every mapping becomes 0, which no mapping has: the job faults as in the recording.
    uint64_t translate(uint64_t address) const {
      auto next = mappings.upper_bound(address);
      return next == mappings.begin() ? 0 : std::prev(next)->second.address + (address - std::prev(next)->first);
    }
  };

  /// The fields of a submission other than lists and pointers.
  static Submission describe(const JobRun &record, const PlayedContext &context) {
    Submission submission;
    submission.context = context.handle;
    submission.priority = record.priority;
    submission.watchdogCycles = record.watchdog_cycles;
    submission.targetFingerprint = record.target_fingerprint;
    submission.encodingVersion = record.encoding_version;
    submission.userData = record.user_data;
    if (record.control_words != 0)
      submission.control = {context.translate(record.control_address), record.control_words};
    submission.loopTimeoutNs = record.loop_timeout_ns;
    if (record.deadline_ns)
      submission.deadline = std::chrono::nanoseconds(*record.deadline_ns);
    return submission;
  }

  uint64_t hashOutputs(const JobRun &record, const PlayedContext &context) {
    Fnv1a hash;
    for (const RecordedRegion &region : record.regions) {
      if ((region.access() & static_cast<uint32_t>(Access::Write)) != 0)
        hash.add(viewOf(context, region));
    }
    return hash.value();
  }

  std::span<const uint8_t> viewOf(const PlayedContext &context, const RecordedRegion &region) {
    auto next = context.mappings.upper_bound(region.address());
    if (next == context.mappings.begin())
      return {};
    auto memory = std::as_const(buffers_.at(std::prev(next)->second.buffer).memory).bytes();
    uint64_t offset = region.address() - std::prev(next)->first;
    if (offset > memory.size() || region.bytes() > memory.size() - offset)
      return {};
    return memory.subspan(offset, region.bytes());
  }

  void compare(const JobRun &record, const JobOutcome &outcome, uint64_t outputHash) {
    uint64_t job = summary_.jobs++;
    summary_.cycles += outcome.counters.cycles;
    auto expect = [&](std::string_view what, uint64_t recorded, uint64_t now) {
      if (recorded != now)
        summary_.differences.push_back(
            fmt::format("job {}: {} is {} in the recording, {} in the replay", job, what, recorded, now));
    };
    expect("state", record.state, static_cast<uint64_t>(outcome.state));
    expect("fault", record.fault_code, static_cast<uint64_t>(outcome.fault));
    if (backend_.properties().measures && record.cycles != 0)
      expect("cycles", record.cycles, outcome.counters.cycles);
    if (backend_.properties().computes)
      expect("hash of the outputs", record.output_hash, outputHash);
  }

  Backend &backend_;
  ReplaySummary &summary_;
  std::map<uint32_t, PlayedContext> contexts_;
  std::map<uint32_t, PlayedBuffer> buffers_;
  std::map<std::pair<uint32_t, uint64_t>, JobReference> jobs_; ///< by recorded context and handle
};

} // namespace

Result<std::string> recordedTarget(std::span<const uint8_t> bytes, std::string_view origin) {
  AVOCET_ASSIGN_OR_RETURN(RecordingHeader header, parseRecordingHeader(bytes, origin));
  return std::move(header.targetName);
}

Result<ReplaySummary> replayRecording(std::span<const uint8_t> bytes, std::string_view origin, Backend &backend,
                                      Cut cut) {
  AVOCET_ASSIGN_OR_RETURN(Recording recording, parseRecording(bytes, origin, cut));
  const firmware::Target &target = *backend.properties().target;
  if (recording.header.targetFingerprint != target.fingerprint())
    return failedPrecondition(fmt::format("{}: was recorded on target {}, which is not the {} of this device", origin,
                                          recording.header.targetName, target.name()));
  ReplaySummary summary;
  summary.targetName = recording.header.targetName;
  summary.isWhole = recording.isWhole();
  Player player(backend, summary);
  for (size_t i = 0; i < recording.records.size(); ++i)
    AVOCET_RETURN_IF_ERROR(
        std::visit(player, recording.records[i]).withContext(fmt::format("{}: record {}", origin, i)));
  return summary;
}

} // namespace avocet::runtime

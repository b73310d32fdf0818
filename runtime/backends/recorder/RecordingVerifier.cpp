//===- RecordingVerifier.cpp - Rules between the records of a recording --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <set>

namespace avocet::runtime {
namespace {

/// Limit against hostile recordings: more memory than any real recording uses.
constexpr uint64_t kMaxTotalBufferBytes = uint64_t(1) << 34;

/// Tracks the live handles through a recording. One overload per kind of record.
class Verifier {
public:
  Status operator()(const ContextCreated &record) {
    if (!contexts_.emplace(record.context, std::map<uint64_t, uint32_t>()).second)
      return dataLoss(fmt::format("context {} exists already", record.context));
    return Status::ok();
  }

  Status operator()(const ContextDestroyed &record) {
    AVOCET_RETURN_IF_ERROR(requireContext(record.context));
    contexts_.erase(record.context);
    return Status::ok();
  }

  Status operator()(const BufferCreated &record) {
    if (record.bytes == 0 || record.bytes > kMaxTotalBufferBytes - total_)
      return dataLoss(fmt::format("size is {} bytes, must be at least 1, and the sum of all buffers at most {}",
                                  record.bytes, kMaxTotalBufferBytes));
    if (!buffers_.emplace(record.buffer, record.bytes).second)
      return dataLoss(fmt::format("buffer {} exists already", record.buffer));
    total_ += record.bytes;
    return Status::ok();
  }

  Status operator()(const BufferDestroyed &record) {
    AVOCET_RETURN_IF_ERROR(requireBuffer(record.buffer));
    for (const auto &[context, mappings] : contexts_) {
      for (const auto &[address, buffer] : mappings) {
        if (buffer == record.buffer)
          return dataLoss(fmt::format("buffer {} is still mapped in context {}", buffer, context));
      }
    }
    total_ -= buffers_.at(record.buffer);
    buffers_.erase(record.buffer);
    return Status::ok();
  }

  Status operator()(const BufferContents &record) {
    AVOCET_RETURN_IF_ERROR(requireBuffer(record.buffer));
    const uint64_t size = buffers_.at(record.buffer);
    if (record.offset % kContentsPieceBytes != 0 || record.offset >= size ||
        record.bytes.size() != std::min(kContentsPieceBytes, size - record.offset))
      return dataLoss(fmt::format("{} bytes of contents at offset {} for a buffer of {}", record.bytes.size(),
                                  record.offset, size));
    return Status::ok();
  }

  Status operator()(const BufferMapped &record) {
    AVOCET_RETURN_IF_ERROR(requireContext(record.context));
    AVOCET_RETURN_IF_ERROR(requireBuffer(record.buffer));
    AVOCET_RETURN_IF_ERROR(requireAccess(record.access));
    if (!contexts_.at(record.context).emplace(record.address, record.buffer).second)
      return dataLoss(fmt::format("address {:#x} is mapped already", record.address));
    return Status::ok();
  }

  Status operator()(const BufferUnmapped &record) {
    AVOCET_RETURN_IF_ERROR(requireContext(record.context));
    if (contexts_.at(record.context).erase(record.address) == 0)
      return dataLoss(fmt::format("nothing is mapped at {:#x}", record.address));
    return Status::ok();
  }

  Status operator()(const JobRun &record) {
    AVOCET_RETURN_IF_ERROR(requireContext(record.context));
    if (record.state > static_cast<uint32_t>(firmware::JobState::Faulted) ||
        record.fault_code >= firmware::kNumFaultCodes)
      return dataLoss(fmt::format("job state {} or fault {} is unknown", record.state, record.fault_code));
    for (const RecordedStream &stream : record.streams) {
      if (stream.engine_kind() > static_cast<uint32_t>(firmware::EngineKind::Dma))
        return dataLoss(fmt::format("engine kind {} is unknown", stream.engine_kind()));
    }
    for (const RecordedRegion &region : record.regions)
      AVOCET_RETURN_IF_ERROR(requireAccess(region.access()));
    for (const RecordedDependency &dependency : record.dependencies) {
      if (!jobs_.contains({dependency.context(), dependency.job()}))
        return dataLoss(
            fmt::format("there is no job {} of context {} to wait for", dependency.job(), dependency.context()));
    }
    if (!jobs_.emplace(record.context, record.job).second)
      return dataLoss(fmt::format("job {} of context {} ran already", record.job, record.context));
    return Status::ok();
  }

  Status operator()(const DeviceReset &) { return Status::ok(); }

  Status operator()(const RecordingEnd &record) {
    return record.records == records_
               ? Status::ok()
               : dataLoss(fmt::format("the end mark counts {} records, there are {}", record.records, records_));
  }

  /// Counts a record that keeps its rules. Only the end mark may be the last one.
  Status noteRecord(const Record &record) {
    if (isEnded_)
      return dataLoss("follows the end mark");
    isEnded_ = std::holds_alternative<RecordingEnd>(record);
    ++records_;
    return Status::ok();
  }

private:
  Status requireContext(uint32_t context) const {
    return contexts_.contains(context) ? Status::ok() : dataLoss(fmt::format("there is no context {}", context));
  }
  Status requireBuffer(uint32_t buffer) const {
    return buffers_.contains(buffer) ? Status::ok() : dataLoss(fmt::format("there is no buffer {}", buffer));
  }
  static Status requireAccess(uint32_t access) {
    return access >= 1 && access <= 3
               ? Status::ok()
               : dataLoss(fmt::format("access is {}, must be 1 (read), 2 (write) or 3 (both)", access));
  }

  std::map<uint32_t, std::map<uint64_t, uint32_t>> contexts_; ///< address -> buffer
  std::map<uint32_t, uint64_t> buffers_;                      ///< bytes
  std::set<std::pair<uint32_t, uint64_t>> jobs_;              ///< context, handle
  uint64_t total_ = 0;
  uint64_t records_ = 0;
  bool isEnded_ = false;
};

} // namespace

Status verifyRecording(const Recording &recording, std::string_view origin) {
  Verifier verifier;
  for (size_t i = 0; i < recording.records.size(); ++i) {
    Status status = std::visit(verifier, recording.records[i]);
    if (status.isOk())
      status = verifier.noteRecord(recording.records[i]);
    AVOCET_RETURN_IF_ERROR(std::move(status).withContext(fmt::format("{}: record {}", origin, i)));
  }
  return Status::ok();
}

} // namespace avocet::runtime

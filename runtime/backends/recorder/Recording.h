//===- Recording.h - The file format of recordings --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recording holds the calls to a back end, in order, with the contents of the buffers and the outcomes of the jobs.
// recording.fbs describes the format and its rules; the types of the events are generated from it.
//
// The input is untrusted: the reader checks every length and checksum, then the structure of each FlatBuffer, then
// every enumeration against its range and every handle against those created before.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_RECORDER_RECORDING_H
#define AVOCET_RUNTIME_BACKENDS_RECORDER_RECORDING_H

#include "avocet/runtime/Backend.h"
#include "avocet/runtime/Replay.h"

#include "recording_generated.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace avocet::runtime {

inline constexpr uint32_t kRecordingVersion = 6;

/// Bytes of all BufferContents of a buffer except the last one.
inline constexpr uint64_t kContentsPieceBytes = uint64_t(64) << 20;

using BufferContents = recordingfb::BufferContentsT;
using BufferCreated = recordingfb::BufferCreatedT;
using BufferDestroyed = recordingfb::BufferDestroyedT;
using BufferMapped = recordingfb::BufferMappedT;
using BufferUnmapped = recordingfb::BufferUnmappedT;
using ContextCreated = recordingfb::ContextCreatedT;
using ContextDestroyed = recordingfb::ContextDestroyedT;
using DeviceReset = recordingfb::DeviceResetT;
using JobRun = recordingfb::JobRunT;
using RecordingEnd = recordingfb::RecordingEndT;
using recordingfb::RecordedDependency;
using recordingfb::RecordedRegion;
using recordingfb::RecordedStream;

/// All kinds of recordingfb::Event.
using Record = std::variant<ContextCreated, ContextDestroyed, BufferCreated, BufferDestroyed, BufferContents,
                            BufferMapped, BufferUnmapped, JobRun, DeviceReset, RecordingEnd>;

struct RecordingHeader {
  uint64_t targetFingerprint = 0;
  std::string targetName;
};

struct Recording {
  RecordingHeader header;
  std::vector<Record> records;

  /// Whether it has its end mark.
  bool isWhole() const { return !records.empty() && std::holds_alternative<RecordingEnd>(records.back()); }
};

void appendHeader(const RecordingHeader &header, std::vector<uint8_t> &bytes);
void appendRecord(Record record, std::vector<uint8_t> &bytes);

/// Reads and verifies. DataLoss names `origin`, the record's number and byte offset, and the rule. A header or record
/// whose checksum does not match is refused before any of its fields is used. Of a recording that was cut,
/// Cut::Accepted gives the whole records.
Result<Recording> parseRecording(std::span<const uint8_t> bytes, std::string_view origin, Cut cut = Cut::Refused);

/// The header alone; the rest may be damaged.
Result<RecordingHeader> parseRecordingHeader(std::span<const uint8_t> bytes, std::string_view origin);

/// The rules between records: handles exist, contents fit their buffer, enumerations are in range. Part of
/// parseRecording().
Status verifyRecording(const Recording &recording, std::string_view origin);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_RECORDER_RECORDING_H

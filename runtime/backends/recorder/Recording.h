//===- Recording.h - The file format of recordings --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recording holds the calls to a back end, in order, with the contents of the buffers and the outcomes of the jobs:
//
//   header   "AVOR", version (u32), target fingerprint (u64), target name (u32 length, bytes), checksum
//   records  kind (u32, index in Record), payload bytes (u64), payload, checksum
//
// A checksum (avocet/base/Checksum.h) covers the preceding bytes of the same header or record. Each record has its own,
// so that the recording of a program that crashed is valid up to its last whole record.
//
// Everything is little endian. Each record struct lists its fields once, in visitFields; writer and reader are derived
// from the list: integers as they are, vectors as a u64 count and their elements.
//
// The input is untrusted: the reader checks every length against the remaining bytes, every enumeration against its
// range, and every handle against those created before. A record must fill its payload exactly.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_RECORDER_RECORDING_H
#define AVOCET_RUNTIME_BACKENDS_RECORDER_RECORDING_H

#include "avocet/runtime/Backend.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace avocet::runtime {

inline constexpr uint32_t kRecordingMagic = 0x524F5641; // "AVOR"
inline constexpr uint32_t kRecordingVersion = 4;

struct ContextCreated {
  uint32_t context = 0;
  uint32_t owner = 0;
  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit(self.context);
    visit(self.owner);
  }
};

struct ContextDestroyed {
  uint32_t context = 0;
  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) { visit(self.context); }
};

struct BufferCreated {
  uint32_t buffer = 0;
  uint64_t bytes = 0;
  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit(self.buffer);
    visit(self.bytes);
  }
};

struct BufferDestroyed {
  uint32_t buffer = 0;
  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) { visit(self.buffer); }
};

/// The whole contents of a buffer, before the next submission.
struct BufferContents {
  uint32_t buffer = 0;
  std::vector<uint8_t> bytes;
  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit(self.buffer);
    visit(self.bytes);
  }
};

struct BufferMapped {
  uint32_t context = 0;
  uint32_t buffer = 0;
  uint64_t address = 0;
  uint32_t access = 0;
  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit(self.context);
    visit(self.buffer);
    visit(self.address);
    visit(self.access);
  }
};

struct BufferUnmapped {
  uint32_t context = 0;
  uint64_t address = 0;
  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit(self.context);
    visit(self.address);
  }
};

struct RecordedStream {
  uint32_t engineKind = 0;
  uint32_t engineIndex = 0;
  uint64_t address = 0;
  uint32_t words = 0;
  uint32_t section = 0;
  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit(self.engineKind);
    visit(self.engineIndex);
    visit(self.address);
    visit(self.words);
    visit(self.section);
  }
};

struct RecordedRegion {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t access = 0;
  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit(self.address);
    visit(self.bytes);
    visit(self.access);
  }
};

/// An earlier job of the recording.
struct RecordedDependency {
  uint32_t context = 0;
  uint64_t job = 0;
  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit(self.context);
    visit(self.job);
  }
};

/// A submission and how it ended. `outputHash` covers the regions that the job may write, in order, after its end.
struct JobRun {
  uint32_t context = 0;
  uint32_t priority = 0;
  uint64_t watchdogCycles = 0;
  uint64_t targetFingerprint = 0;
  uint32_t encodingVersion = 0;
  uint64_t userData = 0;
  uint64_t controlAddress = 0;
  uint32_t controlWords = 0;
  uint64_t loopTimeoutNs = 0;
  std::vector<RecordedStream> streams;
  uint32_t hasDeadline = 0; ///< 0 or 1
  int64_t deadlineNs = 0;
  std::vector<RecordedDependency> dependencies;
  std::vector<RecordedRegion> regions;
  uint64_t job = 0; ///< handle of this job
  uint32_t state = 0;
  uint64_t cycles = 0;
  uint32_t faultCode = 0;
  uint64_t outputHash = 0;
  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit(self.context);
    visit(self.priority);
    visit(self.watchdogCycles);
    visit(self.targetFingerprint);
    visit(self.encodingVersion);
    visit(self.userData);
    visit(self.controlAddress);
    visit(self.controlWords);
    visit(self.loopTimeoutNs);
    visit(self.streams);
    visit(self.hasDeadline);
    visit(self.deadlineNs);
    visit(self.dependencies);
    visit(self.regions);
    visit(self.job);
    visit(self.state);
    visit(self.cycles);
    visit(self.faultCode);
    visit(self.outputHash);
  }
};

struct DeviceReset {
  template <typename Self, typename V> static void visitFields(Self &, V &&) {}
};

/// The kind on disk is the index in this list: append only.
using Record = std::variant<ContextCreated, ContextDestroyed, BufferCreated, BufferDestroyed, BufferContents,
                            BufferMapped, BufferUnmapped, JobRun, DeviceReset>;

struct RecordingHeader {
  uint64_t targetFingerprint = 0;
  std::string targetName;
};

struct Recording {
  RecordingHeader header;
  std::vector<Record> records;
};

void appendHeader(const RecordingHeader &header, std::vector<uint8_t> &bytes);
void appendRecord(const Record &record, std::vector<uint8_t> &bytes);

/// Reads and verifies. DataLoss names `origin`, the record's number and byte offset, and the rule. A header or record
/// whose checksum does not match is refused before any of its fields is used.
Result<Recording> parseRecording(std::span<const uint8_t> bytes, std::string_view origin);

/// The rules between records: handles exist, contents fit their buffer, enumerations are in range. Part of
/// parseRecording().
Status verifyRecording(const Recording &recording, std::string_view origin);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_RECORDER_RECORDING_H

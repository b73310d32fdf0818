//===- Recording.cpp - The file format of recordings -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"

#include "avocet/base/Checksum.h"

#include <algorithm>
#include <fmt/core.h>
#include <type_traits>
#include <utility>

namespace avocet::runtime {
namespace {

template <typename T>
concept Integer = std::is_integral_v<T>;

class ByteWriter {
public:
  explicit ByteWriter(std::vector<uint8_t> &bytes) : bytes_(bytes) {}

  template <Integer T> void operator()(T value) {
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes_.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  void operator()(const std::vector<uint8_t> &data) {
    (*this)(static_cast<uint64_t>(data.size()));
    bytes_.insert(bytes_.end(), data.begin(), data.end());
  }
  template <typename T> void operator()(const std::vector<T> &items) {
    (*this)(static_cast<uint64_t>(items.size()));
    for (const T &item : items)
      T::visitFields(item, *this);
  }

private:
  std::vector<uint8_t> &bytes_;
};

/// Reads fields from the front of a span. After the first field that does not fit, all reads fail and give zeros.
class ByteReader {
public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool hasFailed() const { return failed_; }
  size_t left() const { return bytes_.size(); }

  std::span<const uint8_t> take(uint64_t count) {
    if (failed_ || count > bytes_.size()) {
      failed_ = true;
      return {};
    }
    auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  /// The bytes between `start`, an earlier state of this reader, and the current position.
  std::span<const uint8_t> since(const ByteReader &start) const { return start.bytes_.first(start.left() - left()); }

  template <Integer T> void operator()(T &value) {
    value = 0;
    auto raw = take(sizeof(T));
    for (size_t i = 0; i < raw.size(); ++i)
      value |= static_cast<T>(raw[i]) << (8 * i);
  }
  void operator()(std::vector<uint8_t> &data) {
    uint64_t count = 0;
    (*this)(count);
    auto raw = take(count);
    data.assign(raw.begin(), raw.end());
  }
  template <typename T> void operator()(std::vector<T> &items) {
    uint64_t count = 0;
    (*this)(count);
    // Grows with the bytes that exist: a hostile count fails after the last byte, without a large allocation.
    for (uint64_t i = 0; i < count && !failed_; ++i)
      T::visitFields(items.emplace_back(), *this);
  }

private:
  std::span<const uint8_t> bytes_;
  bool failed_ = false;
};

template <size_t... I> bool emplaceKind(Record &record, uint32_t kind, std::index_sequence<I...>) {
  return ((kind == I && (record.emplace<I>(), true)) || ...);
}

/// Reads the checksum that follows the bytes `covered`.
Status takeChecksum(ByteReader &reader, std::span<const uint8_t> covered) {
  auto found = reader.take(sizeof(Checksum));
  if (reader.hasFailed())
    return dataLoss("the file ends before the checksum");
  if (!std::ranges::equal(found, checksumOf({covered})))
    return dataLoss("the checksum does not match: the file is damaged");
  return Status::ok();
}

void appendChecksum(std::vector<uint8_t> &bytes, size_t begin) {
  Checksum checksum = checksumOf({std::span(bytes).subspan(begin)});
  bytes.insert(bytes.end(), checksum.begin(), checksum.end());
}

Result<RecordingHeader> parseHeader(ByteReader &reader, std::string_view origin) {
  const ByteReader start = reader;
  uint32_t magic = 0, version = 0, nameBytes = 0;
  RecordingHeader header;
  reader(magic);
  reader(version);
  reader(header.targetFingerprint);
  reader(nameBytes);
  auto name = reader.take(nameBytes);
  if (reader.hasFailed() || magic != kRecordingMagic)
    return dataLoss(fmt::format("{}: is no recording (it must begin with AVOR and a whole header)", origin));
  if (version != kRecordingVersion)
    return dataLoss(
        fmt::format("{}: has format version {}, this program reads {}", origin, version, kRecordingVersion));
  AVOCET_RETURN_IF_ERROR(takeChecksum(reader, reader.since(start)).withContext(origin));
  header.targetName.assign(name.begin(), name.end());
  return header;
}

Result<Record> parseRecord(ByteReader &reader) {
  const ByteReader start = reader;
  uint32_t kind = 0;
  uint64_t bytes = 0;
  reader(kind);
  reader(bytes);
  ByteReader payload(reader.take(bytes));
  if (reader.hasFailed())
    return dataLoss("the file ends inside the record");
  AVOCET_RETURN_IF_ERROR(takeChecksum(reader, reader.since(start)));
  Record record;
  if (!emplaceKind(record, kind, std::make_index_sequence<std::variant_size_v<Record>>()))
    return dataLoss(fmt::format("kind {} is unknown", kind));
  std::visit([&](auto &body) { std::decay_t<decltype(body)>::visitFields(body, payload); }, record);
  if (payload.hasFailed() || payload.left() != 0)
    return dataLoss(fmt::format("the {} bytes of its payload do not fit kind {}", bytes, kind));
  return record;
}

} // namespace

void appendHeader(const RecordingHeader &header, std::vector<uint8_t> &bytes) {
  const size_t begin = bytes.size();
  ByteWriter writer(bytes);
  writer(kRecordingMagic);
  writer(kRecordingVersion);
  writer(header.targetFingerprint);
  writer(static_cast<uint32_t>(header.targetName.size()));
  bytes.insert(bytes.end(), header.targetName.begin(), header.targetName.end());
  appendChecksum(bytes, begin);
}

void appendRecord(const Record &record, std::vector<uint8_t> &bytes) {
  std::vector<uint8_t> payload;
  ByteWriter payloadWriter(payload);
  std::visit([&](const auto &body) { std::decay_t<decltype(body)>::visitFields(body, payloadWriter); }, record);
  const size_t begin = bytes.size();
  ByteWriter writer(bytes);
  writer(static_cast<uint32_t>(record.index()));
  writer(static_cast<uint64_t>(payload.size()));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  appendChecksum(bytes, begin);
}

Result<Recording> parseRecording(std::span<const uint8_t> bytes, std::string_view origin) {
  ByteReader reader(bytes);
  Recording recording;
  AVOCET_ASSIGN_OR_RETURN(recording.header, parseHeader(reader, origin));
  while (reader.left() != 0) {
    size_t offset = bytes.size() - reader.left();
    Result<Record> record = parseRecord(reader);
    if (!record)
      return record.status().withContext(
          fmt::format("{}: record {} at byte {}", origin, recording.records.size(), offset));
    recording.records.push_back(std::move(record).value());
  }
  AVOCET_RETURN_IF_ERROR(verifyRecording(recording, origin));
  return recording;
}

} // namespace avocet::runtime

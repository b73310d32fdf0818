//===- Recording.cpp - The file format of recordings -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"

#include "avocet/base/BoundedReader.h"
#include "avocet/base/Checksum.h"

#include <algorithm>
#include <fmt/core.h>
#include <optional>
#include <utility>

namespace avocet::runtime {
namespace {

namespace fb = recordingfb;
using flatbuffers::uoffset_t;

static_assert(std::variant_size_v<Record> == static_cast<size_t>(fb::Event::MAX));

/// A size-prefixed FlatBuffer in memory of its own, which is aligned for its fields.
using Part = std::vector<uint8_t>;

/// Reads the parts of a recording one by one.
class PartReader {
public:
  explicit PartReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool isAtEnd() const { return offset_ == bytes_.size(); }
  size_t offset() const { return offset_; }

  /// Whether a part with the identifier of a header follows. Its checksum may be wrong.
  bool isAtHeader() const {
    constexpr size_t kNeeded = 2 * sizeof(uoffset_t) + flatbuffers::kFileIdentifierLength;
    return bytes_.size() - offset_ >= kNeeded &&
           std::ranges::equal(bytes_.subspan(offset_ + 2 * sizeof(uoffset_t), flatbuffers::kFileIdentifierLength),
                              std::string_view(fb::RecordingHeaderIdentifier()));
  }

  /// Whether the file ends inside the next part.
  bool isCut() const {
    const BoundedReader left(bytes_.subspan(offset_), "the recording");
    const std::optional<uoffset_t> size = left.value<uoffset_t>(0);
    return !size || left.size() - sizeof(uoffset_t) < uint64_t{*size} + sizeof(Checksum);
  }

  /// The next part, if its checksum matches.
  Result<Part> next() {
    const BoundedReader left(bytes_.subspan(offset_), "the recording");
    const std::optional<uoffset_t> size = left.value<uoffset_t>(0);
    if (!size || *size > left.size() - sizeof(uoffset_t))
      return dataLoss("the file ends inside the record");
    if (*size >= FLATBUFFERS_MAX_BUFFER_SIZE - sizeof(uoffset_t))
      return dataLoss(fmt::format("its size is {}, must be below {}", *size, FLATBUFFERS_MAX_BUFFER_SIZE));
    AVOCET_ASSIGN_OR_RETURN(Part part, left.bytes(0, sizeof(uoffset_t) + *size));
    const std::optional<Checksum> found = left.value<Checksum>(part.size());
    if (!found)
      return dataLoss("the file ends before the checksum");
    if (*found != checksumOf({part}))
      return dataLoss("the checksum does not match: the file is damaged");
    offset_ += part.size() + sizeof(Checksum);
    return part;
  }

private:
  std::span<const uint8_t> bytes_;
  size_t offset_ = 0;
};

/// The root of a part; null if the structure is broken.
template <typename Table> const Table *rootOf(const Part &part, const char *identifier) {
  flatbuffers::Verifier verifier(part.data(), part.size());
  return verifier.VerifySizePrefixedBuffer<Table>(identifier) ? flatbuffers::GetSizePrefixedRoot<Table>(part.data())
                                                              : nullptr;
}

template <typename Table>
void appendPart(flatbuffers::FlatBufferBuilder &builder, flatbuffers::Offset<Table> root, const char *identifier,
                std::vector<uint8_t> &bytes) {
  builder.FinishSizePrefixed(root, identifier);
  const std::span part(builder.GetBufferPointer(), builder.GetSize());
  const Checksum checksum = checksumOf({part});
  bytes.insert(bytes.end(), part.begin(), part.end());
  bytes.insert(bytes.end(), checksum.begin(), checksum.end());
}

Result<RecordingHeader> parseHeader(PartReader &reader) {
  if (!reader.isAtHeader())
    return dataLoss("is no recording (it must begin with a header with the identifier AVOR)");
  AVOCET_ASSIGN_OR_RETURN(const Part part, reader.next());
  const auto *header = rootOf<fb::RecordingHeader>(part, fb::RecordingHeaderIdentifier());
  if (header == nullptr)
    return dataLoss("the structure of the header is broken");
  if (header->version() != kRecordingVersion)
    return dataLoss(fmt::format("has format version {}, this program reads {}", header->version(), kRecordingVersion));
  return RecordingHeader{header->target_fingerprint(), header->target_name()->str()};
}

/// Moves the event to `record` if it is of the kind of the alternative.
template <size_t alternative> bool moveTo(Record &record, fb::EventUnion &event) {
  using Kind = std::variant_alternative_t<alternative, Record>;
  if (event.type != fb::EventUnionTraits<Kind>::enum_value)
    return false;
  record.emplace<alternative>(std::move(*static_cast<Kind *>(event.value)));
  return true;
}

template <size_t... alternatives>
bool moveToAny(Record &record, fb::EventUnion &event, std::index_sequence<alternatives...>) {
  return (moveTo<alternatives>(record, event) || ...);
}

Result<Record> parseRecord(PartReader &reader) {
  AVOCET_ASSIGN_OR_RETURN(const Part part, reader.next());
  const auto *root = rootOf<fb::Record>(part, nullptr);
  if (root == nullptr)
    return dataLoss("the structure of the record is broken");
  fb::RecordT unpacked;
  root->UnPackTo(&unpacked);
  Record record;
  if (!moveToAny(record, unpacked.event, std::make_index_sequence<std::variant_size_v<Record>>()))
    return dataLoss(fmt::format("kind {} is unknown", static_cast<unsigned>(root->event_type())));
  return record;
}

} // namespace

void appendHeader(const RecordingHeader &header, std::vector<uint8_t> &bytes) {
  flatbuffers::FlatBufferBuilder builder;
  const auto root = fb::CreateRecordingHeader(builder, kRecordingVersion, header.targetFingerprint,
                                              builder.CreateString(header.targetName));
  appendPart(builder, root, fb::RecordingHeaderIdentifier(), bytes);
}

void appendRecord(Record record, std::vector<uint8_t> &bytes) {
  fb::RecordT packed;
  std::visit([&](auto &event) { packed.event.Set(std::move(event)); }, record);
  flatbuffers::FlatBufferBuilder builder;
  appendPart(builder, fb::Record::Pack(builder, &packed), nullptr, bytes);
}

Result<RecordingHeader> parseRecordingHeader(std::span<const uint8_t> bytes, std::string_view origin) {
  PartReader reader(bytes);
  Result<RecordingHeader> header = parseHeader(reader);
  return header ? std::move(header) : Result<RecordingHeader>(header.status().withContext(origin));
}

Result<Recording> parseRecording(std::span<const uint8_t> bytes, std::string_view origin, Cut cut) {
  PartReader reader(bytes);
  Recording recording;
  Result<RecordingHeader> header = parseHeader(reader);
  if (!header)
    return header.status().withContext(origin);
  recording.header = *std::move(header);
  while (!reader.isAtEnd() && (cut == Cut::Refused || !reader.isCut())) {
    const size_t offset = reader.offset();
    Result<Record> record = parseRecord(reader);
    if (!record)
      return record.status().withContext(
          fmt::format("{}: record {} at byte {}", origin, recording.records.size(), offset));
    recording.records.push_back(*std::move(record));
  }
  AVOCET_RETURN_IF_ERROR(verifyRecording(recording, origin));
  if (cut == Cut::Refused && !recording.isWhole())
    return dataLoss(
        fmt::format("{}: was cut after {} records: the recorded program crashed, or its disk was full; record "
                    "again, or play what is left with 'avocet replay --cut'",
                    origin, recording.records.size()));
  return recording;
}

} // namespace avocet::runtime

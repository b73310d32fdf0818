//===- Envelope.cpp - Messages packed, verified and unpacked -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/wire/Envelope.h"

#include "Inspection.h"

#include <algorithm>
#include <array>
#include <new>

namespace avocet::hal::ipc {
namespace {

constexpr flatbuffers::uoffset_t kMaxDepth = 16;
/// Most tables of a message; a table referenced by several others counts for each of them.
constexpr flatbuffers::uoffset_t kMaxTables = flatbuffers::uoffset_t(1) << 20;

bool isVerified(std::span<const uint8_t> bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth, kMaxTables);
  return fb::VerifyEnvelopeBuffer(verifier);
}

Result<std::unique_ptr<fb::EnvelopeT>> unpack(const fb::Envelope &envelope) {
  try {
    return std::unique_ptr<fb::EnvelopeT>(envelope.UnPack());
  } catch (const std::bad_alloc &) {
    return error(ErrorStatus::ResourceExhaustedTransient, "there is no memory to unpack the message");
  }
}

Result<std::unique_ptr<fb::EnvelopeT>> openVerified(const fb::Envelope &envelope, const AdmitBytes &admit) {
  Inspection inspection = inspect(envelope);
  if (!inspection.problem.empty())
    return invalidArgument("the message is malformed: " + inspection.problem);
  if (admit)
    AVOCET_RETURN_IF_ERROR(admit(inspection.bytes));
  return unpack(envelope);
}

} // namespace

Outcome sendEnvelope(Channel &channel, const fb::EnvelopeT &envelope, const HandleWriter &handles) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Envelope::Pack(builder, &envelope), fb::EnvelopeIdentifier());
  return channel.send({builder.GetBufferPointer(), builder.GetSize()}, handles.handles());
}

Result<bool> trySendEnvelope(Channel &channel, const fb::EnvelopeT &envelope, const HandleWriter &handles) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Envelope::Pack(builder, &envelope), fb::EnvelopeIdentifier());
  return channel.trySend({builder.GetBufferPointer(), builder.GetSize()}, handles.handles());
}

std::optional<uint64_t> callNumberOf(const BoundedReader &message) {
  using namespace flatbuffers;
  using Identifier = std::array<char, kFileIdentifierLength>;
  auto read = [&]<typename T>(uint64_t offset, T) { return message.value<T>(offset); };
  const std::optional<uoffset_t> root = read(0, uoffset_t());
  const std::optional<Identifier> identifier = read(sizeof(uoffset_t), Identifier());
  if (!root || !identifier || !std::equal(identifier->begin(), identifier->end(), fb::EnvelopeIdentifier()))
    return std::nullopt;
  const std::optional<soffset_t> toFields = read(*root, soffset_t());
  if (!toFields)
    return std::nullopt;
  const uint64_t fields = uint64_t(*root) - static_cast<int64_t>(*toFields); // wraps around beyond the end
  const std::optional<voffset_t> fieldsBytes = read(fields, voffset_t());
  if (!fieldsBytes)
    return std::nullopt;
  if (*fieldsBytes < fb::Envelope::VT_NUMBER + sizeof(voffset_t))
    return 0;
  const std::optional<voffset_t> field = read(fields + fb::Envelope::VT_NUMBER, voffset_t());
  if (!field)
    return std::nullopt;
  return *field == 0 ? 0 : read(*root + *field, uint64_t());
}

std::optional<OpenedMessage> openMessage(std::span<const uint8_t> bytes, const AdmitBytes &admit) {
  if (isVerified(bytes)) {
    const fb::Envelope &envelope = *fb::GetEnvelope(bytes.data());
    return OpenedMessage{envelope.number(), openVerified(envelope, admit)};
  }
  const std::optional<uint64_t> number = callNumberOf(BoundedReader(bytes, "a message"));
  if (!number)
    return std::nullopt;
  return OpenedMessage{*number, invalidArgument("the message's structure is broken")};
}

Result<fb::EnvelopeT> openEnvelope(std::span<const uint8_t> bytes) {
  std::optional<OpenedMessage> opened = openMessage(bytes);
  if (!opened)
    return invalidArgument("this is no message of the protocol");
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<fb::EnvelopeT> envelope, std::move(opened->envelope));
  return std::move(*envelope);
}

} // namespace avocet::hal::ipc

//===- Envelope.cpp - Messages packed, verified and unpacked -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Envelope.h"

#include "UnpackedSize.h"

#include <algorithm>

namespace avocet::hal::ipc {
namespace {

constexpr flatbuffers::uoffset_t kMaxDepth = 16;
/// A table takes at least this much of a message: its own offset to its fields, and the offset that leads to it.
constexpr size_t kMinTableBytes = 8;
constexpr size_t kMaxTables = size_t(1) << 20;

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

Result<fb::EnvelopeT> openEnvelope(std::span<const uint8_t> bytes) {
  size_t maxTables = std::min(kMaxTables, bytes.size() / kMinTableBytes + 1);
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth, static_cast<flatbuffers::uoffset_t>(maxTables));
  if (!fb::VerifyEnvelopeBuffer(verifier))
    return invalidArgument("the message's structure is broken");
  const fb::Envelope *envelope = fb::GetEnvelope(bytes.data());
  // The verifier lets a union announce a type and then be absent.
  if ((envelope->call_type() != fb::Call::NONE && envelope->call() == nullptr) ||
      (envelope->answer_type() != fb::Answer::NONE && envelope->answer() == nullptr))
    return invalidArgument("the message announces a body that it has not");
  const std::optional<uint64_t> unpackedSize = unpackedBytes(*envelope);
  if (!unpackedSize)
    return invalidArgument("the message has a vector that is not aligned");
  if (*unpackedSize > bytes.size())
    return invalidArgument("the message uses its vectors many times over");
  fb::EnvelopeT unpacked;
  envelope->UnPackTo(&unpacked);
  return unpacked;
}

} // namespace avocet::hal::ipc

//===- FuzzIpc.cpp - Messages of a hostile peer -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever passes the verifier must unpack, convert to canonical types, validate without a crash, and survive the way
// back.
//
//===----------------------------------------------------------------------===//

#include "Envelope.h"

#include "avocet/hal/Validation.h"

namespace {

using namespace avocet::hal;
using namespace avocet::hal::ipc;

void tryModel(const fb::ModelT &message, const HandleReader &handles) {
  Result<Model> model = fromMessage(message, handles);
  if (!model)
    return;
  (void)validate(*model);
  HandleWriter writer;
  (void)toMessage(*model, writer);
}

void tryCall(const fb::EnvelopeT &envelope) {
  HandleReader handles({nullptr, nullptr});
  if (const auto *call = envelope.call.AsGetSupportedOperations())
    tryModel(*call->model, handles);
  if (const auto *call = envelope.call.AsPrepareModel()) {
    tryModel(*call->model, handles);
    (void)fromMessage(*call->options, handles);
  }
  if (const auto *call = envelope.call.AsExecute()) {
    (void)fromMessage(*call->request, handles);
    (void)fromMessage(*call->options);
  }
  if (const auto *call = envelope.call.AsPrepareFromCache())
    (void)fromMessage(*call->cache, handles);
}

void tryAnswer(const fb::EnvelopeT &envelope) {
  if (const auto *answer = envelope.answer.AsWelcome())
    (void)fromMessage(*answer);
  if (const auto *answer = envelope.answer.AsSupported())
    (void)fromMessage(*answer);
  if (const auto *answer = envelope.answer.AsExecuted())
    (void)fromMessage(*answer);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<uint8_t> bytes(data, data + size); // aligned as a received message is
  Result<fb::EnvelopeT> envelope = openEnvelope(bytes);
  if (envelope) {
    tryCall(*envelope);
    tryAnswer(*envelope);
  }
  return 0;
}

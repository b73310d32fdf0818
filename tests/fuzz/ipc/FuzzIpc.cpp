//===- FuzzIpc.cpp - Messages of a hostile peer -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message that passes the verifier must unpack, convert to canonical types, validate, and convert back without a
// crash.
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/wire/Envelope.h"

#include "avocet/hal/types/Validation.h"

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

void tryQueue(const fb::QueueT &message, const HandleReader &handles) {
  Result<QueueDescriptor> queue = fromMessage(message, handles);
  if (queue)
    (void)ByteQueue::attach(*queue, queue->elementBytes);
}

template <typename Run> void tryRun(const Run &call, const HandleReader &handles) {
  Result<Request> request = fromMessage(*call.request, handles);
  (void)fromMessage(*call.options);
  if (!request)
    return;
  HandleWriter writer;
  (void)toMessage(*request, writer);
}

void tryPreparations(const fb::CallUnion &body, const HandleReader &handles) {
  if (const auto *call = body.AsGetSupportedOperations())
    tryModel(*call->model, handles);
  if (const auto *call = body.AsPrepareModel()) {
    tryModel(*call->model, handles);
    (void)fromMessage(*call->options, handles);
  }
  if (const auto *call = body.AsPrepareFromCache())
    (void)fromMessage(*call->cache, handles);
}

void tryExecutions(const fb::CallUnion &body, const HandleReader &handles) {
  if (const auto *call = body.AsExecute())
    tryRun(*call, handles);
  if (const auto *call = body.AsCreateExecution())
    tryRun(*call, handles);
  if (const auto *call = body.AsExecuteFenced()) {
    tryRun(*call, handles);
    (void)fencesOf(call->fences, handles);
  }
  if (const auto *call = body.AsComputeFenced())
    (void)fencesOf(call->fences, handles);
  if (const auto *call = body.AsExecuteBurst()) {
    tryRun(*call, handles);
    (void)fromMessageWithoutMemory(*call->request);
  }
}

void tryMemories(const fb::CallUnion &body, const HandleReader &handles) {
  if (const auto *call = body.AsCopyTo())
    (void)fromMessage(*call->memory, handles);
  if (const auto *call = body.AsCopyFrom())
    (void)fromMessage(*call->memory, handles);
  if (const auto *call = body.AsServeBurst()) {
    tryQueue(*call->requests, handles);
    tryQueue(*call->results, handles);
  }
}

void tryCall(const fb::EnvelopeT &envelope) {
  HandleReader handles({nullptr, nullptr});
  tryPreparations(envelope.call, handles);
  tryExecutions(envelope.call, handles);
  tryMemories(envelope.call, handles);
}

void tryAnswer(const fb::EnvelopeT &envelope) {
  (void)statusOf(envelope.error);
  if (const auto *answer = envelope.answer.AsWelcome()) {
    (void)fromMessage(*answer);
    if (answer->totals)
      (void)fromMessage(*answer->totals);
  }
  if (const auto *answer = envelope.answer.AsSupported())
    (void)fromMessage(*answer);
  if (const auto *answer = envelope.answer.AsExecuted())
    (void)fromMessage(*answer);
  if (const auto *answer = envelope.answer.AsFencedAnswer())
    (void)fencesOf(answer->fence, HandleReader({nullptr}));
  if (const auto *answer = envelope.answer.AsFencedTimes())
    (void)fromMessage(*answer);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<uint8_t> bytes(data, data + size); // a copy with the alignment of a received message
  Result<fb::EnvelopeT> envelope = openEnvelope(bytes);
  if (envelope) {
    tryCall(*envelope);
    tryAnswer(*envelope);
  }
  return 0;
}

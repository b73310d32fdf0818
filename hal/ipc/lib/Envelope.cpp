//===- Envelope.cpp - Messages packed, verified and unpacked -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Envelope.h"

namespace avocet::hal::ipc {
namespace {

constexpr flatbuffers::uoffset_t kMaxDepth = 16;
constexpr flatbuffers::uoffset_t kMaxTables = 1 << 20;

/// Bytes that the vectors of a message take once unpacked. A sender packs each of them once, so that the sum is below
/// the message's size; a hostile message can point to one vector from everywhere.
class UnpackedSize {
public:
  uint64_t of(const fb::Envelope &envelope) {
    switch (envelope.call_type()) {
    case fb::Call::GetSupportedOperations:
      add(envelope.call_as_GetSupportedOperations()->model());
      break;
    case fb::Call::PrepareModel:
      add(envelope.call_as_PrepareModel()->model());
      add(envelope.call_as_PrepareModel()->options()->hints());
      break;
    case fb::Call::Execute:
      add(envelope.call_as_Execute()->request());
      add(envelope.call_as_Execute()->options()->hints());
      break;
    case fb::Call::CreateExecution:
      add(envelope.call_as_CreateExecution()->request());
      add(envelope.call_as_CreateExecution()->options()->hints());
      break;
    default:
      break;
    }
    switch (envelope.answer_type()) {
    case fb::Answer::Executed:
      add(envelope.answer_as_Executed()->shapes());
      break;
    case fb::Answer::Supported:
      add(envelope.answer_as_Supported()->reasons());
      break;
    default:
      break;
    }
    return bytes_;
  }

private:
  template <typename T> void count(const flatbuffers::Vector<T> *vector) {
    bytes_ += vector ? vector->size() * sizeof(T) : 0;
  }
  void count(const flatbuffers::String *text) { bytes_ += text ? text->size() : 0; }
  template <typename T> void add(const flatbuffers::Vector<flatbuffers::Offset<T>> *list) {
    if (list)
      for (const T *entry : *list)
        add(entry);
  }

  void add(const fb::Model *model) {
    add(model->main());
    add(model->referenced());
    add(model->pools());
    count(model->operand_values());
    if (model->extensions())
      for (const fb::ExtensionPrefix *extension : *model->extensions())
        count(extension->name());
  }
  void add(const fb::Subgraph *subgraph) {
    add(subgraph->operands());
    add(subgraph->operations());
    count(subgraph->inputs());
    count(subgraph->outputs());
  }
  void add(const fb::Operand *operand) {
    count(operand->dimensions());
    count(operand->scales());
    count(operand->extension());
  }
  void add(const fb::Operation *operation) {
    count(operation->inputs());
    count(operation->outputs());
  }
  void add(const fb::Memory *memory) {
    count(memory->name());
    count(memory->fds());
    count(memory->integers());
  }
  void add(const fb::Request *request) {
    add(request->inputs());
    add(request->outputs());
    if (request->pools())
      for (const fb::RequestPool *pool : *request->pools())
        if (pool->memory())
          add(pool->memory());
  }
  void add(const fb::Argument *argument) { count(argument->dimensions()); }
  void add(const fb::Hint *hint) { count(hint->value()); }
  void add(const fb::OutputShape *shape) { count(shape->dimensions()); }
  void add(const fb::Reason *reason) {
    for (const flatbuffers::String *text :
         {reason->operation(), reason->operand(), reason->rule(), reason->value(), reason->limit()})
      count(text);
  }

  uint64_t bytes_ = 0;
};

} // namespace

Outcome sendEnvelope(Channel &channel, const fb::EnvelopeT &envelope, const HandleWriter &handles) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Envelope::Pack(builder, &envelope), fb::EnvelopeIdentifier());
  return channel.send({builder.GetBufferPointer(), builder.GetSize()}, handles.handles());
}

Result<fb::EnvelopeT> openEnvelope(std::span<const uint8_t> bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth, kMaxTables);
  if (!fb::VerifyEnvelopeBuffer(verifier))
    return invalidArgument("the message's structure is broken");
  const fb::Envelope *envelope = fb::GetEnvelope(bytes.data());
  // The verifier lets a union announce a type and then be absent.
  if ((envelope->call_type() != fb::Call::NONE && envelope->call() == nullptr) ||
      (envelope->answer_type() != fb::Answer::NONE && envelope->answer() == nullptr))
    return invalidArgument("the message announces a body that it has not");
  if (UnpackedSize().of(*envelope) > bytes.size())
    return invalidArgument("the message uses its vectors many times over");
  fb::EnvelopeT unpacked;
  envelope->UnPackTo(&unpacked);
  return unpacked;
}

} // namespace avocet::hal::ipc

//===- UnpackedSize.cpp - How much a message becomes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnpackedSize.h"

#include <type_traits>

namespace avocet::hal::ipc {
namespace {

/// One overload of add() for each table that holds vectors, texts or such tables; any other adds nothing.
class UnpackedSize {
public:
  std::optional<uint64_t> bytes() const { return isAligned_ ? std::optional(bytes_) : std::nullopt; }

  template <typename... Bodies> void addCall(const fb::Envelope &envelope) { (addIf(envelope.call_as<Bodies>()), ...); }
  template <typename... Bodies> void addAnswer(const fb::Envelope &envelope) {
    (addIf(envelope.answer_as<Bodies>()), ...);
  }
  void count(const flatbuffers::String *text) { bytes_ += text ? text->size() : 0; }

private:
  template <typename T> void addIf(const T *table) {
    if (table != nullptr)
      add(table);
  }
  template <typename T> void count(const flatbuffers::Vector<T> *vector) {
    if (vector == nullptr)
      return;
    bytes_ += vector->size() * sizeof(T);
    using Element = std::remove_pointer_t<T>; // structs are pointers here
    isAligned_ = isAligned_ && reinterpret_cast<uintptr_t>(vector->Data()) % alignof(Element) == 0;
  }
  template <typename T> void addEach(const flatbuffers::Vector<flatbuffers::Offset<T>> *list) {
    if (list != nullptr)
      for (const T *entry : *list)
        add(entry);
  }

  // Calls.
  void add(const fb::Hello *call) { count(call->device()); }
  void add(const fb::GetSupportedOperations *call) { add(call->model()); }
  void add(const fb::PrepareModel *call) {
    add(call->model());
    addIf(call->options()->cache());
    addEach(call->options()->hints());
  }
  void add(const fb::PrepareFromCache *call) { add(call->cache()); }
  void add(const fb::Execute *call) { addRun(call); }
  void add(const fb::CreateExecution *call) { addRun(call); }
  void add(const fb::ExecuteFenced *call) {
    addRun(call);
    count(call->fences());
  }
  void add(const fb::ComputeFenced *call) { count(call->fences()); }
  void add(const fb::Allocate *call) {
    count(call->dimensions());
    count(call->inputs());
    count(call->outputs());
  }
  void add(const fb::CopyTo *call) { add(call->memory()); }
  void add(const fb::CopyFrom *call) {
    add(call->memory());
    count(call->dimensions());
  }
  void add(const fb::ExecuteBurst *call) {
    addRun(call);
    count(call->identifiers());
  }
  void add(const fb::ServeBurst *call) {
    add(call->requests());
    add(call->results());
  }

  // Answers.
  void add(const fb::Welcome *answer) {
    if (answer->devices() != nullptr)
      for (const flatbuffers::String *device : *answer->devices())
        count(device);
    count(answer->name());
    count(answer->version());
    addEach(answer->extensions());
    if (answer->capabilities() != nullptr)
      count(answer->capabilities()->operands());
    if (answer->totals() != nullptr)
      addEach(answer->totals()->devices());
  }
  void add(const fb::Supported *answer) {
    count(answer->supported());
    addEach(answer->reasons());
  }
  void add(const fb::Executed *answer) { addEach(answer->shapes()); }
  void add(const fb::FencedAnswer *answer) { count(answer->fence()); }

  // Values.
  void add(const fb::Model *model) {
    add(model->main());
    addEach(model->referenced());
    addEach(model->pools());
    count(model->operand_values());
    addEach(model->extensions());
  }
  void add(const fb::ExtensionPrefix *extension) { count(extension->name()); }
  void add(const fb::Subgraph *subgraph) {
    addEach(subgraph->operands());
    addEach(subgraph->operations());
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
  template <typename Call> void addRun(const Call *call) {
    const fb::Request *request = call->request();
    addEach(request->inputs());
    addEach(request->outputs());
    if (request->pools() != nullptr)
      for (const fb::RequestPool *pool : *request->pools())
        addIf(pool->memory());
    addEach(call->options()->hints());
  }
  void add(const fb::Queue *queue) {
    count(queue->grantors());
    count(queue->fds());
  }
  void add(const fb::Argument *argument) { count(argument->dimensions()); }
  void add(const fb::Hint *hint) { count(hint->value()); }
  void add(const fb::CacheFiles *cache) {
    count(cache->model());
    count(cache->data());
    count(cache->token());
  }
  void add(const fb::Extension *extension) {
    count(extension->name());
    count(extension->types());
  }
  void add(const fb::DeviceTotals *totals) { count(totals->device()); }
  void add(const fb::OutputShape *shape) { count(shape->dimensions()); }
  void add(const fb::Reason *reason) {
    for (const flatbuffers::String *text :
         {reason->operation(), reason->operand(), reason->rule(), reason->value(), reason->limit()})
      count(text);
  }

  uint64_t bytes_ = 0;
  bool isAligned_ = true;
};

} // namespace

std::optional<uint64_t> unpackedBytes(const fb::Envelope &envelope) {
  UnpackedSize size;
  size.count(envelope.message());
  size.addCall<fb::Hello, fb::GetSupportedOperations, fb::PrepareModel, fb::PrepareFromCache, fb::Execute,
               fb::CreateExecution, fb::ExecuteFenced, fb::ComputeFenced, fb::Allocate, fb::CopyTo, fb::CopyFrom,
               fb::ExecuteBurst, fb::ServeBurst>(envelope);
  size.addAnswer<fb::Welcome, fb::Supported, fb::Executed, fb::FencedAnswer>(envelope);
  return size.bytes();
}

} // namespace avocet::hal::ipc

//===- Mutator.cpp - Changes that keep the structure valid -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A changed file has the wrong checksum, and flipped bytes seldom pass the structure check. Most mutations therefore
// change only the FlatBuffer and recompute the header. Half of those unpack a valid FlatBuffer, change one kind of
// field, and pack it again: such inputs reach the rules after the structure check.
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"
#include "modelCache_generated.h"

#include <algorithm>
#include <cstring>
#include <random>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

using namespace avocet::cache;
using Random = std::minstd_rand;

/// Lets libFuzzer change the bytes of a vector of numbers.
template <typename T> void mutateVector(std::vector<T> &values) {
  std::vector<T> bytes = values;
  bytes.resize(values.size() + 16);
  size_t size =
      LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(bytes.data()), values.size() * sizeof(T), bytes.size() * sizeof(T));
  bytes.resize(size / sizeof(T));
  values = std::move(bytes);
}

template <typename T> T *pick(const std::vector<std::unique_ptr<T>> &entries, Random &random) {
  return entries.empty() ? nullptr : entries[random() % entries.size()].get();
}

void mutateStream(fb::ModelT &model, Random &random) {
  if (fb::StreamT *stream = pick(model.streams, random))
    random() % 8 ? mutateVector(stream->words) : void(stream->engine_kind = random() % 4);
}

void mutateControl(fb::ModelT &model, Random &random) {
  fb::StreamT *stream = pick(model.streams, random);
  random() % 4 || !stream ? mutateVector(model.control) : void(stream->section = random() % 4);
}

void mutateOperand(fb::ModelT &model, Random &random) {
  fb::OperandT *operand = pick(random() % 2 ? model.inputs : model.outputs, random);
  if (!operand)
    return;
  if (operand->quantization && random() % 2)
    return random() % 2 ? mutateVector(operand->quantization->scales)
                        : mutateVector(operand->quantization->zero_points);
  random() % 2 ? mutateVector(operand->shape) : void(operand->type = random() % 10);
}

void mutateRegion(fb::ModelT &model, Random &random) {
  if (fb::RegionT *region = pick(model.regions, random)) {
    region->kind = static_cast<fb::RegionKind>(random() % 5);
    region->bytes += random() % 3;
  }
}

void mutatePlan(fb::ModelT &model, Random &random) {
  if (fb::MemoryEntryT *entry = pick(model.memory_plan, random)) {
    entry->address += random();
    entry->region = random() % 6;
  }
}

void mutateHead(fb::ModelT &model, Random &random) {
  model.sram_peak_bytes += random() % 64;
  if (random() % 4 == 0)
    model.layers.clear();
}

size_t mutateMeaning(uint8_t *data, size_t maxSize, Random &random) {
  fb::ModelT model;
  fb::GetModel(data)->UnPackTo(&model);
  constexpr void (*kMutations[])(fb::ModelT &, Random &) = {mutateStream,  mutateStream, mutateStream, mutateOperand,
                                                            mutateControl, mutateRegion, mutatePlan,   mutateHead};
  kMutations[random() % std::size(kMutations)](model, random);
  flatbuffers::FlatBufferBuilder builder;
  fb::FinishModelBuffer(builder, fb::Model::Pack(builder, &model));
  if (builder.GetSize() > maxSize)
    return 0;
  std::memcpy(data, builder.GetBufferPointer(), builder.GetSize());
  return builder.GetSize();
}

bool isSound(const uint8_t *data, size_t size) {
  if (size < 8)
    return false;
  flatbuffers::Verifier verifier(data, size);
  return fb::VerifyModelBuffer(verifier);
}

} // namespace

namespace {

size_t mutateFlatBuffer(uint8_t *data, size_t size, size_t maxSize, Random &random) {
  if (random() % 2 && isSound(data, size))
    if (size_t mutated = mutateMeaning(data, maxSize, random))
      return mutated;
  return LLVMFuzzerMutate(data, size, maxSize);
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned int seed) {
  Random random(seed);
  if (maxSize < 2 * kModelHeaderBytes || random() % 16 == 0)
    return LLVMFuzzerMutate(data, size, maxSize); // changes the header too
  size_t skipped = std::min(size, kModelHeaderBytes);
  std::vector<uint8_t> flatBuffer(data + skipped, data + size);
  flatBuffer.resize(maxSize - kModelHeaderBytes);
  flatBuffer.resize(mutateFlatBuffer(flatBuffer.data(), size - skipped, flatBuffer.size(), random));
  std::vector<uint8_t> file = wrapModel(flatBuffer);
  std::memcpy(data, file.data(), file.size());
  return file.size();
}

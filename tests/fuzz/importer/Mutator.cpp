//===- Mutator.cpp - Changes that keep the FlatBuffer valid -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flipped bytes seldom pass the structure check. Three of four mutations of a valid file therefore unpack it, change
// one to three fields, and pack it again: such inputs reach the rules after the structure check.
//
//===----------------------------------------------------------------------===//

#include "Tflite_generated.h"

#include <cstring>
#include <random>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

using namespace avocet::tflite;
using Random = std::minstd_rand;

/// Values at the limits of rules.
int32_t interesting(Random &random) {
  constexpr int32_t kValues[] = {-1,  0,   1,   2,   3,    4,     7,          8,         16,
                                 127, 128, 255, 256, 4096, 65536, 0x40000000, INT32_MAX, INT32_MIN};
  return kValues[random() % std::size(kValues)];
}

template <typename T> T *pick(const std::vector<std::unique_ptr<T>> &entries, Random &random) {
  return entries.empty() ? nullptr : entries[random() % entries.size()].get();
}

template <typename T> void mutateList(std::vector<T> &values, Random &random) {
  if (values.empty() || random() % 8 == 0)
    values.push_back(static_cast<T>(interesting(random)));
  else if (random() % 8 == 0)
    values.pop_back();
  else
    values[random() % values.size()] = static_cast<T>(random() % 2 ? interesting(random) : random() % 12);
}

void mutateQuantization(TensorT &tensor, Random &random) {
  if (!tensor.quantization)
    tensor.quantization = std::make_unique<QuantizationT>();
  constexpr float kScales[] = {0.5f, 0.001f, 1.0f, 1e-30f, 1e30f, -1.0f, 0.0f, 1.0f / 256, 1.0f / 128, 1e-45f};
  switch (random() % 3) {
  case 0:
    tensor.quantization->scale.assign(random() % 4, kScales[random() % std::size(kScales)]);
    break;
  case 1:
    mutateList(tensor.quantization->zero_point, random);
    break;
  default:
    tensor.quantization->quantized_dimension = interesting(random);
  }
}

void mutateTensor(ModelT &model, Random &random) {
  TensorT *tensor = pick(model.subgraphs[0]->tensors, random);
  if (!tensor)
    return;
  switch (random() % 5) {
  case 0:
    tensor->type = static_cast<TensorType>(random() % 24);
    break;
  case 1:
    tensor->buffer = random() % (model.buffers.size() + 1);
    break;
  case 2:
    tensor->is_variable = !tensor->is_variable;
    break;
  case 3:
    mutateQuantization(*tensor, random);
    break;
  default:
    mutateList(tensor->shape, random);
  }
}

void mutateOptions(OperatorT &operation, Random &random) {
  auto activation = static_cast<ActivationFunction>(random() % 7);
  if (Conv2DOptionsT *conv = operation.options.AsConv2DOptions()) {
    conv->padding = static_cast<Padding>(random() % 2);
    conv->stride_h = interesting(random);
    conv->dilation_w = interesting(random);
    conv->activation = activation;
  } else if (Pool2DOptionsT *pool = operation.options.AsPool2DOptions()) {
    pool->padding = static_cast<Padding>(random() % 2);
    pool->filter_height = interesting(random);
    pool->stride_w = interesting(random);
  } else if (SoftmaxOptionsT *softmax = operation.options.AsSoftmaxOptions()) {
    softmax->beta = static_cast<float>(interesting(random));
  } else if (auto *lstm = operation.options.AsUnidirectionalSequenceLSTMOptions()) {
    lstm->time_major = !lstm->time_major;
    lstm->cell_clip = static_cast<float>(interesting(random));
  } else {
    operation.options.Reset();
  }
}

void mutateOperator(ModelT &model, Random &random) {
  OperatorT *operation = pick(model.subgraphs[0]->operators, random);
  if (!operation)
    return;
  switch (random() % 4) {
  case 0:
    operation->opcode_index = random() % (model.operator_codes.size() + 1);
    break;
  case 1:
    mutateList(operation->inputs, random);
    break;
  case 2:
    mutateList(operation->outputs, random);
    break;
  default:
    mutateOptions(*operation, random);
  }
}

void mutateCode(ModelT &model, Random &random) {
  if (OperatorCodeT *code = pick(model.operator_codes, random)) {
    code->deprecated_builtin_code = static_cast<int8_t>(random() % 128);
    code->builtin_code = BuiltinOperator::ADD;
  }
}

void mutateBuffer(ModelT &model, Random &random) {
  if (BufferT *buffer = pick(model.buffers, random)) {
    if (random() % 4 == 0) {
      buffer->offset = random() % 2048;
      buffer->size = random() % 64;
    } else {
      buffer->data.resize(random() % 2 ? random() % 64 : buffer->data.size(), static_cast<uint8_t>(random()));
    }
  }
}

/// A file may name the type of a union and omit its table; packing requires both.
void dropTypesWithoutTables(ModelT &model) {
  auto drop = [](auto &table) {
    if (!table.value)
      table.Reset();
  };
  for (const std::unique_ptr<SubGraphT> &graph : model.subgraphs) {
    for (const std::unique_ptr<OperatorT> &operation : graph->operators)
      drop(operation->options);
    for (const std::unique_ptr<TensorT> &tensor : graph->tensors)
      if (tensor->quantization)
        drop(tensor->quantization->details);
  }
}

size_t mutateMeaning(uint8_t *data, size_t maxSize, Random &random) {
  ModelT model;
  GetModel(data)->UnPackTo(&model);
  if (model.subgraphs.empty())
    return 0;
  dropTypesWithoutTables(model);
  constexpr void (*kMutations[])(ModelT &, Random &) = {mutateTensor,   mutateTensor, mutateOperator,
                                                        mutateOperator, mutateCode,   mutateBuffer};
  for (uint32_t count = 1 + random() % 3; count > 0; --count)
    kMutations[random() % std::size(kMutations)](model, random);
  flatbuffers::FlatBufferBuilder builder;
  FinishModelBuffer(builder, Model::Pack(builder, &model));
  if (builder.GetSize() > maxSize)
    return 0;
  std::memcpy(data, builder.GetBufferPointer(), builder.GetSize());
  return builder.GetSize();
}

/// Unpacking reads the zero points; like the importer, this requires them to be aligned to 8 bytes.
bool hasAlignedZeroPoints(const Model &model) {
  if (!model.subgraphs())
    return true;
  for (const SubGraph *graph : *model.subgraphs())
    for (uint32_t i = 0; graph->tensors() && i < graph->tensors()->size(); ++i)
      if (const Quantization *quantization = graph->tensors()->Get(i)->quantization())
        if (quantization->zero_point() && reinterpret_cast<uintptr_t>(quantization->zero_point()->Data()) % 8 != 0)
          return false;
  return true;
}

bool isSound(const uint8_t *data, size_t size) {
  if (size < 8)
    return false;
  // The limit of tables is low because unpacking copies a shared table once for each use.
  flatbuffers::Verifier verifier(data, size, /*max_depth=*/64, /*max_tables=*/2000);
  return VerifyModelBuffer(verifier) && hasAlignedZeroPoints(*GetModel(data));
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned int seed) {
  Random random(seed);
  if (random() % 4 && isSound(data, size))
    if (size_t mutated = mutateMeaning(data, maxSize, random))
      return mutated;
  return LLVMFuzzerMutate(data, size, maxSize);
}

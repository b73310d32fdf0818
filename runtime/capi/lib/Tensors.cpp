//===- Tensors.cpp - Tensors of models and runs ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Run.h"

namespace avocet::capi {

using firmware::DataType;
static_assert(AVOCET_INT8 == int(DataType::Int8) && AVOCET_UINT8 == int(DataType::UInt8) &&
              AVOCET_INT16 == int(DataType::Int16) && AVOCET_INT32 == int(DataType::Int32) &&
              AVOCET_INT64 == int(DataType::Int64) && AVOCET_FLOAT16 == int(DataType::Float16) &&
              AVOCET_FLOAT32 == int(DataType::Float32) && AVOCET_BOOL == int(DataType::Bool8) &&
              AVOCET_UINT16 == int(DataType::UInt16) && AVOCET_BFLOAT16 == int(DataType::BFloat16) &&
              AVOCET_BFLOAT16 + 1 == firmware::kNumDataTypes);

TensorHandles::~TensorHandles() {
  for (const Entry &entry : entries_)
    destroy<TensorTable>(entry.handle);
}

namespace {

/// Names of tensors end with a zero byte in the model cache (flatbuffers), and so does the empty text.
const char *nameOf(const Tensor &tensor) { return tensor.view.name.empty() ? "" : tensor.view.name.data(); }

template <typename T, typename Get> T ofTensor(const AvocetTensor *tensor, T otherwise, const Get &get) {
  return valueOf<TensorTable>(tensor, otherwise, get);
}

} // namespace
} // namespace avocet::capi

using namespace avocet;
using namespace avocet::capi;

const char *avocetTensorName(const AvocetTensor *tensor) { return ofTensor(tensor, "", nameOf); }

AvocetType avocetTensorType(const AvocetTensor *tensor) {
  return ofTensor(tensor, AvocetType{0}, [](const Tensor &each) { return static_cast<AvocetType>(each.view.type); });
}

size_t avocetTensorRank(const AvocetTensor *tensor) {
  return ofTensor(tensor, size_t{0}, [](const Tensor &each) { return each.view.shape.size(); });
}

const int32_t *avocetTensorShape(const AvocetTensor *tensor) {
  return ofTensor(tensor, static_cast<const int32_t *>(nullptr),
                  [](const Tensor &each) { return each.view.shape.data(); });
}

size_t avocetTensorBytes(const AvocetTensor *tensor) {
  return ofTensor(tensor, size_t{0}, [](const Tensor &each) { return each.view.bytes; });
}

size_t avocetTensorScaleCount(const AvocetTensor *tensor) {
  return ofTensor(tensor, size_t{0}, [](const Tensor &each) { return each.view.scales.size(); });
}

const float *avocetTensorScales(const AvocetTensor *tensor) {
  return ofTensor(tensor, static_cast<const float *>(nullptr),
                  [](const Tensor &each) { return each.view.scales.data(); });
}

const int32_t *avocetTensorZeroPoints(const AvocetTensor *tensor) {
  return ofTensor(tensor, static_cast<const int32_t *>(nullptr),
                  [](const Tensor &each) { return each.view.zeroPoints.data(); });
}

int32_t avocetTensorAxis(const AvocetTensor *tensor) {
  return ofTensor(tensor, int32_t{0}, [](const Tensor &each) { return each.view.axis; });
}

void *avocetTensorData(const AvocetTensor *tensor) {
  return ofTensor(tensor, static_cast<void *>(nullptr), [](const Tensor &each) -> void * {
    const auto run = each.run.lock();
    return run ? run->data(each.role, each.index) : each.data;
  });
}

AvocetError *avocetTensorBind(AvocetTensor *tensor, void *memory, size_t bytes) {
  return guarded([&]() -> Status {
    AVOCET_ASSIGN_OR_RETURN(const auto found, need<TensorTable>(tensor, "tensor"));
    const auto run = found->run.lock();
    if (!run)
      return invalidArgument("the tensor is one of a model or a call; bind those of a run");
    if (memory && bytes != found->view.bytes)
      return invalidArgument("'" + std::string(found->view.name) + "' has " + std::to_string(found->view.bytes) +
                             " bytes, " + std::to_string(bytes) + " were given");
    return run->bind(found->role, found->index, {static_cast<uint8_t *>(memory), memory ? bytes : 0});
  });
}

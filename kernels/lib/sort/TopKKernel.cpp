//===- TopKKernel.cpp - The largest elements of rows ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Sort.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/NdShape.h"
#include "common/SlicedKernel.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Whether element i of the row comes before element j. A NaN is the only element that differs from itself.
template <typename T> bool comesBefore(const T *row, uint32_t i, uint32_t j, bool lastFirst) {
  const bool isNumber = row[i] == row[i], isOtherNumber = row[j] == row[j];
  if (isNumber != isOtherNumber)
    return isNumber;
  if (isNumber && row[i] != row[j])
    return row[i] > row[j];
  return lastFirst ? i > j : i < j;
}

template <typename T> void sortRows(const DspCommand &command, std::span<uint8_t> sram) {
  const auto p = parametersOf<TopKParameters>(command);
  const T *row = denseData<T>(command.inputs[0], sram);
  T *values = denseData<T>(command.outputs[0], sram);
  auto *indices = denseData<int32_t>(command.outputs[1], sram);
  std::vector<uint32_t> order(p.extent);
  for (uint32_t y = 0; y < p.rows; ++y, row += p.extent) {
    std::iota(order.begin(), order.end(), 0u);
    std::partial_sort(order.begin(), order.begin() + p.count, order.end(),
                      [&](uint32_t i, uint32_t j) { return comesBefore(row, i, j, p.lastFirst != 0); });
    for (uint32_t i = 0; i < p.count; ++i) {
      *values++ = row[order[i]];
      *indices++ = static_cast<int32_t>(order[i]);
    }
  }
}

class TopKKernel : public SlicedKernel<TopKParameters, &TopKParameters::rows> {
public:
  KernelId id() const override { return kTopKKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 2; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &values = command.outputs[0], &indices = command.outputs[1];
    AVOCET_ASSIGN_OR_RETURN(auto p, unpackParameters<TopKParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkType("input0", input.type,
                                     {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32,
                                      DataType::Int64, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", values.type, {input.type}));
    AVOCET_RETURN_IF_ERROR(checkType("output1", indices.type, {DataType::Int32}));
    if (p.lastFirst > 1)
      return ruleBroken("last_first", p.lastFirst, "0 or 1");
    if (p.count > p.extent)
      return ruleBroken("count", p.count, "at most the extent, " + std::to_string(p.extent));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("input0", input, {p.rows, p.extent}));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("output0", values, {p.rows, p.count}));
    return checkDenseCount("output1", indices, {p.rows, p.count});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    withNumberType(command.inputs[0].type, [&](auto element) { sortRows<decltype(element)>(command, sram); });
  }

  /// A heap of `count` elements, through which each element of the row may pass.
  DspWork work(const DspCommand &command) const override {
    const auto p = parametersOf<TopKParameters>(command);
    const bool isWide = command.inputs[0].type == DataType::Int64;
    DspWork work = elementWork(command, 2 * std::bit_width(p.count), isWide ? DataType::Int64 : DataType::Int32);
    work.rows = p.rows;
    return work;
  }
};

} // namespace

const Kernel &topKKernel() {
  static const TopKKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels

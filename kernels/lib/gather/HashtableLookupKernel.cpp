//===- HashtableLookupKernel.cpp - Rows of values by key ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Gather.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "common/NdShape.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace avocet::kernels {

using namespace firmware;

namespace {

class HashtableLookupKernel : public DspKernel {
public:
  KernelId id() const override { return kHashtableLookupKernel; }

protected:
  OperandCount inputCount() const override { return 3; }
  OperandCount outputCount() const override { return 2; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &lookups = command.inputs[0], &keys = command.inputs[1], &values = command.inputs[2];
    const FeatureMap &output = command.outputs[0], &hits = command.outputs[1];
    if (!command.parameters.empty())
      return ruleBroken("parameters", static_cast<int64_t>(command.parameters.size()), "none");
    AVOCET_RETURN_IF_ERROR(checkType("input0", lookups.type, {DataType::Int32}));
    AVOCET_RETURN_IF_ERROR(checkType("input1", keys.type, {DataType::Int32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {values.type}));
    AVOCET_RETURN_IF_ERROR(checkType("output1", hits.type, {DataType::UInt8, DataType::Int8, DataType::Bool8}));
    AVOCET_RETURN_IF_ERROR(checkDense("input0", lookups));
    AVOCET_RETURN_IF_ERROR(checkDense("input1", keys));
    const uint64_t row = elementCount(values) / elementCount(keys);
    AVOCET_RETURN_IF_ERROR(checkDenseCount("input2", values, {elementCount(keys), row}));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("output0", output, {elementCount(lookups), row}));
    return checkDenseCount("output1", hits, {elementCount(lookups)});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto *lookups = denseData<int32_t>(command.inputs[0], sram);
    const auto *keys = denseData<int32_t>(command.inputs[1], sram);
    const auto *values = denseData<uint8_t>(command.inputs[2], sram);
    auto *output = denseData<uint8_t>(command.outputs[0], sram), *hits = denseData<uint8_t>(command.outputs[1], sram);
    const uint64_t numLookups = elementCount(command.inputs[0]), numKeys = elementCount(command.inputs[1]);
    const uint64_t row = byteCount(command.inputs[2]) / numKeys;
    for (uint64_t i = 0; i < numLookups; ++i) {
      const int32_t wanted = lookups[i];
      const int32_t *found = std::lower_bound(keys, keys + numKeys, wanted);
      bool isHit = found != keys + numKeys && *found == wanted;
      if (isHit)
        std::memmove(output + i * row, values + static_cast<uint64_t>(found - keys) * row, row);
      else
        std::memset(output + i * row, 0, row);
      hits[i] = isHit ? 1 : 0;
    }
  }

  /// A binary search and a copy for each look-up.
  DspWork work(const DspCommand &command) const override {
    const uint64_t lookups = elementCount(command.inputs[0]);
    const uint64_t steps = std::bit_width(elementCount(command.inputs[1]));
    DspWork work;
    work.type = DataType::Int32;
    work.bytesWritten = byteCount(command.outputs[0]) + byteCount(command.outputs[1]);
    work.bytesRead = byteCount(command.inputs[0]) + byteCount(command.outputs[0]) + 4 * steps * lookups;
    work.elementOps = byteCount(command.outputs[0]) / 4 + 1;
    work.rows = lookups * (steps + 1);
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override {
    return static_cast<uint32_t>(elementCount(command.inputs[0]));
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    DspCommand part = command;
    const uint64_t row = elementCount(part.inputs[2]) / elementCount(part.inputs[1]);
    part.inputs[0] = denseSlices(part.inputs[0], 1, first, count);
    part.outputs[0] = denseSlices(part.outputs[0], row, first, count);
    part.outputs[1] = denseSlices(part.outputs[1], 1, first, count);
    return part;
  }
};

} // namespace

const Kernel &hashtableLookupKernel() {
  static const HashtableLookupKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels

//===- StageArrays.cpp - Channel records as one array per field -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/StageArrays.h"

#include "avocet/kernels/Quantization.h"
#include "common/Rounding.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

StageArrays::StageArrays(const ConvCommand &command, const OutputStage &stage)
    : scaling(command.scaling), rounding(command.rounding), outputType(command.output.type),
      zeroPoint(command.output.zeroPoint), min(stage.clamp().min), max(stage.clamp().max), floatMin(stage.floatMin()),
      floatMax(stage.floatMax()), table(stage.table()) {
  uint32_t channels = command.output.channels;
  uint32_t padded = (channels / kPadding + 2) * kPadding;
  if (scaling == OutputScaling::Requantize || scaling == OutputScaling::Sums) {
    for (auto *array : {&bias, &multiplier, &left, &right})
      array->resize(padded);
    addRequantRecords(stage.requantRecords(), channels);
  } else if (hasWideSums(scaling)) {
    for (auto *array : {&wideBias, &wideMultiplier, &wideNudge, &wideShift})
      array->resize(padded);
    addWideRecords(stage.wideRecords(), channels);
  } else {
    floatBias.resize(padded);
    floatScale.resize(padded);
    addFloatRecords(stage.floatRecords(), channels, stage.dynamicScale());
  }
}

void StageArrays::addRequantRecords(const RequantRecord *records, uint32_t channels) {
  for (uint32_t c = 0; c < channels; ++c) {
    const RequantRecord &record = records[c];
    bias[c] = record.bias;
    multiplier[c] = record.multiplier;
    // The limits must equal those of multiplyByQuantizedMultiplier.
    left[c] = std::clamp(record.shift, 0, 31);
    right[c] = std::clamp(-std::max(record.shift, kLeastShift), 0, 31);
    exactInVectors &= scaling == OutputScaling::Sums || (record.multiplier >= 0 && record.shift < kSaturatingShift);
  }
}

void StageArrays::addWideRecords(const WideRequantRecord *records, uint32_t channels) {
  for (uint32_t c = 0; c < channels; ++c) {
    const WideMultiplier wide(records[c].multiplier, records[c].shift);
    wideBias[c] = records[c].bias();
    wideMultiplier[c] = wide.multiplier;
    wideNudge[c] = int64_t(1) << (wide.shift - 1);
    wideShift[c] = wide.shift;
    exactInVectors &=
        scaling == OutputScaling::SumsWide || (records[c].multiplier >= 0 && records[c].shift < kSaturatingWideShift);
  }
}

void StageArrays::addFloatRecords(const FloatRecord *records, uint32_t channels, float dynamicScale) {
  for (uint32_t c = 0; c < channels; ++c) {
    floatBias[c] = records[c].bias;
    floatScale[c] = dynamicScale * records[c].scale;
  }
}

void StageArrays::permute(const std::vector<uint32_t> &order) {
  auto reorder = [&](auto &array) {
    if (array.empty())
      return;
    auto source = array;
    for (size_t i = 0; i < order.size(); ++i)
      array[i] = source[order[i]];
  };
  for (auto *array : {&bias, &multiplier, &left, &right})
    reorder(*array);
  for (auto *array : {&wideBias, &wideMultiplier, &wideNudge, &wideShift})
    reorder(*array);
  reorder(floatBias);
  reorder(floatScale);
}

} // namespace avocet::kernels

//===- DynamicOperands.h - Checks of quantisation at run time ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_QUANTIZE_DYNAMICOPERANDS_H
#define AVOCET_KERNELS_LIB_QUANTIZE_DYNAMICOPERANDS_H

#include "avocet/kernels/dsp/Quantize.h"
#include "common/DspKernel.h"
#include "common/FeatureMapView.h"

#include <string>

namespace avocet::kernels {

/// A map that holds one firmware::DynamicRecord.
inline Status checkDynamicRecord(const std::string &name, const firmware::FeatureMap &record) {
  constexpr uint64_t kBytes = sizeof(firmware::DynamicRecord);
  AVOCET_RETURN_IF_ERROR(checkType(name, record.type, {firmware::DataType::Int8}));
  AVOCET_RETURN_IF_ERROR(checkEqual(name + " bytes", elementCount(record), "the record's", kBytes));
  AVOCET_RETURN_IF_ERROR(checkEqual(name + ".channels", record.channels, "the record's", kBytes));
  if (record.address.offset % 4 != 0 || record.firstRow != 0)
    return ruleBroken(name + ".address", record.address.offset, "a multiple of 4, with firstRow 0");
  return Status::ok();
}

inline Status checkDynamicParameters(std::span<const uint32_t> words) {
  AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<DynamicQuantizeParameters>(words));
  return parameters.asymmetric <= 1 ? Status::ok() : ruleBroken("asymmetric", parameters.asymmetric, "0 or 1");
}

/// elementWork of a command on f32, with loops over whole rows where the pixels of the input are dense.
inline DspWork rowWork(const firmware::DspCommand &command, uint64_t ops) {
  const firmware::FeatureMap &input = command.inputs[0];
  DspWork work = elementWork(command, ops, firmware::DataType::Float32);
  if (input.width == 1 || input.pixelStride == input.channels * sizeof(float))
    work.rows = input.height;
  return work;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_QUANTIZE_DYNAMICOPERANDS_H

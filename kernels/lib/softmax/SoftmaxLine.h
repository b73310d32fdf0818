//===- SoftmaxLine.h - Softmax of one line of elements ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_SOFTMAX_SOFTMAXLINE_H
#define AVOCET_KERNELS_LIB_SOFTMAX_SOFTMAXLINE_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/dsp/Softmax.h"

namespace avocet::kernels {

/// Checks the parameters, and the zero point of the result, for lines of `count` elements of the output's type.
Status checkSoftmax(const SoftmaxParameters &parameters, const firmware::FeatureMap &output, uint32_t count);

/// Output and input may be the same line.
void softmaxLine(const SoftmaxParameters &parameters, const float *input, float *output, uint32_t count);
void softmaxLine(const SoftmaxParameters &parameters, const int8_t *input, int8_t *output, uint32_t count);
void softmaxLine(const SoftmaxParameters &parameters, const uint8_t *input, uint8_t *output, uint32_t count);

/// Lane operations for each element, and their type.
uint64_t softmaxOperations(firmware::DataType type);
firmware::DataType softmaxType(firmware::DataType type);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_SOFTMAX_SOFTMAXLINE_H

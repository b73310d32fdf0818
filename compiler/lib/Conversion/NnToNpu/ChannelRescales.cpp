//===- ChannelRescales.cpp - From quantised sums to results -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelRescales.h"

using namespace mlir;

namespace avocet::compiler {

float scaleOf(quant::QuantizedType filter, size_t channel) {
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(filter))
    return static_cast<float>(perAxis.getScales()[channel]);
  return static_cast<float>(cast<quant::UniformQuantizedType>(filter).getScale());
}

firmware::Rescale ChannelRescales::operator[](size_t channel) const {
  float weight = scaleOf(filter_, channel);
  return floatScales_ ? kernels::prepareConvPerTensor(input_, weight, output_)
                      : kernels::prepareConvPerChannel(input_, weight, output_);
}

size_t ChannelRescales::count() const {
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(filter_);
  return perAxis ? perAxis.getScales().size() : 1;
}

} // namespace avocet::compiler

//===- TfliteConstants.cpp - Simpler constants -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteEdits.h"

#include <algorithm>
#include <map>

namespace avocet::tool {
namespace {

/// Bytes of an element of each buffer that a tensor of whole elements refers to.
std::map<uint32_t, size_t> elementSizes(const tflite::ModelT &model) {
  std::map<uint32_t, size_t> sizes;
  for (const auto &graph : model.subgraphs)
    for (const auto &tensor : graph->tensors)
      if (isConstant(model, *tensor))
        sizes.try_emplace(tensor->buffer, std::max<size_t>(1, elementBytes(tensor->type)));
  return sizes;
}

std::vector<uint8_t> filled(const std::vector<uint8_t> &data, size_t element, Filling filling) {
  std::vector<uint8_t> result(data.size(), 0);
  if (filling == Filling::FirstElement)
    for (size_t i = 0; i < data.size(); ++i)
      result[i] = data[i % element];
  return result;
}

} // namespace

std::vector<uint32_t> unfilledBuffers(const tflite::ModelT &model, Filling filling) {
  std::vector<uint32_t> buffers;
  for (const auto &[buffer, element] : elementSizes(model)) {
    const std::vector<uint8_t> &data = model.buffers[buffer]->data;
    if (filled(data, element, filling) != data)
      buffers.push_back(buffer);
  }
  return buffers;
}

bool fillConstants(tflite::ModelT &model, Filling filling, Range constants) {
  const std::vector<uint32_t> buffers = unfilledBuffers(model, filling);
  const std::map<uint32_t, size_t> sizes = elementSizes(model);
  if (constants.first >= buffers.size())
    return false;
  for (size_t i = constants.first; i < buffers.size() && constants.contains(i); ++i) {
    std::vector<uint8_t> &data = model.buffers[buffers[i]]->data;
    data = filled(data, sizes.at(buffers[i]), filling);
  }
  return true;
}

} // namespace avocet::tool

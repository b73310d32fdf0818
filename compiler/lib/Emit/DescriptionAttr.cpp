//===- DescriptionAttr.cpp - Model descriptions as attributes ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescriptionAttr.h"

using namespace mlir;

namespace avocet::compiler {

LogicalResult DescriptionReader::read(Attribute attribute, std::string &text) {
  auto string = dyn_cast_if_present<StringAttr>(attribute);
  if (!string)
    return wrong("a string");
  text = string.getValue().str();
  return success();
}

LogicalResult DescriptionReader::read(Attribute attribute, std::vector<int32_t> &list) {
  auto array = dyn_cast_if_present<DenseI32ArrayAttr>(attribute);
  if (!array)
    return wrong("an array<i32>");
  list.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  return success();
}

LogicalResult DescriptionReader::read(Attribute attribute, std::vector<uint8_t> &bytes) {
  auto array = dyn_cast_if_present<DenseI8ArrayAttr>(attribute);
  if (!array)
    return wrong("an array<i8>");
  bytes.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  return success();
}

LogicalResult DescriptionReader::read(Attribute attribute, std::vector<float> &list) {
  auto array = dyn_cast_if_present<DenseF32ArrayAttr>(attribute);
  if (!array)
    return wrong("an array<f32>");
  list.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  return success();
}

LogicalResult DescriptionReader::readNumber(Attribute attribute, int64_t &number) {
  auto integer = dyn_cast_if_present<IntegerAttr>(attribute);
  if (!integer || !integer.getType().isSignlessInteger(64))
    return wrong("a 64-bit integer");
  number = integer.getInt();
  return success();
}

LogicalResult DescriptionReader::readName(Attribute attribute, std::span<const std::string_view> names,
                                          uint32_t &value) {
  auto string = dyn_cast_if_present<StringAttr>(attribute);
  for (size_t i = 0; string && i < names.size(); ++i)
    if (string.getValue() == llvm::StringRef(names[i].data(), names[i].size())) {
      value = static_cast<uint32_t>(i);
      return success();
    }
  std::string list;
  for (std::string_view name : names)
    list.append(list.empty() ? "" : ", ").append(name);
  return wrong("one of " + list);
}

} // namespace avocet::compiler

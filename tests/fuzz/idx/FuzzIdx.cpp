//===- FuzzIdx.cpp - IDX files ----------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "classify/Idx.h"

#include <cstdlib>

/// An accepted file must have items of equal size that fill the data.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto array = avocet::tool::parseIdx(std::span(data, size), "input");
  if (array && array->item(array->count() - 1).size() * array->count() != array->data.size())
    std::abort();
  return 0;
}

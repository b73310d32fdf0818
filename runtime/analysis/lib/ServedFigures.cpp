//===- ServedFigures.cpp - Figures that a driver service reports -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/ServedFigures.h"

#include <algorithm>

namespace avocet::analysis {

Spread spreadOf(std::vector<double> values) {
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

} // namespace avocet::analysis

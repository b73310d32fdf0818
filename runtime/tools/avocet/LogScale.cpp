//===- LogScale.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogScale.h"

#include <cmath>

namespace avocet::tool {

double LogScale::at(double value) const {
  const double width = std::log(most) - std::log(least);
  return width <= 0 ? (from + to) / 2 : from + (to - from) * (std::log(value) - std::log(least)) / width;
}

std::vector<double> logTicks(double least, double most) {
  std::vector<double> ticks;
  const auto end = static_cast<int>(std::ceil(std::log10(most)));
  for (auto exponent = static_cast<int>(std::floor(std::log10(least))); exponent <= end; ++exponent)
    for (double step : {1.0, 2.0, 5.0})
      if (const double tick = step * std::pow(10, exponent); tick >= least && tick <= most)
        ticks.push_back(tick);
  return ticks.size() < 2 ? std::vector<double>{least, most} : ticks;
}

} // namespace avocet::tool

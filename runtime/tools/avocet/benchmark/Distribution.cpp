//===- Distribution.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace avocet::tool {

static double percentile(const std::vector<double> &sorted, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

Distribution distributionOf(std::vector<double> values) {
  if (values.empty())
    return {};
  std::ranges::sort(values);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {values.size(),
          values.front(),
          sum / static_cast<double>(values.size()),
          percentile(values, 0.5),
          percentile(values, 0.9),
          percentile(values, 0.99),
          values.back()};
}

double geometricMean(const std::vector<double> &values) {
  if (values.empty())
    return 0;
  double sum = 0;
  for (double value : values)
    sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

} // namespace avocet::tool

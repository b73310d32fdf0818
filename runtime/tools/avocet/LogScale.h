//===- LogScale.h - A logarithmic axis of a picture -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_LOGSCALE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_LOGSCALE_H

#include <vector>

namespace avocet::tool {

/// Values from `least` to `most`, both positive, at pixels from `from` to `to`.
struct LogScale {
  double least, most, from, to;
  double at(double value) const;
};

/// 1, 2, 5, 10, ... from `least` to `most`; the ends if there are too few.
std::vector<double> logTicks(double least, double most);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_LOGSCALE_H

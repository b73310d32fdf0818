//===- Network.h - A whole network against TensorFlow Lite ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_NETWORK_H
#define AVOCET_TESTS_DIFFERENTIAL_NETWORK_H

#include "Oracle.h"

#include <string>
#include <vector>

namespace avocet::differential {

/// How far one output is from the library's.
struct OutputDistance {
  std::string name;
  uint64_t elements = 0;
  uint64_t different = 0; ///< elements that are not equal bit for bit
  double greatest = 0;    ///< greatest difference of stored numbers; infinite if only one of both is a number
  double scale = 0;       ///< greatest magnitude of the expected numbers
};

/// Runs the file's first subgraph with inputs drawn from `seed`: floats from [-1, 1], quantized and 8-bit numbers from
/// their whole range, other integers (such as indices) from [0, 100). Unsupported: the compiler refuses the network;
/// other errors name the side that failed.
/// `shapes` of inputs: "input=1x224x224x3".
Result<std::vector<OutputDistance>> compareNetwork(const std::string &path, const std::vector<std::string> &shapes,
                                                   uint64_t seed, Oracle &oracle);

/// The distances of all operators of one code, each run alone.
struct OperatorDistances {
  std::string name;
  uint32_t compared = 0;
  uint64_t elements = 0, different = 0;
  double greatest = 0;
  double scale = 0;                      ///< greatest magnitude of the expected numbers
  uint32_t worst = 0;                    ///< operator with the greatest difference
  std::vector<std::string> skipped = {}; ///< "operator 7: reason" of those that one side does not run alone
};

/// Runs each operator of the file's first subgraph as a network of its own, with inputs as above. Tells whether
/// differences of a network come from many small ones that add up.
Result<std::vector<OperatorDistances>> compareOperators(const std::string &path, uint64_t seed, Oracle &oracle);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_NETWORK_H

//===- Comparison.h - Where two sets of tensors differ ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_COMPARISON_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_COMPARISON_H

#include "JoinedPart.h"
#include "Oracle.h"
#include "TensorTrace.h"
#include "avocet/analysis/SourceMap.h"

#include <limits>
#include <optional>
#include <string>

namespace avocet::tool {

/// How the elements of a tensor differ from the expected ones.
struct Difference {
  uint64_t elements = 0;  ///< of the tensor
  uint64_t differing = 0; ///< beyond the tolerance
  uint64_t first = 0;     ///< index of the first differing element
  double expected = 0;    ///< real value of that element
  double found = 0;
  double largest = 0; ///< absolute difference of real values
  /// Ratio of the energy of the expected values to that of the differences, in decibels; infinite: equal.
  double sqnr = std::numeric_limits<double>::infinity();
};

/// Of two tensors of the same type and number of bytes.
Difference differenceOf(const ExpectedTensor &expected, std::span<const uint8_t> found, const Tolerance &tolerance);

/// One tensor of the network.
struct ComparedTensor {
  enum class Outcome {
    Equal,
    Differs,
    OtherForm, ///< type or number of bytes differ
    Unknown,   ///< the oracle has no tensor of this name
    NotSeen    ///< not all of its elements were observed
  };
  size_t operation = 0;           ///< source operation that makes it, unless:
  std::optional<size_t> output;   ///< it was compared as this output of the network
  std::string name;               ///< in the user's file
  bool isFurther = false;         ///< not the first result of the operation
  std::optional<JoinedPart> part; ///< only this part of it was compared, which the operation makes
  Outcome outcome = Outcome::Equal;
  Difference difference;
};

/// All tensors of the compiled network in the order of its operations. Of several operations with one name the last
/// makes the tensor, unless each makes a part of it, as of a concatenation. Results after the first follow those. 8-bit
/// integers whose signedness and zero point the compiler has changed are compared as they are in the network. Outputs
/// of the network that no operation has as its first result, or not in the same form, follow: all but the first results
/// of an operation, for example.
std::vector<ComparedTensor> compareTensors(const analysis::SourceMap &map, const TensorTrace &trace,
                                           const ExpectedTensors &expected, const Tolerance &tolerance);

/// The tensors of a run that were observed completely, and its outputs with names.
ExpectedTensors observedTensors(const analysis::SourceMap &map, const TensorTrace &trace);

/// The tiles that write an element of an operation's first result, in order.
std::vector<analysis::CommandPlace> writersOf(const analysis::SourceMap &map, uint32_t operation,
                                              const analysis::ElementPlace &element);

/// The element of a tensor's storage layout.
analysis::ElementPlace placeOfElement(const cache::SourceOperationView &operation, uint64_t element);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_COMPARISON_H

//===- Definitions.h - What operations compute, in double precision -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second arithmetic for the results of the reference device: each operation as NNAPI's documents define it
// (NeuralNetworks.h), on real numbers in double precision, without regard to speed. It shares no code with the kernels.
// The rows are in definitions/, one file for each family; a new operation is a new row. Operations without a row
// (other recurrent layers, detection, hashing) depend on the test vectors; IF and WHILE are computed from their parts.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_DEFINITIONS_H
#define AVOCET_VALIDATION_RANDOM_DEFINITIONS_H

#include "Draft.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace avocet::hal::conformance {

using Reals = std::vector<double>;

/// The real number that element `index` of a value represents.
double realAt(const Value &value, size_t index);

/// An operation with the values of its operands.
class OperationValues {
public:
  OperationValues(const Graph &graph, const Operation &operation) : graph_(graph), operation_(operation) {}

  OperationType type() const { return operation_.type; }
  size_t numInputs() const { return operation_.inputs.size(); }
  const Value &input(size_t position) const { return graph_.values[operation_.inputs[position]]; }
  const Value &output(size_t position) const { return graph_.values[operation_.outputs[position]]; }

  Reals reals(size_t position) const;
  std::vector<int32_t> integers(size_t position) const;
  int32_t integer(size_t position) const { return integers(position).front(); }
  bool boolean(size_t position) const { return input(position).bytes[0] != 0; }
  double real(size_t position) const { return realAt(input(position), 0); }
  /// A dimension of input 0, counted from the end if negative.
  size_t axis(size_t position) const;

private:
  const Graph &graph_;
  const Operation &operation_;
};

struct Definition {
  OperationType type;
  /// The elements of output 0, whose extents are known; empty: not defined for these operands.
  std::optional<Reals> (*define)(const OperationValues &operation);
};

const Definition *findDefinition(OperationType type);

std::span<const Definition> elementwiseDefinitions();
std::span<const Definition> windowDefinitions();
std::span<const Definition> reductionDefinitions();
std::span<const Definition> moveDefinitions();
std::span<const Definition> recurrentDefinitions();

/// Compares output 0 of the last operation with its definition. Empty: equal up to rounding, or no definition; else the
/// first difference.
std::string differenceFromDefinition(const Graph &graph);

/// `value` after the fused activation with this code.
double activated(int32_t code, double value);

/// Calls `visit(coordinates)` for each element of a tensor, in row-major order.
template <typename Visit> void forEachElement(const Dimensions &dimensions, Visit visit) {
  Dimensions at(dimensions.size());
  for (uint64_t left = elementsOf(dimensions); left > 0; --left) {
    visit(at);
    for (size_t i = at.size(); i-- > 0;) {
      if (++at[i] < dimensions[i])
        break;
      at[i] = 0;
    }
  }
}

/// The index of an element in row-major order.
size_t offsetOf(const Dimensions &dimensions, const Dimensions &at);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_DEFINITIONS_H

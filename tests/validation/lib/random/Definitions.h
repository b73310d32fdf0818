//===- Definitions.h - What operations compute, in double precision -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second arithmetic for the results of the reference device: each operation as NNAPI's documents define it
// (NeuralNetworks.h), on real numbers in double precision, without regard to speed. It shares no code with the kernels.
// Where the documents are silent (ties of roundings, the hash of LSH_PROJECTION), it does what NNAPI's own CPU path
// does. The rows are in definitions/, one file for each family; a new operation is a new row. IF and WHILE have none:
// they are computed from their parts.
//
// All outputs are compared. A decision that rounding could turn (which box is suppressed, which pixel is nearest) makes
// the operands undefined, or only the elements that depend on it; there is no wider tolerance for them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_DEFINITIONS_H
#define AVOCET_VALIDATION_RANDOM_DEFINITIONS_H

#include "Draft.h"

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace avocet::hal::conformance {

using Reals = std::vector<double>;

/// An element that rounding decides: any value of it is right.
inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

/// The elements of each output. No value: an output that NNAPI does not define, as scratch memory.
using Results = std::vector<std::optional<Reals>>;

/// The real number that element `index` of a value represents.
double realAt(const Value &value, size_t index);

/// An operation with the values of its operands.
class OperationValues {
public:
  OperationValues(const Graph &graph, const Operation &operation) : graph_(graph), operation_(operation) {}

  OperationType type() const { return operation_.type; }
  size_t numInputs() const { return operation_.inputs.size(); }
  size_t numOutputs() const { return operation_.outputs.size(); }
  const Value &input(size_t position) const { return graph_.values[operation_.inputs[position]]; }
  const Value &output(size_t position) const { return graph_.values[operation_.outputs[position]]; }

  /// False: the operand is omitted, by its place at the end or with no value.
  bool has(size_t position) const { return position < numInputs() && input(position).role != ValueRole::Omitted; }
  Reals reals(size_t position) const;
  std::vector<int32_t> integers(size_t position) const;
  int32_t integer(size_t position) const { return integers(position).front(); }
  bool boolean(size_t position) const { return input(position).bytes[0] != 0; }
  bool flag(size_t position) const { return has(position) && boolean(position); } ///< false by default
  double real(size_t position) const { return realAt(input(position), 0); }
  /// A dimension of input 0, counted from the end if negative.
  size_t axis(size_t position) const;

private:
  const Graph &graph_;
  const Operation &operation_;
};

struct Definition {
  /// The elements of the only output.
  using OneOutput = std::optional<Reals> (*)(const OperationValues &operation);
  using AllOutputs = std::optional<Results> (*)(const OperationValues &operation);
  /// For results that are not determined: what is wrong with them; empty: nothing.
  using Check = std::string (*)(const OperationValues &operation);

  OperationType type;
  /// The extents of all outputs are known. No value: not defined for these operands.
  std::variant<OneOutput, AllOutputs, Check> define;
  bool copies = false; ///< results are stored values of the operands: nothing is rounded
};

/// For Definition::copies.
inline constexpr bool kCopies = true;

const Definition *findDefinition(OperationType type);

std::span<const Definition> elementwiseDefinitions();
std::span<const Definition> windowDefinitions();
std::span<const Definition> reductionDefinitions();
std::span<const Definition> moveDefinitions();
std::span<const Definition> spaceDefinitions();
std::span<const Definition> selectionDefinitions();
std::span<const Definition> regionDefinitions();
std::span<const Definition> detectionDefinitions();
std::span<const Definition> proposalDefinitions();
std::span<const Definition> recurrentDefinitions();
std::span<const Definition> integerLstmDefinitions();

struct DefinitionCheck {
  bool isCompared = false; ///< false: no definition, or not for these operands
  std::string difference;  ///< the first; empty: equal up to rounding
};

/// Compares the outputs of the last operation that have bytes with its definition. `slack`: what they may differ by
/// beyond rounding.
DefinitionCheck compareWithDefinition(const Graph &graph, double slack = 0);

/// `value` after the activation with this code: those of fused activations, 4 for the hyperbolic tangent, 6 for the
/// logistic function.
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

//===- TestGraphs.h - Small graphs for tests --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CONFORMANCE_TESTGRAPHS_H
#define AVOCET_TESTS_CONFORMANCE_TESTGRAPHS_H

#include "random/ControlFlow.h"

#include <initializer_list>

namespace avocet::hal::conformance {

/// Adds an input of one float, or of another type.
uint32_t input(Graph &graph, OperandType type = OperandType::TensorFloat32);

/// Adds a TENSOR_INT32 constant of one element, or an INT32 scalar.
uint32_t constant(Graph &graph, int32_t value, bool isScalar = false);

/// Adds an operation; its result is like the first operand, or of another type.
uint32_t apply(Graph &graph, OperationType type, std::vector<uint32_t> operands,
               std::optional<OperandType> result = std::nullopt);

/// Adds operations on the result of the one before, beginning with `value`.
uint32_t applyAll(Graph &graph, std::initializer_list<OperationType> types, uint32_t value);

/// Adds `flow`, whose outputs are made like those of its last subgraph.
void append(Graph &graph, ControlFlow flow);

/// Adds an IF on one float; each branch applies unary operations to it.
uint32_t appendIf(Graph &graph, uint32_t value, std::initializer_list<OperationType> first,
                  std::initializer_list<OperationType> second);

bool has(const Graph &graph, OperationType type);

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_CONFORMANCE_TESTGRAPHS_H

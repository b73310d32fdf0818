//===- NnapiModels.h - NNAPI models of one operation ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_IMPORT_NNAPIMODELS_H
#define AVOCET_TESTS_COMPILER_IMPORT_NNAPIMODELS_H

#include "avocet/nnapi/Codes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::compiler {

using nnapi::OperandType;
using nnapi::OperationType;

/// A main input, or a constant if `data` is not empty.
struct TestOperand {
  OperandType type = OperandType::TensorFloat32;
  std::vector<uint32_t> shape = {};
  std::vector<uint8_t> data = {};
  float scale = 0;
  int32_t zeroPoint = 0;
};

TestOperand floats(std::vector<uint32_t> shape);
TestOperand bytes(std::vector<uint32_t> shape, float scale, int32_t zeroPoint);
TestOperand intInput(std::vector<uint32_t> shape);
/// Constant operands.
TestOperand ints(std::vector<int32_t> values);
TestOperand scalar(int32_t value);
TestOperand scalar(float value);
TestOperand scalar(bool value);

/// Imports a model of one operation whose results have the types of `results` (shape empty: unknown). Returns as text
/// the function's result types, separated by blanks, or the diagnostics, or "inputs by value:" and the input numbers.
std::string importOne(OperationType type, const std::vector<TestOperand> &operands,
                      const std::vector<TestOperand> &results = {{}});

/// The same, with the names of the function's operations, in their order, instead of the types.
std::string operationsOf(OperationType type, const std::vector<TestOperand> &operands,
                         const std::vector<TestOperand> &results = {{}});

} // namespace avocet::compiler

#endif // AVOCET_TESTS_COMPILER_IMPORT_NNAPIMODELS_H

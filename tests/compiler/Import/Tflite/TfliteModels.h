//===- TfliteModels.h - TFLite models of one operator ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_IMPORT_TFLITEMODELS_H
#define AVOCET_TESTS_COMPILER_IMPORT_TFLITEMODELS_H

#include "Tflite_generated.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace avocet::compiler {

using tflite::BuiltinOperator;
using tflite::TensorType;

/// A graph input, or a constant if `data` is not empty or the shape has no elements.
struct TestTensor {
  std::vector<int32_t> shape;
  TensorType type = TensorType::FLOAT32;
  std::vector<uint8_t> data = {};
  float scale = 0; ///< 0: without scale
  int64_t zeroPoint = 0;
  bool isVariable = false; ///< and no graph input
};

/// The elements as bytes.
template <typename T> std::vector<uint8_t> bytesOf(const std::vector<T> &values) {
  auto *first = reinterpret_cast<const uint8_t *>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

/// Constants: of rank 1, without rank, with the shape.
TestTensor ints(const std::vector<int32_t> &values);
TestTensor scalar(int32_t value);
TestTensor floats(std::vector<int32_t> shape, const std::vector<float> &values);

/// A model of one operator; all results are graph outputs.
struct TestModel {
  BuiltinOperator code;
  std::vector<TestTensor> operands;
  std::vector<TestTensor> results;
  tflite::OperatorOptionsUnion options = {};
  std::set<size_t> omitted = {}; ///< positions of operands that are only place holders
};

template <typename Options> tflite::OperatorOptionsUnion optionsOf(Options options) {
  tflite::OperatorOptionsUnion result;
  result.Set(std::move(options));
  return result;
}

/// The names of the operations without constants, in their order, or the diagnostics.
std::string operationsOf(const TestModel &model);

/// The elements of all results of type T, in one list: placed on e256 and computed with the kernels. Diagnostics of the
/// import or of the placement are test failures.
template <typename T> std::vector<T> run(const TestModel &model, const std::vector<std::vector<uint8_t>> &inputs);

/// The numbers 0, 1, ...
std::vector<float> counting(size_t count);

} // namespace avocet::compiler

#endif // AVOCET_TESTS_COMPILER_IMPORT_TFLITEMODELS_H

//===- Steps.h - Networks of steps on floats --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_STEPS_H
#define AVOCET_TESTS_DIFFERENTIAL_STEPS_H

#include "Operators.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace avocet::differential {

inline const Element kReal{TensorType::FLOAT32};

/// A network of steps on floats.
class Steps {
public:
  Steps(Draft &draft, std::vector<float> special) : draft_(draft), special_(std::move(special)) {}

  Draft &draft() { return draft_; }
  bool oneIn(uint32_t count) { return draft_.oneIn(count); }

  /// An input, some of whose numbers are the special ones.
  int32_t input(const Shape &shape, Range range) {
    Bytes bytes = draft_.values(shape, kReal, range);
    for (size_t i = 0; i < bytes.size() / sizeof(float); ++i)
      if (!special_.empty() && draft_.oneIn(4))
        std::memcpy(&bytes[i * sizeof(float)], &draft_.any(special_), sizeof(float));
    return draft_.model().addInput(shape, kReal, std::move(bytes));
  }
  int32_t number(float value, const Shape &shape = {}) {
    return draft_.model().addConstant(shape, kReal, encode({value}, TensorType::FLOAT32));
  }
  int32_t constant(const Shape &shape, Range range) { return draft_.constant(shape, kReal, range); }

  /// An operator whose result has the shape of the greater operand.
  int32_t op(BuiltinOperator code, std::vector<int32_t> inputs) {
    const Shape &first = shape(inputs[0]), &last = shape(inputs.back());
    const Shape result = numElements(first) >= numElements(last) && first.size() >= last.size() ? first : last;
    return make(code, std::move(inputs), result);
  }
  /// With its operands in either order.
  int32_t commuted(BuiltinOperator code, int32_t a, int32_t b) {
    return oneIn(2) ? op(code, {a, b}) : op(code, {b, a});
  }
  /// Operands that both repeat.
  int32_t times(int32_t a, int32_t b) { return make(BuiltinOperator::MUL, {a, b}, broadcast(shape(a), shape(b))); }
  int32_t minus(int32_t a, int32_t b) { return make(BuiltinOperator::SUB, {a, b}, broadcast(shape(a), shape(b))); }
  int32_t compare(BuiltinOperator code, int32_t a, int32_t b) {
    const int32_t result = draft_.model().addTensor(shape(a), {TensorType::BOOL});
    draft_.op(code, {a, b}, {result});
    return result;
  }
  int32_t select(int32_t condition, int32_t a, int32_t b) {
    return make(BuiltinOperator::SELECT_V2, {condition, a, b}, shape(a));
  }
  int32_t clampedSum(int32_t a, int32_t b, tflite::ActivationFunction clamp) {
    const int32_t result = draft_.model().addTensor(shape(a), kReal);
    tflite::AddOptionsT options;
    options.activation = clamp;
    draft_.op(BuiltinOperator::ADD, {a, b}, {result}, options);
    return result;
  }
  int32_t reduce(BuiltinOperator code, int32_t value, const std::vector<int64_t> &axes) {
    Shape kept = shape(value);
    for (int64_t axis : axes)
      kept[static_cast<size_t>(axis)] = 1;
    const int32_t result = draft_.model().addTensor(kept, kReal);
    tflite::ReducerOptionsT options;
    options.keep_dims = true;
    draft_.op(code, {value, draft_.integers(axes)}, {result}, options);
    return result;
  }
  int32_t make(BuiltinOperator code, std::vector<int32_t> inputs, const Shape &result) {
    const int32_t tensor = draft_.model().addTensor(result, kReal);
    draft_.op(code, std::move(inputs), {tensor});
    return tensor;
  }
  const Shape &shape(int32_t tensor) { return draft_.model().shape(tensor); }

private:
  static Shape broadcast(Shape a, Shape b) {
    a.insert(a.begin(), std::max(a.size(), b.size()) - a.size(), 1);
    b.insert(b.begin(), a.size() - b.size(), 1);
    std::ranges::transform(a, b, a.begin(), [](int32_t x, int32_t y) { return std::max(x, y); });
    return a;
  }

  Draft &draft_;
  const std::vector<float> special_;
};

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_STEPS_H

//===- Draft.h - Random choices for one test case ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a generator draws a case with: shapes, quantizations and values, all determined by the seed. Methods that create
// tensors also fill graph inputs and constants with random values.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_DRAFT_H
#define AVOCET_TESTS_DIFFERENTIAL_DRAFT_H

#include "Model.h"
#include "Random.h"

#include <utility>

namespace avocet::differential {

/// A column of the table: the element type that a case is about.
enum class Kind { F32, F16, I8, U8, I16, I32, I64, Bool, Hybrid };
inline constexpr size_t kNumKinds = 9;
/// "f32"; "hybrid" is f32 with 8-bit weights.
const char *kindName(Kind kind);
TensorType typeOf(Kind kind);

/// Values of random floats and of 32-bit and 64-bit integers.
struct Range {
  double low = -4, high = 4;
};

class Draft {
public:
  Draft(Kind kind, uint64_t seed) : random_(seed), kind_(kind) {}

  Kind kind() const { return kind_; }
  bool isFloat() const { return kind_ == Kind::F32 || kind_ == Kind::Hybrid || kind_ == Kind::F16; }
  bool isQuantized() const { return kind_ == Kind::I8 || kind_ == Kind::U8 || kind_ == Kind::I16; }

  /// In [low, high].
  int32_t pick(int32_t low, int32_t high);
  double real(double low, double high);
  bool oneIn(uint32_t count) { return random_.oneIn(count); }
  template <typename T> const T &any(const std::vector<T> &choices) { return choices[random_.below(choices.size())]; }

  /// Each extent in [1, maxExtent], often 1.
  Shape shape(int32_t minRank, int32_t maxRank, int32_t maxExtent = 7);
  /// An axis of the rank, negative as often as not.
  int32_t axis(int32_t rank);
  /// Two shapes that broadcast to the third.
  struct Broadcast {
    Shape first, second, result;
  };
  Broadcast broadcast(int32_t maxRank);

  /// The case's element type with a random quantization: zero points are often the least or the greatest value.
  Element element();
  /// The same with this scale, or with the type's fixed quantization of a function's results ([-1, 1] or [0, 1]).
  Element elementWith(float scale);
  Element symmetricUnit() const;
  Element unit() const;
  static Element plain(TensorType type) { return {.type = type}; }

  int32_t input(const Shape &shape, const Element &element, Range range = {});
  int32_t constant(const Shape &shape, const Element &element, Range range = {});
  /// One of both.
  int32_t operand(const Shape &shape, const Element &element, Range range = {});
  int32_t output(const Shape &shape, const Element &element) { return model_.addOutput(shape, element); }
  /// An INT32 or INT64 constant of one axis, or a scalar.
  int32_t integers(const std::vector<int64_t> &values, TensorType type = TensorType::INT32);
  int32_t integer(int64_t value, TensorType type = TensorType::INT32);

  /// Adds the operator with its table of options.
  template <typename Options>
  tflite::OperatorT &op(BuiltinOperator code, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
                        Options options) {
    tflite::OperatorT &added = model_.addOperator(code, std::move(inputs), std::move(outputs));
    added.options.Set(std::move(options));
    return added;
  }
  tflite::OperatorT &op(BuiltinOperator code, std::vector<int32_t> inputs, std::vector<int32_t> outputs) {
    return model_.addOperator(code, std::move(inputs), std::move(outputs));
  }
  tflite::ActivationFunction clamp();

  Bytes values(const Shape &shape, const Element &element, Range range);
  Model &model() { return model_; }

private:
  int64_t zeroPoint();

  stress::Random random_;
  Kind kind_;
  Model model_;
};

/// `values` in the representation of the type.
Bytes encode(const std::vector<double> &values, TensorType type);
/// The other way; of the types of quantized tensors, INT32 and FLOAT32.
std::vector<double> decode(const Bytes &bytes, TensorType type);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_DRAFT_H

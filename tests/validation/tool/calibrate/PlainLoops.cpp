//===- PlainLoops.cpp - What a processor would do for a network -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainLoops.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>

namespace avocet::tool {
namespace {

using Loop = PlainLoops::Loop;

/// What a sum becomes when it is stored: scaled and limited, as a fused activation does.
template <typename Element, typename Sum> Element stored(Sum sum) {
  constexpr float kScale = 1.0F / 64, kLimit = 6;
  return static_cast<Element>(std::clamp(static_cast<float>(sum) * kScale, 0.0F, kLimit));
}

/// The loops on one type of elements; `Sum` is the type of accumulators.
template <typename Element, typename Sum> class Loops {
public:
  explicit Loops(std::span<const Loop> loops) : loops_(loops) {
    size_t inputs = 0, weights = 0, outputs = 0;
    for (const Loop &loop : loops) {
      inputs = std::max(inputs, (size_t{loop.count} + loop.inner) * loop.step + loop.inner);
      weights = std::max(weights, std::max(size_t{loop.inner} * loop.outer, size_t{loop.count}));
      outputs = std::max(outputs, size_t{loop.count} * loop.outer);
    }
    input_.assign(inputs, Element(1));
    weights_.assign(weights, Element(1));
    output_.resize(outputs);
  }

  double nanoseconds() {
    constexpr int kRuns = 5;
    using Clock = std::chrono::steady_clock;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kRuns; ++i) {
      const Clock::time_point start = Clock::now();
      run();
      least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    }
    return least;
  }

private:
  void run() {
    for (const Loop &loop : loops_) {
      switch (loop.kind) {
      case Loop::Kind::Multiply:
        multiply(loop);
        break;
      case Loop::Kind::MultiplyChannels:
        multiplyChannels(loop);
        break;
      case Loop::Kind::Add:
        add(loop.count);
        break;
      case Loop::Kind::Activate:
        activate(loop.count);
        break;
      }
      // Without a reader the compiler could leave the loops out.
      asm volatile("" : : "g"(output_.data()) : "memory");
    }
  }

  void multiply(const Loop &loop) {
    for (size_t i = 0; i < loop.count; ++i)
      for (size_t j = 0; j < loop.outer; ++j) {
        const Element *row = &input_[i * loop.step], *weights = &weights_[j * loop.inner];
        Sum sum = 0;
        for (size_t k = 0; k < loop.inner; ++k)
          sum += static_cast<Sum>(row[k]) * static_cast<Sum>(weights[k]);
        output_[i * loop.outer + j] = stored<Element>(sum);
      }
  }

  void multiplyChannels(const Loop &loop) {
    for (size_t i = 0; i < loop.count; ++i)
      for (size_t j = 0; j < loop.outer; ++j) {
        Sum sum = 0;
        for (size_t k = 0; k < loop.inner; ++k)
          sum += static_cast<Sum>(input_[(i + k) * loop.step + j]) * static_cast<Sum>(weights_[k * loop.outer + j]);
        output_[i * loop.outer + j] = stored<Element>(sum);
      }
  }

  void add(size_t count) {
    for (size_t i = 0; i < count; ++i)
      output_[i] = static_cast<Element>(input_[i] + weights_[i]);
  }

  void activate(size_t count) {
    for (size_t i = 0; i < count; ++i)
      output_[i] = static_cast<Element>(std::tanh(static_cast<float>(input_[i])));
  }

  const std::span<const Loop> loops_;
  std::vector<Element> input_, weights_, output_;
};

} // namespace

void PlainLoops::multiply(uint32_t count, uint32_t step, uint32_t inner, uint32_t outer) {
  loops_.push_back({Loop::Kind::Multiply, count, step, inner, outer});
}

void PlainLoops::multiplyChannels(uint32_t count, uint32_t window, uint32_t channels) {
  loops_.push_back({Loop::Kind::MultiplyChannels, count, channels, window, channels});
}

void PlainLoops::add(uint32_t elements) { loops_.push_back({Loop::Kind::Add, elements, 1, 0, 1}); }

void PlainLoops::activate(uint32_t elements) { loops_.push_back({Loop::Kind::Activate, elements, 1, 0, 1}); }

double PlainLoops::nanoseconds(hal::OperandType type) const {
  using enum hal::OperandType;
  switch (type) {
  case TensorQuant8Asymm:
  case TensorBool8:
    return Loops<uint8_t, int32_t>(loops_).nanoseconds();
  case TensorQuant8AsymmSigned:
    return Loops<int8_t, int32_t>(loops_).nanoseconds();
  case TensorQuant16Symm:
  case TensorQuant16Asymm:
    return Loops<int16_t, int32_t>(loops_).nanoseconds();
  case TensorInt32:
    return Loops<int32_t, int32_t>(loops_).nanoseconds();
  default:
    return Loops<float, float>(loops_).nanoseconds();
  }
}

} // namespace avocet::tool

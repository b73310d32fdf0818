//===- CpuReference.h - Time of a processor for the same work ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain loops on one thread: the "CPU" that the figures of hal::Capabilities are relative to.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_CALIBRATE_CPUREFERENCE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_CALIBRATE_CPUREFERENCE_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

namespace avocet::tool {

/// A 3x3 convolution, stride 1, padding SAME: [1,extent,extent,channels] to the same.
struct ConvWorkload {
  uint32_t extent;
  uint32_t channels;
};
/// One operation on each of `elements` elements.
struct ElementWorkload {
  uint32_t elements;
};

/// `Element` is the type in memory, `Sum` that of accumulators; `finish` converts a sum to an element.
template <typename Element, typename Sum, typename Finish>
void convolve(const ConvWorkload &work, const std::vector<Element> &input, const std::vector<Element> &filter,
              std::vector<Element> &output, Finish finish) {
  const int64_t extent = work.extent, channels = work.channels;
  for (int64_t y = 0; y < extent; ++y)
    for (int64_t x = 0; x < extent; ++x)
      for (int64_t out = 0; out < channels; ++out) {
        Sum sum = 0;
        for (int64_t ky = std::max<int64_t>(0, 1 - y); ky < std::min<int64_t>(3, extent + 1 - y); ++ky)
          for (int64_t kx = std::max<int64_t>(0, 1 - x); kx < std::min<int64_t>(3, extent + 1 - x); ++kx) {
            const Element *pixel = &input[((y + ky - 1) * extent + x + kx - 1) * channels];
            const Element *weight = &filter[((out * 3 + ky) * 3 + kx) * channels];
            for (int64_t in = 0; in < channels; ++in)
              sum += static_cast<Sum>(pixel[in]) * static_cast<Sum>(weight[in]);
          }
        output[(y * extent + x) * channels + out] = finish(sum);
      }
}

/// Nanoseconds of the fastest of several runs.
template <typename Work> double fastestRun(Work &&work) {
  double least = std::numeric_limits<double>::max();
  for (int run = 0; run < 5; ++run) {
    auto start = std::chrono::steady_clock::now();
    work();
    least = std::min(least, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

template <typename Element, typename Sum> double cpuNanosecondsOf(const ConvWorkload &work) {
  size_t elements = size_t{work.extent} * work.extent * work.channels;
  std::vector<Element> input(elements, Element(1)), filter(size_t{9} * work.channels * work.channels, Element(1)),
      output(elements);
  auto finish = [](Sum sum) { return static_cast<Element>(std::clamp<Sum>(sum / 64, -100, 100)); };
  volatile Element sink;
  return fastestRun([&] {
    convolve<Element, Sum>(work, input, filter, output, finish);
    sink = output[elements / 2];
  });
}

template <typename Element> double cpuNanosecondsOf(const ElementWorkload &work) {
  std::vector<Element> left(work.elements, Element(1)), right(work.elements, Element(2)), output(work.elements);
  volatile Element sink;
  return fastestRun([&] {
    for (size_t i = 0; i < left.size(); ++i)
      output[i] = static_cast<Element>(left[i] + right[i]);
    sink = output[work.elements / 2];
  });
}

/// One conversion of each element, which `convert` gives as a Result.
template <typename Element, typename Convert>
double cpuNanosecondsOfConversion(const ElementWorkload &work, Convert convert) {
  using Result = decltype(convert(Element()));
  std::vector<Element> input(work.elements, Element(3));
  std::vector<Result> output(work.elements);
  volatile Result sink;
  return fastestRun([&] {
    for (size_t i = 0; i < input.size(); ++i)
      output[i] = convert(input[i]);
    sink = output[work.elements / 2];
  });
}

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_CALIBRATE_CPUREFERENCE_H

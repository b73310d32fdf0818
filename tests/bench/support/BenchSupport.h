//===- BenchSupport.h - Shared parts of the HAL's benchmarks -- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_SUPPORT_BENCHSUPPORT_H
#define AVOCET_TESTS_BENCH_SUPPORT_BENCHSUPPORT_H

#include "avocet/base/File.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>
#include <vector>

namespace avocet::hal::bench {

using Clock = std::chrono::steady_clock;

inline double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

[[noreturn]] inline void giveUp(const std::string &why) {
  printErr("{}\n", why);
  std::exit(1);
}

/// The value of a Result of either kind; ends the program if there is none.
template <typename R> auto need(R result) {
  if constexpr (requires { result.status(); }) {
    if (!result.isOk())
      giveUp(result.status().toString());
  } else if (!result.isOk()) {
    giveUp(result.error().message);
  }
  return std::move(*result);
}

inline void needOk(const ExecutionOutcome &outcome) {
  if (!outcome.isOk())
    giveUp(std::string(toString(outcome.status)) + ": " + outcome.message);
}

/// An Ashmem pool, mapped here.
class BenchPool {
public:
  explicit BenchPool(uint64_t size) {
    FileDescriptor file = need(createMemoryFile("bench", size));
    mapping_ = need(Mapping::map(file.get(), size, Mapping::Access::ReadWrite));
    memory_ =
        std::make_shared<const Memory>(Memory{Ashmem{std::make_shared<const FileDescriptor>(std::move(file)), size}});
  }
  const SharedMemory &memory() const { return memory_; }
  std::span<uint8_t> bytes() { return mapping_.bytes(); }

private:
  SharedMemory memory_;
  Mapping mapping_;
};

/// The value that `share` of all values do not exceed; sorts them. Requires at least one value.
inline double percentile(std::vector<double> &values, double share) {
  std::ranges::sort(values);
  const auto index = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::min(std::max<size_t>(index, 1), values.size()) - 1];
}

/// Sum of two float vectors of `count`: input 0 changes, input 1 is a constant of the model.
inline Model sumModel(uint32_t count) {
  Model model;
  Operand tensor;
  tensor.type = OperandType::TensorFloat32;
  tensor.dimensions = {count};
  tensor.lifetime = OperandLifeTime::SubgraphInput;
  Operand constant = tensor, output = tensor, activation;
  constant.dimensions = {1};
  constant.lifetime = OperandLifeTime::ConstantCopy;
  constant.location = {0, 0, 4, 0};
  output.lifetime = OperandLifeTime::SubgraphOutput;
  activation.type = OperandType::Int32;
  activation.lifetime = OperandLifeTime::ConstantCopy;
  activation.location = {0, 4, 4, 0};
  const float one = 1;
  model.operandValues.resize(8);
  std::copy_n(reinterpret_cast<const uint8_t *>(&one), 4, model.operandValues.begin());
  model.main.operands = {tensor, constant, activation, output};
  model.main.operations = {{hal::OperationType::Add, {0, 1, 2}, {3}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {3};
  return model;
}

} // namespace avocet::hal::bench

#endif // AVOCET_TESTS_BENCH_SUPPORT_BENCHSUPPORT_H

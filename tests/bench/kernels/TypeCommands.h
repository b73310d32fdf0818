//===- TypeCommands.h - The same command on several types ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_KERNELS_TYPECOMMANDS_H
#define AVOCET_TESTS_BENCH_KERNELS_TYPECOMMANDS_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace avocet::bench {

/// On-chip memory with the operands of one command.
class BenchMemory {
public:
  std::span<uint8_t> bytes() { return {reinterpret_cast<uint8_t *>(words_.data()), words_.size() * 8}; }
  size_t used() const { return top_; }

  uint32_t allocate(size_t bytes);
  /// A dense map; floats are in [-1, 1), integers random.
  firmware::FeatureMap map(firmware::DataType type, uint32_t height, uint32_t width, uint32_t channels);

private:
  std::vector<uint64_t> words_ = std::vector<uint64_t>(1 << 19);
  size_t top_ = 64;
};

/// A kernel at a realistic size.
struct TypeCase {
  std::string name;
  double elements = 0;           ///< of the output
  double products = 0;           ///< of convolutions
  bool half = true, wide = true; ///< whether it takes f16 and i16
  std::function<firmware::CommandBody(BenchMemory &, firmware::DataType)> make;
};

std::vector<TypeCase> typeCases();

} // namespace avocet::bench

#endif // AVOCET_TESTS_BENCH_KERNELS_TYPECOMMANDS_H

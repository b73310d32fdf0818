//===- PartCommands.h - Helpers for the commands to split -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_YIELD_PARTCOMMANDS_H
#define AVOCET_TESTS_COMPILER_YIELD_PARTCOMMANDS_H

#include "PartCases.h"

#include "avocet/kernels/DspParameters.h"

#include <algorithm>
#include <string_view>

namespace avocet::compiler {

inline constexpr firmware::DataType kF32 = firmware::DataType::Float32, kF16 = firmware::DataType::Float16,
                                    kI8 = firmware::DataType::Int8, kI32 = firmware::DataType::Int32;

using Maps = std::vector<firmware::FeatureMap>;

inline firmware::DspCommand commandOf(std::string_view kernel, Maps inputs, Maps outputs,
                                      std::vector<uint32_t> parameters = {}) {
  firmware::DspCommand command;
  Result<uint32_t> number = kernels::dspKernelNumber(kernel);
  EXPECT_TRUE(number.isOk());
  command.kernel = *number;
  command.inputs = std::move(inputs);
  command.outputs = std::move(outputs);
  command.parameters = std::move(parameters);
  return command;
}

template <typename Parameters>
firmware::DspCommand commandOf(std::string_view kernel, Maps inputs, Maps outputs, const Parameters &parameters) {
  return commandOf(kernel, std::move(inputs), std::move(outputs), kernels::packParameters(parameters));
}

/// The number of rows (at least 3) with which the operands have `o.bytes` bytes, at `perRow` bytes for each row.
inline uint32_t rows(const Operands &o, uint32_t perRow) { return std::max(3u, o.bytes / perRow); }

/// The groups of partCases().
std::vector<PartCase> elementwiseParts();
std::vector<PartCase> lineParts();
std::vector<PartCase> moveParts();
std::vector<PartCase> imageParts();
std::vector<PartCase> cellParts();
std::vector<PartCase> detectionParts();

} // namespace avocet::compiler

#endif // AVOCET_TESTS_COMPILER_YIELD_PARTCOMMANDS_H

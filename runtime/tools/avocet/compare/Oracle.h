//===- Oracle.h - Expected tensors ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the expected tensors of avocet compare come from.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ORACLE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ORACLE_H

#include "avocet/base/CommandLine.h"
#include "avocet/base/Status.h"
#include "avocet/firmware_iface/DataType.h"
#include "model/ModelSource.h"
#include "run/RunPlace.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace avocet::tool {

/// When two elements that are not the same count as equal: either suffices.
struct Tolerance {
  double real = 0;    ///< their real values differ by at most this much
  uint64_t steps = 0; ///< their stored numbers differ by at most so many steps: of 1 for integers, of the last place
                      ///< for floating-point numbers
};

/// Adds the options for the inputs of both runs, the oracle's libraries, and what counts as equal. The values must live
/// as long as the command line.
void addOracleOptions(CommandLine &command, RunOptions &run, Tolerance &tolerance);

struct ExposedModel {
  std::vector<uint8_t> file;
  std::vector<std::string> names; ///< of the outputs, in order
};

/// A .tflite network whose outputs are all tensors that the operators of its first subgraph compute, in the order of
/// the operators. Its inputs are the same. DataLoss: the bytes are no such file.
Result<ExposedModel> exposeTensors(std::span<const uint8_t> file);

struct ExpectedTensor {
  firmware::DataType type = firmware::DataType::Int8;
  double scale = 1; ///< real = scale * (stored - zeroPoint)
  int32_t zeroPoint = 0;
  std::vector<uint8_t> bytes;
};

/// By the tensor's name in the network.
using ExpectedTensors = std::map<std::string, ExpectedTensor, std::less<>>;

/// What an output of a network has after a run.
ExpectedTensor expectedOf(const cache::OperandView &operand, std::span<const uint8_t> bytes);

/// For an option that names an oracle.
inline constexpr const char *kOracles = "reference|tflite|tflite-reference|DIR";
inline constexpr const char *kOracleHelp =
    "Expected tensors: reference, tflite, tflite-reference, or a directory of 'avocet compare --save'";

/// Runs the oracle that such an option names. All but directories run the same network with every tensor as an output:
/// - reference: on the simulator, compiled for the same target: another schedule, without fused operations. Finds
/// errors
///   of schedules, memory and fusion.
/// - tflite: in TensorFlow Lite's C library, with its default kernels. NotFound without the library.
/// - tflite-reference: in its Python package, with the reference kernels. Aborted without the package.
Result<ExpectedTensors> tensorsOfOracle(const std::string &against, const RunOptions &options,
                                        const std::string &target, Progress &progress);
/// Whether the oracle runs the network: it is no directory.
bool runsNetwork(const std::string &against);

/// A directory that saveTensors() wrote.
Result<ExpectedTensors> loadTensors(const std::string &directory);
Status saveTensors(const std::string &directory, const ExpectedTensors &tensors);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ORACLE_H

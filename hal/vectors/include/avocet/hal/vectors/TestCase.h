//===- TestCase.h - One model with known answers ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case of a vector file in the HAL's own types: the inputs of a device, and the expected outputs. Plain values.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_VECTORS_TESTCASE_H
#define AVOCET_HAL_VECTORS_TESTCASE_H

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avocet::hal::conformance {

using Bytes = std::vector<uint8_t>;

/// How the values of an output are judged.
enum class OutputRule {
  Ignored,     ///< produced, never compared
  Close,       ///< |actual - expected| <= absolute + relative * |expected|
  Multinomial, ///< the draws of each row follow the distribution in the case's first input
};

struct ExpectedOutput {
  OperandType type = OperandType::TensorFloat32;
  std::vector<uint32_t> dimensions; ///< the shape to report
  Bytes bytes;
  OutputRule rule = OutputRule::Close;
  double absolute = 0;
  double relative = 0;
};

enum class Suite {
  Driver,       ///< every driver of the case's level must run it
  Optional,     ///< a driver may refuse the model as invalid
  Experimental, ///< operations outside the published codes
};

/// The ways to run a case.
enum class RunKind {
  General,        ///< compile, execute, compare
  DynamicShape,   ///< every extent of the main outputs unknown
  OneByteShort,   ///< the same, with the first output region one byte too short
  SignedCoupling, ///< every unsigned 8-bit operand as a signed one; compared with the unsigned run as well
  Caching,        ///< prepared with cache files, then from them
  Reusable,       ///< a reusable execution, computed twice
  Asynchronous,   ///< launched, with a callback
  Validation,     ///< must be refused
  LoopTimeout,    ///< an endless loop: must miss its deadline
  Burst,          ///< through a burst: memories new, known, released and new again, without identifiers
  FmqBurst,       ///< the same through message queues (RunnerOptions::fmqBurst)
  Fenced,         ///< after no fence, after another execution's, after one that is not the device's
  DeviceMemory,   ///< inputs and outputs in buffers that the driver allocated
};
inline constexpr size_t kNumRunKinds = 13;

/// A set of kinds, one bit each.
class KindSet {
public:
  constexpr KindSet() = default;
  static constexpr KindSet all() { return KindSet((1u << kNumRunKinds) - 1); }
  constexpr bool has(RunKind kind) const { return bits_ >> static_cast<unsigned>(kind) & 1; }
  constexpr KindSet &add(RunKind kind) {
    bits_ |= 1u << static_cast<unsigned>(kind);
    return *this;
  }
  constexpr KindSet operator&(KindSet other) const { return KindSet(bits_ & other.bits_); }
  constexpr bool isEmpty() const { return bits_ == 0; }

private:
  explicit constexpr KindSet(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};

/// The data of a case for selection and reports.
struct CaseInfo {
  std::string name;                    ///< bucket/spec/case
  std::string primaryOperation;        ///< the tested operation, or kSeveralOperations
  std::vector<std::string> operations; ///< all that occur, sorted, each once
  Version level = Version::V1_0;       ///< the first version that can run it
  Suite suite = Suite::Driver;
  KindSet kinds; ///< the runs that apply
};
inline constexpr std::string_view kSeveralOperations = "(several)";

/// How a case is changed before it is run.
enum class Form {
  AsWritten,
  UnknownOutputs, ///< every extent of the main outputs is 0, their ranks are kept
  Signed,         ///< TENSOR_QUANT8_ASYMM became _SIGNED: zero points and bytes less 128, expected ones too
};

struct TestCase {
  CaseInfo info;
  Model model;
  std::vector<std::optional<Bytes>> inputs; ///< nothing: an omitted argument
  std::vector<ExpectedOutput> outputs;
  double multinomialTolerance = 0;
};

} // namespace avocet::hal::conformance

#endif // AVOCET_HAL_VECTORS_TESTCASE_H

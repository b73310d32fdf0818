//===- FixedPointMutationTest.cpp - Damaged models of com.avocet.fixed_point -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random damage to valid models. The device must answer all of them, with the same verdict from both calls.
//
//===----------------------------------------------------------------------===//

#include "FixedPointModels.h"

#include "avocet/hal/driver/Driver.h"

#include <gtest/gtest.h>

#include <random>

namespace avocet::hal {
namespace {

using namespace testing;

class Damage {
public:
  explicit Damage(uint32_t seed) : random_(seed) {}

  void apply(Model &model) {
    Operand &operand = pick(model.main.operands);
    Operation &operation = pick(model.main.operations);
    switch (below(9)) {
    case 0:
      operand.extraParams = std::vector<uint8_t>(below(3), static_cast<uint8_t>(below(256)));
      return;
    case 1:
      operand.type = static_cast<OperandType>(code());
      return;
    case 2:
      operand.dimensions.assign(below(3), static_cast<uint32_t>(below(6)));
      return;
    case 3:
      operation.type = static_cast<OperationType>(code());
      return;
    case 4:
      pick(operation.inputs) = static_cast<uint32_t>(below(model.main.operands.size() + 1));
      return;
    case 5:
      model.extensionNameToPrefix[0].prefix = static_cast<uint16_t>(below(5));
      return;
    case 6:
      model.extensionNameToPrefix.push_back({below(2) == 0 ? "com.example.other" : "com.avocet.fixed_point", 4});
      return;
    case 7:
      operand.lifetime = static_cast<OperandLifeTime>(below(7));
      return;
    default:
      operand.scale = static_cast<float>(below(2));
    }
  }

private:
  size_t below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }
  template <typename T> T &pick(std::vector<T> &list) { return list[below(list.size())]; }
  /// A standard code, one of the extension, or one of another.
  uint32_t code() { return static_cast<uint32_t>(below(3) == 0 ? below(16) : (kPrefix + below(3)) << 16 | below(3)); }

  std::mt19937 random_;
};

Model modelNumber(size_t number) {
  switch (number % 3) {
  case 0:
    return convertModel(realInput(4), realOutput(4, 2));
  case 1:
    return convertModel(realInput(4, 1), realOutput(4, 2));
  default:
    return hardSigmoidModel(realInput(4, 1), realOutput(4, 2), 0.5f, 0.25f);
  }
}

TEST(FixedPointMutationTest, BothCallsGiveSameVerdict) {
  auto device = openDevice({});
  ASSERT_TRUE(device.isOk()) << device.error().message;
  constexpr uint32_t kCases = 400; // fewer, as in sanitizer builds elsewhere, make no unsupported model
  size_t valid = 0, invalid = 0, unsupported = 0;
  for (uint32_t seed = 0; seed < kCases; ++seed) {
    Model model = modelNumber(seed);
    Damage(seed).apply(model);
    auto supported = (*device)->getSupportedOperations(model);
    const ErrorStatus prepared = (*device)->prepareModel(model, {}).code();
    if (!supported) {
      EXPECT_EQ(supported.code(), ErrorStatus::InvalidArgument) << seed << ": " << supported.error().message;
      EXPECT_EQ(prepared, ErrorStatus::InvalidArgument) << seed;
      ++invalid;
    } else if (supported->supported[0]) {
      EXPECT_EQ(prepared, ErrorStatus::None) << seed;
      ++valid;
    } else {
      EXPECT_EQ(prepared, ErrorStatus::GeneralFailure) << seed << ": " << supported->reasons[0].rule;
      ++unsupported;
    }
  }
  EXPECT_GT(valid, 10u);
  EXPECT_GT(invalid, 10u);
  EXPECT_GT(unsupported, 2u);
}

} // namespace
} // namespace avocet::hal

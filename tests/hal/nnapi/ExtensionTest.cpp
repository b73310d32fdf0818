//===- ExtensionTest.cpp - Extensions through the C library ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include "avocet/nnapi/extensions/FixedPoint.h"

#include <gmock/gmock.h>

#include <array>
#include <optional>

namespace avocet::nnapi::testing {
namespace {

using namespace fixedpoint;
using ::testing::ElementsAre;

const char *const kExtension = kName.data();

/// TENSOR_FLOAT32 of three elements to TENSOR_FIXED8 with one fraction bit.
Model convertModel(uint8_t fractionBits = 1) {
  ModelMaker maker;
  int32_t type = 0, operation = 0;
  NEED(ANeuralNetworksModel_getExtensionOperandType(maker.get(), kExtension, kTensorFixed8, &type));
  NEED(ANeuralNetworksModel_getExtensionOperationType(maker.get(), kExtension, kConvert, &operation));
  const uint32_t input = maker.floats({3}), output = maker.operand({type, {3}});
  NEED(ANeuralNetworksModel_setOperandExtensionData(maker.get(), static_cast<int32_t>(output), &fractionBits, 1));
  maker.operation(operation, {input}, {output});
  maker.identify({input}, {output});
  return maker.finish();
}

/// One execution, of -0.75, 0.75 and 2.
struct Conversion {
  explicit Conversion(const Compilation &compilation) : execution(executionOf(compilation)) {
    NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, input.data(), sizeof(input)));
    NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output.data(), output.size()));
  }
  int compute() { return ANeuralNetworksExecution_compute(execution.get()); }

  std::array<float, 3> input = {-0.75f, 0.75f, 2};
  std::array<int8_t, 3> output = {};
  Execution execution;
};

/// Unfinished; without a value there is no attribute.
Compilation compilationWith(const Model &model, std::optional<uint8_t> rounding) {
  Compilation compilation = compilationFor(model, {firstDevice()});
  if (rounding)
    NEED(ANeuralNetworksCompilation_addExtensionAttribute(compilation.get(), kExtension, kRounding, &*rounding, 1));
  return compilation;
}

TEST(ExtensionTest, EveryDeviceSupportsAndComputes) {
  const Model model = convertModel();
  for (const ANeuralNetworksDevice *device : allDevices()) {
    bool isSupported = false;
    ASSERT_EQ(kOk, ANeuralNetworksDevice_getExtensionSupport(device, kExtension, &isSupported));
    EXPECT_TRUE(isSupported);
    isSupported = false;
    ASSERT_EQ(kOk, ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &device, 1, &isSupported));
    EXPECT_TRUE(isSupported);
    const Compilation compilation = compilationFor(model, {device});
    ASSERT_EQ(kOk, ANeuralNetworksCompilation_finish(compilation.get()));
    Conversion conversion(compilation);
    ASSERT_EQ(kOk, conversion.compute());
    EXPECT_THAT(conversion.output, ElementsAre(-2, 2, 4));
  }
}

TEST(ExtensionTest, AttributeOfCompilationChangesResults) {
  const Model model = convertModel();
  const Compilation down = compilationWith(model, 1), nearest = compilationWith(model, 0);
  ASSERT_EQ(kOk, ANeuralNetworksCompilation_finish(down.get()));
  ASSERT_EQ(kOk, ANeuralNetworksCompilation_finish(nearest.get()));
  Conversion first(down), second(nearest);
  ASSERT_EQ(kOk, first.compute());
  ASSERT_EQ(kOk, second.compute());
  EXPECT_THAT(first.output, ElementsAre(-2, 1, 4));
  EXPECT_THAT(second.output, ElementsAre(-2, 2, 4));
}

TEST(ExtensionTest, InvalidAttributeFailsCompilation) {
  const Model model = convertModel();
  EXPECT_EQ(kBadData, ANeuralNetworksCompilation_finish(compilationWith(model, 9).get()));
}

TEST(ExtensionTest, AttributeOfExecutionBoundsItsTime) {
  const Model model = convertModel();
  const Compilation compilation = compilationWith(model, std::nullopt);
  ASSERT_EQ(kOk, ANeuralNetworksCompilation_finish(compilation.get()));
  for (const auto &[limit, code] :
       {std::pair<int64_t, int>{0, ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT}, {INT64_MAX, kOk}, {-1, kBadData}}) {
    Conversion conversion(compilation);
    ASSERT_EQ(kOk, ANeuralNetworksExecution_addExtensionAttribute(conversion.execution.get(), kExtension, kTimeLimit,
                                                                  &limit, sizeof(limit)));
    EXPECT_EQ(code, conversion.compute()) << limit;
  }
}

TEST(ExtensionTest, InvalidExtensionDataFailsCompilation) {
  const Model model = convertModel(100);
  EXPECT_EQ(kBadData, ANeuralNetworksCompilation_finish(compilationWith(model, std::nullopt).get()));
}

} // namespace
} // namespace avocet::nnapi::testing

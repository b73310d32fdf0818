//===- CompatibilityTest.cpp - Conversions between versions ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Compatibility.h"
#include "Models.h"
#include "avocet/hal/types/GraphDump.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfloat>
#include <string>
#include <vector>

namespace avocet::hal::test {
namespace {

using std::chrono::nanoseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Compatibility, ModelsAreExpressibleSinceTheirVersion) {
  for (const NamedModel &base : baseModels())
    for (Version version : allVersions())
      EXPECT_EQ(answerFor(base.model, version).isExpressible, version >= base.needs)
          << base.name << " " << toString(version);
}

/// Graph, relaxed float and extensions, as text.
std::string textOf(const Model &model) {
  std::string text = graphDump("model", model) + (model.relaxComputationFloat32toFloat16 ? "relaxed" : "");
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix)
    text += " " + extension.name + std::to_string(extension.prefix);
  return text;
}

TEST(Compatibility, RoundTripsKeepTheModel) {
  for (const NamedModel &base : baseModels())
    for (Version version : allVersions()) {
      Result<Converted<Model>> there = convertTo(base.model, version);
      ASSERT_EQ(there.isOk(), version >= base.needs) << base.name << " " << toString(version);
      if (!there.isOk())
        continue;
      EXPECT_THAT(there->losses, IsEmpty()) << base.name;
      Result<Converted<Model>> back = convertTo(there->value, kLatestVersion);
      ASSERT_TRUE(back.isOk());
      EXPECT_EQ(textOf(back->value), textOf(base.model)) << base.name;
      EXPECT_EQ(back->value.operandValues, base.model.operandValues) << base.name;
      EXPECT_EQ(*validate(back->value), base.needs);
    }
}

TEST(Compatibility, ReportsLosses) {
  Model model = baseModels()[0].model;
  model.relaxComputationFloat32toFloat16 = true;
  model.extensionNameToPrefix = {{"vendor.unused", 3}};
  Result<Converted<Model>> converted = convertTo(model, Version::V1_0);
  ASSERT_TRUE(converted.isOk()) << converted.error().message;
  EXPECT_THAT(converted->losses,
              ElementsAre("relaxed float", "extension 'vendor.unused', which no operand or operation uses"));
  EXPECT_EQ(textOf(converted->value), textOf(baseModels()[0].model));
  EXPECT_THAT(convertTo(model, Version::V1_2)->losses, IsEmpty());
}

TEST(Compatibility, VersionReportHasLineForEachVersion) {
  Model model = baseModels()[2].model; // DIV needs 1.1
  EXPECT_EQ(versionReport(model), "1.0: no: operation 0 (DIV) needs version 1.1, cannot be expressed in 1.0\n"
                                  "1.1: yes\n1.2: yes\n1.3: yes\nAIDL v1: yes\nAIDL v2: yes\nAIDL v3: yes\n"
                                  "AIDL v4: yes\n");
}

TEST(Compatibility, DropsUnusedSubgraphs) {
  Model model = baseModels()[0].model;
  model.referenced = baseModels()[7].model.referenced;
  for (Subgraph &subgraph : model.referenced)
    subgraph.operations[0].type = OperationType::Relu;
  Result<Converted<Model>> converted = convertTo(model, Version::V1_0);
  ASSERT_TRUE(converted.isOk()) << converted.error().message;
  EXPECT_THAT(converted->losses, ElementsAre("2 subgraphs that the main one does not use"));
}

TEST(Compatibility, NamesTheOperationThatIsTooNew) {
  Model model = baseModels()[2].model;
  Result<Converted<Model>> converted = convertTo(model, Version::V1_0);
  ASSERT_FALSE(converted.isOk());
  EXPECT_EQ(converted.error().message, "operation 0 (DIV) needs version 1.1, cannot be expressed in 1.0");
  EXPECT_THAT(*versionsOfOperations(model), ElementsAre(Version::V1_1, Version::V1_1));
}

/// A branch needs the version that its subgraphs need.
TEST(Compatibility, OperationsNeedTheVersionOfTheirSubgraphs) {
  Model model = baseModels()[7].model;
  EXPECT_THAT(*versionsOfOperations(model), ElementsAre(Version::V1_3));
  Subgraph &then = model.referenced[0];
  then.operations[0] = {OperationType::Reverse, {0, 2}, {1}};
  Operand axis = tensor(OperandType::TensorInt32, {1});
  axis.lifetime = OperandLifeTime::ConstantCopy;
  axis.location.length = 4;
  model.operandValues.resize(4);
  then.operands.push_back(axis);
  EXPECT_THAT(*versionsOfOperations(model), ElementsAre(Version::AidlV3));
}

TEST(Compatibility, InvalidModelsAreExpressibleInNoVersion) {
  Model model = baseModels()[0].model;
  model.main.operations.clear();
  EXPECT_FALSE(answerFor(model, kLatestVersion).isExpressible);
  EXPECT_EQ(convertTo(model, kLatestVersion).code(), ErrorStatus::InvalidArgument);
}

TEST(Compatibility, RefusesNumbersThatDoNotFitTheWire) {
  Model model = baseModels()[5].model;
  model.extensionNameToPrefix[0].prefix = 0x8005;
  for (Operation &operation : model.main.operations)
    operation.type =
        static_cast<OperationType>(static_cast<int32_t>(operation.type) | static_cast<int32_t>(0x80000000));
  model.main.operands[1].type =
      static_cast<OperandType>(static_cast<int32_t>(model.main.operands[1].type) | static_cast<int32_t>(0x80000000));
  ASSERT_TRUE(convertTo(model, Version::V1_3).isOk());
  EXPECT_THAT(convertTo(model, Version::AidlV1).error().message, HasSubstr("must be at most 32767 in AIDL"));
}

/// An operation of AIDL and an extension whose prefix only HIDL can carry.
TEST(Compatibility, ModelsThatNoVersionCanCarryAreInvalid) {
  Model model;
  GraphBuilder graph(model, model.main);
  Operand vector = tensor(OperandType::TensorFloat32, {2});
  uint32_t input = graph.input(vector);
  uint32_t axes = graph.input(tensor(OperandType::TensorInt32, {1}));
  graph.operation(OperationType::Reverse, {input, axes}, {graph.output(vector)});
  model.extensionNameToPrefix.push_back({"vendor.x", 0x7FFF});
  ASSERT_TRUE(validate(model).isOk()) << validate(model).error().message;
  EXPECT_TRUE(answerFor(model, *validate(model)).isExpressible);
  model.extensionNameToPrefix[0].prefix = 0x8000;
  EXPECT_THAT(validate(model).error().message, HasSubstr("must be at most 32767 in AIDL"));
}

TEST(Compatibility, ExtentsFrom2To31NeedHidl) {
  Model model;
  GraphBuilder graph(model, model.main);
  Operand huge = tensor(OperandType::TensorBool8, {0x80000000});
  uint32_t input = graph.input(huge);
  graph.operation(OperationType::LogicalNot, {input}, {graph.output(huge)});
  EXPECT_TRUE(convertTo(model, Version::V1_2).isOk());
  EXPECT_THAT(convertTo(model, Version::AidlV1).error().message, HasSubstr("extents must be at most 2147483647"));
}

TEST(Compatibility, LocationsAboveFourGigabytesNeedAidl) {
  Model model = baseModels()[1].model;
  uint64_t size = (uint64_t{1} << 32) + 256;
  auto fd = std::get<Ashmem>(model.pools[0]->handle).fd;
  model.pools = {std::make_shared<const Memory>(Memory{Ashmem{fd, size}})};
  model.main.operands[1].location.offset = uint64_t{1} << 32;
  EXPECT_TRUE(convertTo(model, Version::AidlV1).isOk());
  EXPECT_THAT(convertTo(model, Version::V1_3).error().message, HasSubstr("operand 1: location has offset 4294967296"));
}

TEST(Compatibility, RequestsLosePaddingInHidl) {
  Model model = baseModels()[0].model;
  Request request = requestFor(model);
  request.outputs[0].location.padding = 8;
  request.inputs[0].location.padding = 4;
  EXPECT_THAT(convertTo(request, Version::AidlV1)->losses, IsEmpty());
  Result<Converted<Request>> converted = convertTo(request, Version::V1_2);
  ASSERT_TRUE(converted.isOk());
  EXPECT_THAT(converted->losses, ElementsAre("padding 4 of input 0", "padding 8 of output 0"));
  EXPECT_EQ(converted->value.outputs[0].location.padding, 0U);
  request.pools.emplace_back(BufferToken(3));
  EXPECT_EQ(convertTo(request, Version::V1_2).error().message,
            "the request needs version 1.3, cannot be expressed in 1.2");
}

TEST(Compatibility, CapabilitiesDropTypesThatVersionLacks) {
  PerformanceInfo half{0.5F, 0.5F};
  using enum OperandType;
  Capabilities capabilities{
      half, half, {{TensorFloat32, half}, {TensorFloat16, half}, {TensorQuant8AsymmSigned, half}}, half, half};
  EXPECT_THAT(convertTo(capabilities, Version::V1_3).losses, IsEmpty());
  EXPECT_THAT(convertTo(capabilities, Version::V1_2).losses,
              ElementsAre("performance of TENSOR_QUANT8_ASYMM_SIGNED", "performance of IF", "performance of WHILE"));
  Converted<Capabilities> oldest = convertTo(capabilities, Version::V1_0);
  EXPECT_EQ(oldest.losses.size(), 6U);
  EXPECT_EQ(oldest.value.operandPerformance.size(), 1U);
  EXPECT_EQ(oldest.value.ifPerformance.execTime, FLT_MAX);
  EXPECT_TRUE(validate(oldest.value).isOk());
}

TEST(Compatibility, TimesLoseNanosecondsInHidl) {
  Timing timing{nanoseconds(1999), nanoseconds(5000)};
  EXPECT_THAT(convertTo(timing, Version::AidlV1).losses, IsEmpty());
  Converted<Timing> hidl = convertTo(timing, Version::V1_3);
  EXPECT_THAT(hidl.losses, ElementsAre("999 ns of the time on the device"));
  EXPECT_EQ(hidl.value.timeOnDevice, nanoseconds(1000));
  EXPECT_EQ(hidl.value.timeInDriver, nanoseconds(5000));
  EXPECT_FALSE(convertTo(timing, Version::V1_1).value.timeInDriver.has_value());
}

TEST(Compatibility, LaterErrorsAreGeneralFailuresBefore13) {
  EXPECT_EQ(convertTo(ErrorStatus::MissedDeadlineTransient, Version::V1_2).value, ErrorStatus::GeneralFailure);
  EXPECT_THAT(convertTo(ErrorStatus::MissedDeadlineTransient, Version::V1_2).losses,
              ElementsAre("MISSED_DEADLINE_TRANSIENT"));
  EXPECT_EQ(convertTo(ErrorStatus::MissedDeadlineTransient, Version::V1_3).value, ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(convertTo(ErrorStatus::InvalidArgument, Version::V1_0).value, ErrorStatus::InvalidArgument);
  EXPECT_EQ(convertTo(ErrorStatus::DeadObject, kLatestVersion).value, ErrorStatus::GeneralFailure);
}

} // namespace
} // namespace avocet::hal::test

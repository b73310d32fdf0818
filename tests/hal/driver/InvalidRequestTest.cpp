//===- InvalidRequestTest.cpp - Broken requests in each kind of execution -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "ExecutionKinds.h"

#include <functional>

namespace avocet::hal {
namespace {

using namespace testing;

struct BrokenRequest {
  const char *rule;
  std::function<void(Request &)> apply;
};

/// For a request of two inputs and one output, two floats each.
const BrokenRequest kBroken[] = {
    {"one input less", [](Request &r) { r.inputs.pop_back(); }},
    {"one input more", [](Request &r) { r.inputs.push_back(r.inputs[0]); }},
    {"no output", [](Request &r) { r.outputs.clear(); }},
    {"pool that is not there", [](Request &r) { r.inputs[1].location.poolIndex = 2; }},
    {"location after the end", [](Request &r) { r.outputs[0].location.offset = 60; }},
    {"offset that overflows", [](Request &r) { r.inputs[0].location.offset = ~uint64_t{0} - 3; }},
    {"length that overflows", [](Request &r) { r.inputs[0].location.length = ~uint64_t{0}; }},
    {"padding that overflows", [](Request &r) { r.outputs[0].location.padding = ~uint64_t{0}; }},
    {"wrong length", [](Request &r) { r.inputs[0].location.length = 4; }},
    {"other extent", [](Request &r) { r.inputs[0].dimensions = {3}; }},
    {"other rank", [](Request &r) { r.outputs[0].dimensions = {2, 1}; }},
    {"no value, with a location", [](Request &r) { r.inputs[0].hasNoValue = true; }},
    {"required input omitted", [](Request &r) { r.inputs[0] = {true, {}, {}}; }},
    {"output over an input", [](Request &r) { r.outputs[0].location = r.inputs[1].location; }},
    {"unknown buffer", [](Request &r) { r.pools[0] = BufferToken{7}; }},
};

class InvalidRequestTest : public DeviceFixture, public ::testing::WithParamInterface<ExecutionKind> {};

TEST_P(InvalidRequestTest, EveryKindRefusesBrokenRequests) {
  auto model = prepare(addModel({2}));
  ASSERT_NE(model, nullptr);
  TestPool inputs(64), outputs(64);
  const Request good = requestOf({8, 8}, {8}, inputs, outputs);
  for (const BrokenRequest &broken : kBroken) {
    Request request = good;
    broken.apply(request);
    EXPECT_EQ(GetParam().run(*model, request, {}), ErrorStatus::InvalidArgument) << broken.rule;
  }
  inputs.as<float>()[0] = 3;
  EXPECT_EQ(GetParam().run(*model, good, {}), ErrorStatus::None) << "the model stays usable";
  EXPECT_EQ(outputs.as<float>()[0], 3);
}

INSTANTIATE_TEST_SUITE_P(Kinds, InvalidRequestTest, ::testing::ValuesIn(executionKinds()),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::hal

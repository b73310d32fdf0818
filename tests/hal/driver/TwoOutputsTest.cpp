//===- TwoOutputsTest.cpp - Executions with two outputs ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <gmock/gmock.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;

/// Two sums of the same inputs. 0: the outputs have an unknown extent.
Model twoSums(uint32_t outputExtent) {
  Model model = addModel({2});
  Subgraph &main = model.main;
  main.operands[3].dimensions = {outputExtent};
  main.operands.push_back(main.operands[3]);
  main.operations.push_back({OperationType::Add, {0, 1, 2}, {4}});
  main.outputIndexes = {3, 4};
  return model;
}

class TwoOutputsTest : public DeviceFixture {
protected:
  Request request() const { return requestOf({8, 8}, {8, 8}, inputs_, outputs_); }

  TestPool inputs_{16}, outputs_{16};
};

TEST_F(TwoOutputsTest, ShapesNameTheOutputThatIsTooSmall) {
  auto model = prepare(twoSums(0));
  ASSERT_NE(model, nullptr);
  for (size_t small : {0u, 1u}) {
    Request request = this->request();
    request.outputs[small].location.length = 4;
    const ExecutionOutcome outcome = model->execute(request, {});
    EXPECT_EQ(outcome.status, ErrorStatus::OutputInsufficientSize) << outcome.message;
    ASSERT_EQ(outcome.outputShapes.size(), 2u);
    for (size_t i : {0u, 1u}) {
      EXPECT_EQ(outcome.outputShapes[i].isSufficient, i != small);
      EXPECT_THAT(outcome.outputShapes[i].dimensions, ElementsAre(2));
    }
  }
  const ExecutionOutcome outcome = model->execute(request(), {});
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_TRUE(outcome.outputShapes[0].isSufficient && outcome.outputShapes[1].isSufficient);
}

TEST_F(TwoOutputsTest, RefusesOneBufferForBoth) {
  auto model = prepare(twoSums(2));
  ASSERT_NE(model, nullptr);
  auto first = device_->allocate({}, {}, {{model, 0, 1}, {model, 1, 1}}),
       second = device_->allocate({}, {}, {{model, 1, 1}});
  ASSERT_TRUE(first.isOk() && second.isOk());
  Request request = this->request();
  request.outputs = {{false, {1, 0, 0, 0}, {}}, {false, {1, 0, 0, 0}, {}}};
  request.pools[1] = (*first)->token();
  EXPECT_EQ(model->execute(request, {}).status, ErrorStatus::InvalidArgument);
  request.pools.emplace_back((*first)->token());
  request.outputs[1].location.poolIndex = 2;
  EXPECT_EQ(model->execute(request, {}).status, ErrorStatus::InvalidArgument) << "its token in two pools";
  request.pools[2] = (*second)->token();
  EXPECT_EQ(model->execute(request, {}).status, ErrorStatus::None);
}

} // namespace
} // namespace avocet::hal

//===- OpenModelTest.cpp - A yes holds for every execution ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random models that leave extents and values open: what the device says it can do runs, with whatever an execution
// brings. AVOCET_OPEN_MODELS is the number of models (default 40), AVOCET_OPEN_SEED the first seed.
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "OpenModels.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace avocet::hal {
namespace {

using namespace testing;

constexpr uint32_t kModels = 40;

uint32_t numberFrom(const char *variable, uint32_t otherwise) {
  const char *text = std::getenv(variable);
  return text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

uint64_t bytesOf(const Extents &extents) {
  uint64_t bytes = sizeof(float);
  for (uint32_t extent : extents)
    bytes *= extent;
  return bytes;
}

class OpenModels : public DeviceFixture {
protected:
  void SetUp() override {
    DriverOptions options;
    options.target = "e256s"; // the least memory
    open(options);
  }

  ExecutionOutcome execute(IPreparedModel &prepared, const std::vector<OpenInput> &inputs, const Extents &result) {
    std::vector<uint64_t> sizes;
    uint64_t total = 0;
    for (const OpenInput &input : inputs) {
      sizes.push_back(input.bytes.size());
      total += sizes.back();
    }
    TestPool in(total), out(bytesOf(result));
    uint64_t offset = 0;
    for (const OpenInput &input : inputs) {
      std::memcpy(in.bytes().data() + offset, input.bytes.data(), input.bytes.size());
      offset += input.bytes.size();
    }
    Request request = requestOf(sizes, {bytesOf(result)}, in, out);
    for (size_t i = 0; i < inputs.size(); ++i)
      request.inputs[i].dimensions = inputs[i].dimensions;
    return prepared.execute(request, {});
  }

  void runAtRandomShapes(OpenModel &model) {
    std::shared_ptr<IPreparedModel> prepared = prepare(model.model());
    ASSERT_NE(prepared, nullptr);
    for (uint32_t elements : {64u, 2000u, 60000u}) {
      const std::vector<OpenInput> inputs = model.makeInputs(elements);
      std::string shapes;
      for (uint32_t extent : inputs[0].dimensions)
        shapes += " " + std::to_string(extent);
      SCOPED_TRACE("with an input of" + shapes);
      const ExecutionOutcome outcome = execute(*prepared, inputs, model.result());
      ASSERT_EQ(outcome.status, ErrorStatus::None) << outcome.message;
      ASSERT_EQ(outcome.outputShapes.size(), 1u);
      EXPECT_EQ(outcome.outputShapes[0].dimensions, model.result());
    }
  }
};

TEST_F(OpenModels, RunAtAllShapesIfTheyAreSupported) {
  const uint32_t count = numberFrom("AVOCET_OPEN_MODELS", kModels), first = numberFrom("AVOCET_OPEN_SEED", 1);
  uint32_t supported = 0, refused = 0;
  for (uint32_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    OpenModel model(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + model.description());
    auto answer = device_->getSupportedOperations(model.model());
    ASSERT_TRUE(answer.isOk()) << answer.error().message;
    if (std::ranges::all_of(answer->supported, [](bool yes) { return yes; })) {
      ++supported;
      runAtRandomShapes(model);
      continue;
    }
    ++refused;
    EXPECT_FALSE(device_->prepareModel(model.model(), {}).isOk());
    for (size_t i = 0; i < answer->supported.size(); ++i)
      EXPECT_EQ(answer->reasons[i].rule.empty(), answer->supported[i]) << "operation " << i;
  }
  // Neither answer is the rule.
  if (count >= kModels) {
    EXPECT_GE(supported, count / 4);
    EXPECT_GE(refused, count / 10);
  }
}

} // namespace
} // namespace avocet::hal

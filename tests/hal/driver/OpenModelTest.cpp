//===- OpenModelTest.cpp - Supported models run in every execution --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random models with unknown extents and values: each supported model must run at all random shapes and values.
// AVOCET_OPEN_MODELS is the number of models (default 60, 8 with a sanitizer), AVOCET_OPEN_SEED the first seed.
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "OpenModels.h"
#include "Sanitizer.h"

#include "avocet/hal/types/Utils.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::IsSupersetOf;

constexpr uint32_t kModels = 60, kFirstSeed = 1;
constexpr uint32_t kUsualModels = casesOf(kModels, 8);
constexpr uint32_t kParts = 2; ///< run in parallel
/// Elements of all inputs together.
constexpr uint32_t kElements[] = {64, 2000, 1000000};
constexpr size_t kNumElements = casesOf(std::size(kElements), 2); ///< with a sanitizer, the largest would take minutes
/// Limit for one tensor in an execution of such a model, by the driver's documentation.
constexpr uint64_t kMostElements = uint64_t{1} << 24;

uint32_t numberFrom(const char *variable, uint32_t otherwise) {
  const char *text = std::getenv(variable);
  return text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

std::string shapesOf(const std::vector<OpenInput> &inputs) {
  std::string shapes;
  for (const OpenInput &input : inputs)
    shapes += " " + toString(input.dimensions);
  return shapes;
}

/// The parameter is the part; part n tests the models with seeds n, n + kParts, and so on.
class OpenModelTest : public DeviceFixture, public ::testing::WithParamInterface<uint32_t> {
protected:
  void SetUp() override {
    DriverOptions options;
    options.target = "e256s"; // the least memory
    open(options);
  }

  ExecutionOutcome execute(IPreparedModel &prepared, const std::vector<OpenInput> &inputs, uint64_t resultBytes) {
    std::vector<uint64_t> sizes;
    uint64_t total = 0;
    for (const OpenInput &input : inputs) {
      sizes.push_back(input.bytes.size());
      total += sizes.back();
    }
    TestPool in(total), out(resultBytes);
    uint64_t offset = 0;
    for (const OpenInput &input : inputs) {
      std::memcpy(in.bytes().data() + offset, input.bytes.data(), input.bytes.size());
      offset += input.bytes.size();
    }
    Request request = requestOf(sizes, {resultBytes}, in, out);
    for (size_t i = 0; i < inputs.size(); ++i)
      request.inputs[i].dimensions = inputs[i].dimensions;
    return prepared.execute(request, {});
  }

  void runAtRandomShapes(OpenModel &model) {
    std::shared_ptr<IPreparedModel> prepared = prepare(model.model());
    ASSERT_NE(prepared, nullptr);
    for (uint32_t elements : std::span(kElements).first(kNumElements)) {
      const std::vector<OpenInput> inputs = model.makeInputs(elements);
      SCOPED_TRACE("with inputs of" + shapesOf(inputs));
      const ExecutionOutcome outcome = execute(*prepared, inputs, model.resultBytes());
      if (model.mostElements() > kMostElements) {
        EXPECT_EQ(outcome.status, ErrorStatus::ResourceExhaustedPersistent) << outcome.message;
        continue;
      }
      ASSERT_EQ(outcome.status, ErrorStatus::None) << outcome.message;
      ASSERT_EQ(outcome.outputShapes.size(), 1u);
      EXPECT_EQ(outcome.outputShapes[0].dimensions, model.result());
      highestRank_ = std::max(highestRank_, model.result().size());
    }
  }

  size_t highestRank_ = 0; ///< of a result
};

TEST_P(OpenModelTest, SupportedModelsRunAtRandomShapes) {
  const uint32_t count = numberFrom("AVOCET_OPEN_MODELS", kUsualModels),
                 first = numberFrom("AVOCET_OPEN_SEED", kFirstSeed);
  uint32_t total = 0, supported = 0, refused = 0;
  std::set<std::string> run;
  for (uint32_t seed = first + GetParam(); seed < first + count && !HasFailure(); seed += kParts) {
    ++total;
    OpenModel model(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + model.description());
    auto answer = device_->getSupportedOperations(model.model());
    ASSERT_TRUE(answer.isOk()) << answer.error().message;
    if (std::ranges::all_of(answer->supported, [](bool yes) { return yes; })) {
      ++supported;
      runAtRandomShapes(model);
      run.insert(model.features().begin(), model.features().end());
      continue;
    }
    ++refused;
    if (!model.features().contains("constantIf")) // the branch that is not taken is not compiled
      EXPECT_FALSE(device_->prepareModel(model.model(), {}).isOk());
    for (size_t i = 0; i < answer->supported.size(); ++i)
      EXPECT_EQ(answer->reasons[i].rule.empty(), answer->supported[i]) << "operation " << i;
  }
  // Both answers must be frequent, and every kind of model must have run, if there are enough models.
  if (count >= kModels && first == kFirstSeed) {
    EXPECT_GE(supported, total / 5);
    EXPECT_GE(refused, total / 10);
    EXPECT_THAT(run, IsSupersetOf({"float32", "unsigned", "signed", "unranked", "if", "while"}));
    EXPECT_GT(highestRank_, 4u);
  }
}

INSTANTIATE_TEST_SUITE_P(Part, OpenModelTest, ::testing::Range(0u, kParts));

} // namespace
} // namespace avocet::hal

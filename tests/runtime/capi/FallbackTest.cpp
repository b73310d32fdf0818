//===- FallbackTest.cpp - Operators on the host ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomNetwork.h"
#include "Fixture.h"

#include "avocet/avocet.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <vector>

namespace avocet::capi::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// e256s refuses the second operator, for its memory; its result is the next value of the state.
constexpr std::string_view kDivided = R"(module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x1x1x65536xf32> {nn.name = "x"}, %s: tensor<1x1x1x65536xf32> {nn.initial_state = dense<1.0> : tensor<1x1x1x65536xf32>, nn.name = "total"}) -> (tensor<1x1x1x65536xf32> {nn.name = "y"}, tensor<1x1x1x65536xf32> {nn.name = "total"}) {
    %0 = nn.add %x, %s : (tensor<1x1x1x65536xf32>, tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
    %1 = nn.local_response_normalize %0 radius 2 bias 1.0 alpha 1.0 beta 0.5 axis 3 : (tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
    %2 = nn.add %1, %x : (tensor<1x1x1x65536xf32>, tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
    return %2, %1 : tensor<1x1x1x65536xf32>, tensor<1x1x1x65536xf32>
  }
})";

using Compute = std::function<AvocetCode(AvocetCall *call)>;

AvocetCode callCompute(void *user, AvocetCall *call) { return (*static_cast<const Compute *>(user))(call); }

AvocetTensor *tensorOf(AvocetCall *call, AvocetRole role, size_t index) {
  AvocetTensor *tensor = nullptr;
  EXPECT_DONE(avocetCallTensor(call, role, index, &tensor));
  return tensor;
}

float *floatsOf(const AvocetTensor *tensor) { return static_cast<float *>(avocetTensorData(tensor)); }

/// y = f(x, first element of the second input, or what the attribute says).
AvocetCode mapFloats(AvocetCall *call, const std::function<float(float)> &map) {
  const float *from = floatsOf(tensorOf(call, AVOCET_INPUT, 0));
  std::transform(from, from + 4, floatsOf(tensorOf(call, AVOCET_OUTPUT, 0)), map);
  return AVOCET_OK;
}

AvocetCode halve(AvocetCall *call) {
  size_t size = 0;
  const auto *attributes = static_cast<const uint8_t *>(avocetCallAttributes(call, &size));
  EXPECT_EQ(size, 1u);
  return mapFloats(call, [&](float value) { return value / *attributes; });
}

AvocetCode scale(AvocetCall *call) {
  const float factor = *floatsOf(tensorOf(call, AVOCET_INPUT, 1));
  return mapFloats(call, [&](float value) { return value * factor; });
}

class FallbackTest : public CapiTest {
protected:
  void SetUp() override {
    CapiTest::SetUp();
    set("fallback", "cpu");
  }

  void setOperator(const char *name, Compute &compute) {
    EXPECT_DONE(avocetOptionsSetOperator(options_, name, callCompute, &compute));
  }
  Owned<AvocetModel> custom() {
    setOperator("Halve", halve_);
    setOperator("Scale", scale_);
    return compile(inMemory(file_, "custom.tflite").get());
  }
  static void fill(const AvocetRun *run) {
    const std::array<float, 4> values = {1, 2, 3, -4};
    std::memcpy(avocetTensorData(tensor(run, AVOCET_INPUT)), values.data(), sizeof(values));
  }
  static std::vector<float> result(const AvocetRun *run, size_t index) {
    const AvocetTensor *of = tensor(run, AVOCET_OUTPUT, index);
    const size_t count = avocetTensorBytes(of) / sizeof(float);
    return {floatsOf(of), floatsOf(of) + count};
  }
  Outcome compiled() {
    AvocetModel *model = nullptr;
    const auto network = inMemory(file_, "custom.tflite");
    Outcome outcome(avocetNetworkCompile(network.get(), options_, &model));
    EXPECT_EQ(model, nullptr);
    return outcome;
  }
  /// What an execution with this operator ends with.
  Outcome executedWith(Compute compute) {
    halve_ = std::move(compute);
    const auto model = custom();
    const auto run = runOf(model.get());
    fill(run.get());
    return Outcome(avocetRunExecute(run.get()));
  }

  const std::string file_ = CustomNetwork::file();
  Compute halve_ = halve, scale_ = scale;
};

/// All outputs and states of three runs.
std::string resultsOf(AvocetRun *run) {
  std::string results;
  for (int i = 0; i < 3; ++i) {
    AvocetTensor *x = nullptr;
    EXPECT_DONE(avocetRunTensor(run, AVOCET_INPUT, 0, &x));
    for (size_t j = 0; j < 65536; ++j)
      floatsOf(x)[j] = static_cast<float>(int(j % 17) - 8 + i);
    EXPECT_DONE(avocetRunExecute(run));
    for (const AvocetRole role : {AVOCET_OUTPUT, AVOCET_STATE}) {
      AvocetTensor *of = nullptr;
      EXPECT_DONE(avocetRunTensor(run, role, 0, &of));
      results.append(static_cast<const char *>(avocetTensorData(of)), avocetTensorBytes(of));
    }
  }
  return results;
}

TEST_F(FallbackTest, GivesTheResultsOfTheWholeNetwork) {
  const auto network = inMemory(kDivided);
  set("target", "p4096");
  const auto whole = runOf(compile(network.get()).get());
  const std::string expected = resultsOf(whole.get());
  set("target", "e256s");
  const auto divided = runOf(compile(network.get()).get());
  EXPECT_EQ(resultsOf(divided.get()), expected);
  EXPECT_DONE(avocetRunReset(divided.get()));
  EXPECT_EQ(resultsOf(divided.get()), expected) << "states have their initial values again";
  EXPECT_GT(avocetRunCycles(divided.get()), 0u);
}

TEST_F(FallbackTest, NamesTheOperatorsOfTheHost) {
  set("target", "e256s");
  set("profile", "true");
  const auto run = runOf(compile(inMemory(kDivided).get()).get());
  EXPECT_DONE(avocetRunExecute(run.get()));
  AvocetReport *report = nullptr;
  EXPECT_DONE(avocetRunReport(run.get(), &report));
  const std::string text = textOf(report);
  EXPECT_THAT(text, HasSubstr("\"operation\": \"LOCAL_RESPONSE_NORMALIZE\""));
  EXPECT_THAT(text, HasSubstr("\"place\": \"cpu\""));
  EXPECT_THAT(text, HasSubstr("bytes of on-chip memory for the smallest tile"));
}

TEST_F(FallbackTest, IsOffByDefault) {
  set("fallback", "none");
  setOperator("Halve", halve_);
  setOperator("Scale", scale_);
  AvocetModel *model = nullptr;
  const auto network = inMemory(file_, "custom.tflite");
  AvocetError *error = avocetNetworkCompile(network.get(), options_, &model);
  EXPECT_EQ(avocetErrorCode(error), AVOCET_UNSUPPORTED);
  ASSERT_EQ(avocetErrorReasonCount(error), 2u);
  EXPECT_THAT(avocetErrorReason(error, 0, AVOCET_REASON_ADVICE), HasSubstr("option fallback"));
  avocetErrorDestroy(error);
}

TEST_F(FallbackTest, ApplicationComputesCustomOperators) {
  const auto model = custom();
  const auto run = runOf(model.get());
  fill(run.get());
  EXPECT_DONE(avocetRunExecute(run.get()));
  EXPECT_THAT(result(run.get(), 0), ElementsAre(4.5f, 18.0f, 40.5f, 72.0f));
  EXPECT_THAT(result(run.get(), 1), ElementsAre(0.5f, 2.0f, 4.5f, 8.0f));
  EXPECT_THAT(result(run.get(), 2), ElementsAre(1.0f, 2.0f, 3.0f, -4.0f)) << "an input that is an output";
  EXPECT_THAT(result(run.get(), 3), ElementsAre(3.0f)) << "a constant that is an output";
  AvocetReport *report = nullptr;
  EXPECT_DONE(avocetRunReport(run.get(), &report));
  EXPECT_THAT(textOf(report),
              HasSubstr("\"operation\": \"CUSTOM(Halve)\",\n      \"name\": \"half\",\n      \"place\": "
                        "\"call-back\",\n      \"number\": 1"));
}

TEST_F(FallbackTest, OperatorWithoutCallBackIsRefusedByName) {
  setOperator("Halve", halve_);
  const Outcome refused = compiled();
  EXPECT_EQ(refused.code, AVOCET_UNSUPPORTED);
  EXPECT_THAT(refused.message, HasSubstr("operator 3 CUSTOM(Scale)"));
  EXPECT_THAT(refused.message, HasSubstr("register a call-back for 'Scale'"));
  EXPECT_DONE(avocetOptionsSetOperator(options_, "Halve", nullptr, nullptr));
  EXPECT_THAT(compiled().message, HasSubstr("operator 1 CUSTOM(Halve)")) << "the call-back was taken away";
}

TEST_F(FallbackTest, CallGivesNamesTypesAndShapes) {
  const Outcome outcome = executedWith([](AvocetCall *call) {
    EXPECT_STREQ(avocetCallName(call), "Halve");
    EXPECT_EQ(avocetCallTensorCount(call, AVOCET_INPUT), 1u);
    EXPECT_EQ(avocetCallTensorCount(call, AVOCET_OUTPUT), 1u);
    EXPECT_EQ(avocetCallTensorCount(call, AVOCET_STATE), 0u);
    const AvocetTensor *input = tensorOf(call, AVOCET_INPUT, 0);
    EXPECT_STREQ(avocetTensorName(input), "square");
    EXPECT_EQ(avocetTensorType(input), AVOCET_FLOAT32);
    EXPECT_EQ(avocetTensorShape(input)[0], 4);
    EXPECT_EQ(avocetTensorBytes(input), 16u);
    AvocetTensor *none = nullptr;
    EXPECT_EQ(Outcome(avocetCallTensor(call, AVOCET_INPUT, 1, &none)).code, AVOCET_INVALID_ARGUMENT);
    EXPECT_EQ(Outcome(avocetTensorBind(tensorOf(call, AVOCET_INPUT, 0), nullptr, 0)).code, AVOCET_INVALID_ARGUMENT);
    return halve(call);
  });
  EXPECT_EQ(outcome.code, AVOCET_OK) << outcome.message;
}

TEST_F(FallbackTest, FailedCallBackEndsTheRun) {
  const Outcome outcome = executedWith([](AvocetCall *call) {
    avocetCallSetMessage(call, "no negative numbers");
    return AvocetCode{AVOCET_INVALID_ARGUMENT};
  });
  EXPECT_EQ(outcome.code, AVOCET_INVALID_ARGUMENT);
  EXPECT_EQ(outcome.message, "operator 1 CUSTOM(Halve): no negative numbers");
  const Outcome unknown = executedWith([](AvocetCall *) { return AvocetCode{77}; });
  EXPECT_EQ(unknown.code, AVOCET_INTERNAL);
  EXPECT_THAT(unknown.message, HasSubstr("failed with code 77"));
}

TEST_F(FallbackTest, WritingBeyondAnOutputIsAnError) {
  const Outcome outcome = executedWith([](AvocetCall *call) {
    floatsOf(tensorOf(call, AVOCET_OUTPUT, 0))[4] = 1;
    return halve(call);
  });
  EXPECT_EQ(outcome.code, AVOCET_INTERNAL);
  EXPECT_THAT(outcome.message, HasSubstr("wrote beyond the end of 'half', which has 16 bytes"));
}

TEST_F(FallbackTest, CancelledRunStartsNoFurtherStep) {
  AvocetRun *executing = nullptr;
  bool isScaled = false;
  halve_ = [&](AvocetCall *call) {
    EXPECT_DONE(avocetRunCancel(executing));
    return halve(call);
  };
  scale_ = [&](AvocetCall *call) {
    isScaled = true;
    return scale(call);
  };
  const auto model = custom();
  const auto run = runOf(model.get());
  executing = run.get();
  EXPECT_EQ(Outcome(avocetRunExecute(run.get())).code, AVOCET_ABORTED);
  EXPECT_FALSE(isScaled);
}

TEST_F(FallbackTest, HandlesOfACallEndWithIt) {
  AvocetCall *kept = nullptr;
  AvocetTensor *tensor = nullptr;
  const Outcome outcome = executedWith([&](AvocetCall *call) {
    kept = call;
    tensor = tensorOf(call, AVOCET_OUTPUT, 0);
    return halve(call);
  });
  EXPECT_EQ(outcome.code, AVOCET_OK) << outcome.message;
  EXPECT_EQ(avocetTensorData(tensor), nullptr);
  EXPECT_EQ(avocetCallTensorCount(kept, AVOCET_INPUT), 0u);
  EXPECT_STREQ(avocetCallName(kept), "");
  EXPECT_EQ(avocetCallAttributes(kept, nullptr), nullptr);
}

TEST_F(FallbackTest, MemoryOfTheCallerReachesTheCallBack) {
  alignas(16) std::array<float, 4> x = {1, 2, 3, -4}, y = {}, half = {};
  const void *written = nullptr;
  halve_ = [&](AvocetCall *call) {
    written = avocetTensorData(tensorOf(call, AVOCET_OUTPUT, 0));
    return halve(call);
  };
  const auto model = custom();
  const auto run = runOf(model.get());
  EXPECT_DONE(avocetTensorBind(tensor(run.get(), AVOCET_INPUT, 0), x.data(), sizeof(x)));
  EXPECT_DONE(avocetTensorBind(tensor(run.get(), AVOCET_OUTPUT, 0), y.data(), sizeof(y)));
  EXPECT_DONE(avocetTensorBind(tensor(run.get(), AVOCET_OUTPUT, 1), half.data(), sizeof(half)));
  EXPECT_DONE(avocetRunExecute(run.get()));
  EXPECT_THAT(y, ElementsAre(4.5f, 18.0f, 40.5f, 72.0f));
  EXPECT_EQ(written, half.data());
  EXPECT_EQ(avocetRunCopiedBytes(run.get()), 0u);
  EXPECT_DONE(avocetTensorBind(tensor(run.get(), AVOCET_OUTPUT, 1), nullptr, 0));
  half.fill(0);
  EXPECT_DONE(avocetRunExecute(run.get()));
  EXPECT_THAT(half, ElementsAre(0, 0, 0, 0)) << "the memory is no longer bound";
  EXPECT_THAT(result(run.get(), 1), ElementsAre(0.5f, 2.0f, 4.5f, 8.0f));
}

TEST_F(FallbackTest, RefusesWhatNeedsAWholeNetwork) {
  const auto model = custom();
  EXPECT_EQ(Outcome(avocetModelSave(model.get(), folder().c_str())).code, AVOCET_UNSUPPORTED);
  AvocetRun *run = nullptr;
  EXPECT_EQ(Outcome(avocetRunCreate(model.get(), device("cpu").get(), options_, &run)).code, AVOCET_UNSUPPORTED);
  const auto here = runOf(model.get());
  fill(here.get());
  EXPECT_DONE(avocetRunExecute(here.get()));
  AvocetReport *report = nullptr;
  EXPECT_EQ(Outcome(avocetRunTrace(here.get(), &report)).code, AVOCET_UNSUPPORTED);
}

TEST_F(FallbackTest, RunsOfOneModelExecuteTogether) {
  const auto model = custom();
  const auto first = runOf(model.get()), second = runOf(model.get());
  for (int i = 0; i < 20; ++i) {
    for (const auto *run : {&first, &second}) {
      fill(run->get());
      EXPECT_DONE(avocetRunStart(run->get(), nullptr, nullptr));
    }
    for (const auto *run : {&first, &second}) {
      EXPECT_DONE(avocetRunWait(run->get(), -1));
      EXPECT_THAT(result(run->get(), 0), ElementsAre(4.5f, 18.0f, 40.5f, 72.0f));
    }
  }
}

TEST(FallbackWrapperTest, FunctionComputesAnOperator) {
  const std::string file = CustomNetwork::file();
  api::Options options;
  options.set("fallback", "cpu");
  options.setOperator("Halve", [](const api::Call &call) {
    const auto factor = static_cast<float>(call.attributes().at(0));
    const auto *from = call.input(0).data<float>();
    std::transform(from, from + 4, call.output(0).data<float>(), [&](float value) { return value / factor; });
  });
  options.setOperator("Scale", [](const api::Call &call) { throw std::runtime_error("no " + call.name()); });
  const api::Model model = api::Network(file.data(), file.size(), "custom.tflite").compile(&options);
  api::Run run(model);
  try {
    run.execute();
    FAIL() << "no exception";
  } catch (const api::Error &error) {
    EXPECT_EQ(error.code(), AVOCET_INTERNAL);
    EXPECT_STREQ(error.what(), "operator 3 CUSTOM(Scale): no Scale");
  }
}

} // namespace
} // namespace avocet::capi::test

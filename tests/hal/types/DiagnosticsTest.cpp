//===- DiagnosticsTest.cpp - Graph dumps, verbose messages, traces --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "Mutations.h"
#include "avocet/base/Log.h"
#include "avocet/hal/types/Compatibility.h"
#include "avocet/hal/types/GraphDump.h"
#include "avocet/hal/types/Tracing.h"
#include "avocet/hal/types/VerboseLog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace avocet::hal::test {
namespace {

using testing::HasSubstr;

TEST(GraphDump, ShowsOperandsOperationsAndPositions) {
  EXPECT_EQ(graphDump("add", baseModels()[0].model), R"(digraph "add" {
  subgraph cluster_main {
    label="main"
    main_d0 [shape=box style=bold label="0: TENSOR_FLOAT32 [2,3]\nSUBGRAPH_INPUT"]
    main_d1 [shape=box style=bold label="1: TENSOR_FLOAT32 [3]\nSUBGRAPH_INPUT"]
    main_d2 [shape=box label="2: TENSOR_FLOAT32 [2,3]\nTEMPORARY_VARIABLE"]
    main_d3 [shape=box style=bold label="3: TENSOR_FLOAT32 [2,3]\nSUBGRAPH_OUTPUT"]
    main_d4 [shape=box style=filled label="4: INT32\nCONSTANT_COPY = 0"]
    main_n0 [label="0: ADD"]
    main_d0 -> main_n0 [label="0"]
    main_d1 -> main_n0 [label="1"]
    main_d4 -> main_n0 [label="2"]
    main_n0 -> main_d2 [label="0"]
    main_n1 [label="1: RELU"]
    main_d2 -> main_n1 [label="0"]
    main_n1 -> main_d3 [label="0"]
  }
}
)");
}

TEST(GraphDump, FramesSubgraphsAndQuotesNames) {
  std::string text = graphDump("a \"b\" \\ c", baseModels()[7].model);
  EXPECT_THAT(text, HasSubstr(R"(digraph "a \"b\" \\ c" {)"));
  EXPECT_THAT(text, HasSubstr("subgraph cluster_subgraph1"));
  EXPECT_THAT(text, HasSubstr("SUBGRAPH 1"));
  EXPECT_THAT(text, HasSubstr("subgraph1_n0 [label=\"0: RELU6\"]"));
}

TEST(GraphDump, ShowsFirstValuesOfConstants) {
  Model model;
  GraphBuilder graph(model, model.main);
  graph.constant(tensor(OperandType::TensorInt32, {3}));
  const uint32_t many = graph.constant(tensor(OperandType::TensorQuant8AsymmSigned, {9}, 1));
  model.operandValues[4] = 7;
  model.operandValues[model.main.operands[many].location.offset + 7] = 0xFF;
  const std::string text = graphDump("constants", model);
  EXPECT_THAT(text, HasSubstr("CONSTANT_COPY = [0,7,0]\""));
  EXPECT_THAT(text, HasSubstr("CONSTANT_COPY = [0,0,0,0,0,0,0,-1,...]\""));
  EXPECT_THAT(graphDump("conv", baseModels()[1].model), HasSubstr("CONSTANT_REFERENCE pool 0 at 128\""));
}

/// Dumps serve to find errors in models, so an invalid model must not stop them.
TEST(GraphDump, DumpsEveryInvalidModel) {
  for (const NamedModel &base : baseModels())
    for (const Mutation &mutation : mutationsOf(base.model)) {
      Model model = base.model;
      mutation.apply(model);
      EXPECT_THAT(graphDump(base.name, model), HasSubstr("digraph")) << mutation.family;
    }
  Model model = baseModels()[0].model;
  model.main.operations[0].inputs[0] = 77;
  EXPECT_THAT(graphDump("x", model), HasSubstr("\"operand 77?\" -> main_n0"));
}

TEST(VerboseLog, ReadsListsOfTags) {
  auto bit = [](VerboseTag tag) { return 1U << static_cast<uint32_t>(tag); };
  EXPECT_EQ(parseVerboseTags(""), 0U);
  EXPECT_EQ(parseVerboseTags("1"), kAllVerboseTags);
  EXPECT_EQ(parseVerboseTags("all"), kAllVerboseTags);
  EXPECT_EQ(parseVerboseTags("driver"), bit(VerboseTag::Driver));
  EXPECT_EQ(parseVerboseTags("model compilation,execution:cpuexe  manager,:memory "),
            kAllVerboseTags & ~bit(VerboseTag::Driver));
  std::string unknown;
  EXPECT_EQ(parseVerboseTags("memory Driver 2", &unknown), bit(VerboseTag::Memory));
  EXPECT_EQ(unknown, "Driver 2");
}

/// Android's programs set the bits themselves.
TEST(VerboseLog, TagsHaveAndroidsBits) {
  VerboseTags bit = 1;
  for (const char *tag : {"model", "compilation", "execution", "cpuexe", "manager", "driver", "memory"}) {
    EXPECT_EQ(parseVerboseTags(tag), bit) << tag;
    bit <<= 1;
  }
  EXPECT_EQ(kAllVerboseTags, bit - 1);
}

TEST(VerboseLog, WritesOnlyTagsThatAreOn) {
  setVerboseTags(parseVerboseTags("driver"));
  testing::internal::CaptureStderr();
  verbose(VerboseTag::Driver, "model of {} operations", 3);
  verbose(VerboseTag::Model, "not shown");
  std::string text = testing::internal::GetCapturedStderr();
  setVerboseTags(0);
  EXPECT_THAT(text, HasSubstr("driver: model of 3 operations\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("not shown")));
}

TEST(ConversionLog, WarnsOfLosses) {
  Model model = baseModels()[0].model;
  model.relaxComputationFloat32toFloat16 = true;
  setLogLevel(LogLevel::Warning);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(convertTo(model, Version::V1_0).isOk());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("hal: model converted to an older version, which drops: relaxed float"));
}

TEST(ConversionLog, QuestionsDoNotWarn) {
  Model model = baseModels()[0].model;
  model.relaxComputationFloat32toFloat16 = true;
  setLogLevel(LogLevel::Warning);
  testing::internal::CaptureStderr();
  EXPECT_EQ(answerFor(model, Version::V1_0).text, "yes, without relaxed float");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ConversionLog, TagModelNamesLosses) {
  Model model = baseModels()[0].model;
  model.relaxComputationFloat32toFloat16 = true;
  setVerboseTags(parseVerboseTags("model"));
  testing::internal::CaptureStderr();
  EXPECT_TRUE(convertTo(model, Version::V1_0).isOk());
  EXPECT_EQ(convertTo(ErrorStatus::MissedDeadlineTransient, Version::V1_2).value, ErrorStatus::GeneralFailure);
  setVerboseTags(0);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("model: model converted to an older version, which drops: relaxed float\n"));
  EXPECT_THAT(text,
              HasSubstr("model: error code converted to an older version, which drops: MISSED_DEADLINE_TRANSIENT"));
}

TEST(HalTracing, NamesContainLayerAndPhase) {
  EXPECT_EQ(traceName(TraceLayer::Driver, TracePhase::Compilation, "prepareModel"), "[NN_LD_PC]prepareModel");
  EXPECT_EQ(traceName(TraceLayer::Cpu, TracePhase::Computation, "conv", TraceKind::Switch), "[SW][NN_LC_PCO]conv");
  EXPECT_EQ(traceName(TraceLayer::Runtime, TracePhase::InputsAndOutputs, "x", TraceKind::Subtract),
            "[SUB][NN_LR_PIO]x");
  EXPECT_EQ(traceName(TraceLayer::Utility, TracePhase::Results, ""), "[NN_LU_PR]");
}

/// The words that Android's parser of traces knows.
TEST(HalTracing, LayersAndPhasesHaveAndroidsLetters) {
  using enum TraceLayer;
  using enum TracePhase;
  const std::pair<TraceLayer, const char *> layers[] = {
      {Application, "LA"}, {Runtime, "LR"}, {Ipc, "LI"}, {Driver, "LD"}, {Cpu, "LC"}, {Other, "LO"}, {Utility, "LU"}};
  for (auto [layer, letters] : layers)
    EXPECT_EQ(traceName(layer, Overall, ""), std::string("[NN_") + letters + "_PO]");
  const std::pair<TracePhase, const char *> phases[] = {
      {Overall, "PO"},     {WarmUp, "PWU"},           {Benchmark, "PBM"},      {Initialization, "PI"},
      {Preparation, "PP"}, {Compilation, "PC"},       {Execution, "PE"},       {Termination, "PT"},
      {Unspecified, "PU"}, {InputsAndOutputs, "PIO"}, {Transformation, "PTR"}, {Computation, "PCO"},
      {Results, "PR"}};
  for (auto [phase, letters] : phases)
    EXPECT_EQ(traceName(Driver, phase, "x"), std::string("[NN_LD_") + letters + "]x");
}

TEST(HalTracing, SpansGoToTheActiveTrace) {
  Trace trace;
  Trace::activate(&trace);
  {
    HalSpan span(TraceLayer::Driver, TracePhase::Execution, "execute");
  }
  Trace::activate(nullptr);
  {
    HalSpan span(TraceLayer::Driver, TracePhase::Execution, "later");
  }
  EXPECT_EQ(trace.size(), 1U);
  EXPECT_THAT(trace.toJson(), HasSubstr("[NN_LD_PE]execute"));
}

} // namespace
} // namespace avocet::hal::test

//===- VerifyTest.cpp - Every rule of the model cache -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallModel.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/cache/ModelCacheWriter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

using namespace avocet;
using namespace avocet::cache;
using firmware::Command;
using firmware::DataType;
using firmware::EngineKind;
using testing::HasSubstr;

namespace {

/// One way to break a good model, and the expected error of the reader.
struct Breakage {
  const char *name;
  std::function<void(ModelDescription &)> apply;
  std::string message;
};

void PrintTo(const Breakage &breakage, std::ostream *os) { *os << breakage.name; }

/// Inserts a command before the others of stream `stream`.
void prepend(ModelDescription &model, size_t stream, Command command) {
  std::vector<uint32_t> words;
  encode(command, words);
  std::vector<uint32_t> &all = model.streams[stream].words;
  all.insert(all.begin(), words.begin(), words.end());
}

firmware::DmaCommand dma(firmware::DmaEnd source, firmware::DmaEnd destination, uint32_t bytes) {
  firmware::DmaCommand command;
  command.source = source;
  command.destination = destination;
  command.runBytes = bytes;
  return command;
}

constexpr uint32_t kSram = firmware::kSramRegion;
constexpr size_t kMac = 0, kDma = 1;
constexpr auto kNoType = static_cast<DataType>(firmware::kNumDataTypes);
const std::string kTypeIsUnknown = "type is " + std::to_string(firmware::kNumDataTypes);

const Breakage kOperands[] = {
    {"UnknownType", [](auto &m) { m.inputs[0].type = kNoType; }, "inputs[0]." + kTypeIsUnknown},
    {"TooManyDimensions", [](auto &m) { m.outputs[0].shape.assign(33, 1); }, "outputs[0].shape has 33 dimensions"},
    {"ZeroDimension", [](auto &m) { m.inputs[0].shape[1] = 0; }, "inputs[0].shape has dimension 0"},
    {"NegativeDimension", [](auto &m) { m.inputs[0].shape[1] = -16; }, "inputs[0].shape has dimension -16"},
    {"OverflowingShape", [](auto &m) { m.inputs[0].shape.assign(4, INT32_MAX); }, "more than 2^64"},
    {"WrongBytes", [](auto &m) { m.outputs[0].bytes = 3; }, "outputs[0].bytes is 3, must be 2 for its type and shape"},
    {"ScaleWithoutZeroPoint", [](auto &m) { m.inputs[0].quantization.zeroPoints.clear(); }, "1 scales and 0 zero"},
    {"AxisOutside", [](auto &m) { m.outputs[0].quantization.axis = 2; }, "axis is 2"},
    {"AxisMissing", [](auto &m) { m.outputs[0].quantization.axis = -1; }, "axis is -1"},
    {"ScalesForAnotherAxis", [](auto &m) { m.outputs[0].quantization.axis = 0; },
     "has 2 scales, must have 1 or as many as dimension 0 has elements, 1"},
    {"ZeroScale", [](auto &m) { m.inputs[0].quantization.scales[0] = 0; }, "has scale 0"},
    {"NanScale", [](auto &m) { m.inputs[0].quantization.scales[0] = std::numeric_limits<float>::quiet_NaN(); }, "nan"},
    {"InfiniteScale", [](auto &m) { m.inputs[0].quantization.scales[0] = HUGE_VALF; }, "has scale inf"},
    {"ZeroPointOutside", [](auto &m) { m.inputs[0].quantization.zeroPoints[0] = 128; }, "has zero point 128"},
    {"QuantizedFloat",
     [](auto &m) {
       m.inputs[0].type = DataType::Float32;
       m.inputs[0].bytes = 64;
     },
     "values of type f32 are not quantized"},
};

/// A state and its output, which no command uses.
void addState(ModelDescription &model) {
  const Operand state{"counter", DataType::Int8, {4}, 4, {}};
  model.inputs.push_back(state);
  model.inputs.back().isState = true;
  model.inputs.back().initial = {1, 2, 3, 4};
  model.outputs.push_back(state);
  model.regions.push_back({RegionKind::Input, 1, 4});
  model.regions.push_back({RegionKind::Output, 1, 4});
}

/// Breaks a model with a state.
template <typename Function> std::function<void(ModelDescription &)> withState(Function apply) {
  return [apply](ModelDescription &model) {
    addState(model);
    apply(model);
  };
}

const Breakage kStates[] = {
    {"InitialTooShort", withState([](auto &m) { m.inputs[1].initial.pop_back(); }),
     "inputs[1].initial has 3 bytes, must have 4"},
    {"OtherName", withState([](auto &m) { m.outputs[1].name = "other"; }),
     "inputs[1] is a state, but its output 'other'"},
    {"OtherShape", withState([](auto &m) { m.outputs[1].shape = {2, 2}; }), "has another name, type, shape"},
    {"OtherType", withState([](auto &m) { m.outputs[1].type = DataType::UInt8; }), "has another name, type, shape"},
    {"OtherScale", withState([](auto &m) { m.outputs[1].quantization = {{1.0f}, {0}, -1}; }), "or quantization"},
    {"BeforeAnInput", withState([](auto &m) { std::swap(m.inputs[0], m.inputs[1]); }),
     "inputs[0] must not be a state: states are the last inputs"},
    {"InitialOfAnInput", [](auto &m) { m.inputs[0].initial.assign(16, 0); }, "inputs[0] must not be a state"},
    {"OutputWithInitial", withState([](auto &m) { m.outputs[1].initial.assign(4, 0); }), "outputs[1] must not be a"},
    {"MoreStatesThanOutputs",
     [](auto &m) {
       m.inputs[0].isState = true;
       m.outputs.clear();
     },
     "inputs has 1 states, must have at most 0"},
};

const Breakage kRegions[] = {
    {"UnknownKind", [](auto &m) { m.regions[3].kind = static_cast<RegionKind>(4); }, "regions[3].kind is 4"},
    {"IndexOfNoInput", [](auto &m) { m.regions[0].index = 1; }, "regions[0].index is 1, must be below 1"},
    {"SecondScratch", [](auto &m) { m.regions[3].index = 1; }, "regions[3].index is 1, must be below 1"},
    {"WrongInputBytes", [](auto &m) { m.regions[0].bytes = 17; }, "regions[0].bytes is 17, must be 16"},
    {"WrongConstantBytes", [](auto &m) { m.dataBytes = 55; }, "regions[2].bytes is 56, must be 55"},
    {"Repeated", [](auto &m) { m.regions[3] = m.regions[0]; }, "regions[3] repeats kind Input and index 0"},
    {"OutputMissing", [](auto &m) { m.regions.erase(m.regions.begin() + 1); }, "regions has 1 entries for inputs"},
    {"TooMany", [](auto &m) { m.regions.resize(1025); }, "regions has 1025 entries"},
};

const Breakage kReports[] = {
    {"PlanInNoRegion", [](auto &m) { m.memoryPlan[0].region = 5; }, "memory_plan[0].region is 5, must be at most 4"},
    {"PlanOutsideSram", [](auto &m) { m.memoryPlan[0].bytes = 89; }, "memory_plan[0] has 89 bytes at 0"},
    {"PlanWrapsAround", [](auto &m) { m.memoryPlan[2].address = UINT64_MAX; }, "memory_plan[2] has 32 bytes"},
    {"PlanEndsBeforeItStarts", [](auto &m) { m.memoryPlan[1].lastStep = 1; }, "memory_plan[1].first_step is 2"},
    {"LayerOnNoEngine", [](auto &m) { m.layers[0].engine = static_cast<EngineKind>(3); }, "layers[0].engine_kind is 3"},
    {"SourceOfNoLayer", [](auto &m) { m.sourceMap[0].layer = 1; }, "source_map[0].layer is 1"},
};

/// A change of the small model with a source map.
template <typename Change> auto withSources(Change change) {
  return [change](ModelDescription &model) {
    model = smallMappedModel();
    change(model);
  };
}

const Breakage kSources[] = {
    {"CommandsWithoutSource", withSources([](auto &m) { m.streams[0].sources.pop_back(); }),
     "streams[0]: sources has 3 entries, the stream has 4 commands"},
    {"SourcesWithoutCommand", withSources([](auto &m) { m.streams[1].sources.push_back({}); }),
     "streams[1]: sources has 7 entries, the stream has 6 commands"},
    {"CommandOfNoOperation", withSources([](auto &m) { m.streams[0].sources[1].operation = 1; }),
     "sources[1].operation is 1, must be below 1"},
    {"CommandOutsideItsResult", withSources([](auto &m) { m.streams[0].sources[1].channel = 2; }),
     "sources[1] begins at 0, 0, 2, its operation's result has 1 x 1 x 2"},
    {"PlaceWithoutOperation", withSources([](auto &m) { m.streams[1].sources[0].row = 1; }),
     "sources[0] has a place in a result, but no operation"},
    {"BufferOfNoOperation", withSources([](auto &m) { m.memoryPlan[0].operation = 1; }),
     "memory_plan[0].operation is 1, must be below 1"},
    {"OperationOfNoLayer", withSources([](auto &m) { m.sourceOperations[0].layer = 1; }),
     "source_operations[0].layer is 1, must be below 1"},
    {"OperationOfNoType", withSources([](auto &m) { m.sourceOperations[0].type = kNoType; }),
     "source_operations[0]." + kTypeIsUnknown},
    {"OperationWithoutElements", withSources([](auto &m) { m.sourceOperations[0].width = 0; }),
     "source_operations[0] has 1 x 0 x 2 elements"},
    {"OperationOfTooManyElements", withSources([](auto &m) { m.sourceOperations[0].height = UINT32_MAX; }),
     "source_operations[0] has 4294967295 x 1 x 2 elements"},
};

const Breakage kStreams[] = {
    {"UnknownEngine", [](auto &m) { m.streams[0].engine.kind = static_cast<EngineKind>(9); }, "engine_kind is 9"},
    {"SecondMacArray", [](auto &m) { m.streams[0].engine.index = 1; }, "streams[0].engine_index is 1"},
    {"DmaChannelOutside", [](auto &m) { m.streams[1].engine.index = 64; }, "streams[1].engine_index is 64"},
    {"SecondStream", [](auto &m) { m.streams.push_back(m.streams[1]); },
     "streams[2] is a second stream of engine dma0"},
    {"Empty", [](auto &m) { m.streams[0].words.clear(); }, "streams[0]: word 0: stream ends without a command"},
    {"Garbage", [](auto &m) { m.streams[0].words[0] = 0xFFFFFFFF; }, "streams[0]: word 0: command length"},
    {"NoEnd", [](auto &m) { m.streams[0].words.resize(m.streams[0].words.size() - 2); }, "ends without a command"},
    {"AfterTheEnd", [](auto &m) { m.streams[0].words.push_back(0x200); }, "found data after the end command"},
    {"WrongEngine", [](auto &m) { prepend(m, kDma, {0, smallConv()}); }, "word 0: conv: does not run on engine dma0"},
    {"UnknownLayer", [](auto &m) { prepend(m, kDma, {1, firmware::YieldCommand{}}); }, "layer is 1, must be below 1"},
    {"NoSuchRegion", [](auto &m) { prepend(m, kDma, {0, dma({5, 0}, {kSram, 0}, 1)}); },
     "reads region 4, must be below 4"},
    {"OutsideRegion", [](auto &m) { prepend(m, kDma, {0, dma({1, 9}, {kSram, 0}, 8)}); },
     "reads bytes 9 to 17 of region 0"},
    {"OutsideSram", [](auto &m) { prepend(m, kDma, {0, dma({1, 0}, {kSram, 80}, 16)}); }, "writes bytes 80 to 96"},
    {"WritesInput", [](auto &m) { prepend(m, kDma, {0, dma({kSram, 0}, {1, 0}, 1)}); }, "writes to region 0"},
    {"WritesConstants", [](auto &m) { prepend(m, kDma, {0, dma({kSram, 0}, {3, 0}, 1)}); }, "writes to region 2"},
    {"WaitsForEver", [](auto &m) { prepend(m, kMac, {0, firmware::WaitCommand{7, 1}}); },
     "semaphore 7: a wait needs 1 signals"},
    {"WaitsTooLong", [](auto &m) { prepend(m, kMac, {0, firmware::WaitCommand{0, 2}}); },
     "a wait needs 2 signals, the streams signal it 1 times"},
};

/// Inserts a yield before all other commands of the DMA stream.
void yield(ModelDescription &model, uint32_t point, std::vector<firmware::SramRange> live) {
  prepend(model, kDma, {firmware::kNoLayer, firmware::YieldCommand{point, std::move(live)}});
}

const Breakage kYields[] = {
    {"PointZero", [](auto &m) { yield(m, 0, {}); }, "streams[1]: word 0: yield: point is 0, must be above"},
    {"PointRepeated",
     [](auto &m) {
       m = smallYieldingModel();
       yield(m, 1, {});
     },
     "yield: point is 1, must be above 1, the point of the previous yield"},
    {"PointsDescend",
     [](auto &m) {
       yield(m, 1, {});
       yield(m, 2, {});
     },
     "yield: point is 1, must be above 2, the point of the previous yield"},
    {"PointMissing", [](auto &m) { yield(m, 2, {}); }, "section 0 has yield point 2, but no stream has point 1"},
    {"PointMissingInLoop",
     [](auto &m) {
       m = smallLoopModel();
       yield(m, 1, {}); // of section 0
       prepend(m, 3, {firmware::kNoLayer, firmware::YieldCommand{3, {}}});
     },
     "section 1 has yield point 3, but no stream has point 1"},
    {"EmptyRange", [](auto &m) { yield(m, 1, {{8, 0}}); }, "live[0] of point 1 is empty"},
    {"RangesOverlap", [](auto &m) { yield(m, 1, {{0, 16}, {15, 4}}); },
     "live[1] of point 1 begins at 15, must be at least 16, the end of the previous range"},
    {"RangesUnsorted", [](auto &m) { yield(m, 1, {{16, 4}, {0, 4}}); },
     "live[1] of point 1 begins at 0, must be at least 20"},
    {"RangeOutsideSram", [](auto &m) { yield(m, 1, {{0, 4}, {80, 9}}); },
     "live[1] of point 1 ends at 89, must be at most 88, the on-chip memory in use"},
    {"RangeWrapsAround", [](auto &m) { yield(m, 1, {{UINT32_MAX, UINT32_MAX}}); }, "live[0] of point 1 ends at 858"},
};

/// Sets the control program of a model with two sections.
void control(ModelDescription &model, std::vector<firmware::ControlInstruction> program) {
  model = smallLoopModel();
  model.control = firmware::encodeControl(program);
}

using firmware::EndInstruction;
using firmware::JumpIfFalseInstruction;
using firmware::JumpInstruction;
using firmware::RunInstruction;

const Breakage kControls[] = {
    {"SectionWithoutControl", [](auto &m) { m.streams[1].section = 1; }, "streams[1].section is 1, must be below 1"},
    {"SectionAboveCount",
     [](auto &m) {
       m = smallLoopModel();
       m.streams[1].section = 1024;
     },
     "streams[1].section is 1024, must be below 1024"},
    {"SecondStreamInSection",
     [](auto &m) {
       m = smallLoopModel();
       m.streams[0].section = 1;
     },
     "streams[2] is a second stream of engine mac"},
    {"WaitsForAnotherSection",
     [](auto &m) {
       m = smallLoopModel();
       m.streams[2].section = 2;
     },
     "semaphore 1: a wait needs 1 signals, the streams signal it 0 times"},
    {"TooManyStreams", [](auto &m) { m.streams.resize(4097, m.streams[0]); }, "streams has 4097 entries"},
    {"TooManyWords", [](auto &m) { m.streams[0].words.resize((1 << 24) + 1); }, "words, at most 16777216 are allowed"},
    {"ControlGarbage",
     [](auto &m) {
       m = smallLoopModel();
       m.control[0] = 0;
     },
     "control: word 0: instruction length is 0"},
    {"ControlWithoutEnd", [](auto &m) { control(m, {RunInstruction{0}}); }, "control: must close with an end"},
    {"ControlRunsNothing", [](auto &m) { control(m, {RunInstruction{2}, EndInstruction{}}); },
     "control: instruction 0: run: section is 2, must be below 2"},
    {"ControlTurnsForEver", [](auto &m) { control(m, {JumpInstruction{0}, EndInstruction{}}); },
     "must be a loop_check"},
    {"ConditionInNoRegion", [](auto &m) { control(m, {JumpIfFalseInstruction{5, 0, 1}, EndInstruction{}}); },
     "region is 5, must be 1 to 4"},
    {"ConditionInOutput", [](auto &m) { control(m, {JumpIfFalseInstruction{2, 0, 1}, EndInstruction{}}); },
     "control: instruction 0: reads a condition from region 1, an output"},
    {"ConditionOutsideRegion", [](auto &m) { control(m, {JumpIfFalseInstruction{1, 16, 1}, EndInstruction{}}); },
     "control: instruction 0: reads byte 16 of region 0, which has 16 bytes"},
};

class VerifyTest : public testing::TestWithParam<Breakage> {};

TEST_P(VerifyTest, ErrorNamesPlaceAndRule) {
  ModelDescription model = smallModel();
  GetParam().apply(model);
  Result<std::vector<uint8_t>> bytes = writeModelCache(model);
  ASSERT_TRUE(bytes) << bytes.status().toString();
  Status status = ModelCache::adopt(*bytes, "broken.avom").status();
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_THAT(status.message(), HasSubstr("broken.avom: "));
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

TEST(VerifyYieldsTest, AcceptsValidYields) {
  Result<std::vector<uint8_t>> bytes = writeModelCache(smallYieldingModel());
  ASSERT_TRUE(bytes) << bytes.status().toString();
  auto model = ModelCache::adopt(*bytes, "yields.avom");
  EXPECT_TRUE(model) << model.status().toString();
}

std::string nameOf(const testing::TestParamInfo<Breakage> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Operands, VerifyTest, testing::ValuesIn(kOperands), nameOf);
INSTANTIATE_TEST_SUITE_P(States, VerifyTest, testing::ValuesIn(kStates), nameOf);
INSTANTIATE_TEST_SUITE_P(Regions, VerifyTest, testing::ValuesIn(kRegions), nameOf);
INSTANTIATE_TEST_SUITE_P(Reports, VerifyTest, testing::ValuesIn(kReports), nameOf);
INSTANTIATE_TEST_SUITE_P(Sources, VerifyTest, testing::ValuesIn(kSources), nameOf);
INSTANTIATE_TEST_SUITE_P(Streams, VerifyTest, testing::ValuesIn(kStreams), nameOf);
INSTANTIATE_TEST_SUITE_P(Yields, VerifyTest, testing::ValuesIn(kYields), nameOf);
INSTANTIATE_TEST_SUITE_P(Controls, VerifyTest, testing::ValuesIn(kControls), nameOf);

} // namespace

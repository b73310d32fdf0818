//===- MovesTest.cpp - Moves that other operators absorb ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random networks of a few operators whose moves the compiler removes: nothing may be left on the DSP, and the results
// are those of TensorFlow Lite, which moves the elements.
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "Compare.h"
#include "Operators.h"
#include "Oracle.h"
#include "Reference.h"

#include "model/ModelSource.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace avocet::differential {
namespace {

constexpr float kWeightScale = 0.02f;

Element weightElement(const Draft &draft) {
  if (draft.kind() == Kind::F32)
    return Draft::plain(TensorType::FLOAT32);
  if (draft.kind() == Kind::U8)
    return {TensorType::UINT8, {kWeightScale}, {128}};
  return {TensorType::INT8, {kWeightScale}, {0}};
}

/// Weights and a bias.
std::vector<int32_t> layerOperands(Draft &draft, int32_t input, const Shape &weights, int32_t channels) {
  const Element element = draft.model().element(input);
  const Element bias = draft.kind() == Kind::F32 ? Draft::plain(TensorType::FLOAT32)
                                                 : Element{TensorType::INT32, {element.scale() * kWeightScale}, {0}};
  return {input, draft.constant(weights, weightElement(draft), {-1, 1}), draft.constant({channels}, bias, {-900, 900})};
}

Element resultElement(Draft &draft, const Element &input, int32_t terms) {
  return draft.elementWith(input.scale() * kWeightScale * std::sqrt(static_cast<float>(terms)) * 60);
}

int32_t pairs(Draft &draft, const std::vector<double> &values) {
  return draft.model().addConstant({2, 2}, Draft::plain(TensorType::INT32), encode(values, TensorType::INT32));
}

/// One axis of a convolution between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND, as converters write a dilation.
struct Axis {
  int32_t block, input, kernel, before, after, crop, blocked, convolved, output;
};

/// `before` is the padding of a convolution that keeps the extent, or 0. The end is padded to whole blocks, and their
/// results are cropped.
Axis drawAxis(Draft &draft) {
  Axis axis{};
  axis.block = draft.pick(1, 4);
  axis.kernel = draft.pick(1, 2) * 2 - 1;
  axis.input = draft.pick(9, 20);
  const int32_t reach = (axis.kernel - 1) * axis.block, same = draft.oneIn(2) ? reach / 2 : 0;
  axis.before = same;
  axis.crop = (axis.block - (axis.input + 2 * same) % axis.block) % axis.block;
  axis.after = same + axis.crop;
  axis.blocked = (axis.input + axis.before + axis.after) / axis.block;
  axis.convolved = axis.blocked - (axis.kernel - 1);
  axis.output = axis.convolved * axis.block - axis.crop;
  return axis;
}

void drawDilated(Draft &draft, bool isDepthwise, int32_t images = 1) {
  const Axis y = drawAxis(draft), x = drawAxis(draft);
  const int32_t depth = draft.pick(2, 9), channels = isDepthwise ? depth : draft.pick(1, 9);
  const int32_t batches = images * y.block * x.block;
  const Element element = draft.element();
  const int32_t input = draft.input({images, y.input, x.input, depth}, element);
  const int32_t blocked = draft.model().addTensor({batches, y.blocked, x.blocked, depth}, element);
  const std::vector<int64_t> blocks = {y.block, x.block};
  draft.op(BuiltinOperator::SPACE_TO_BATCH_ND,
           {input, draft.integers(blocks),
            pairs(draft, {double(y.before), double(y.after), double(x.before), double(x.after)})},
           {blocked});
  const Shape output = {images, y.output, x.output, channels};
  const Element result = resultElement(draft, element, y.kernel * x.kernel * (isDepthwise ? 1 : depth));
  const int32_t convolved = draft.model().addTensor({batches, y.convolved, x.convolved, channels}, result);
  if (isDepthwise) {
    tflite::DepthwiseConv2DOptionsT options;
    options.padding = tflite::Padding::VALID;
    options.stride_h = options.stride_w = options.depth_multiplier = 1;
    draft.op(BuiltinOperator::DEPTHWISE_CONV_2D,
             layerOperands(draft, blocked, {1, y.kernel, x.kernel, channels}, channels), {convolved}, options);
  } else {
    tflite::Conv2DOptionsT options;
    options.padding = tflite::Padding::VALID;
    options.stride_h = options.stride_w = 1;
    std::vector<int32_t> operands = layerOperands(draft, blocked, {channels, y.kernel, x.kernel, depth}, channels);
    draft.op(BuiltinOperator::CONV_2D, operands, {convolved}, options);
    // The library's optimized kernel rounds halves otherwise than the reference.
    operands[0] = input;
    if (draft.isQuantized())
      draft.model().expect(
          {expectedConv(draft.model(), operands, output, {{y.before, x.before}, {1, 1}, {y.block, x.block}},
                        {element, draft.model().element(operands[1]), result, {}, draft.kind() != Kind::U8})});
  }
  draft.op(BuiltinOperator::BATCH_TO_SPACE_ND,
           {convolved, draft.integers(blocks), pairs(draft, {0, double(y.crop), 0, double(x.crop)})},
           {draft.output(output, result)});
}

void drawDilatedConv(Draft &draft) { drawDilated(draft, false); }
void drawDilatedDepthwise(Draft &draft) { drawDilated(draft, true); }
void drawDilatedImages(Draft &draft) { drawDilated(draft, false, 2); }

/// The channels become the outer axis before the layer, as in networks that were trained in this order.
void drawClassifier(Draft &draft) {
  const int32_t rows = draft.pick(1, 3), height = draft.pick(2, 5), width = draft.pick(2, 5), depth = draft.pick(2, 9);
  const int32_t terms = height * width * depth, channels = draft.pick(1, 9);
  const Element element = draft.element();
  const int32_t input = draft.input({rows, height, width, depth}, element);
  const int32_t moved = draft.model().addTensor({rows, depth, height, width}, element);
  draft.op(BuiltinOperator::TRANSPOSE, {input, draft.integers({0, 3, 1, 2})}, {moved});
  const int32_t flat = draft.model().addTensor({rows, terms}, element);
  draft.op(BuiltinOperator::RESHAPE, {moved, draft.integers({rows, terms})}, {flat});
  draft.op(BuiltinOperator::FULLY_CONNECTED, layerOperands(draft, flat, {channels, terms}, channels),
           {draft.output({rows, channels}, resultElement(draft, element, terms))}, tflite::FullyConnectedOptionsT());
}

struct Pattern {
  const char *name;
  void (*draw)(Draft &draft);
  Kind kind;
};

class MovesTest : public testing::TestWithParam<Pattern> {
protected:
  static constexpr uint64_t kCases = 12;
  static TestModel model(uint64_t seed) {
    Draft draft(GetParam().kind, seed);
    GetParam().draw(draft);
    return draft.model().finish();
  }
};

class ArrayMovesTest : public MovesTest {};

TEST_P(ArrayMovesTest, LeaveNothingOnTheDsp) {
  const std::string path = testing::TempDir() + "moves" + GetParam().name + kindName(GetParam().kind) + ".tflite";
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    const Bytes file = model(seed).file;
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(file.data()), std::ssize(file));
    tool::Progress progress;
    const Result<session::LoadedModel> loaded =
        tool::loadModel({path, "e256", {}}, tool::DiagnosticsFormat::Text, progress);
    std::filesystem::remove(path);
    ASSERT_TRUE(loaded) << loaded.status().toString();
    const cache::ModelCache &artefact = *loaded->artefacts.model;
    for (size_t i = 0; i < artefact.numLayers(); ++i) {
      // The array pads by products with 0, which would not keep infinities of floats. Padding is all that is left of
      // this operator. The DSP crops pixels of few floats faster.
      const std::string_view operation = artefact.layer(i).operation;
      if (GetParam().kind == Kind::F32 && (operation == "SPACE_TO_BATCH_ND" || operation == "COPY"))
        continue;
      EXPECT_NE(artefact.layer(i).engine, firmware::EngineKind::Dsp)
          << artefact.layer(i).operation << ", layer " << i << ", seed " << seed;
    }
  }
}

/// By the reference's formula, or else by the library.
Result<std::vector<Bytes>> expectedOf(const TestModel &model, Oracle &oracle) {
  if (!model.expected.empty())
    return model.expected;
  return oracle.run({model.file, model.inputs, model.shapes});
}

TEST_P(MovesTest, AgreeWithTensorFlowLite) {
  Result<std::string> library = findOracle();
  if (!library && model(0).expected.empty())
    GTEST_SKIP() << library.status().message();
  Oracle oracle(library ? *library : std::string());
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    const TestModel each = model(seed);
    const Result<std::vector<Bytes>> expected = expectedOf(each, oracle);
    ASSERT_TRUE(expected) << expected.status().toString();
    const DeviceResult result = runOnDevice(each);
    ASSERT_TRUE(result.status.isOk()) << result.status.toString() << result.refusal;
    EXPECT_EQ(compare(each.outputs[0], result.outputs[0], expected->front(), {kTolerance, 0}), "") << "seed " << seed;
  }
}

const auto kOnArray = testing::Values(
    Pattern{"DilatedConv", drawDilatedConv, Kind::F32}, Pattern{"DilatedConv", drawDilatedConv, Kind::I8},
    Pattern{"DilatedConv", drawDilatedConv, Kind::U8}, Pattern{"DilatedDepthwise", drawDilatedDepthwise, Kind::F32},
    Pattern{"DilatedDepthwise", drawDilatedDepthwise, Kind::I8},
    Pattern{"DilatedDepthwise", drawDilatedDepthwise, Kind::U8}, Pattern{"Classifier", drawClassifier, Kind::I8},
    Pattern{"Classifier", drawClassifier, Kind::U8});
// The array has no padding between images.
const auto kOnDsp = testing::Values(Pattern{"DilatedImages", drawDilatedImages, Kind::I8});

std::string patternName(const testing::TestParamInfo<Pattern> &info) {
  return std::string(info.param.name) + kindName(info.param.kind);
}

INSTANTIATE_TEST_SUITE_P(Array, MovesTest, kOnArray, patternName);
INSTANTIATE_TEST_SUITE_P(Dsp, MovesTest, kOnDsp, patternName);
INSTANTIATE_TEST_SUITE_P(Array, ArrayMovesTest, kOnArray, patternName);

} // namespace
} // namespace avocet::differential

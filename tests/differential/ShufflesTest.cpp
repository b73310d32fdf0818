//===- ShufflesTest.cpp - Shuffled channels between convolutions ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random networks with shuffles of channels, which convolutions absorb: results are those of the same network whose
// shuffles move the elements, bit for bit.
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "Draft.h"
#include "Targets.h"

#include <gtest/gtest.h>

namespace avocet::differential {
namespace {

constexpr float kScale = 0.05f, kWeightScale = 0.02f;

/// A network of maps of one size and one scale.
class ShuffleDraft : public Draft {
public:
  ShuffleDraft(Kind kind, uint64_t seed) : Draft(kind, seed), map_{1, pick(1, 9), pick(1, 9), 0} {}

  struct Map {
    int32_t tensor, channels;
  };

  Map networkInput(int32_t channels) { return {input(shapeOf(channels), type()), channels}; }

  Map conv(Map from, int32_t channels, int32_t kernel) {
    tflite::Conv2DOptionsT options;
    options.stride_h = options.stride_w = 1;
    options.activation = clamp();
    const Element weights = weightsOf(channels, 0);
    return layer(BuiltinOperator::CONV_2D, from, constant({channels, kernel, kernel, from.channels}, weights, {-1, 1}),
                 channels, weights, options);
  }

  Map depthwise(Map from) {
    tflite::DepthwiseConv2DOptionsT options;
    options.stride_h = options.stride_w = options.depth_multiplier = 1;
    const Element weights = weightsOf(from.channels, 3);
    return layer(BuiltinOperator::DEPTHWISE_CONV_2D, from, constant({1, 3, 3, from.channels}, weights, {-1, 1}),
                 from.channels, weights, options);
  }

  /// Channel i of group g becomes channel i * groups + g.
  Map shuffle(Map from, int32_t groups) {
    const int32_t each = from.channels / groups;
    const Shape divided{map_[1], map_[2], groups, each}, turned{map_[1], map_[2], each, groups};
    const int32_t groupsApart = model().addTensor(divided, type()), inTurns = model().addTensor(turned, type());
    reshape(from.tensor, groupsApart, divided);
    op(BuiltinOperator::TRANSPOSE, {groupsApart, integers({0, 1, 3, 2})}, {inTurns});
    const Map result = add(from.channels);
    reshape(inTurns, result.tensor, shapeOf(from.channels));
    return result;
  }

  Map join(Map first, Map second) {
    tflite::ConcatenationOptionsT options;
    options.axis = 3;
    const Map result = add(first.channels + second.channels);
    op(BuiltinOperator::CONCATENATION, {first.tensor, second.tensor}, {result.tensor}, options);
    return result;
  }

  Map slice(Map from, int32_t begin, int32_t channels) {
    const Map result = add(channels);
    op(BuiltinOperator::SLICE, {from.tensor, integers({0, 0, 0, begin}), integers({1, map_[1], map_[2], channels})},
       {result.tensor});
    return result;
  }

  /// Every network ends with a convolution, so that outputs have few channels.
  TestModel finish(Map last) {
    const int32_t channels = pick(1, 5), result = output(shapeOf(channels), type());
    tflite::Conv2DOptionsT options;
    options.stride_h = options.stride_w = 1;
    const Element weights = weightsOf(channels, 0);
    addLayer(BuiltinOperator::CONV_2D, last, constant({channels, 1, 1, last.channels}, weights, {-1, 1}),
             {result, channels}, weights, options);
    return model().finish();
  }

private:
  Shape shapeOf(int32_t channels) const { return {1, map_[1], map_[2], channels}; }
  Element type() const { return isFloat() ? plain(TensorType::FLOAT32) : Element{typeOf(kind()), {kScale}, {3}}; }
  Map add(int32_t channels) { return {model().addTensor(shapeOf(channels), type()), channels}; }

  /// With a scale for each channel, where the format has them.
  Element weightsOf(int32_t channels, int32_t axis) {
    if (kind() == Kind::F32)
      return plain(TensorType::FLOAT32);
    if (kind() == Kind::U8)
      return {TensorType::UINT8, {kWeightScale}, {128}};
    Element element{TensorType::INT8, {}, {}, axis};
    for (int32_t channel = 0; channel < channels; ++channel) {
      element.scales.push_back(kWeightScale * static_cast<float>(real(0.5, 1.5)));
      element.zeroPoints.push_back(0);
    }
    return element;
  }

  template <typename Options>
  Map layer(BuiltinOperator code, Map from, int32_t filter, int32_t channels, const Element &weights,
            const Options &options) {
    const Map result = add(channels);
    addLayer(code, from, filter, result, weights, options);
    return result;
  }

  template <typename Options>
  void addLayer(BuiltinOperator code, Map from, int32_t filter, Map to, const Element &weights,
                const Options &options) {
    Element bias = plain(TensorType::FLOAT32);
    if (!isFloat()) {
      bias = {TensorType::INT32, {}, {}, 0};
      for (float scale : weights.scales) {
        bias.scales.push_back(scale * kScale);
        bias.zeroPoints.push_back(0);
      }
    }
    op(code, {from.tensor, filter, constant({to.channels}, bias, {-500, 500})}, {to.tensor}, options);
  }

  void reshape(int32_t from, int32_t to, const Shape &shape) {
    op(BuiltinOperator::RESHAPE, {from, integers({shape.begin(), shape.end()})}, {to});
  }

  Shape map_;
};

using Map = ShuffleDraft::Map;

TestModel drawConvolutions(ShuffleDraft &draft) {
  const int32_t groups = draft.pick(2, 4), channels = groups * draft.pick(2, 9);
  Map map = draft.conv(draft.networkInput(draft.pick(1, 9)), channels, draft.pick(0, 1) * 2 + 1);
  map = draft.shuffle(map, groups);
  return draft.finish(draft.oneIn(2) ? map : draft.conv(map, channels, 3));
}

TestModel drawInputs(ShuffleDraft &draft) {
  const int32_t groups = draft.pick(2, 4);
  const Map map = draft.shuffle(draft.networkInput(groups * draft.pick(2, 9)), groups);
  return draft.finish(draft.oneIn(2) ? draft.depthwise(map) : map);
}

/// Units of ShuffleNet V2 with one choice of halves and of their order, and then a whole shuffle.
TestModel drawUnits(ShuffleDraft &draft) {
  const int32_t half = 4 * draft.pick(1, 5), units = draft.pick(1, 3);
  const bool isMadeFirst = draft.oneIn(2), isFirstHalf = draft.oneIn(2);
  Map both = draft.networkInput(2 * half);
  for (int32_t unit = 0; unit < units; ++unit) {
    const Map passed = draft.slice(both, isFirstHalf ? half : 0, half);
    Map made = draft.conv(draft.slice(both, isFirstHalf ? 0 : half, half), half, 1);
    made = draft.conv(draft.depthwise(made), half, 1);
    both = draft.shuffle(isMadeFirst ? draft.join(made, passed) : draft.join(passed, made), 2);
  }
  return draft.finish(both);
}

struct Pattern {
  const char *name;
  TestModel (*draw)(ShuffleDraft &draft);
  Kind kind;
};

class ShufflesTest : public testing::TestWithParam<Pattern> {};

TEST_P(ShufflesTest, EqualBitsWithAndWithoutMoves) {
  const auto withoutPass = [](const compiler::OptionalStep &step) {
    return step.transform != "nn-absorb-channel-orders";
  };
  size_t absorbed = 0;
  const auto count = [&](const compiler::Remark &remark) { absorbed += remark.name == "channel_order"; };
  for (uint64_t seed = 0; seed < 8; ++seed) {
    ShuffleDraft draft(GetParam().kind, seed);
    const TestModel model = GetParam().draw(draft);
    const DeviceResult moved = runOnDevice(model, {.runsStep = withoutPass});
    ASSERT_TRUE(moved.status.isOk()) << moved.status.toString() << moved.refusal;
    for (const std::string &target : {std::string("e256"), std::string("p4096"), tightTarget()}) {
      const DeviceResult result = runOnDevice(model, {.target = target, .sourceMap = true, .remark = count});
      ASSERT_TRUE(result.status.isOk()) << target << ": " << result.status.toString() << result.refusal;
      // Sums of floats have the order of the target's blocks.
      if (GetParam().kind != Kind::F32 || target == "e256")
        EXPECT_EQ(result.outputs, moved.outputs) << target << ", seed " << seed;
    }
  }
  EXPECT_GT(absorbed, 0u);
}

INSTANTIATE_TEST_SUITE_P(, ShufflesTest,
                         testing::Values(Pattern{"Convolutions", drawConvolutions, Kind::F32},
                                         Pattern{"Convolutions", drawConvolutions, Kind::I8},
                                         Pattern{"Convolutions", drawConvolutions, Kind::U8},
                                         Pattern{"Inputs", drawInputs, Kind::I8}, Pattern{"Units", drawUnits, Kind::I8},
                                         Pattern{"Units", drawUnits, Kind::U8}),
                         [](const testing::TestParamInfo<Pattern> &info) {
                           return std::string(info.param.name) + kindName(info.param.kind);
                         });

} // namespace
} // namespace avocet::differential

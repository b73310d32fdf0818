//===- LayoutsTest.cpp - Networks of channels first -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random networks of maps [batch, channels, rows, columns], as converters of such networks write them: each layer is
// between two transposes. Results are those without the pass that chooses layouts, bit for bit for integers.
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "Compare.h"
#include "Draft.h"
#include "Targets.h"

#include <gtest/gtest.h>

namespace avocet::differential {
namespace {

constexpr float kScale = 0.05f, kWeightScale = 0.02f;
constexpr int64_t kMostElements = 4000;

/// Tensors of one scale.
class LayoutDraft : public Draft {
public:
  LayoutDraft(Kind kind, uint64_t seed) : Draft(kind, seed) {
    const Shape shape{pick(1, 2), pick(1, 6), pick(2, 7), pick(2, 7)};
    for (int32_t i = pick(1, 2); i > 0; --i)
      maps_.push_back({input(shape, type()), false});
    for (int32_t i = pick(4, 14); i > 0; --i)
      step();
  }

  TestModel finishOutputs() {
    for (const Map &map : maps_)
      if (!map.isRead)
        op(BuiltinOperator::RELU, {map.tensor}, {output(model().shape(map.tensor), type())});
    return model().finish();
  }

private:
  struct Map {
    int32_t tensor;
    bool isRead;
  };

  Element type() const { return isFloat() ? plain(TensorType::FLOAT32) : Element{typeOf(kind()), {kScale}, {3}}; }

  int32_t read() {
    Map &map = maps_[static_cast<size_t>(pick(0, static_cast<int32_t>(maps_.size()) - 1))];
    map.isRead = true;
    return map.tensor;
  }
  int32_t add(const Shape &shape) { return model().addTensor(shape, type()); }
  void keep(int32_t tensor) {
    if (numElements(model().shape(tensor)) <= kMostElements)
      maps_.push_back({tensor, false});
  }
  Shape shapeOf(int32_t tensor) { return model().shape(tensor); }

  int32_t transpose(int32_t from, const Shape &order) {
    Shape shape;
    for (int32_t axis : order)
      shape.push_back(shapeOf(from)[static_cast<size_t>(axis)]);
    const int32_t to = add(shape);
    op(BuiltinOperator::TRANSPOSE, {from, integers({order.begin(), order.end()})}, {to});
    return to;
  }
  int32_t reshape(int32_t from, const Shape &shape) {
    const int32_t to = add(shape);
    op(BuiltinOperator::RESHAPE, {from, integers({shape.begin(), shape.end()})}, {to});
    return to;
  }
  int32_t toImages(int32_t from) { return transpose(from, {0, 2, 3, 1}); }
  int32_t fromImages(int32_t from) { return transpose(from, {0, 3, 1, 2}); }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  void step() {
    using Step = void (LayoutDraft::*)();
    static const std::vector<Step> kSteps{
        &LayoutDraft::convolve,   &LayoutDraft::convolve, &LayoutDraft::pool,    &LayoutDraft::addPair,
        &LayoutDraft::scale,      &LayoutDraft::clampMap, &LayoutDraft::join,    &LayoutDraft::slice,
        &LayoutDraft::pad,        &LayoutDraft::gate,     &LayoutDraft::turn,    &LayoutDraft::rowsOfPixels,
        &LayoutDraft::divideAxis, &LayoutDraft::reduce,   &LayoutDraft::flatten, &LayoutDraft::tile,
    };
    (this->*any(kSteps))();
  }

  void convolve() {
    const int32_t from = toImages(read()), channels = pick(1, 6);
    Shape shape = shapeOf(from);
    const int32_t depth = shape[3];
    shape[3] = channels;
    tflite::Conv2DOptionsT options;
    options.stride_h = options.stride_w = 1;
    options.activation = clamp();
    const int32_t to = add(shape), kernel = pick(0, 1) * 2 + 1;
    op(BuiltinOperator::CONV_2D, {from, weights({channels, kernel, kernel, depth}), bias(channels)}, {to}, options);
    keep(fromImages(to));
  }

  void pool() {
    const int32_t from = toImages(read());
    Shape shape = shapeOf(from);
    tflite::Pool2DOptionsT options;
    options.filter_height = options.stride_h = pick(1, std::min(2, shape[1]));
    options.filter_width = options.stride_w = pick(1, std::min(2, shape[2]));
    options.padding = tflite::Padding::VALID;
    shape[1] /= options.stride_h;
    shape[2] /= options.stride_w;
    const int32_t to = add(shape);
    op(oneIn(2) ? BuiltinOperator::MAX_POOL_2D : BuiltinOperator::AVERAGE_POOL_2D, {from}, {to}, options);
    keep(fromImages(to));
  }

  /// With another map of the shape, or the same one in another order.
  void addPair() {
    const int32_t from = read();
    int32_t other = read();
    if (shapeOf(other) != shapeOf(from))
      other = from;
    tflite::AddOptionsT options;
    options.activation = clamp();
    keep(binary(BuiltinOperator::ADD, from, other, shapeOf(from), options));
  }

  /// By numbers for some of the axes.
  void scale() {
    const int32_t from = read();
    Shape shape = shapeOf(from);
    for (int32_t &extent : shape)
      extent = oneIn(2) ? extent : 1;
    while (shape.size() > 1 && shape.front() == 1 && oneIn(2))
      shape.erase(shape.begin());
    tflite::MulOptionsT options;
    options.activation = clamp();
    keep(binary(BuiltinOperator::MUL, from, constant(shape, type(), {-1, 1}), shapeOf(from), options));
  }

  template <typename Options>
  int32_t binary(BuiltinOperator code, int32_t a, int32_t b, const Shape &shape, const Options &options) {
    const int32_t to = add(shape);
    op(code, oneIn(2) ? std::vector{a, b} : std::vector{b, a}, {to}, options);
    return to;
  }

  void clampMap() {
    const int32_t from = read(), to = add(shapeOf(from));
    op(oneIn(2) ? BuiltinOperator::RELU : BuiltinOperator::RELU6, {from}, {to});
    keep(to);
  }

  void join() {
    const int32_t from = read();
    int32_t other = read();
    tflite::ConcatenationOptionsT options;
    options.axis = pick(0, 3);
    Shape shape = shapeOf(from), same = shapeOf(other);
    const auto axis = static_cast<size_t>(options.axis);
    same[axis] = shape[axis];
    if (same != shape)
      other = from;
    shape[axis] += shapeOf(other)[axis];
    const int32_t to = add(shape);
    op(BuiltinOperator::CONCATENATION, {from, other}, {to}, options);
    keep(to);
  }

  void slice() {
    const int32_t from = read();
    std::vector<int64_t> begin, size;
    Shape shape;
    for (int32_t extent : shapeOf(from)) {
      begin.push_back(pick(0, extent - 1) * pick(0, 1));
      shape.push_back(extent - static_cast<int32_t>(begin.back()));
      size.push_back(shape.back());
    }
    const int32_t to = add(shape);
    op(BuiltinOperator::SLICE, {from, integers(begin), integers(size)}, {to});
    keep(to);
  }

  void pad() {
    const int32_t from = read();
    std::vector<double> pairs;
    Shape shape = shapeOf(from);
    for (size_t axis = 1; axis < 4; ++axis) {
      const int32_t low = pick(0, 1), high = pick(0, 2);
      shape[axis] += low + high;
      pairs.insert(pairs.end(), {static_cast<double>(low), static_cast<double>(high)});
    }
    pairs.insert(pairs.begin(), {0, 0});
    const int32_t to = add(shape);
    op(BuiltinOperator::PAD,
       {from, model().addConstant({4, 2}, plain(TensorType::INT32), encode(pairs, TensorType::INT32))}, {to});
    keep(to);
  }

  /// By the mean of each channel, with a layer between.
  void gate() {
    const int32_t from = read();
    const Shape shape = shapeOf(from);
    const int32_t mean = add({shape[0], shape[1], 1, 1});
    tflite::ReducerOptionsT options;
    options.keep_dims = true;
    op(BuiltinOperator::MEAN, {from, integers({2, 3})}, {mean}, options);
    const int32_t squeezed = toImages(mean), to = add({shape[0], 1, 1, shape[1]});
    tflite::Conv2DOptionsT layer;
    layer.stride_h = layer.stride_w = 1;
    op(BuiltinOperator::CONV_2D, {squeezed, weights({shape[1], 1, 1, shape[1]}), bias(shape[1])}, {to}, layer);
    keep(binary(BuiltinOperator::MUL, from, fromImages(to), shape, tflite::MulOptionsT()));
  }

  void turn() {
    Shape order{0, 1, 2, 3};
    for (size_t i = 3; i > 1; --i)
      std::swap(order[i], order[static_cast<size_t>(pick(1, static_cast<int32_t>(i)))]);
    keep(transpose(read(), order));
  }

  /// Rows and columns become one axis.
  void rowsOfPixels() {
    const int32_t from = read();
    const Shape shape = shapeOf(from);
    const int32_t pixels = transpose(reshape(from, {shape[0], shape[1], shape[2] * shape[3]}), {0, 2, 1});
    const int32_t to = add(shapeOf(pixels));
    op(BuiltinOperator::RELU, {pixels}, {to});
    keep(oneIn(2) ? reshape(to, {shape[0], shape[2], shape[3], shape[1]})
                  : reshape(transpose(to, {0, 2, 1}), {shape[0], shape[1], shape[2], shape[3]}));
  }

  /// Channels in two groups, which change places with what is in them.
  void divideAxis() {
    const int32_t from = read();
    const Shape shape = shapeOf(from);
    const int32_t groups = shape[1] % 2 == 0 ? 2 : 1;
    const Shape divided{shape[0], groups, shape[1] / groups, shape[2], shape[3]};
    keep(reshape(transpose(reshape(from, divided), {0, 2, 1, 3, 4}), shape));
  }

  void reduce() {
    const int32_t from = read(), axis = pick(1, 3);
    Shape shape = shapeOf(from);
    shape[static_cast<size_t>(axis)] = 1;
    const int32_t to = add(shape);
    tflite::ReducerOptionsT options;
    options.keep_dims = true;
    op(BuiltinOperator::REDUCE_MAX, {from, integers({axis})}, {to}, options);
    keep(to);
  }

  void flatten() {
    const int32_t from = read();
    const Shape shape = shapeOf(from);
    const int32_t length = shape[1] * shape[2] * shape[3], channels = pick(1, 5);
    const int32_t rows = reshape(from, {shape[0], length}), to = add({shape[0], channels});
    op(BuiltinOperator::FULLY_CONNECTED, {rows, weights({channels, length}), bias(channels)}, {to},
       tflite::FullyConnectedOptionsT());
    keep(reshape(to, {shape[0], channels, 1, 1}));
  }

  void tile() {
    const int32_t from = read();
    Shape shape = shapeOf(from);
    std::vector<int64_t> multiples;
    for (int32_t &extent : shape) {
      multiples.push_back(oneIn(3) ? 2 : 1);
      extent *= static_cast<int32_t>(multiples.back());
    }
    const int32_t to = add(shape);
    op(BuiltinOperator::TILE, {from, integers(multiples)}, {to});
    keep(to);
  }

  int32_t weights(const Shape &shape) {
    return constant(shape, isFloat() ? plain(TensorType::FLOAT32) : Element{TensorType::INT8, {kWeightScale}, {0}},
                    {-1, 1});
  }
  int32_t bias(int32_t channels) {
    return constant({channels},
                    isFloat() ? plain(TensorType::FLOAT32) : Element{TensorType::INT32, {kScale * kWeightScale}, {0}},
                    {-500, 500});
  }

  std::vector<Map> maps_;
};

class LayoutsTest : public testing::TestWithParam<Kind> {};

TEST_P(LayoutsTest, EqualResultsWithAndWithoutPass) {
  const auto withoutPass = [](const compiler::OptionalStep &step) { return step.transform != "nn-sink-transposes"; };
  const Tolerance tolerance{.real = GetParam() == Kind::F32 ? 1e-5f : 0};
  size_t moved = 0;
  const auto count = [&](const compiler::Remark &remark) {
    moved += remark.name == "layout" && remark.kind == compiler::RemarkKind::Passed;
  };
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const TestModel model = LayoutDraft(GetParam(), seed).finishOutputs();
    const DeviceResult expected = runOnDevice(model, {.runsStep = withoutPass});
    ASSERT_TRUE(expected.status.isOk()) << seed << ": " << expected.status.toString() << expected.refusal;
    const DeviceResult found = runOnDevice(model, {.sourceMap = true, .remark = count});
    ASSERT_TRUE(found.status.isOk()) << seed << ": " << found.status.toString() << found.refusal;
    ASSERT_EQ(found.outputs.size(), expected.outputs.size());
    for (size_t i = 0; i < found.outputs.size(); ++i)
      EXPECT_EQ(compare(model.outputs[i], found.outputs[i], expected.outputs[i], tolerance), "")
          << "seed " << seed << ", output " << i;
  }
  EXPECT_GT(moved, 40u);
}

INSTANTIATE_TEST_SUITE_P(, LayoutsTest, testing::Values(Kind::F32, Kind::I8),
                         [](const auto &info) { return std::string(kindName(info.param)); });

} // namespace
} // namespace avocet::differential

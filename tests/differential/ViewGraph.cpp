//===- ViewGraph.cpp - Random graphs of operators that move elements ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewGraph.h"

#include "Avocet.h"
#include "Compare.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace avocet::differential {
namespace {

constexpr int64_t kMostElements = 6000;
constexpr size_t kMostRank = 5;

/// A tensor with its stored elements.
struct Value {
  int32_t tensor = 0;
  Shape shape;
  std::vector<double> elements;
  bool isSource = false; ///< an input or a constant
  bool isRead = false;
};

/// Elements between neighbors of each axis.
std::vector<int64_t> strides(const Shape &shape) {
  std::vector<int64_t> result(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    result[axis - 1] = result[axis] * shape[axis];
  return result;
}

/// Calls `visit` with the position of each element, in order.
template <typename Visit> void forEach(const Shape &shape, Visit visit) {
  std::vector<int32_t> position(shape.size(), 0);
  for (int64_t i = 0; i < numElements(shape); ++i) {
    visit(position);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++position[axis] < shape[axis])
        break;
      position[axis] = 0;
    }
  }
}

/// The elements at `begin` + position * `steps`.
std::vector<double> boxOf(const Value &value, const Shape &shape, const Shape &begin, const Shape &steps) {
  const std::vector<int64_t> stride = strides(value.shape);
  std::vector<double> elements;
  forEach(shape, [&](const std::vector<int32_t> &position) {
    int64_t index = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      index += (begin[axis] + position[axis] * steps[axis]) * stride[axis];
    elements.push_back(value.elements[static_cast<size_t>(index)]);
  });
  return elements;
}

std::vector<int64_t> wide(const Shape &shape) { return {shape.begin(), shape.end()}; }

class Graph {
public:
  Graph(Kind kind, uint64_t seed) : draft_(kind, seed), element_(draft_.element()) {
    const Shape shape = draft_.shape(2, 4, 12);
    addSource(draft_.input(shape, element_));
    if (draft_.oneIn(2))
      addSource(draft_.input(shape, element_));
    if (draft_.oneIn(3))
      addSource(draft_.constant(shape, element_));
  }

  TestModel finish() {
    for (int32_t count = draft_.pick(3, 10); count > 0;)
      count -= addOperator() ? 1 : 0;
    std::vector<Bytes> expected;
    values_.back().isRead = false; // an operator that was not added may have read it
    for (const Value &value : values_)
      if (!value.isSource && (!value.isRead || draft_.oneIn(8))) {
        draft_.model().addResult(value.tensor);
        expected.push_back(encode(value.elements, element_.type));
      }
    draft_.model().expect(std::move(expected));
    return draft_.model().finish();
  }

private:
  using Add = bool (Graph::*)();

  bool addOperator() {
    static const std::vector<Add> kAll = {
        &Graph::addReshape, &Graph::addReshape, &Graph::addConcatenation, &Graph::addConcatenation, &Graph::addPack,
        &Graph::addSplit,   &Graph::addUnpack,  &Graph::addSlice,         &Graph::addTranspose,     &Graph::addPad,
        &Graph::addMaximum, &Graph::addSum,     &Graph::addViewForTwo,    &Graph::addPool};
    return (this->*draft_.any(kAll))();
  }

  /// A strided view that a join and an operation that moves elements read, in either order: rare by chance alone.
  bool addViewForTwo() {
    static const std::vector<Add> kJoins = {&Graph::addPack, &Graph::addConcatenation};
    static const std::vector<Add> kMoves = {&Graph::addPad, &Graph::addTranspose, &Graph::addMaximum, &Graph::addPool};
    addSlice();
    const size_t view = values_.size() - 1;
    std::array<Add, 2> readers = {draft_.any(kJoins), draft_.any(kMoves)};
    if (draft_.oneIn(2))
      std::swap(readers[0], readers[1]);
    for (const Add add : readers) {
      next_ = view;
      (this->*add)();
    }
    return true;
  }

  void addSource(int32_t tensor) {
    const Model &model = draft_.model();
    values_.push_back({tensor, model.shape(tensor), decode(model.bytes(tensor), element_.type), true, false});
  }

  /// A value to read; recent ones are more likely, and most stay readable for others.
  size_t read() {
    const size_t recent = values_.size() - 1;
    const size_t index = next_             ? *std::exchange(next_, std::nullopt)
                         : draft_.oneIn(2) ? recent
                                           : size_t(draft_.pick(0, int32_t(recent)));
    values_[index].isRead = true;
    return index;
  }

  int32_t add(const Shape &shape, std::vector<double> elements) {
    values_.push_back({draft_.model().addTensor(shape, element_), shape, std::move(elements), false, false});
    return values_.back().tensor;
  }

  int32_t anyAxis(const Value &value) { return draft_.pick(0, int32_t(value.shape.size()) - 1); }

  bool addReshape() {
    const Value value = values_[read()];
    Shape shape = value.shape;
    const auto axis = size_t(anyAxis(value));
    if (draft_.oneIn(2) && axis + 1 < shape.size()) {
      shape[axis] *= shape[axis + 1];
      shape.erase(shape.begin() + std::ptrdiff_t(axis) + 1);
    } else if (shape.size() < kMostRank) {
      const int32_t divisor = shape[axis] % 2 == 0 ? 2 : shape[axis] % 3 == 0 ? 3 : 1;
      shape[axis] /= divisor;
      shape.insert(shape.begin() + std::ptrdiff_t(axis), divisor);
    }
    const int32_t result = add(shape, value.elements);
    draft_.op(BuiltinOperator::RESHAPE, {value.tensor, draft_.integers(wide(shape))}, {result});
    return true;
  }

  /// So many values that can stand beside the first along the axis, which may be the same one again.
  std::vector<Value> beside(const Value &first, size_t axis, bool isSameShape, int32_t count) {
    std::vector<Value> parts = {first};
    for (; count > 0; --count) {
      std::vector<size_t> fitting;
      for (size_t i = 0; i < values_.size(); ++i) {
        Shape shape = values_[i].shape;
        if (!isSameShape && shape.size() == first.shape.size())
          shape[axis] = first.shape[axis];
        if (shape == first.shape)
          fitting.push_back(i);
      }
      const size_t chosen = draft_.any(fitting);
      values_[chosen].isRead = true;
      parts.push_back(values_[chosen]);
    }
    if (draft_.oneIn(2))
      std::swap(parts.front(), parts.back());
    return parts;
  }

  static std::vector<double> joined(const std::vector<Value> &parts, size_t axis) {
    int64_t rows = 1;
    for (size_t i = 0; i < axis; ++i)
      rows *= parts[0].shape[i];
    std::vector<double> elements;
    for (int64_t row = 0; row < rows; ++row)
      for (const Value &part : parts) {
        const int64_t length = int64_t(part.elements.size()) / rows;
        elements.insert(elements.end(), part.elements.begin() + row * length,
                        part.elements.begin() + (row + 1) * length);
      }
    return elements;
  }

  bool addConcatenation() {
    const Value first = values_[read()];
    const int32_t axis = anyAxis(first);
    const std::vector<Value> parts = beside(first, size_t(axis), false, draft_.pick(1, 2));
    Shape shape = first.shape;
    shape[size_t(axis)] = 0;
    std::vector<int32_t> inputs;
    for (const Value &part : parts) {
      shape[size_t(axis)] += part.shape[size_t(axis)];
      inputs.push_back(part.tensor);
    }
    if (numElements(shape) > kMostElements)
      return false;
    tflite::ConcatenationOptionsT options;
    options.axis = axis;
    const int32_t result = add(shape, joined(parts, size_t(axis)));
    draft_.op(BuiltinOperator::CONCATENATION, inputs, {result}, options);
    return true;
  }

  bool addPack() {
    const Value first = values_[read()];
    if (first.shape.size() >= kMostRank)
      return false;
    const int32_t axis = draft_.pick(0, int32_t(first.shape.size()));
    const std::vector<Value> parts = beside(first, 0, true, draft_.pick(1, 2));
    Shape shape = first.shape;
    shape.insert(shape.begin() + axis, int32_t(parts.size()));
    if (numElements(shape) > kMostElements)
      return false;
    std::vector<int32_t> inputs;
    for (const Value &part : parts)
      inputs.push_back(part.tensor);
    tflite::PackOptionsT options;
    options.axis = axis;
    options.values_count = int32_t(parts.size());
    const int32_t result = add(shape, joined(parts, size_t(axis)));
    draft_.op(BuiltinOperator::PACK, inputs, {result}, options);
    return true;
  }

  /// The parts of equal extent along the axis, whose shapes are `shape`.
  std::vector<int32_t> addParts(const Value &value, size_t axis, int32_t count, const Shape &shape) {
    std::vector<int32_t> results;
    Shape box = value.shape, begin(box.size(), 0);
    box[axis] /= count;
    for (int32_t part = 0; part < count; ++part) {
      begin[axis] = part * box[axis];
      results.push_back(add(shape, boxOf(value, box, begin, Shape(box.size(), 1))));
    }
    return results;
  }

  bool addSplit() {
    const Value value = values_[read()];
    const int32_t axis = anyAxis(value), extent = value.shape[size_t(axis)];
    const int32_t count = extent % 2 == 0 ? 2 : extent % 3 == 0 ? 3 : 1;
    if (count == 1)
      return false;
    Shape shape = value.shape;
    shape[size_t(axis)] /= count;
    tflite::SplitOptionsT options;
    options.num_splits = count;
    const std::vector<int32_t> results = addParts(value, size_t(axis), count, shape);
    draft_.op(BuiltinOperator::SPLIT, {draft_.integer(axis), value.tensor}, results, options);
    return true;
  }

  bool addUnpack() {
    const Value value = values_[read()];
    const int32_t axis = anyAxis(value), count = value.shape[size_t(axis)];
    if (count > 4 || value.shape.size() < 2)
      return false;
    Shape shape = value.shape;
    shape.erase(shape.begin() + axis);
    tflite::UnpackOptionsT options;
    options.axis = axis;
    options.num = count;
    const std::vector<int32_t> results = addParts(value, size_t(axis), count, shape);
    draft_.op(BuiltinOperator::UNPACK, {value.tensor}, results, options);
    return true;
  }

  bool addSlice() {
    const Value value = values_[read()];
    Shape begin, end, steps, shape;
    for (const int32_t extent : value.shape) {
      begin.push_back(draft_.oneIn(2) ? 0 : draft_.pick(0, extent - 1));
      end.push_back(draft_.oneIn(2) ? extent : draft_.pick(begin.back() + 1, extent));
      steps.push_back(draft_.oneIn(4) ? 2 : 1);
      shape.push_back((end.back() - begin.back() + steps.back() - 1) / steps.back());
    }
    const int32_t result = add(shape, boxOf(value, shape, begin, steps));
    draft_.op(BuiltinOperator::STRIDED_SLICE,
              {value.tensor, draft_.integers(wide(begin)), draft_.integers(wide(end)), draft_.integers(wide(steps))},
              {result}, tflite::StridedSliceOptionsT());
    return true;
  }

  bool addTranspose() {
    const Value value = values_[read()];
    Shape order(value.shape.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i-- > 1;)
      std::swap(order[i], order[size_t(draft_.pick(0, int32_t(i)))]);
    const std::vector<int64_t> stride = strides(value.shape);
    Shape shape;
    for (const int32_t axis : order)
      shape.push_back(value.shape[size_t(axis)]);
    std::vector<double> elements;
    forEach(shape, [&](const std::vector<int32_t> &position) {
      int64_t index = 0;
      for (size_t axis = 0; axis < order.size(); ++axis)
        index += position[axis] * stride[size_t(order[axis])];
      elements.push_back(value.elements[size_t(index)]);
    });
    const int32_t result = add(shape, std::move(elements));
    draft_.op(BuiltinOperator::TRANSPOSE, {value.tensor, draft_.integers(wide(order))}, {result});
    return true;
  }

  bool addPad() {
    const Value value = values_[read()];
    if (value.shape.size() > 4)
      return false;
    Shape low, shape;
    std::vector<double> pairs;
    for (const int32_t extent : value.shape) {
      const int32_t before = draft_.pick(0, 2), after = draft_.pick(0, 2);
      low.push_back(before);
      shape.push_back(before + extent + after);
      pairs.insert(pairs.end(), {double(before), double(after)});
    }
    if (numElements(shape) > kMostElements)
      return false;
    const std::vector<int64_t> stride = strides(value.shape);
    std::vector<double> elements;
    forEach(shape, [&](const std::vector<int32_t> &position) {
      int64_t index = 0;
      bool isInside = true;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        const int32_t inner = position[axis] - low[axis];
        isInside &= inner >= 0 && inner < value.shape[axis];
        index += inner * stride[axis];
      }
      elements.push_back(isInside ? value.elements[size_t(index)] : double(element_.zeroPoint()));
    });
    const int32_t paddings = draft_.model().addConstant({int32_t(shape.size()), 2}, Draft::plain(TensorType::INT32),
                                                        encode(pairs, TensorType::INT32));
    const int32_t result = add(shape, std::move(elements));
    draft_.op(BuiltinOperator::PAD, {value.tensor, paddings}, {result});
    return true;
  }

  /// Operations on two values, which may be the same one, are no views.
  bool addMaximum() {
    return addPair(BuiltinOperator::MAXIMUM, [](double x, double y) { return std::max(x, y); }) != nullptr;
  }

  /// As where two branches of a network join. One quantization of all operands makes the sum of stored elements exact.
  bool addSum() {
    const Kind kind = draft_.kind();
    if (kind != Kind::I8 && kind != Kind::U8 && kind != Kind::F32)
      return false;
    const double zero = double(element_.zeroPoint()), low = kind == Kind::I8 ? -128 : 0;
    tflite::OperatorT *added = addPair(BuiltinOperator::ADD, [=](double x, double y) {
      return kind == Kind::F32 ? double(float(x) + float(y)) : std::clamp(x + y - zero, low, low + 255);
    });
    if (added)
      added->options.Set(tflite::AddOptionsT());
    return added != nullptr;
  }

  template <typename Function> tflite::OperatorT *addPair(BuiltinOperator code, Function function) {
    const Value first = values_[read()];
    if (first.shape.size() > 4)
      return nullptr;
    const std::vector<Value> both = beside(first, 0, true, 1);
    std::vector<double> elements;
    for (size_t i = 0; i < first.elements.size(); ++i)
      elements.push_back(function(both[0].elements[i], both[1].elements[i]));
    const int32_t result = add(first.shape, std::move(elements));
    return &draft_.op(code, {both[0].tensor, both[1].tensor}, {result});
  }

  /// With a window of one element.
  bool addPool() {
    const Value value = values_[read()];
    if (value.shape.size() != 4 || draft_.kind() == Kind::I32)
      return false;
    tflite::Pool2DOptionsT options;
    options.padding = tflite::Padding::VALID;
    options.stride_h = options.stride_w = options.filter_height = options.filter_width = 1;
    const int32_t result = add(value.shape, value.elements);
    draft_.op(BuiltinOperator::MAX_POOL_2D, {value.tensor}, {result}, options);
    return true;
  }

  Draft draft_;
  Element element_;
  std::vector<Value> values_;
  std::optional<size_t> next_; ///< the value that is read next, if that is given
};

} // namespace

TestModel viewGraph(Kind kind, uint64_t seed) { return Graph(kind, seed).finish(); }

Status checkViewGraph(Kind kind, uint64_t seed, const std::string &target, std::string &refusal) {
  const TestModel model = viewGraph(kind, seed);
  const DeviceResult result = runOnDevice(model, {.target = target, .sourceMap = true});
  refusal = result.refusal;
  if (!refusal.empty())
    return Status::ok();
  AVOCET_RETURN_IF_ERROR(result.status);
  for (size_t i = 0; i < model.expected.size(); ++i)
    if (const std::string text = compare(model.outputs[i], result.outputs[i], model.expected[i], {}); !text.empty())
      return internalError(fmt::format("output {}: {}", i, text));
  return Status::ok();
}

} // namespace avocet::differential

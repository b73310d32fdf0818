//===- TfliteEdits.cpp - Simpler constants ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteEdits.h"

#include "avocet/base/Rounding.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace avocet::tool {
namespace {

/// Bytes of an element of each buffer that a tensor of whole elements refers to.
std::map<uint32_t, size_t> elementSizes(const tflite::ModelT &model) {
  std::map<uint32_t, size_t> sizes;
  for (const auto &graph : model.subgraphs)
    for (const auto &tensor : graph->tensors)
      if (analysis::isConstant(model, *tensor))
        sizes.try_emplace(tensor->buffer, std::max<size_t>(1, analysis::elementBytes(tensor->type)));
  return sizes;
}

std::vector<uint8_t> filled(const std::vector<uint8_t> &data, size_t element, Filling filling) {
  std::vector<uint8_t> result(data.size(), 0);
  if (filling == Filling::FirstElement)
    for (size_t i = 0; i < data.size(); ++i)
      result[i] = data[i % element];
  return result;
}

} // namespace

std::vector<uint32_t> unfilledBuffers(const tflite::ModelT &model, Filling filling) {
  std::vector<uint32_t> buffers;
  for (const auto &[buffer, element] : elementSizes(model)) {
    const std::vector<uint8_t> &data = model.buffers[buffer]->data;
    if (filled(data, element, filling) != data)
      buffers.push_back(buffer);
  }
  return buffers;
}

bool fillConstants(tflite::ModelT &model, Filling filling, Range constants) {
  const std::vector<uint32_t> buffers = unfilledBuffers(model, filling);
  const std::map<uint32_t, size_t> sizes = elementSizes(model);
  if (constants.first >= buffers.size())
    return false;
  for (size_t i = constants.first; i < buffers.size() && constants.contains(i); ++i) {
    std::vector<uint8_t> &data = model.buffers[buffers[i]]->data;
    data = filled(data, sizes.at(buffers[i]), filling);
  }
  return true;
}

namespace {

/// What the operators of a graph read and write; constants and omitted operands left out.
struct Flow {
  std::vector<int32_t> reads; ///< in order, each once
  std::set<int32_t> writes;
};

Flow flowOf(const tflite::ModelT &model, const std::vector<std::unique_ptr<tflite::OperatorT>> &operators) {
  Flow flow;
  std::set<int32_t> seen;
  for (const auto &operation : operators) {
    for (int32_t tensor : operation->inputs)
      if (tensor >= 0 &&
          !analysis::isConstant(model, *analysis::mainGraph(model).tensors[static_cast<size_t>(tensor)]) &&
          !analysis::mainGraph(model).tensors[static_cast<size_t>(tensor)]->is_variable && seen.insert(tensor).second)
        flow.reads.push_back(tensor);
    flow.writes.insert(operation->outputs.begin(), operation->outputs.end());
  }
  return flow;
}

/// Splits the operators: returns those of the range, in order, and leaves the others.
std::vector<std::unique_ptr<tflite::OperatorT>> takeOperators(tflite::SubGraphT &graph, Range range) {
  std::vector<std::unique_ptr<tflite::OperatorT>> taken, kept;
  for (size_t i = 0; i < graph.operators.size(); ++i)
    (range.contains(i) ? taken : kept).push_back(std::move(graph.operators[i]));
  graph.operators = std::move(kept);
  return taken;
}

bool isSameForm(const tflite::TensorT &left, const tflite::TensorT &right) {
  return left.type == right.type && left.shape == right.shape;
}

/// The input that can stand for the operator's only result, or -1.
int32_t standIn(const tflite::ModelT &model, const tflite::OperatorT &operation) {
  const auto &tensors = analysis::mainGraph(model).tensors;
  if (operation.outputs.size() != 1)
    return -1;
  const tflite::TensorT &result = *tensors[static_cast<size_t>(operation.outputs[0])];
  for (int32_t input : operation.inputs)
    if (input >= 0 && !analysis::isConstant(model, *tensors[static_cast<size_t>(input)]) &&
        isSameForm(*tensors[static_cast<size_t>(input)], result))
      return input;
  return -1;
}

} // namespace

bool cutOperators(tflite::ModelT &model, Range operators) {
  tflite::SubGraphT &graph = analysis::mainGraph(model);
  const auto removed = takeOperators(graph, operators);
  if (removed.empty() || graph.operators.empty())
    return false;
  const Flow gone = flowOf(model, removed), stays = flowOf(model, graph.operators);
  for (int32_t tensor : stays.reads)
    if (gone.writes.contains(tensor))
      graph.inputs.push_back(tensor);
  std::erase_if(graph.outputs, [&](int32_t tensor) { return !stays.writes.contains(tensor); });
  for (int32_t tensor : gone.reads)
    if (stays.writes.contains(tensor) && std::ranges::find(graph.outputs, tensor) == graph.outputs.end())
      graph.outputs.push_back(tensor);
  return !graph.outputs.empty();
}

bool bypassOperators(tflite::ModelT &model, Range operators) {
  tflite::SubGraphT &graph = analysis::mainGraph(model);
  std::map<int32_t, int32_t> replaced;
  const auto current = [&](int32_t tensor) {
    auto found = replaced.find(tensor);
    return found == replaced.end() ? tensor : found->second;
  };
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    tflite::OperatorT &operation = *graph.operators[i];
    for (int32_t &tensor : operation.inputs)
      tensor = current(tensor);
    if (const int32_t input = operators.contains(i) ? standIn(model, operation) : -1; input >= 0)
      replaced[operation.outputs[0]] = input;
  }
  for (int32_t &tensor : graph.outputs)
    tensor = current(tensor);
  std::erase_if(graph.operators, [&](const auto &operation) {
    return operation->outputs.size() == 1 && replaced.contains(operation->outputs[0]);
  });
  return !replaced.empty();
}

bool dropOutputs(tflite::ModelT &model, Range outputs) {
  std::vector<int32_t> &all = analysis::mainGraph(model).outputs;
  if (outputs.first >= all.size() || outputs.size >= all.size())
    return false;
  const auto first = all.begin() + static_cast<ptrdiff_t>(outputs.first);
  all.erase(first, first + static_cast<ptrdiff_t>(std::min(outputs.size, all.size() - outputs.first)));
  return true;
}

bool dropAnnotations(tflite::ModelT &model) {
  model.signatures.clear();
  model.metadata.clear();
  model.metadata_buffer.clear();
  model.description.clear();
  for (auto &graph : model.subgraphs)
    for (auto &tensor : graph->tensors)
      if (tensor->quantization != nullptr) {
        tensor->quantization->min.clear();
        tensor->quantization->max.clear();
      }
  return true;
}

namespace {

/// Longest constant that may be a list of extents.
constexpr size_t kMaxRank = 8;

bool isAffected(const ShapeChange &change, const std::vector<int32_t> &shape, size_t axis) {
  if (change.from == ShapeChange::kHalveAll ? shape[axis] <= 1 : shape[axis] != change.from)
    return false;
  const bool isPlace = static_cast<int32_t>(shape.size()) == change.rank && static_cast<int32_t>(axis) == change.axis;
  return change.rank < 0 || isPlace;
}

std::vector<int32_t> changedShape(const ShapeChange &change, std::vector<int32_t> shape) {
  const std::vector<int32_t> old = shape;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (isAffected(change, old, axis))
      shape[axis] = change.from == ShapeChange::kHalveAll ? divideUp(shape[axis], 2) : change.to;
  return shape;
}

/// The first elements along each axis, `element` bytes each. `data` has the size of `from`; `to` is not larger.
std::vector<uint8_t> firstElements(const std::vector<uint8_t> &data, size_t element, const std::vector<int32_t> &from,
                                   const std::vector<int32_t> &to) {
  std::vector<size_t> strides(from.size() + 1, element);
  for (size_t axis = from.size(); axis-- > 0;)
    strides[axis] = strides[axis + 1] * static_cast<size_t>(from[axis]);
  std::vector<uint8_t> result;
  const std::function<void(size_t, size_t)> copy = [&](size_t axis, size_t offset) {
    if (axis == to.size()) {
      result.insert(result.end(), data.begin() + static_cast<ptrdiff_t>(offset),
                    data.begin() + static_cast<ptrdiff_t>(offset + element));
      return;
    }
    for (size_t i = 0; i < static_cast<size_t>(to[axis]); ++i)
      copy(axis + 1, offset + i * strides[axis + 1]);
  };
  copy(0, 0);
  return result;
}

size_t bytesOf(const tflite::TensorT &tensor) {
  size_t bytes = analysis::elementBytes(tensor.type);
  for (int32_t extent : tensor.shape)
    bytes *= static_cast<size_t>(extent);
  return bytes;
}

/// Cuts a list with one element for each index of the axis.
template <typename T> void cutList(std::vector<T> &list, const std::vector<int32_t> &from, size_t axis, int32_t to) {
  if (axis < from.size() && list.size() > 1 && list.size() == static_cast<size_t>(from[axis]))
    list.resize(static_cast<size_t>(to));
}

void cutScales(tflite::TensorT &tensor, const std::vector<int32_t> &to) {
  if (tensor.quantization == nullptr || tensor.quantization->quantized_dimension < 0)
    return;
  tflite::QuantizationT &numbers = *tensor.quantization;
  const auto axis = static_cast<size_t>(numbers.quantized_dimension);
  if (axis >= to.size())
    return;
  cutList(numbers.scale, tensor.shape, axis, to[axis]);
  cutList(numbers.zero_point, tensor.shape, axis, to[axis]);
}

/// A buffer of its own for the tensor.
void setData(tflite::ModelT &model, tflite::TensorT &tensor, std::vector<uint8_t> data) {
  tensor.buffer = static_cast<uint32_t>(model.buffers.size());
  model.buffers.emplace_back(std::make_unique<tflite::BufferT>())->data = std::move(data);
}

/// False: the constant's elements cannot be cut.
bool cutTensor(tflite::ModelT &model, tflite::TensorT &tensor, const std::vector<int32_t> &to) {
  if (tensor.sparsity != nullptr)
    return false;
  if (analysis::isConstant(model, tensor)) {
    const std::vector<uint8_t> &data = model.buffers[tensor.buffer]->data;
    const size_t bytes = bytesOf(tensor);
    if (bytes == 0 || bytes != data.size())
      return false;
    setData(model, tensor, firstElements(data, analysis::elementBytes(tensor.type), tensor.shape, to));
  }
  cutScales(tensor, to);
  tensor.shape = to;
  tensor.shape_signature.clear();
  return true;
}

/// Extents in a short list of int32: operands such as the shape of RESHAPE.
void changeList(tflite::ModelT &model, tflite::TensorT &tensor, const ShapeChange &change) {
  if (tensor.type != tflite::TensorType::INT32 || tensor.shape.size() != 1 || !analysis::isConstant(model, tensor))
    return;
  std::vector<uint8_t> data = model.buffers[tensor.buffer]->data;
  if (data.size() > kMaxRank * sizeof(int32_t) || data.size() % sizeof(int32_t) != 0)
    return;
  std::vector<int32_t> extents(data.size() / sizeof(int32_t));
  std::memcpy(extents.data(), data.data(), data.size());
  const std::vector<int32_t> changed = changedShape(change, extents);
  if (changed == extents)
    return;
  std::memcpy(data.data(), changed.data(), data.size());
  setData(model, tensor, std::move(data));
}

void changeOptions(tflite::SubGraphT &graph, const ShapeChange &change) {
  for (auto &operation : graph.operators)
    if (auto *reshape = operation->options.AsReshapeOptions())
      reshape->new_shape = changedShape(change, reshape->new_shape);
}

/// 1, half, and one less.
void addChanges(std::vector<ShapeChange> &changes, ShapeChange change) {
  std::set<int32_t> extents = {1, divideUp(change.from, 2), change.from - 1};
  for (int32_t to : extents)
    if (to >= 1 && to < change.from) {
      change.to = to;
      changes.push_back(change);
    }
}

} // namespace

std::vector<ShapeChange> shapeChanges(const tflite::ModelT &model) {
  std::set<int32_t, std::greater<>> extents;
  std::set<std::vector<int32_t>> places; ///< rank, axis, extent
  for (const auto &tensor : analysis::mainGraph(model).tensors)
    for (size_t axis = 0; axis < tensor->shape.size(); ++axis)
      if (tensor->shape[axis] > 1) {
        extents.insert(tensor->shape[axis]);
        places.insert({static_cast<int32_t>(tensor->shape.size()), static_cast<int32_t>(axis), tensor->shape[axis]});
      }
  std::vector<ShapeChange> changes;
  for (int32_t extent : extents)
    addChanges(changes, {extent, 0, -1, 0});
  for (const std::vector<int32_t> &place : places) {
    const ShapeChange halved{ShapeChange::kHalveAll, 0, place[0], place[1]};
    if (changes.empty() || changes.back() != halved)
      changes.push_back(halved);
  }
  for (const std::vector<int32_t> &place : places)
    addChanges(changes, {place[2], 0, place[0], place[1]});
  return changes;
}

bool changeShapes(tflite::ModelT &model, const ShapeChange &change) {
  bool isChanged = false;
  for (auto &tensor : analysis::mainGraph(model).tensors) {
    const std::vector<int32_t> shape = changedShape(change, tensor->shape);
    changeList(model, *tensor, change);
    if (shape == tensor->shape || (change.from == ShapeChange::kHalveAll && analysis::isConstant(model, *tensor)))
      continue;
    if (!cutTensor(model, *tensor, shape))
      return false;
    isChanged = true;
  }
  changeOptions(analysis::mainGraph(model), change);
  return isChanged;
}

} // namespace avocet::tool

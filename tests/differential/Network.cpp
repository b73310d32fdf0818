//===- Network.cpp - A whole network against TensorFlow Lite --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Network.h"

#include "Avocet.h"
#include "Random.h"
#include "avocet/base/File.h"
#include "avocet/network/OpenInputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace avocet::differential {
namespace {

const tflite::SubGraph &graphOf(const Bytes &file) { return *tflite::GetModel(file.data())->subgraphs()->Get(0); }

template <typename T> void append(Bytes &bytes, T value) {
  const auto *raw = reinterpret_cast<const uint8_t *>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

void appendElement(Bytes &bytes, TensorType type, stress::Random &random) {
  constexpr uint64_t kIndices = 100;
  if (type == TensorType::FLOAT32)
    return append(bytes, random.unit());
  if (type == TensorType::INT32)
    return append(bytes, static_cast<int32_t>(random.below(kIndices)));
  if (type == TensorType::INT64)
    return append(bytes, static_cast<int64_t>(random.below(kIndices)));
  if (type == TensorType::BOOL)
    return append(bytes, static_cast<uint8_t>(random.below(2)));
  for (size_t i = 0; i < elementBytes(type); ++i)
    append(bytes, static_cast<uint8_t>(random.below(256)));
}

Bytes drawInput(const tflite::Tensor &tensor, const Shape &shape, stress::Random &random) {
  Bytes bytes;
  for (int64_t i = 0; i < numElements(shape); ++i)
    appendElement(bytes, tensor.type(), random);
  return bytes;
}

template <typename T> double number(const Bytes &bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

double numberOf(TensorType type, const Bytes &bytes, size_t index) {
  switch (type) {
  case TensorType::FLOAT32:
    return number<float>(bytes, index);
  case TensorType::INT64:
    return number<int64_t>(bytes, index);
  case TensorType::INT32:
    return number<int32_t>(bytes, index);
  case TensorType::INT16:
    return number<int16_t>(bytes, index);
  case TensorType::INT8:
    return number<int8_t>(bytes, index);
  default:
    return number<uint8_t>(bytes, index);
  }
}

void addDistance(OutputDistance &distance, double found, double expected) {
  const bool bothNan = std::isnan(found) && std::isnan(expected);
  distance.different += found != expected && !bothNan ? 1 : 0;
  const double difference = bothNan || found == expected ? 0 : std::abs(found - expected);
  distance.greatest =
      std::max(distance.greatest, std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference);
  if (std::isfinite(expected))
    distance.scale = std::max(distance.scale, std::abs(expected));
}

OutputDistance distanceOf(const tflite::Tensor &tensor, const Bytes &found, const Bytes &expected) {
  OutputDistance distance;
  distance.name = tensor.name() ? tensor.name()->str() : "output";
  distance.elements = expected.size() / elementBytes(tensor.type());
  for (uint64_t i = 0; i < distance.elements; ++i)
    addDistance(distance, numberOf(tensor.type(), found, i), numberOf(tensor.type(), expected, i));
  return distance;
}

/// The compiler verifies the file, so it comes before everything that reads it.
const tflite::Tensor &inputOf(const tflite::SubGraph &graph, size_t index) {
  return *graph.tensors()->Get(static_cast<uint32_t>(graph.inputs()->Get(static_cast<uint32_t>(index))));
}

/// The shapes of all inputs, with those that the user gives.
Result<std::vector<Shape>> shapesOf(const tflite::SubGraph &graph, const std::vector<std::string> &texts) {
  compiler::ModelRequest request;
  network::OpenInputs inputs;
  inputs.shapes = texts;
  AVOCET_RETURN_IF_ERROR(network::apply(inputs, request));
  std::vector<Shape> shapes;
  for (size_t i = 0; graph.inputs() && i < graph.inputs()->size(); ++i) {
    const tflite::Tensor &tensor = inputOf(graph, i);
    shapes.push_back(tensor.shape() ? Shape(tensor.shape()->begin(), tensor.shape()->end()) : Shape());
    for (const compiler::InputShape &shape : request.shapes)
      if (tensor.name() && tensor.name()->str() == shape.name)
        shapes.back().assign(shape.extents.begin(), shape.extents.end());
  }
  return shapes;
}

Result<Bytes> readModel(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(Bytes file, readFile(path));
  flatbuffers::Verifier verifier(file.data(), file.size());
  if (!tflite::VerifyModelBuffer(verifier))
    return dataLoss(path + ": is no TFLite model");
  return file;
}

/// The file with random inputs, if the compiler accepts it.
Result<TestModel> openNetwork(Bytes file, const std::vector<std::string> &shapes, uint64_t seed) {
  TestModel model;
  model.file = std::move(file);
  const tflite::SubGraph &graph = graphOf(model.file);
  AVOCET_ASSIGN_OR_RETURN(const std::vector<Shape> all, shapesOf(graph, shapes));
  if (!shapes.empty())
    model.shapes = all;
  if (DeviceResult compiled = compileOnly(model); !compiled.status.isOk())
    return Status(compiled.status.code(), compiled.refusal.empty() ? compiled.status.toString() : compiled.refusal);
  stress::Random random(seed);
  for (size_t i = 0; i < all.size(); ++i)
    model.inputs.push_back(drawInput(inputOf(graph, i), all[i], random));
  return model;
}

Result<std::vector<OutputDistance>> distancesOf(const TestModel &model, Oracle &oracle) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<Bytes> expected, oracle.run({model.file, model.inputs, model.shapes}));
  const DeviceResult found = runOnDevice(model);
  AVOCET_RETURN_IF_ERROR(found.status);
  const tflite::SubGraph &graph = graphOf(model.file);
  std::vector<OutputDistance> distances;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (found.outputs[i].size() != expected[i].size())
      return internalError(
          fmt::format("output {} has {} bytes, TensorFlow Lite's {}", i, found.outputs[i].size(), expected[i].size()));
    const auto tensor = static_cast<uint32_t>(graph.outputs()->Get(static_cast<uint32_t>(i)));
    distances.push_back(distanceOf(*graph.tensors()->Get(tensor), found.outputs[i], expected[i]));
  }
  return distances;
}

/// A model whose first subgraph has one operator of another model at a time.
class SingleOperators {
public:
  /// `file` has passed the verifier and the compiler's importer.
  explicit SingleOperators(const Bytes &file) : model_(tflite::GetModel(file.data())->UnPack()) {
    model_->signatures.clear();
    operators_ = std::move(graph().operators);
  }

  size_t size() const { return operators_.size(); }
  std::string nameOf(size_t index) const {
    const tflite::OperatorCodeT &code = *model_->operator_codes[operators_[index]->opcode_index];
    return EnumNameBuiltinOperator(
        std::max(code.builtin_code, static_cast<BuiltinOperator>(code.deprecated_builtin_code)));
  }

  Bytes fileOf(size_t index) {
    graph().inputs.clear();
    for (int32_t tensor : operators_[index]->inputs)
      if (isComputed(tensor) && std::ranges::find(graph().inputs, tensor) == graph().inputs.end())
        graph().inputs.push_back(tensor);
    graph().outputs = operators_[index]->outputs;
    graph().operators.clear();
    graph().operators.push_back(std::make_unique<tflite::OperatorT>(*operators_[index]));
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(tflite::Model::Pack(builder, model_.get()), tflite::ModelIdentifier());
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }

private:
  tflite::SubGraphT &graph() { return *model_->subgraphs.front(); }

  bool isComputed(int32_t tensor) {
    if (tensor < 0)
      return false;
    const tflite::TensorT &described = *graph().tensors[static_cast<size_t>(tensor)];
    const bool isConstant =
        described.buffer < model_->buffers.size() && !model_->buffers[described.buffer]->data.empty();
    return !isConstant && !described.is_variable;
  }

  std::unique_ptr<tflite::ModelT> model_;
  std::vector<std::unique_ptr<tflite::OperatorT>> operators_;
};

void addOperator(OperatorDistances &all, uint32_t index, const Result<std::vector<OutputDistance>> &outputs) {
  if (!outputs) {
    all.skipped.push_back(fmt::format("operator {}: {}", index, outputs.status().message()));
    return;
  }
  ++all.compared;
  for (const OutputDistance &output : *outputs) {
    all.elements += output.elements;
    all.different += output.different;
    all.scale = std::max(all.scale, output.scale);
    if (output.greatest > all.greatest) {
      all.greatest = output.greatest;
      all.worst = index;
    }
  }
}

} // namespace

Result<std::vector<OutputDistance>> compareNetwork(const std::string &path, const std::vector<std::string> &shapes,
                                                   uint64_t seed, Oracle &oracle) {
  AVOCET_ASSIGN_OR_RETURN(Bytes file, readModel(path));
  AVOCET_ASSIGN_OR_RETURN(const TestModel model, openNetwork(std::move(file), shapes, seed));
  return distancesOf(model, oracle);
}

Result<std::vector<OperatorDistances>> compareOperators(const std::string &path, uint64_t seed, Oracle &oracle) {
  AVOCET_ASSIGN_OR_RETURN(Bytes file, readModel(path));
  AVOCET_ASSIGN_OR_RETURN(const TestModel whole, openNetwork(std::move(file), {}, seed));
  SingleOperators operators(whole.file);
  std::vector<OperatorDistances> all;
  for (uint32_t index = 0; index < operators.size(); ++index) {
    const std::string name = operators.nameOf(index);
    auto own = std::ranges::find(all, name, &OperatorDistances::name);
    if (own == all.end())
      own = all.insert(all.end(), OperatorDistances{.name = name});
    const Result<TestModel> single = openNetwork(operators.fileOf(index), {}, seed);
    addOperator(*own, index,
                single ? distancesOf(*single, oracle) : Result<std::vector<OutputDistance>>(single.status()));
  }
  return all;
}

} // namespace avocet::differential

//===- ModelBuilder.cpp - Models and requests from arbitrary bytes -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include "avocet/hal/types/Utils.h"

#include <string_view>

namespace avocet::hal::fuzzing {
namespace {

/// An operation and its inputs: t tensor, i INT32 scalar, f FLOAT32 scalar, b BOOL scalar, v INT32 vector or matrix.
struct Form {
  OperationType type;
  std::string_view inputs;
  size_t outputs = 1;
};

constexpr Form kForms[] = {
    {OperationType::Add, "tti"},
    {OperationType::AveragePool2d, "tiiiiii"},
    {OperationType::Concatenation, "tti"},
    {OperationType::Conv2d, "tttiiii"},
    {OperationType::DepthwiseConv2d, "tttiiiii"},
    {OperationType::Dequantize, "t"},
    {OperationType::Floor, "t"},
    {OperationType::FullyConnected, "ttti"},
    {OperationType::Logistic, "t"},
    {OperationType::MaxPool2d, "tiiiiii"},
    {OperationType::Mul, "tti"},
    {OperationType::Relu, "t"},
    {OperationType::Reshape, "tv"},
    {OperationType::ResizeBilinear, "tii"},
    {OperationType::Softmax, "tf"},
    {OperationType::Tanh, "t"},
    {OperationType::BatchToSpaceNd, "tv"},
    {OperationType::Mean, "tvi"},
    {OperationType::Pad, "tv"},
    {OperationType::SpaceToBatchNd, "tvv"},
    {OperationType::Squeeze, "tv"},
    {OperationType::StridedSlice, "tvvviii"},
    {OperationType::Transpose, "tv"},
    {OperationType::Argmax, "ti"},
    {OperationType::Cast, "t"},
    {OperationType::ChannelShuffle, "tii"},
    {OperationType::Equal, "tt"},
    {OperationType::ExpandDims, "ti"},
    {OperationType::Gather, "tiv"},
    {OperationType::Maximum, "tt"},
    {OperationType::Prelu, "tt"},
    {OperationType::Quantize, "t"},
    {OperationType::ReduceAll, "tvb"},
    {OperationType::Select, "ttt"},
    {OperationType::Slice, "tvv"},
    {OperationType::Split, "tii", 2},
    {OperationType::Tile, "tv"},
    {OperationType::ResizeNearestNeighbor, "tiib"},
    {OperationType::Fill, "vf"},
    {OperationType::Rank, "t"},
    {OperationType::DepthToSpace, "ti"},
    {OperationType::SpaceToDepth, "ti"},
};

class Builder {
public:
  explicit Builder(FuzzedDataProvider &data) : data_(data) {}

  Model build() {
    for (size_t count = data_.ConsumeIntegralInRange<size_t>(1, 3); count != 0; --count)
      addOperation(data_.PickValueInArray(kForms));
    makeOutputs();
    for (size_t count = data_.ConsumeIntegralInRange<size_t>(0, 3); count != 0; --count)
      disturb();
    return std::move(model_);
  }

private:
  Subgraph &main() { return model_.main; }

  uint32_t add(Operand operand) {
    main().operands.push_back(std::move(operand));
    return static_cast<uint32_t>(main().operands.size() - 1);
  }

  Operand tensor(OperandLifeTime lifetime) {
    static constexpr OperandType kTypes[] = {
        OperandType::TensorFloat32,           OperandType::TensorFloat32,     OperandType::TensorInt32,
        OperandType::TensorQuant8Asymm,       OperandType::TensorFloat16,     OperandType::TensorBool8,
        OperandType::TensorQuant8AsymmSigned, OperandType::TensorQuant16Symm, OperandType::TensorQuant8SymmPerChannel,
        OperandType::TensorQuant16Asymm,      OperandType::TensorQuant8Symm};
    Operand operand;
    operand.type = data_.PickValueInArray(kTypes);
    operand.lifetime = lifetime;
    for (size_t rank = data_.ConsumeIntegralInRange<size_t>(1, 4); rank != 0; --rank)
      operand.dimensions.push_back(data_.ConsumeIntegralInRange<uint32_t>(0, 6));
    const OperandTypeInfo *info = findOperandType(operand.type);
    if (info->scale == ScaleRule::Required)
      operand.scale = 0.5f;
    if (operand.type == OperandType::TensorQuant8SymmPerChannel)
      operand.extraParams = SymmPerChannelQuantParams{std::vector<float>(operand.dimensions[0], 0.25f), 0};
    return operand;
  }

  uint32_t addConstant(Operand operand) {
    operand.lifetime = OperandLifeTime::ConstantCopy;
    uint64_t bytes = getNonExtensionSize(operand).value_or(0);
    operand.location = {0, model_.operandValues.size(), bytes, 0};
    std::vector<uint8_t> value = data_.ConsumeBytes<uint8_t>(bytes);
    value.resize(bytes);
    model_.operandValues.insert(model_.operandValues.end(), value.begin(), value.end());
    return add(std::move(operand));
  }

  uint32_t addInput() {
    uint32_t operand = add(tensor(OperandLifeTime::SubgraphInput));
    main().inputIndexes.push_back(operand);
    return operand;
  }

  uint32_t tensorInput() {
    if (!results_.empty() && data_.ConsumeBool())
      return data_.PickValueInArray<uint32_t>({results_.front(), results_.back()});
    if (!main().inputIndexes.empty() && data_.ConsumeBool())
      return main().inputIndexes.back();
    return data_.ConsumeBool() ? addInput() : addConstant(tensor(OperandLifeTime::ConstantCopy));
  }

  uint32_t scalarInput(char form) {
    Operand operand;
    operand.type = form == 'i' ? OperandType::Int32 : form == 'f' ? OperandType::Float32 : OperandType::Bool;
    if (form == 'v') {
      operand.type = OperandType::TensorInt32;
      operand.dimensions = {data_.ConsumeIntegralInRange<uint32_t>(1, 4)};
      if (data_.ConsumeBool())
        operand.dimensions.push_back(2);
    }
    return addConstant(std::move(operand));
  }

  void addOperation(const Form &form) {
    Operation operation;
    operation.type = form.type;
    for (char input : form.inputs)
      operation.inputs.push_back(input == 't' ? tensorInput() : scalarInput(input));
    for (size_t i = 0; i < form.outputs; ++i)
      operation.outputs.push_back(add(resultOf(main().operands[operation.inputs[0]])));
    results_ = operation.outputs;
    main().operations.push_back(std::move(operation));
  }

  /// A result, mostly of the first input's type and with unknown shape.
  Operand resultOf(const Operand &first) {
    Operand result = data_.ConsumeIntegralInRange(0, 3) != 0 ? first : tensor(OperandLifeTime::TemporaryVariable);
    result.lifetime = OperandLifeTime::TemporaryVariable;
    result.location = {};
    result.extraParams = {};
    if (data_.ConsumeIntegralInRange(0, 3) != 0)
      result.dimensions.clear();
    return result;
  }

  void makeOutputs() {
    for (uint32_t result : results_) {
      main().operands[result].lifetime = OperandLifeTime::SubgraphOutput;
      main().outputIndexes.push_back(result);
    }
  }

  /// Writes any value into one field of an operand, an operation or the graph.
  void disturb() {
    size_t index = data_.ConsumeIntegralInRange<size_t>(0, main().operands.size() - 1);
    Operand &operand = main().operands[index];
    auto value = data_.ConsumeIntegral<uint32_t>();
    switch (data_.ConsumeIntegralInRange(0, 9)) {
    case 0:
      operand.type = static_cast<OperandType>(value % 20);
      break;
    case 1:
      operand.lifetime = static_cast<OperandLifeTime>(value % 8);
      break;
    case 2:
      operand.dimensions.push_back(value);
      break;
    case 3:
      operand.location.offset = value;
      break;
    case 4:
      operand.location.length = value;
      break;
    case 5:
      operand.scale = data_.ConsumeFloatingPoint<float>();
      break;
    case 6:
      operand.zeroPoint = static_cast<int32_t>(value);
      break;
    case 7:
      main().operations[0].inputs[value % main().operations[0].inputs.size()] = static_cast<uint32_t>(index);
      break;
    case 8:
      main().operations[0].type = static_cast<OperationType>(value % 110);
      break;
    default:
      main().outputIndexes.push_back(value);
    }
  }

  FuzzedDataProvider &data_;
  Model model_;
  std::vector<uint32_t> results_; ///< of the last operation
};

SharedMemory buildPool(FuzzedDataProvider &data, uint64_t bytes) {
  if (data.ConsumeIntegralInRange(0, 15) == 0)
    return std::make_shared<Memory>(Memory{UnknownHandle{"strange", {}, {}, bytes}});
  uint64_t real = data.ConsumeIntegralInRange(0, 7) == 0 ? bytes / 2 : bytes;
  auto file = std::make_shared<const FileDescriptor>(std::move(createMemoryFile("fuzz", real)).value());
  return std::make_shared<Memory>(Memory{Ashmem{std::move(file), bytes}});
}

RequestArgument argumentFor(const Operand &operand, uint32_t pool, uint64_t &end, FuzzedDataProvider &data) {
  RequestArgument argument;
  if (data.ConsumeIntegralInRange(0, 15) == 0)
    return {true, {}, {}};
  argument.dimensions = operand.dimensions;
  for (uint32_t &extent : argument.dimensions)
    if (extent == 0 || data.ConsumeIntegralInRange(0, 31) == 0)
      extent = data.ConsumeIntegralInRange<uint32_t>(0, 6);
  uint64_t bytes = getNonExtensionSize(operand.type, argument.dimensions).value_or(0);
  argument.location = {pool, end, bytes != 0 ? bytes : data.ConsumeIntegralInRange<uint64_t>(1, 4096), 0};
  if (data.ConsumeIntegralInRange(0, 15) == 0)
    argument.location.offset = data.ConsumeIntegral<uint64_t>();
  end += argument.location.length;
  return argument;
}

} // namespace

Model buildModel(FuzzedDataProvider &data) { return Builder(data).build(); }

Request buildRequest(const Model &model, FuzzedDataProvider &data) {
  Request request;
  uint64_t inputEnd = 0, outputEnd = 0;
  for (uint32_t index : model.main.inputIndexes)
    if (index < model.main.operands.size())
      request.inputs.push_back(argumentFor(model.main.operands[index], 0, inputEnd, data));
  for (uint32_t index : model.main.outputIndexes)
    if (index < model.main.operands.size())
      request.outputs.push_back(argumentFor(model.main.operands[index], 1, outputEnd, data));
  constexpr uint64_t kMaxPoolBytes = 1 << 20;
  request.pools = {buildPool(data, std::min(inputEnd + 16, kMaxPoolBytes)),
                   buildPool(data, std::min(outputEnd + 16, kMaxPoolBytes))};
  return request;
}

} // namespace avocet::hal::fuzzing

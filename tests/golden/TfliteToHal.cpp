//===- TfliteToHal.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteToHal.h"

#include "Tflite_generated.h"
#include "avocet/base/Rounding.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

namespace avocet::golden {
namespace {

using hal::OperandLifeTime;
using hal::OperandType;
using tflite::BuiltinOperator;
using tflite::TensorType;

OperandType typeOf(const tflite::Tensor &tensor) {
  switch (tensor.type()) {
  case TensorType::FLOAT32:
    return OperandType::TensorFloat32;
  case TensorType::INT32:
    return OperandType::TensorInt32;
  case TensorType::UINT8:
    return OperandType::TensorQuant8Asymm;
  default:
    return OperandType::TensorQuant8AsymmSigned;
  }
}

std::vector<float> scalesOf(const tflite::Tensor &tensor) {
  const auto *quantization = tensor.quantization();
  if (!quantization || !quantization->scale())
    return {};
  return {quantization->scale()->begin(), quantization->scale()->end()};
}

template <typename T> std::vector<uint8_t> bytesOf(const std::vector<T> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class Converter {
public:
  explicit Converter(const tflite::Model &model) : file_(model), graph_(*model.subgraphs()->Get(0)) {}
  Result<hal::Model> run();

private:
  using Inputs = std::vector<uint32_t>;

  const tflite::Tensor &tensor(int32_t index) const {
    return *graph_.tensors()->Get(static_cast<flatbuffers::uoffset_t>(index));
  }
  const flatbuffers::Vector<uint8_t> *dataOf(int32_t index) const {
    return file_.buffers()->Get(tensor(index).buffer())->data();
  }
  BuiltinOperator codeOf(const tflite::Operator &op) const;

  uint32_t append(hal::Operand operand);
  uint32_t constant(OperandType type, std::vector<uint32_t> dimensions, const std::vector<uint8_t> &bytes);
  uint32_t scalar(int32_t value) { return constant(OperandType::Int32, {}, bytesOf<int32_t>({value})); }
  uint32_t scalar(float value) { return constant(OperandType::Float32, {}, bytesOf<float>({value})); }
  uint32_t no() { return constant(OperandType::Bool, {}, {0}); }
  uint32_t integers(const std::vector<int32_t> &values) {
    return constant(OperandType::TensorInt32, {static_cast<uint32_t>(values.size())}, bytesOf(values));
  }
  /// The operand of a tensor, created at first use.
  uint32_t operand(int32_t index);
  /// The operand of a filter. Several scales make it quantized per channel along `channelDim`.
  uint32_t filter(int32_t index, uint32_t channelDim);
  /// The operand of the bias. NNAPI requires the scale input * filter, or 0 for per-channel filters.
  uint32_t bias(const tflite::Operator &op);
  void add(hal::OperationType type, Inputs inputs, const tflite::Operator &op);

  Status convert(const tflite::Operator &op);
  void convertConv(const tflite::Operator &op);
  void convertDepthwise(const tflite::Operator &op);
  void convertFullyConnected(const tflite::Operator &op);
  void convertPool(const tflite::Operator &op);
  void convertReshape(const tflite::Operator &op);
  void convertMean(const tflite::Operator &op);
  void convertRequantize(const tflite::Operator &op);

  const tflite::Model &file_;
  const tflite::SubGraph &graph_;
  hal::Model model_;
  std::map<int32_t, uint32_t> operands_;
};

/// TFLite numbers SAME 0 and VALID 1; NNAPI 1 and 2.
int32_t schemeOf(tflite::Padding padding) { return static_cast<int32_t>(padding) + 1; }
/// NONE, RELU, RELU_N1_TO_1 and RELU6 have the same numbers in TFLite and NNAPI.
int32_t fusedOf(tflite::ActivationFunction activation) { return static_cast<int32_t>(activation); }

BuiltinOperator Converter::codeOf(const tflite::Operator &op) const {
  const auto *code = file_.operator_codes()->Get(op.opcode_index());
  return std::max(code->builtin_code(), static_cast<BuiltinOperator>(code->deprecated_builtin_code()));
}

uint32_t Converter::append(hal::Operand operand) {
  model_.main.operands.push_back(std::move(operand));
  return static_cast<uint32_t>(model_.main.operands.size() - 1);
}

uint32_t Converter::constant(OperandType type, std::vector<uint32_t> dimensions, const std::vector<uint8_t> &bytes) {
  hal::Operand made;
  made.type = type;
  made.dimensions = std::move(dimensions);
  made.lifetime = OperandLifeTime::ConstantCopy;
  std::vector<uint8_t> &values = model_.operandValues;
  values.resize(roundUp(values.size(), 8));
  made.location = {0, values.size(), bytes.size(), 0};
  values.insert(values.end(), bytes.begin(), bytes.end());
  return append(std::move(made));
}

uint32_t Converter::operand(int32_t index) {
  if (auto known = operands_.find(index); known != operands_.end())
    return known->second;
  const tflite::Tensor &source = tensor(index);
  std::vector<uint32_t> dimensions;
  if (source.shape())
    dimensions.assign(source.shape()->begin(), source.shape()->end());
  const auto *data = dataOf(index);
  uint32_t made = data ? constant(typeOf(source), dimensions, {data->begin(), data->end()})
                       : append({.type = typeOf(source), .dimensions = dimensions, .location = {}, .extraParams = {}});
  if (const std::vector<float> scales = scalesOf(source); scales.size() == 1) {
    model_.main.operands[made].scale = scales[0];
    model_.main.operands[made].zeroPoint = static_cast<int32_t>(source.quantization()->zero_point()->Get(0));
  }
  return operands_[index] = made;
}

uint32_t Converter::filter(int32_t index, uint32_t channelDim) {
  const uint32_t made = operand(index);
  const std::vector<float> scales = scalesOf(tensor(index));
  if (scales.size() > 1) {
    model_.main.operands[made].type = OperandType::TensorQuant8SymmPerChannel;
    model_.main.operands[made].extraParams = hal::SymmPerChannelQuantParams{scales, channelDim};
  }
  return made;
}

uint32_t Converter::bias(const tflite::Operator &op) {
  const std::vector<float> input = scalesOf(tensor(op.inputs()->Get(0)));
  const std::vector<float> weights = scalesOf(tensor(op.inputs()->Get(1)));
  const float scale = weights.size() == 1 ? input[0] * weights[0] : 0;
  uint32_t made = 0;
  if (op.inputs()->size() > 2 && op.inputs()->Get(2) >= 0) {
    made = operand(op.inputs()->Get(2));
  } else {
    const auto channels = static_cast<uint32_t>(*(tensor(op.outputs()->Get(0)).shape()->end() - 1));
    const OperandType type = input.empty() ? OperandType::TensorFloat32 : OperandType::TensorInt32;
    made = constant(type, {channels}, std::vector<uint8_t>(channels * 4));
  }
  model_.main.operands[made].scale = scale;
  model_.main.operands[made].zeroPoint = 0;
  return made;
}

void Converter::add(hal::OperationType type, Inputs inputs, const tflite::Operator &op) {
  model_.main.operations.push_back({type, std::move(inputs), {operand(op.outputs()->Get(0))}});
}

void Converter::convertConv(const tflite::Operator &op) {
  const auto &options = *op.options_as_Conv2DOptions();
  add(hal::OperationType::Conv2d,
      {operand(op.inputs()->Get(0)), filter(op.inputs()->Get(1), 0), bias(op), scalar(schemeOf(options.padding())),
       scalar(options.stride_w()), scalar(options.stride_h()), scalar(fusedOf(options.activation())), no(),
       scalar(options.dilation_w()), scalar(options.dilation_h())},
      op);
}

void Converter::convertDepthwise(const tflite::Operator &op) {
  const auto &options = *op.options_as_DepthwiseConv2DOptions();
  const auto channels = [&](int32_t index) { return tensor(index).shape()->Get(3); };
  const int32_t multiplier = channels(op.outputs()->Get(0)) / channels(op.inputs()->Get(0));
  add(hal::OperationType::DepthwiseConv2d,
      {operand(op.inputs()->Get(0)), filter(op.inputs()->Get(1), 3), bias(op), scalar(schemeOf(options.padding())),
       scalar(options.stride_w()), scalar(options.stride_h()), scalar(multiplier),
       scalar(fusedOf(options.activation())), no(), scalar(options.dilation_w()), scalar(options.dilation_h())},
      op);
}

void Converter::convertFullyConnected(const tflite::Operator &op) {
  const auto &options = *op.options_as_FullyConnectedOptions();
  add(hal::OperationType::FullyConnected,
      {operand(op.inputs()->Get(0)), operand(op.inputs()->Get(1)), bias(op), scalar(fusedOf(options.activation()))},
      op);
}

void Converter::convertPool(const tflite::Operator &op) {
  const auto &options = *op.options_as_Pool2DOptions();
  add(hal::OperationType::AveragePool2d,
      {operand(op.inputs()->Get(0)), scalar(schemeOf(options.padding())), scalar(options.stride_w()),
       scalar(options.stride_h()), scalar(options.filter_width()), scalar(options.filter_height()),
       scalar(fusedOf(options.activation()))},
      op);
}

void Converter::convertReshape(const tflite::Operator &op) {
  const auto *shape = tensor(op.outputs()->Get(0)).shape();
  add(hal::OperationType::Reshape, {operand(op.inputs()->Get(0)), integers({shape->begin(), shape->end()})}, op);
}

void Converter::convertMean(const tflite::Operator &op) {
  const bool keeps = op.options_as_ReducerOptions() && op.options_as_ReducerOptions()->keep_dims();
  add(hal::OperationType::Mean, {operand(op.inputs()->Get(0)), operand(op.inputs()->Get(1)), scalar(keeps ? 1 : 0)},
      op);
}

/// NNAPI quantizes floats only, so this goes through float32. Exact if both sides have the same scale.
void Converter::convertRequantize(const tflite::Operator &op) {
  const uint32_t from = operand(op.inputs()->Get(0));
  const uint32_t real = append({.type = OperandType::TensorFloat32,
                                .dimensions = model_.main.operands[from].dimensions,
                                .location = {},
                                .extraParams = {}});
  model_.main.operations.push_back({hal::OperationType::Dequantize, {from}, {real}});
  add(hal::OperationType::Quantize, {real}, op);
}

Status Converter::convert(const tflite::Operator &op) {
  switch (codeOf(op)) {
  case BuiltinOperator::ADD:
    add(hal::OperationType::Add,
        {operand(op.inputs()->Get(0)), operand(op.inputs()->Get(1)),
         scalar(fusedOf(op.options_as_AddOptions()->activation()))},
        op);
    return Status::ok();
  case BuiltinOperator::SOFTMAX:
    add(hal::OperationType::Softmax, {operand(op.inputs()->Get(0)), scalar(op.options_as_SoftmaxOptions()->beta())},
        op);
    return Status::ok();
  case BuiltinOperator::CONV_2D:
    return convertConv(op), Status::ok();
  case BuiltinOperator::DEPTHWISE_CONV_2D:
    return convertDepthwise(op), Status::ok();
  case BuiltinOperator::FULLY_CONNECTED:
    return convertFullyConnected(op), Status::ok();
  case BuiltinOperator::AVERAGE_POOL_2D:
    return convertPool(op), Status::ok();
  case BuiltinOperator::RESHAPE:
  case BuiltinOperator::SQUEEZE:
    return convertReshape(op), Status::ok();
  case BuiltinOperator::MEAN:
    return convertMean(op), Status::ok();
  case BuiltinOperator::QUANTIZE:
    return convertRequantize(op), Status::ok();
  default:
    return unsupported(std::string("operator ") + tflite::EnumNameBuiltinOperator(codeOf(op)));
  }
}

Result<hal::Model> Converter::run() {
  for (const tflite::Operator *op : *graph_.operators()) {
    const bool isMac = codeOf(*op) == BuiltinOperator::CONV_2D || codeOf(*op) == BuiltinOperator::DEPTHWISE_CONV_2D ||
                       codeOf(*op) == BuiltinOperator::FULLY_CONNECTED;
    if (isMac && scalesOf(tensor(op->inputs()->Get(0))).empty() && !scalesOf(tensor(op->inputs()->Get(1))).empty())
      return unsupported("quantized weights with float activations");
    AVOCET_RETURN_IF_ERROR(convert(*op));
  }
  for (int32_t index : *graph_.inputs()) {
    model_.main.inputIndexes.push_back(operand(index));
    model_.main.operands[operand(index)].lifetime = OperandLifeTime::SubgraphInput;
  }
  for (int32_t index : *graph_.outputs()) {
    model_.main.outputIndexes.push_back(operand(index));
    model_.main.operands[operand(index)].lifetime = OperandLifeTime::SubgraphOutput;
  }
  return std::move(model_);
}

} // namespace

Result<hal::Model> tfliteToHal(std::span<const uint8_t> file) {
  flatbuffers::Verifier verifier(file.data(), file.size());
  if (!tflite::VerifyModelBuffer(verifier))
    return dataLoss("is no TFLite model");
  return Converter(*tflite::GetModel(file.data())).run();
}

} // namespace avocet::golden

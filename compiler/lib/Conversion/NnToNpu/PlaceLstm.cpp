//===- PlaceLstm.cpp - LSTM on the vector DSP -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceLstm.h"

#include "Layers/MacLayer.h"
#include "Placement.h"
#include "Storage.h"
#include "Views.h"
#include "avocet/base/Rounding.h"
#include "avocet/kernels/dsp/Lstm.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/Endian.h"

#include <cstring>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// The products of an LSTM's inputs, plus the biases: they need no state, so the array computes them for all steps at
/// once. Weights and biases are constants of the network, by gate.
struct LstmSums {
  mlir::Operation *op;
  mlir::Value input; ///< storage: [steps, 1, features]
  int64_t steps;     ///< so many of them
  int32_t inputZeroPoint;
  mlir::ValueRange weights, recurrentWeights, biases;
  std::array<firmware::Rescale, kernels::kNumLstmGates> rescales; ///< of integers: to the scale of the gates' sums
};

/// The matrix product in the form of the array: all gates are output channels of one layer.
struct Product {
  Product(const LstmSums &sums, Placement &placement)
      : steps(sums.steps), features(tensorOf(sums.input).getDimSize(2)),
        cells(tensorOf(sums.weights.front()).getDimSize(0)), image(rowsAsImage(steps, placement)),
        isFloat(tensorOf(sums.input).getElementType().isF32()),
        weightBytes(sizeOf(*npu::dataTypeOf(storageElement(tensorOf(sums.weights.front()).getElementType())))) {}

  int64_t channels() const { return cells * kernels::kNumLstmGates; }
  Type inputElement(Builder &builder) const { return isFloat ? Type(builder.getF32Type()) : builder.getI8Type(); }
  Type sumElement(Builder &builder) const { return isFloat ? Type(builder.getF32Type()) : builder.getI16Type(); }
  RankedTensorType inputType(Builder &b) const {
    return storageType({image.first, image.second, features}, inputElement(b));
  }
  RankedTensorType resultType(Builder &b) const {
    return storageType({image.first, image.second, channels()}, sumElement(b));
  }
  RankedTensorType columnsType(Builder &b) const { return storageType({cells, 1, channels()}, inputElement(b)); }

  Result<WeightLayout> layout(const Target &target) const {
    const WeightDims dims = {static_cast<uint32_t>(channels()), 1, 1, static_cast<uint32_t>(features)};
    return WeightLayout::create(target.mac(), ConvKind::Dense, dims, isFloat ? 4 : 1);
  }

  ConvCommand command(int32_t inputZeroPoint) const {
    ConvCommand command;
    command.scaling = isFloat ? OutputScaling::Float : OutputScaling::Requantize;
    command.weightType = isFloat ? DataType::Float32 : DataType::Int8;
    command.input.zeroPoint = inputZeroPoint;
    command.clamp = clampFor(nn::Activation::kNone, {isFloat ? DataType::Float32 : DataType::Int16, 1, 0});
    return command;
  }

  int64_t steps, features, cells;
  std::pair<int64_t, int64_t> image;
  bool isFloat;
  size_t weightBytes; ///< of one
};

std::vector<uint8_t> contentsOf(Value constant) {
  std::vector<uint8_t> splat;
  const ArrayRef<uint8_t> bytes = constantBytes(constant.getDefiningOp<nn::ConstantOp>(), splat);
  return {bytes.begin(), bytes.end()};
}

Value packWeights(const LstmSums &sums, const WeightLayout &layout, Placement &placement) {
  return placement.bytes(sums.op, "weights", layout.bytes(), [&](llvm::MutableArrayRef<uint8_t> packed) {
    std::vector<uint8_t> plain;
    for (Value gate : sums.weights) {
      const std::vector<uint8_t> bytes = contentsOf(gate);
      plain.insert(plain.end(), bytes.begin(), bytes.end());
    }
    layout.pack(plain, {packed.data(), packed.size()});
  });
}

/// Of one gate's channels, one after the other.
void writeRecords(ArrayRef<uint8_t> biases, bool isFloat, const Rescale &rescale, uint8_t *records) {
  static_assert(sizeof(FloatRecord) == sizeof(RequantRecord));
  for (size_t at = 0; at < biases.size(); at += 4, records += sizeof(RequantRecord)) {
    const uint32_t bias = llvm::support::endian::read32le(&biases[at]);
    const FloatRecord real = {llvm::bit_cast<float>(bias), 1, 0};
    const RequantRecord integer = {static_cast<int32_t>(bias), rescale.multiplier, rescale.shift};
    std::memcpy(records, isFloat ? static_cast<const void *>(&real) : &integer, sizeof(RequantRecord));
  }
}

Value channelRecords(const LstmSums &sums, const Product &product, Placement &placement) {
  const size_t size = product.channels() * sizeof(RequantRecord);
  return placement.bytes(sums.op, "records", size, [&](llvm::MutableArrayRef<uint8_t> records) {
    for (auto [gate, bias] : llvm::enumerate(sums.biases))
      writeRecords(contentsOf(bias), product.isFloat, sums.rescales[gate],
                   &records[gate * records.size() / kernels::kNumLstmGates]);
  });
}

/// The weights [cell, input or hidden state] of one gate as columns.
void writeColumns(ArrayRef<uint8_t> rows, const Product &product, size_t gate, llvm::MutableArrayRef<uint8_t> columns) {
  const size_t size = product.weightBytes, cells = product.cells, channels = product.channels();
  const size_t vectors = rows.size() / size / cells;
  for (size_t cell = 0; cell < cells; ++cell)
    for (size_t from = 0; from < vectors; ++from)
      std::memcpy(&columns[(from * channels + gate * cells + cell) * size], &rows[(cell * vectors + from) * size],
                  size);
}

/// The bytes of a constant as elements of another type.
Value withType(Value bytes, RankedTensorType type) {
  auto constant = bytes.getDefiningOp<npu::ConstantOp>();
  const auto contents = cast<DenseResourceElementsAttr>(constant.getValue());
  constant.setValueAttr(DenseResourceElementsAttr::get(type, contents.getRawHandle()));
  bytes.setType(type);
  return bytes;
}

/// The weights of all inputs, then of all hidden states, as columns, and the biases of all gates: inputs[1] and
/// inputs[2] of the hybrid kernel of steps. They are constants of the network, by gate.
std::pair<Value, Value> placeHybridConstants(const LstmSums &sums, Placement &placement) {
  const Product product(sums, placement);
  Builder &builder = placement.builder();
  const auto columns = storageType({product.features + product.cells, 1, product.channels()}, builder.getI8Type());
  const Value weights =
      placement.bytes(sums.op, "columns", storageBytes(columns), [&](llvm::MutableArrayRef<uint8_t> all) {
        const size_t inputs = product.features * product.channels();
        for (uint32_t gate = 0; gate < kernels::kNumLstmGates; ++gate) {
          writeColumns(contentsOf(sums.weights[gate]), product, gate, all.take_front(inputs));
          writeColumns(contentsOf(sums.recurrentWeights[gate]), product, gate, all.drop_front(inputs));
        }
      });
  const auto vector = storageType({1, 1, product.channels()}, builder.getF32Type());
  const Value biases =
      placement.bytes(sums.op, "biases", storageBytes(vector), [&](llvm::MutableArrayRef<uint8_t> all) {
        for (auto [gate, bias] : llvm::enumerate(sums.biases))
          llvm::copy(contentsOf(bias), &all[gate * all.size() / kernels::kNumLstmGates]);
      });
  return {withType(weights, columns), withType(biases, vector)};
}

/// Whether the array takes the products, and half of the SRAM holds all of them beside the recurrent weights.
bool arrayTakesSums(const LstmSums &sums, Placement &placement) {
  const Product product(sums, placement);
  Builder &builder = placement.builder();
  const auto layout = product.layout(placement.target());
  if (!layout)
    return false;
  ConvCommand whole = product.command(sums.inputZeroPoint);
  whole.input = fullMap(product.inputType(builder), sums.inputZeroPoint);
  whole.output = fullMap(product.resultType(builder), 0);
  whole.weightBytes = layout->bytes();
  const uint64_t step = layout->bytes() / product.channels() * layout->granule();
  const uint64_t held = storageBytes(product.resultType(builder)) + storageBytes(product.columnsType(builder));
  return std::max(held, step) <= placement.target().sram().bytes / 2 && arrayTakesCommand(whole, placement);
}

/// inputs[0] of the kernels of steps (kernels/dsp/Lstm.h). Requires arrayTakesSums().
Value placeSums(const LstmSums &sums, Placement &placement) {
  const Product product(sums, placement);
  Builder &builder = placement.builder();
  const Location location = sums.op->getLoc();
  const Value input = placement.view(location, sums.input, product.inputType(builder));
  const Value weights = packWeights(sums, *product.layout(placement.target()), placement);
  const Value records = channelRecords(sums, product, placement);
  auto conv =
      npu::ConvOp::create(placement.builder(), location, product.resultType(builder), input, weights, records, Value(),
                          Value(), Value(), product.command(sums.inputZeroPoint), 0, 0, placement.layerOf(sums.op));
  return placement.view(location, conv, {product.steps, 1, product.channels()});
}

/// inputs[1] of the kernels of steps.
Value placeRecurrentColumns(const LstmSums &sums, Placement &placement) {
  const Product product(sums, placement);
  const RankedTensorType type = product.columnsType(placement.builder());
  const Value columns =
      placement.bytes(sums.op, "recurrent", storageBytes(type), [&](llvm::MutableArrayRef<uint8_t> bytes) {
        for (auto [gate, weights] : llvm::enumerate(sums.recurrentWeights))
          writeColumns(contentsOf(weights), product, gate, bytes);
      });
  return withType(columns, type);
}

/// What both operations with a sequence have.
struct Sequence {
  Operation *op;
  Value input;
  ValueRange inputWeights, recurrentWeights, biases;
  SmallVector<Value, 2> states; ///< hidden state and cell state before the first step; empty: zeros
  Type cell, hidden;            ///< element types of the states, of a quantized LSTM
  float cellClip;
  bool isTimeMajor;
  bool isAsymmetric; ///< of hybrid ones
  Value output;

  int64_t batch() const { return tensorOf(input).getDimSize(isTimeMajor ? 1 : 0); }
  int64_t steps() const { return tensorOf(input).getDimSize(isTimeMajor ? 0 : 1); }
};

kernels::IntegerLstmScales scalesOf(const Sequence &lstm) {
  kernels::IntegerLstmScales scales;
  scales.input = scaleOf(lstm.input);
  scales.hiddenState = scales.hiddenIntermediate = scaleOf(lstm.hidden);
  scales.cellState = scaleOf(lstm.cell);
  scales.cellClip = lstm.cellClip;
  for (uint32_t gate = 0; gate < kernels::kNumLstmGates; ++gate) {
    scales.inputWeights[gate] = scaleOf(lstm.inputWeights[gate]);
    scales.recurrentWeights[gate] = scaleOf(lstm.recurrentWeights[gate]);
  }
  return scales;
}

/// Matrices are stored as [rows, 1, columns], vectors as [1, 1, elements].
LogicalResult appendConstants(Operation *op, ValueRange values, StringRef operand, Placement &placement,
                              Placement::Dsp &dsp) {
  for (Value value : values) {
    auto constant = value.getDefiningOp<nn::ConstantOp>();
    if (!constant)
      return placement.refuse(op, operand, "is constant", "a computed tensor");
    auto type = tensorOf(value);
    StorageShape shape{type.getRank() == 2 ? type.getDimSize(0) : 1, 1, type.getShape().back()};
    dsp.inputs.push_back(placement.constant(constant, storageType(shape, storageElement(type.getElementType()))));
    dsp.inputZeroPoints.push_back(0);
  }
  return success();
}

/// The storage of the initial states.
SmallVector<Value, 2> statesOf(const Sequence &lstm, Placement &placement) {
  SmallVector<Value, 2> states;
  for (Value state : lstm.states) {
    const int64_t cells = tensorOf(state).getDimSize(1);
    states.push_back(placement.view(lstm.op->getLoc(), placement.operand(state), {1, 1, cells}));
  }
  return states;
}

/// Sets the result types of sequence, hidden state and cell state, and the operands of the states before.
void describeStates(const Sequence &lstm, int64_t steps, ValueRange states, Placement &placement, Placement::Dsp &dsp) {
  const int64_t cells = tensorOf(lstm.output).getDimSize(2);
  Quantization result = quantizationOf(lstm.output);
  Builder &builder = placement.builder();
  Type element = storageElement(tensorOf(lstm.output).getElementType());
  Type cellElement = result.isFloat() ? element : builder.getIntegerType(16);
  dsp.results = {storageType({steps, 1, cells}, element), storageType({1, 1, cells}, element),
                 storageType({1, 1, cells}, cellElement)};
  dsp.resultZeroPoints = {result.zeroPoint, result.zeroPoint, 0};
  // Without states they start at the real number zero, which for the hidden state is its zero point.
  if (states.empty())
    dsp.resultFills = {-1, result.isFloat() ? 0 : static_cast<uint8_t>(result.zeroPoint), 0};
  dsp.inputs.append(states.begin(), states.end());
  for (size_t i = 0; i < states.size(); ++i)
    dsp.inputZeroPoints.push_back(dsp.resultZeroPoints[kernels::kLstmHiddenState + i]);
}

/// The parameters of integers; all zeros for floats.
FailureOr<kernels::IntegerLstmParameters> parametersFor(const Sequence &lstm, Placement &placement) {
  if (quantizationOf(lstm.output).isFloat())
    return kernels::IntegerLstmParameters();
  if (lstm.hidden != tensorOf(lstm.output).getElementType())
    return placement.refuse(lstm.op, "result", "has the type of the hidden state", "another scale or zero point");
  Result<kernels::IntegerLstmParameters> parameters = kernels::prepareIntegerLstm(scalesOf(lstm));
  if (!parameters)
    return placement.refuse(lstm.op, "scales", parameters.status().message(), "");
  return *parameters;
}

LogicalResult appendInputs(const Sequence &lstm, Value input, Placement &placement, Placement::Dsp &dsp) {
  dsp.inputs = {input};
  dsp.inputZeroPoints = {quantizationOf(lstm.input).zeroPoint};
  return success(succeeded(appendConstants(lstm.op, lstm.inputWeights, "input weights", placement, dsp)) &&
                 succeeded(appendConstants(lstm.op, lstm.recurrentWeights, "recurrent weights", placement, dsp)) &&
                 succeeded(appendConstants(lstm.op, lstm.biases, "biases", placement, dsp)));
}

void appendSums(const LstmSums &sums, Placement &placement, Placement::Dsp &dsp) {
  dsp.inputs = {placeSums(sums, placement), placeRecurrentColumns(sums, placement)};
  dsp.inputZeroPoints = {0, 0};
}

/// Weights of 8 bits for floats: the constants are those of the network.
bool isHybrid(const Sequence &lstm) {
  return quantizationOf(lstm.input).isFloat() && isQuantized(lstm.inputWeights.front());
}

void describeHybrid(const Sequence &lstm, const LstmSums &sums, Placement &placement, Placement::Dsp &dsp) {
  const auto [weights, biases] = placeHybridConstants(sums, placement);
  dsp.inputs = {sums.input, weights, biases};
  dsp.inputZeroPoints = {0, 0, 0};
  kernels::HybridLstmStepsParameters parameters;
  parameters.cellClip = lstm.cellClip;
  parameters.asymmetric = lstm.isAsymmetric;
  for (uint32_t gate = 0; gate < kernels::kNumLstmGates; ++gate) {
    parameters.input[gate] = scaleOf(lstm.inputWeights[gate]);
    parameters.recurrent[gate] = scaleOf(lstm.recurrentWeights[gate]);
  }
  dsp.kernel = kernels::kHybridLstmStepsKernel;
  dsp.parameters = kernels::packParameters(parameters);
}

bool areConstants(ValueRange values) {
  return llvm::all_of(values, [](Value value) { return value.getDefiningOp<nn::ConstantOp>() != nullptr; });
}

void describeKernel(const Sequence &lstm, bool hasSums, const kernels::IntegerLstmParameters &parameters,
                    Placement::Dsp &dsp) {
  if (quantizationOf(lstm.output).isFloat()) {
    dsp.kernel = hasSums ? kernels::kFloatLstmStepsKernel : kernels::kFloatLstmKernel;
    dsp.parameters = kernels::packParameters(kernels::FloatLstmParameters{lstm.cellClip});
    return;
  }
  dsp.kernel = hasSums ? kernels::kIntegerLstmStepsKernel : kernels::kIntegerLstmKernel;
  dsp.parameters = hasSums ? kernels::packParameters<kernels::IntegerLstmStepsParameters>(parameters)
                           : kernels::packParameters(parameters);
}

bool hasConstants(const Sequence &lstm) {
  return areConstants(lstm.inputWeights) && areConstants(lstm.recurrentWeights) && areConstants(lstm.biases);
}

/// Steps that run in one command of each engine: all of them, or as many as have their sums in memory. 0: the array
/// does not take the products.
int64_t stepsAtATime(LstmSums sums, Placement &placement) {
  const int64_t all = sums.steps;
  while (sums.steps > 0 && !arrayTakesSums(sums, placement))
    sums.steps /= 2;
  return sums.steps == 0 ? 0 : divideUp(all, divideUp(all, sums.steps));
}

/// Places some steps; `sums.input` is what they read.
FailureOr<npu::DspOp> placeSteps(const Sequence &lstm, const LstmSums &sums, bool hasSums,
                                 const kernels::IntegerLstmParameters &parameters, ValueRange states,
                                 Placement &placement) {
  Placement::Dsp dsp;
  if (isHybrid(lstm)) {
    describeHybrid(lstm, sums, placement, dsp);
  } else {
    if (hasSums)
      appendSums(sums, placement, dsp);
    else if (failed(appendInputs(lstm, sums.input, placement, dsp)))
      return failure();
    describeKernel(lstm, hasSums, parameters, dsp);
  }
  describeStates(lstm, sums.steps, states, placement, dsp);
  return placement.dsp(lstm.op, dsp);
}

/// Storage of the sequence, and of the states after it.
using SequenceResults = std::array<Value, kernels::kNumLstmOutputs>;

FailureOr<SequenceResults> placeSequence(const Sequence &lstm, Placement &placement) {
  FailureOr<kernels::IntegerLstmParameters> parameters = parametersFor(lstm, placement);
  if (failed(parameters))
    return failure();
  const int64_t steps = lstm.steps(), features = tensorOf(lstm.input).getDimSize(2);
  const Value input = placement.view(lstm.op->getLoc(), placement.operand(lstm.input), {steps, 1, features});
  LstmSums sums = {lstm.op,
                   input,
                   steps,
                   quantizationOf(lstm.input).zeroPoint,
                   lstm.inputWeights,
                   lstm.recurrentWeights,
                   lstm.biases,
                   parameters->input};
  const int64_t mostSteps = hasConstants(lstm) && !isHybrid(lstm) ? stepsAtATime(sums, placement) : 0;
  SmallVector<Value, 2> states = statesOf(lstm, placement);
  SmallVector<Value> sequence;
  for (int64_t first = 0; first < steps; first += sums.steps) {
    sums.steps = mostSteps == 0 ? steps : std::min(mostSteps, steps - first);
    if (sums.steps < steps)
      sums.input = placePart(lstm.op, input, {first, 0, 0}, {sums.steps, 1, features}, placement);
    FailureOr<npu::DspOp> placed = placeSteps(lstm, sums, mostSteps != 0, *parameters, states, placement);
    if (failed(placed))
      return failure();
    sequence.push_back(placed->getResult(kernels::kLstmOutputSequence));
    states.assign({placed->getResult(kernels::kLstmHiddenState), placed->getResult(kernels::kLstmCellState)});
  }
  if (sequence.size() == 1)
    return SequenceResults{sequence.front(), states[0], states[1]};
  FailureOr<Value> joined = placeJoin(lstm.op, sequence, 0, placement);
  if (failed(joined))
    return failure();
  return SequenceResults{*joined, states[0], states[1]};
}

LogicalResult placeLstm(nn::LstmOp op, Placement &placement) {
  const Sequence lstm{op,
                      op.getInput(),
                      op.getInputWeights(),
                      op.getRecurrentWeights(),
                      op.getBiases(),
                      {},
                      op.getCellType().value_or(Type()),
                      op.getHiddenType().value_or(Type()),
                      op.getCellClip().convertToFloat(),
                      op.getTimeMajor(),
                      false,
                      op.getOutput()};
  if (lstm.batch() != 1)
    return placement.refuse(op, "input", "batch", Twine(lstm.batch()), "1");
  FailureOr<SequenceResults> placed = placeSequence(lstm, placement);
  return failed(placed) ? failure() : placement.finish(op, placed->front());
}

Sequence sequenceOf(nn::LstmCellOp op) {
  return {op,
          op.getInput(),
          op.getInputWeights(),
          op.getRecurrentWeights(),
          op.getBiases(),
          {op.getOutputState(), op.getCellState()},
          tensorOf(op.getCellState()).getElementType(),
          tensorOf(op.getOutputState()).getElementType(),
          op.getCellClip().convertToFloat(),
          !op.getBatchMajor(),
          op.getAsymmetric(),
          op.getOutput()};
}

/// Whether the sums of all gates have 12 fractional bits.
bool hasUsualSums(nn::LstmCellOp op) {
  auto types = llvm::to_vector(op.getIntermediates()->getAsValueRange<TypeAttr>());
  return llvm::all_of(ArrayRef(types).drop_back(), [](Type type) { return scaleOf(type) == 1.0f / 4096; }) &&
         types.back() == tensorOf(op.getOutput()).getElementType();
}

/// Floats, or bytes with one scale for each matrix.
bool isOfFloatSequences(Value weights) {
  const Type element = tensorOf(weights).getElementType();
  const auto quantized = dyn_cast<quant::UniformQuantizedType>(element);
  return element.isF32() || (quantized && quantized.isSigned() && quantized.getStorageTypeIntegralWidth() == 8 &&
                             quantized.getZeroPoint() == 0);
}

bool hasTypesOfSequences(nn::LstmCellOp op) {
  const bool isFloat = tensorOf(op.getInput()).getElementType().isF32();
  if (isFloat)
    return llvm::all_of(op.getInputWeights(), isOfFloatSequences) &&
           llvm::all_of(op.getRecurrentWeights(), isOfFloatSequences);
  return op.getIntermediates() && hasUsualSums(op);
}

} // namespace

bool isPlainSequence(nn::LstmCellOp op) {
  const bool hasParts = !op.getPeepholes().empty() || !op.getProjection().empty() || !op.getLayerNorm().empty() ||
                        op.getInputWeights().size() != kernels::kNumLstmGates || !op.getGates().use_empty();
  return !hasParts && tensorOf(op.getInput()).getRank() == 3 && sequenceOf(op).batch() == 1 &&
         op.getActivation() == nn::CellActivation::Tanh && areConstants(op.getInputWeights()) &&
         areConstants(op.getRecurrentWeights()) && areConstants(op.getBiases()) && hasTypesOfSequences(op);
}

LogicalResult placePlainSequence(nn::LstmCellOp op, Placement &placement) {
  FailureOr<SequenceResults> placed = placeSequence(sequenceOf(op), placement);
  if (failed(placed))
    return failure();
  const std::pair<Value, Value> results[] = {{op.getOutput(), (*placed)[kernels::kLstmOutputSequence]},
                                             {op.getOutputStateOut(), (*placed)[kernels::kLstmHiddenState]},
                                             {op.getCellStateOut(), (*placed)[kernels::kLstmCellState]}};
  for (auto [result, storage] : results)
    placement.bind(result, placement.view(op.getLoc(), storage, storageShape(tensorOf(result).getShape())));
  return success();
}

void addLstmPlacers(PlacerTable &table) { table.add(placeLstm); }

} // namespace avocet::compiler

//===- LstmSums.cpp - Products of an LSTM without its state -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LstmSums.h"

#include "MacLayer.h"

#include "llvm/Support/Endian.h"

#include <cstring>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// The matrix product in the form of the array: all gates are output channels of one layer.
struct Product {
  Product(const LstmSums &sums, Placement &placement)
      : steps(tensorOf(sums.input).getDimSize(0)), features(tensorOf(sums.input).getDimSize(2)),
        cells(tensorOf(sums.weights.front()).getDimSize(0)), image(rowsAsImage(steps, placement)),
        isFloat(tensorOf(sums.input).getElementType().isF32()) {}

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
    command.clamp = clampFor(nn::Activation::None, {isFloat ? DataType::Float32 : DataType::Int16, 1, 0});
    return command;
  }

  int64_t steps, features, cells;
  std::pair<int64_t, int64_t> image;
  bool isFloat;
};

uint64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * sizeOf(*npu::dataTypeOf(type.getElementType()));
}

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

/// The weights [cell, hidden state] of one gate as columns.
void writeColumns(ArrayRef<uint8_t> rows, const Product &product, size_t gate, llvm::MutableArrayRef<uint8_t> columns) {
  const size_t size = product.isFloat ? 4 : 1, cells = product.cells, channels = product.channels();
  for (size_t cell = 0; cell < cells; ++cell)
    for (size_t hidden = 0; hidden < cells; ++hidden)
      std::memcpy(&columns[(hidden * channels + gate * cells + cell) * size], &rows[(cell * cells + hidden) * size],
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

} // namespace

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
  const uint64_t held = bytesOf(product.resultType(builder)) + bytesOf(product.columnsType(builder));
  return std::max(held, step) <= placement.target().sram().bytes / 2 && arrayTakesCommand(whole, placement);
}

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

Value placeRecurrentColumns(const LstmSums &sums, Placement &placement) {
  const Product product(sums, placement);
  const RankedTensorType type = product.columnsType(placement.builder());
  const Value columns = placement.bytes(sums.op, "recurrent", bytesOf(type), [&](llvm::MutableArrayRef<uint8_t> bytes) {
    for (auto [gate, weights] : llvm::enumerate(sums.recurrentWeights))
      writeColumns(contentsOf(weights), product, gate, bytes);
  });
  return withType(columns, type);
}

} // namespace avocet::compiler

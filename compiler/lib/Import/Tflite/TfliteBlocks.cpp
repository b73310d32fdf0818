//===- TfliteBlocks.cpp - Constants with scales of blocks -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteBlocks.h"

#include "Import/Common/StoredNumbers.h"
#include "avocet/compiler/Dialect/Nn/NnRank.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {

using tflite::TensorType;

bool hasBlocks(const tflite::Tensor &tensor) {
  return tensor.quantization() &&
         tensor.quantization()->details_type() == tflite::QuantizationDetails::BlockwiseQuantization;
}

namespace {

/// Why a constant has no real numbers; no rule: it has.
struct BrokenBlocks {
  std::string rule = {}, value = {}, limit = {};
};

SmallVector<float> numbersOf(ArrayRef<char> bytes, TensorType type) {
  using namespace llvm::support;
  SmallVector<float> numbers;
  const size_t size = type == TensorType::FLOAT16 ? 2 : 4;
  for (size_t at = 0; at + size <= bytes.size(); at += size)
    numbers.push_back(size == 2 ? floatOfHalf(endian::read16le(bytes.data() + at))
                                : llvm::bit_cast<float>(endian::read32le(bytes.data() + at)));
  return numbers;
}

/// Reads a constant and checks it. `weights` is complete if no rule is broken.
class BlocksReader {
public:
  BlocksReader(const TfliteFile &file, int32_t tensor)
      : file_(file), tensor_(tensor), blocks_(file.tensor(tensor).quantization()->details_as_BlockwiseQuantization()),
        shape_(file.shape(tensor)) {}

  BrokenBlocks read() {
    for (auto step : {&BlocksReader::readShape, &BlocksReader::readNumbers, &BlocksReader::readScales,
                      &BlocksReader::checkZeroPoints})
      if (BrokenBlocks broken = (this->*step)(); !broken.rule.empty())
        return broken;
    return {};
  }

  PackedWeights weights{};

private:
  BrokenBlocks readShape() {
    const TensorType type = file_.tensor(tensor_).type();
    if (type != TensorType::INT4 && type != TensorType::INT8)
      return {"element type of a tensor with scales of blocks", typeName(type), "INT4 or INT8"};
    if (shape_.empty() || shape_.size() > nn::kMaxTensorRank)
      return {"rank of a tensor with scales of blocks", std::to_string(shape_.size()),
              "1 to " + std::to_string(nn::kMaxTensorRank)};
    if (llvm::is_contained(shape_, 0))
      return {"tensors have elements", "an extent of 0"};
    const int64_t bits = type == TensorType::INT4 ? 4 : 8, block = blocks_ ? blocks_->block_size() : 0;
    if (block < 1 || shape_.back() % block != 0 || block * bits % 8 != 0)
      return {"blocks are whole bytes and parts of the last axis, which has " + std::to_string(shape_.back()) +
                  " elements",
              std::to_string(block) + " elements"};
    weights.rows = llvm::product_of(ArrayRef(shape_).drop_back(), int64_t(1));
    weights.columns = shape_.back();
    weights.bits = bits;
    weights.block = block;
    weights.isSigned = true;
    return {};
  }

  BrokenBlocks readNumbers() {
    weights.data = file_.data(tensor_);
    if (weights.data.empty())
      return {"tensors with scales of blocks are constant", "a computed tensor"};
    if (file_.tensor(tensor_).sparsity())
      return {"tensors with scales of blocks are dense", "a sparse tensor"};
    const int64_t bytes = weights.rows * weights.columns * weights.bits / 8;
    if (static_cast<int64_t>(weights.data.size()) != bytes)
      return {"bytes of the constant", std::to_string(weights.data.size()), std::to_string(bytes)};
    return {};
  }

  BrokenBlocks readScales() {
    const int32_t index = blocks_->scales();
    if (index < 0 || index >= static_cast<int64_t>(file_.numTensors()))
      return {"tensor of scales", std::to_string(index), "below " + std::to_string(file_.numTensors())};
    const TensorType type = file_.tensor(index).type();
    if (type != TensorType::FLOAT16 && type != TensorType::FLOAT32)
      return {"element type of scales", typeName(type), "FLOAT16 or FLOAT32"};
    weights.scales = numbersOf(file_.data(index), type);
    const int64_t count = weights.rows * weights.blocks();
    if (static_cast<int64_t>(weights.scales.size()) != count)
      return {"constant scales, one for each block", std::to_string(weights.scales.size()), std::to_string(count)};
    if (!llvm::all_of(weights.scales, [](float scale) { return std::isfinite(scale); }))
      return {"scales are finite", "another number"};
    return {};
  }

  /// The reference ignores them.
  BrokenBlocks checkZeroPoints() {
    const int32_t index = blocks_->zero_points();
    if (index <= 0)
      return {};
    if (index >= static_cast<int64_t>(file_.numTensors()))
      return {"tensor of zero points", std::to_string(index), "below " + std::to_string(file_.numTensors())};
    const ArrayRef<char> bytes = file_.data(index);
    if (bytes.empty() || llvm::any_of(bytes, [](char byte) { return byte != 0; }))
      return {"zero points of blocks are constant and 0", "others"};
    return {};
  }

  const TfliteFile &file_;
  int32_t tensor_;
  const tflite::BlockwiseQuantization *blocks_; ///< may be null
  SmallVector<int64_t> shape_;
};

} // namespace

ConvertedType convertBlocks(MLIRContext *context, const TfliteFile &file, int32_t tensor) {
  BlocksReader reader(file, tensor);
  if (BrokenBlocks broken = reader.read(); !broken.rule.empty())
    return {{}, broken.rule, broken.value, broken.limit};
  return {RankedTensorType::get(file.shape(tensor), Float32Type::get(context)), {}, {}, {}};
}

ElementsAttr realElements(const TfliteFile &file, int32_t tensor, RankedTensorType type) {
  BlocksReader reader(file, tensor);
  [[maybe_unused]] const BrokenBlocks broken = reader.read();
  assert(broken.rule.empty() && "checked by convertBlocks()");
  return reader.weights.elements(type);
}

} // namespace avocet::compiler

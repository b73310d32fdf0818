//===- TfliteTypes.cpp - Tensor types of a TFLite file in MLIR --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteTypes.h"

#include "TfliteBlocks.h"

#include "Import/Common/Elements.h"

#include "avocet/compiler/Dialect/Nn/NnRank.h"
#include "avocet/compiler/Support/Refusal.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

namespace avocet::compiler {

using tflite::TensorType;

std::string typeName(TensorType type) {
  std::string name = tflite::EnumNameTensorType(type);
  return name.empty() ? ("type " + Twine(static_cast<int>(type))).str() : name;
}

namespace {

ConvertedType refuse(const Twine &rule, const Twine &value, const Twine &limit = "") {
  return {{}, rule.str(), value.str(), limit.str()};
}

std::optional<QuantizedStorage> storageOf(TensorType type) {
  switch (type) {
  case TensorType::INT8:
  case TensorType::INT4: // constants, whose elements become bytes
    return QuantizedStorage{8, true};
  case TensorType::UINT8:
    return QuantizedStorage{8, false};
  case TensorType::INT16:
    return QuantizedStorage{16, true};
  default:
    return std::nullopt;
  }
}

/// Types without quantization.
Type plainType(MLIRContext *context, TensorType type) {
  switch (type) {
  case TensorType::FLOAT32:
    return Float32Type::get(context);
  case TensorType::FLOAT16:
    return Float16Type::get(context);
  case TensorType::BOOL:
    return IntegerType::get(context, 1);
  case TensorType::INT8:
    return IntegerType::get(context, 8);
  case TensorType::UINT8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case TensorType::INT16:
    return IntegerType::get(context, 16);
  case TensorType::INT32:
    return IntegerType::get(context, 32);
  case TensorType::INT64:
    return IntegerType::get(context, 64);
  default:
    return {};
  }
}

/// The rule that the scales break, if any. TensorFlow Lite gives channels without weights the scale 0.
std::optional<ConvertedType> checkScales(const flatbuffers::Vector<float> &scales) {
  if (scales.size() == 1 && !isScale(scales.Get(0)))
    return refuse("scales are positive normal numbers", roundedText(scales.Get(0)));
  for (uint32_t channel = 0; scales.size() > 1 && channel < scales.size(); ++channel)
    if (!isAxisScale(scales.Get(channel)))
      return refuse("scales of channels are positive normal numbers or 0",
                    roundedText(scales.Get(channel)) + " of channel " + Twine(channel));
  return std::nullopt;
}

/// The rule that the scales and zero points break, if any.
std::optional<ConvertedType> checkQuantization(const tflite::Quantization &quantization, QuantizedStorage storage,
                                               ArrayRef<int64_t> shape) {
  size_t scales = quantization.scale()->size();
  size_t zeroPoints = quantization.zero_point() ? quantization.zero_point()->size() : 0;
  if (zeroPoints != 0 && zeroPoints != scales)
    return refuse("as many zero points as scales", Twine(zeroPoints), Twine(scales));
  if (auto broken = checkScales(*quantization.scale()))
    return broken;
  for (size_t index = 0; index < zeroPoints; ++index) {
    int64_t zeroPoint = quantization.zero_point()->Get(index);
    if (zeroPoint < storage.min() || zeroPoint > storage.max())
      return refuse("zero points are values of the type",
                    Twine(zeroPoint) + (zeroPoints > 1 ? " of channel " + Twine(index) : Twine()),
                    Twine(storage.min()) + " to " + Twine(storage.max()));
  }
  if (scales == 1)
    return std::nullopt;
  int32_t axis = quantization.quantized_dimension();
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    return refuse("the quantized dimension is one of the tensor's", Twine(axis), "rank " + Twine(shape.size()));
  if (static_cast<int64_t>(scales) != shape[axis])
    return refuse("a scale for each index of the quantized dimension " + Twine(axis), Twine(scales),
                  Twine(shape[axis]));
  return std::nullopt;
}

Type quantizedType(MLIRContext *context, const tflite::Quantization &quantization, QuantizedStorage storage) {
  const auto *zeros = quantization.zero_point();
  bool hasZeros = zeros && zeros->size();
  if (quantization.scale()->size() == 1)
    return storage.perTensor(context, quantization.scale()->Get(0), hasZeros ? zeros->Get(0) : 0);
  SmallVector<double> scales(quantization.scale()->begin(), quantization.scale()->end());
  SmallVector<int64_t> zeroPoints(scales.size(), 0);
  if (hasZeros)
    llvm::copy(*zeros, zeroPoints.begin());
  return storage.perAxis(context, scales, zeroPoints, quantization.quantized_dimension());
}

bool hasScales(const tflite::Tensor &tensor) {
  return tensor.quantization() && tensor.quantization()->scale() && tensor.quantization()->scale()->size();
}

ConvertedType convertWithShape(MLIRContext *context, const tflite::Tensor &tensor, ArrayRef<int64_t> shape) {
  if (shape.size() > nn::kMaxTensorRank)
    return refuse("rank of a tensor", Twine(shape.size()), Twine(nn::kMaxTensorRank));
  if (llvm::is_contained(shape, 0))
    return refuse("tensors have elements", "an extent of 0");
  if (tensor.external_buffer())
    return refuse("constants are in the model's own file", "an external buffer");
  if (tensor.quantization() && tensor.quantization()->details_type() != tflite::QuantizationDetails::NONE)
    return refuse("scales are per tensor or per axis", "another scheme");
  std::optional<QuantizedStorage> storage = storageOf(tensor.type());
  if (storage && hasScales(tensor)) {
    if (auto broken = checkQuantization(*tensor.quantization(), *storage, shape))
      return *broken;
    return {RankedTensorType::get(shape, quantizedType(context, *tensor.quantization(), *storage)), {}, {}, {}};
  }
  if (tensor.type() == TensorType::RESOURCE)
    return refuse("is no handle of a variable, which only READ_VARIABLE and ASSIGN_VARIABLE use", "RESOURCE");
  if (tensor.type() == TensorType::COMPLEX64)
    return refuse("is real, except for COMPLEX_ABS, REAL, IMAG and operators that move elements", "COMPLEX64");
  Type element = plainType(context, tensor.type());
  if (!element)
    return refuse("element type", typeName(tensor.type()),
                  "FLOAT32, FLOAT16, BOOL, INT8, UINT8, INT16, INT32 or INT64");
  return {RankedTensorType::get(shape, element), {}, {}, {}};
}

} // namespace

/// Without the processor's instruction the compiler's conversion is a call, which took a tenth of the time to compile a
/// network of 13 million such weights.
float floatOfHalf(uint16_t half) {
  // The exponent is 112 less, which the product adds to small numbers without an exponent too.
  const float magnitude = llvm::bit_cast<float>(uint32_t(half & 0x7fff) << 13) * 0x1p112f;
  const uint32_t special = (half & 0x7c00) == 0x7c00 ? 0x7f800000 : 0; // infinities and NaNs
  return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(magnitude) | special | uint32_t(half & 0x8000) << 16);
}

template <typename T> static std::optional<double> readAs(ArrayRef<char> bytes) {
  if (bytes.size() != sizeof(T))
    return std::nullopt;
  return static_cast<double>(llvm::support::endian::read<T, llvm::endianness::little>(bytes.data()));
}

std::optional<double> numberOf(ArrayRef<char> bytes, TensorType type) {
  switch (type) {
  case TensorType::FLOAT32:
    return readAs<float>(bytes);
  case TensorType::INT8:
    return readAs<int8_t>(bytes);
  case TensorType::UINT8:
  case TensorType::BOOL:
    return readAs<uint8_t>(bytes);
  case TensorType::INT16:
    return readAs<int16_t>(bytes);
  case TensorType::INT32:
    return readAs<int32_t>(bytes);
  case TensorType::INT64:
    return readAs<int64_t>(bytes);
  default:
    return std::nullopt;
  }
}

ConvertedType convertPart(MLIRContext *context, const TfliteFile &file, int32_t index) {
  if (!file.data(index).empty())
    return refuse("is computed", "a constant of COMPLEX64", "constants of FLOAT32");
  const SmallVector<int64_t> shape = file.shape(index);
  if (shape.size() > nn::kMaxTensorRank)
    return refuse("rank of a tensor", Twine(shape.size()), Twine(nn::kMaxTensorRank));
  if (llvm::is_contained(shape, 0))
    return refuse("tensors have elements", "an extent of 0");
  return {RankedTensorType::get(shape, Float32Type::get(context)), {}, {}, {}};
}

ConvertedType convertElement(MLIRContext *context, const TfliteFile &file, int32_t index) {
  return convertWithShape(context, file.tensor(index), {1});
}

bool isEmpty(const TfliteFile &file, int32_t index) {
  const auto *signature = file.hasComputedShape(index) ? nullptr : file.tensor(index).shape_signature();
  const bool isOpen = signature && llvm::any_of(*signature, [](int32_t extent) { return extent < 0; });
  return !isOpen && llvm::is_contained(file.shape(index), 0);
}

ConvertedType convertType(MLIRContext *context, const TfliteFile &file, int32_t index) {
  if (hasBlocks(file.tensor(index)))
    return convertBlocks(context, file, index);
  if (file.tensor(index).type() == TensorType::INT4 && file.data(index).empty())
    return refuse("tensors of INT4 are constant", "a computed tensor", "INT8");
  return convertWithShape(context, file.tensor(index), file.shape(index));
}

} // namespace avocet::compiler

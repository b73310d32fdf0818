//===- OnnxTensor.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxTensor.h"

#include "Onnx.pb.h"
#include "avocet/base/File.h"
#include "avocet/firmware_iface/BFloat16.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace avocet::tool {
namespace {

using firmware::DataType;
using onnx_file::TensorProto;

/// An element of any type: `whole` of integers and booleans, else `real`.
struct Number {
  bool isFloat = false;
  int64_t whole = 0; ///< 64-bit unsigned numbers by their bits
  double real = 0;
};

template <typename T> Number load(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return {.isFloat = false, .whole = static_cast<int64_t>(value)};
}

template <typename T> Number loadReal(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return {.isFloat = true, .real = static_cast<double>(value)};
}

Number loadBFloat(const uint8_t *from) {
  firmware::BFloat16 value;
  std::memcpy(&value, from, sizeof(value));
  return {.isFloat = true, .real = static_cast<float>(value)};
}

template <typename T> void store(const Number &number, uint8_t *to) {
  const T value = number.isFloat ? static_cast<T>(number.real) : static_cast<T>(number.whole);
  std::memcpy(to, &value, sizeof(T));
}

void storeBFloat(const Number &number, uint8_t *to) {
  const firmware::BFloat16 value(static_cast<float>(number.isFloat ? number.real : static_cast<double>(number.whole)));
  std::memcpy(to, &value, sizeof(value));
}

/// How elements of a type are read and written. A row for each type of ONNX that has whole bytes.
struct TypeRow {
  TensorProto::DataType type;
  size_t bytes;
  bool isFloat;
  Number (*load)(const uint8_t *from);
  void (*store)(const Number &number, uint8_t *to);
};

constexpr TypeRow kTypes[] = {
    {TensorProto::FLOAT, 4, true, loadReal<float>, store<float>},
    {TensorProto::DOUBLE, 8, true, loadReal<double>, store<double>},
    {TensorProto::FLOAT16, 2, true, loadReal<_Float16>, store<_Float16>},
    {TensorProto::BFLOAT16, 2, true, loadBFloat, storeBFloat},
    {TensorProto::INT8, 1, false, load<int8_t>, store<int8_t>},
    {TensorProto::UINT8, 1, false, load<uint8_t>, store<uint8_t>},
    {TensorProto::BOOL, 1, false, load<uint8_t>, store<uint8_t>},
    {TensorProto::INT16, 2, false, load<int16_t>, store<int16_t>},
    {TensorProto::UINT16, 2, false, load<uint16_t>, store<uint16_t>},
    {TensorProto::INT32, 4, false, load<int32_t>, store<int32_t>},
    {TensorProto::UINT32, 4, false, load<uint32_t>, store<uint32_t>},
    {TensorProto::INT64, 8, false, load<int64_t>, store<int64_t>},
    {TensorProto::UINT64, 8, false, load<uint64_t>, store<uint64_t>},
};

const TypeRow *rowOf(int32_t type) {
  const auto *row = std::ranges::find_if(kTypes, [&](const TypeRow &each) { return each.type == type; });
  return row == std::end(kTypes) ? nullptr : row;
}

const TypeRow &rowOf(DataType type) {
  switch (type) {
  case DataType::Int8:
    return *rowOf(TensorProto::INT8);
  case DataType::UInt8:
    return *rowOf(TensorProto::UINT8);
  case DataType::Int16:
    return *rowOf(TensorProto::INT16);
  case DataType::UInt16:
    return *rowOf(TensorProto::UINT16);
  case DataType::Int32:
    return *rowOf(TensorProto::INT32);
  case DataType::Int64:
    return *rowOf(TensorProto::INT64);
  case DataType::Float16:
    return *rowOf(TensorProto::FLOAT16);
  case DataType::Float32:
    return *rowOf(TensorProto::FLOAT);
  case DataType::Bool8:
    return *rowOf(TensorProto::BOOL);
  case DataType::BFloat16:
    return *rowOf(TensorProto::BFLOAT16);
  }
  return *rowOf(TensorProto::FLOAT);
}

/// The row of data for an operand. NumPy has no bfloat16, so ONNX's own files hold such numbers as u16.
const TypeRow &rowOf(const OnnxTensor &tensor, DataType operand) {
  const bool isBits = tensor.type == TensorProto::UINT16 && operand == DataType::BFloat16;
  return isBits ? rowOf(operand) : *rowOf(tensor.type);
}

std::string describe(const TypeRow &row, const auto &shape) {
  return fmt::format("{}[{}]", TensorProto::DataType_Name(row.type), fmt::join(shape, ","));
}

/// The elements of a typed field, as raw data has them.
template <typename Field> std::vector<uint8_t> packed(const Field &field, const TypeRow &row) {
  std::vector<uint8_t> bytes(field.size() * row.bytes);
  uint8_t *to = bytes.data();
  for (const auto value : field) {
    // Little-endian hosts only: the low bytes of a 16-bit float in an int32 are its bits.
    std::memcpy(to, &value, row.bytes);
    to += row.bytes;
  }
  return bytes;
}

std::vector<uint8_t> elementsOf(const TensorProto &proto, const TypeRow &row) {
  if (proto.has_raw_data())
    return {proto.raw_data().begin(), proto.raw_data().end()};
  switch (row.type) {
  case TensorProto::FLOAT:
    return packed(proto.float_data(), row);
  case TensorProto::DOUBLE:
    return packed(proto.double_data(), row);
  case TensorProto::INT64:
    return packed(proto.int64_data(), row);
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    return packed(proto.uint64_data(), row);
  default:
    return packed(proto.int32_data(), row);
  }
}

bool isClose(double actual, double expected, double relative, double absolute) {
  if (std::isfinite(expected) && std::isfinite(actual))
    return std::abs(actual - expected) <= absolute + relative * std::abs(expected);
  return actual == expected || (std::isnan(actual) && std::isnan(expected));
}

/// The expected numbers as the device can hold them, and the tolerance around them.
struct Judge {
  double relative = 1e-3, absolute = 1e-7;
  bool admits(const Number &actual, const Number &expected) const {
    return expected.isFloat ? isClose(actual.real, expected.real, relative, absolute) : actual.whole == expected.whole;
  }
};

Judge judgeOf(const OnnxTensor &expected, const TypeRow &row) {
  Judge judge;
  double largest = 0;
  for (size_t i = 0; row.isFloat && i < expected.numElements(); ++i)
    if (const double real = std::abs(row.load(&expected.bytes[i * row.bytes]).real); std::isfinite(real))
      largest = std::max(largest, real);
  judge.absolute += largest * (row.bytes == 2 ? 1e-3 : 1e-6);
  return judge;
}

std::string shown(const Number &number) {
  return number.isFloat ? fmt::format("{}", number.real) : fmt::format("{}", number.whole);
}

} // namespace

uint64_t OnnxTensor::numElements() const {
  uint64_t count = 1;
  for (int64_t extent : shape)
    count *= static_cast<uint64_t>(extent);
  return count;
}

Result<OnnxTensor> readOnnxTensor(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path));
  TensorProto proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return dataLoss(path + ": is no tensor of ONNX");
  const TypeRow *row = rowOf(proto.data_type());
  if (row == nullptr)
    return unsupported(
        fmt::format("data of type {}", TensorProto::DataType_IsValid(proto.data_type())
                                           ? TensorProto::DataType_Name(TensorProto::DataType(proto.data_type()))
                                           : std::to_string(proto.data_type())));
  OnnxTensor tensor{proto.name(), proto.data_type(), {proto.dims().begin(), proto.dims().end()}, {}};
  tensor.bytes = elementsOf(proto, *row);
  if (tensor.bytes.size() != tensor.numElements() * row->bytes)
    return dataLoss(fmt::format("{}: has {} bytes of elements, {} needs {}", path, tensor.bytes.size(),
                                describe(*row, tensor.shape), tensor.numElements() * row->bytes));
  return tensor;
}

Status fillOperand(const OnnxTensor &tensor, const cache::OperandView &operand, std::span<uint8_t> bytes) {
  const TypeRow &from = rowOf(tensor, operand.type), &to = rowOf(operand.type);
  if (from.isFloat != to.isFloat || !std::ranges::equal(tensor.shape, operand.shape))
    return failedPrecondition(fmt::format("input '{}' of the compiled network is {}, the data are {}", operand.name,
                                          describe(to, operand.shape), describe(from, tensor.shape)));
  for (size_t i = 0; i < tensor.numElements(); ++i)
    to.store(from.load(&tensor.bytes[i * from.bytes]), &bytes[i * to.bytes]);
  return Status::ok();
}

std::string compareOperand(const OnnxTensor &expected, const cache::OperandView &operand,
                           std::span<const uint8_t> bytes) {
  const TypeRow &theirs = rowOf(expected, operand.type), &ours = rowOf(operand.type);
  if (theirs.isFloat != ours.isFloat || !std::ranges::equal(expected.shape, operand.shape))
    return fmt::format("is {}, must be {}", describe(ours, operand.shape), describe(theirs, expected.shape));
  const Judge judge = judgeOf(expected, theirs);
  std::string first;
  uint64_t count = 0;
  for (size_t i = 0; i < expected.numElements(); ++i) {
    const Number mine = ours.load(&bytes[i * ours.bytes]), other = theirs.load(&expected.bytes[i * theirs.bytes]);
    if (judge.admits(mine, other))
      continue;
    if (count++ == 0)
      first = fmt::format("[{}] is {}, must be {}", i, shown(mine), shown(other));
  }
  return count == 0 ? "" : fmt::format("{} ({} of {} elements differ)", first, count, expected.numElements());
}

} // namespace avocet::tool

//===- Tensors.cpp - Raw tensors in files and in memory ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/Tensors.h"

#include "avocet/base/OutputFile.h"
#include "avocet/firmware_iface/BFloat16.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <random>

namespace avocet::session {
namespace {

using firmware::DataType;

static_assert(std::endian::native == std::endian::little, "tensors are copied between memory and files as they are");

template <typename T> T load(std::span<const uint8_t> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> void store(std::span<uint8_t> bytes, size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

template <typename T> void storeClamped(std::span<uint8_t> bytes, size_t index, double value) {
  double rounded =
      std::clamp(std::round(value), double(std::numeric_limits<T>::min()), double(std::numeric_limits<T>::max()));
  store(bytes, index, static_cast<T>(rounded));
}

double scaleOf(const cache::OperandView &operand) { return operand.scales.empty() ? 1.0 : operand.scales.front(); }

double zeroPointOf(const cache::OperandView &operand) {
  return operand.zeroPoints.empty() ? 0.0 : operand.zeroPoints.front();
}

double storedValue(DataType type, std::span<const uint8_t> bytes, size_t index) {
  switch (type) {
  case DataType::Int8:
    return load<int8_t>(bytes, index);
  case DataType::UInt8:
  case DataType::Bool8:
    return load<uint8_t>(bytes, index);
  case DataType::Int16:
    return load<int16_t>(bytes, index);
  case DataType::UInt16:
    return load<uint16_t>(bytes, index);
  case DataType::Int32:
    return load<int32_t>(bytes, index);
  case DataType::Int64:
    return static_cast<double>(load<int64_t>(bytes, index));
  case DataType::Float32:
    return load<float>(bytes, index);
  case DataType::Float16:
    return static_cast<double>(load<_Float16>(bytes, index));
  case DataType::BFloat16:
    return static_cast<double>(static_cast<float>(load<firmware::BFloat16>(bytes, index)));
  }
  return 0;
}

/// In [-1, 1], from the upper bits of one random number.
double signedUnit(std::mt19937_64 &random) { return static_cast<double>(static_cast<int64_t>(random())) * 0x1p-63; }

} // namespace

std::string describeTensor(const cache::OperandView &operand) {
  return fmt::format("{} {}", toString(operand.type), fmt::join(operand.shape, "x"));
}

Status readTensor(const std::string &path, const cache::OperandView &operand, size_t index, std::span<uint8_t> bytes,
                  std::string_view role) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> data, readFile(path));
  if (data.size() != operand.bytes)
    return invalidArgument(
        fmt::format("{}: has {} bytes, but {} {} '{}' ({}) needs {}; give a raw little-endian tensor "
                    "without a header",
                    path, data.size(), role, index, operand.name, describeTensor(operand), operand.bytes));
  std::ranges::copy(data, bytes.begin());
  return Status::ok();
}

void fillRandom(DataType type, uint64_t seed, std::span<uint8_t> bytes) {
  std::mt19937_64 random(seed);
  size_t elementBytes = sizeOf(type);
  for (size_t i = 0; i < bytes.size() / elementBytes; ++i) {
    if (type == DataType::Float32)
      store(bytes, i, static_cast<float>(signedUnit(random)));
    else if (type == DataType::Float16)
      store(bytes, i, static_cast<_Float16>(signedUnit(random)));
    else if (type == DataType::BFloat16)
      store(bytes, i, firmware::BFloat16(static_cast<float>(signedUnit(random))));
    else if (type == DataType::Bool8)
      store(bytes, i, static_cast<uint8_t>(random() >> 63));
    else {
      uint64_t value = random();
      std::memcpy(bytes.data() + i * elementBytes, &value, elementBytes);
    }
  }
}

namespace {

/// Writes all files before the first of them replaces an existing one, so that a full disk changes no file.
Status writeAllOrNone(const std::string &directory, std::string_view name,
                      const std::vector<std::span<const uint8_t>> &tensors) {
  std::vector<OutputFile> files;
  for (size_t i = 0; i < tensors.size(); ++i) {
    AVOCET_ASSIGN_OR_RETURN(OutputFile file, OutputFile::create(fmt::format("{}/{}{}.bin", directory, name, i)));
    AVOCET_RETURN_IF_ERROR(file.write(tensors[i]));
    files.push_back(std::move(file));
  }
  for (OutputFile &file : files)
    AVOCET_RETURN_IF_ERROR(file.commit());
  return Status::ok();
}

} // namespace

Status writeTensors(const std::string &directory, std::string_view name,
                    const std::vector<std::span<const uint8_t>> &tensors) {
  std::error_code error;
  bool created = std::filesystem::create_directories(directory, error);
  if (error)
    return errnoStatus(error.value(), "cannot create directory " + directory);
  Status status = writeAllOrNone(directory, name, tensors);
  if (!status.isOk() && created)
    std::filesystem::remove(directory, error); // only if it is empty
  return status;
}

double realValue(const cache::OperandView &operand, std::span<const uint8_t> bytes, size_t index) {
  return (storedValue(operand.type, bytes, index) - zeroPointOf(operand)) * scaleOf(operand);
}

Status storeReal(const cache::OperandView &operand, double value, size_t index, std::span<uint8_t> bytes) {
  double quantized = value / scaleOf(operand) + zeroPointOf(operand);
  switch (operand.type) {
  case DataType::Int8:
    storeClamped<int8_t>(bytes, index, quantized);
    return Status::ok();
  case DataType::UInt8:
    storeClamped<uint8_t>(bytes, index, quantized);
    return Status::ok();
  case DataType::Int16:
    storeClamped<int16_t>(bytes, index, quantized);
    return Status::ok();
  case DataType::Float32:
    store(bytes, index, static_cast<float>(value));
    return Status::ok();
  default:
    return unsupported(fmt::format("numbers cannot be stored in an operand of type {}", toString(operand.type)));
  }
}

} // namespace avocet::session

//===- Tensors.h - Raw tensors in files and in memory -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs and outputs of the command line are raw tensors: elements in row-major order, little endian, no header.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_TENSORS_H
#define AVOCET_SESSION_TENSORS_H

#include "avocet/base/Status.h"
#include "avocet/cache/ModelCache.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::session {

/// "i8 1x224x224x3".
std::string describeTensor(const cache::OperandView &operand);

/// Reads exactly the operand's bytes. InvalidArgument names the file, the operand (`role` and `index`: "input 0"), and
/// the expected and found numbers of bytes.
Status readTensor(const std::string &path, const cache::OperandView &operand, size_t index, std::span<uint8_t> bytes,
                  std::string_view role = "input");

/// Fills with values over the whole range of the type, floats in [-1, 1]. The same seed gives the same bytes
/// everywhere.
void fillRandom(firmware::DataType type, uint64_t seed, std::span<uint8_t> bytes);

/// Writes files such as out0.bin, out1.bin, ... (`name` is "out") into `directory`, which is made if it is missing. On
/// an error none of them remains.
Status writeTensors(const std::string &directory, std::string_view name,
                    const std::vector<std::span<const uint8_t>> &tensors);

/// Reads element `index` as a real number, with scale and zero point if the operand has them (per tensor).
double realValue(const cache::OperandView &operand, std::span<const uint8_t> bytes, size_t index);

/// Stores a real number in element `index`: rounded and clamped for integers. Requires type i8, u8, i16 or f32.
Status storeReal(const cache::OperandView &operand, double value, size_t index, std::span<uint8_t> bytes);

} // namespace avocet::session

#endif // AVOCET_SESSION_TENSORS_H

//===- TfliteModel.h - A .tflite file that can be changed -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_TFLITEMODEL_H
#define AVOCET_ANALYSIS_TFLITEMODEL_H

#include "Tflite_generated.h"

#include "avocet/base/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace avocet::analysis {

/// The main subgraph of a model that parseTflite() has accepted.
inline tflite::SubGraphT &mainGraph(tflite::ModelT &model) { return *model.subgraphs.front(); }
inline const tflite::SubGraphT &mainGraph(const tflite::ModelT &model) { return *model.subgraphs.front(); }

/// Whether the bytes have the identifier of the format.
bool isTflite(std::span<const uint8_t> bytes);

/// Reads and checks a file: all indices of the result are valid. Constants that the file stores after the flatbuffer
/// become parts of it; options of operators that the schema omits are lost. `name` is for messages. DataLoss: not a
/// valid model.
Result<tflite::ModelT> parseTflite(std::span<const uint8_t> bytes, const std::string &name);

/// Reads and checks the file at a path, as parseTflite() does. None: it cannot be read, or is no valid model.
std::optional<tflite::ModelT> readTflite(const std::string &path);

/// The model as a file, without operators, tensors, buffers, subgraphs and operator codes that no output needs, and
/// with equal constants stored once. None if no operator or no output is left, or the file would not be valid.
std::optional<std::vector<uint8_t>> serialize(tflite::ModelT model);

/// Whether a tensor of the model holds elements of the file.
bool isConstant(const tflite::ModelT &model, const tflite::TensorT &tensor);

/// "CONV_2D", or "CUSTOM(name)".
std::string operatorName(const tflite::ModelT &model, const tflite::OperatorT &operation);

/// Bytes of an element; 0 if elements share bytes or have no fixed size.
size_t elementBytes(tflite::TensorType type);

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_TFLITEMODEL_H

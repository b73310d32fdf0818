//===- ModelBytes.h - A model in the compiler's input form ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the canonical model to AVNN (compiler/nnapi/nnapiModel.fbs). The constants are copied from the caller's pools
// here, once; all compilations, also those at later executions, use this private copy.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_MODELBYTES_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_MODELBYTES_H

#include "client/Quota.h"

#include "avocet/compiler/Compiler.h"
#include "avocet/hal/extensions/Attributes.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::hal {

/// Facts that an execution adds about one main input that the model leaves open.
struct InputFacts {
  bool isOmitted = false;
  std::vector<uint32_t> dimensions; ///< all extents; empty: those of the model, or a scalar
  std::vector<uint8_t> value;       ///< not empty: the program is compiled for exactly these bytes
  bool operator==(const InputFacts &) const = default;
};
/// By position in the main subgraph's inputs.
using Facts = std::vector<InputFacts>;

/// A model in the compiler's input form: AVNN bytes or an ONNX model and the private pools that they refer
/// to, or a .tflite file.
struct ModelBytes {
  std::vector<uint8_t> bytes;
  std::vector<std::vector<uint8_t>> pools;
  compiler::InputFormat format = compiler::InputFormat::Nnapi;
  Charge charge{}; ///< of the client's memory, for the members above
  std::vector<std::span<const uint8_t>> poolSpans() const;
};

/// Most bytes of constants of one model.
inline constexpr uint64_t kMaxConstantBytes = uint64_t{1} << 32;

/// The model must be valid (Validation.h). GeneralFailure: a pool cannot be read, or an extension is misused.
/// ResourceExhaustedPersistent: more than kMaxConstantBytes of constants. `memory` is charged for them, with its
/// errors; null: no charge.
Result<ModelBytes> modelBytesOf(const Model &model, Quota *memory = nullptr);

/// The same for a compilation with these attributes.
Result<ModelBytes> modelBytesOf(const Model &model, Quota *memory, std::span<const AttributeValue> attributes);

class ConstantPools;

/// The AVNN description of a model whose constants lie in `pools`. ResourceExhaustedPersistent: it would be too long.
Result<std::vector<uint8_t>> describe(const Model &model, const ConstantPools &pools,
                                      std::span<const AttributeValue> attributes = {});

/// The same model with the facts of an execution filled in. `bytes` come from modelBytesOf(); one entry for each main
/// input.
std::vector<uint8_t> specialize(std::span<const uint8_t> bytes, const Facts &facts);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_MODELBYTES_H

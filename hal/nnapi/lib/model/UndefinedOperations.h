//===- UndefinedOperations.h - Operations that clients send although NNAPI lacks them -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MODEL_UNDEFINEDOPERATIONS_H
#define AVOCET_HAL_NNAPI_LIB_MODEL_UNDEFINEDOPERATIONS_H

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <vector>

namespace avocet::nnapi {

/// Whether a model may have an operation although NNAPI does not define it for these types. TensorFlow Lite (2.9) first
/// builds models of all nodes and then asks which operations are supported; it sends UNIDIRECTIONAL_SEQUENCE_LSTM with
/// 8-bit inputs, which NNAPI lacks, and gives up if the model is refused. No device supports these operations.
bool isToleratedThoughUndefined(const hal::Subgraph &subgraph, const hal::Operation &operation);

/// The model without some operations: what they write is an input then. `positions`: sorted.
hal::Model withoutOperations(const hal::Model &model, const std::vector<uint32_t> &positions);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MODEL_UNDEFINEDOPERATIONS_H

//===- Families.h - The tables of the operation families --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_LIB_SIGNATURES_FAMILIES_H
#define AVOCET_HAL_TYPES_LIB_SIGNATURES_FAMILIES_H

#include "avocet/hal/types/Signatures.h"

#include <span>

namespace avocet::hal {

std::span<const OperationSignature> activationSignatures();
std::span<const OperationSignature> elementwiseSignatures();
std::span<const OperationSignature> windowSignatures();
std::span<const OperationSignature> normalizationSignatures();
std::span<const OperationSignature> reductionSignatures();
std::span<const OperationSignature> shapeSignatures();
std::span<const OperationSignature> selectionSignatures();
std::span<const OperationSignature> recurrentSignatures();
std::span<const OperationSignature> detectionSignatures();
std::span<const OperationSignature> controlFlowSignatures();

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_LIB_SIGNATURES_FAMILIES_H

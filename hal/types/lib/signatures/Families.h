//===- Families.h - The tables of the operation families --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SIGNATURES_FAMILIES_H
#define AVOCET_HAL_SIGNATURES_FAMILIES_H

#include "avocet/hal/Signatures.h"

#include <span>

namespace avocet::hal {

std::span<const Signature> activationSignatures();
std::span<const Signature> elementwiseSignatures();
std::span<const Signature> windowSignatures();
std::span<const Signature> normalizationSignatures();
std::span<const Signature> reductionSignatures();
std::span<const Signature> shapeSignatures();
std::span<const Signature> selectionSignatures();
std::span<const Signature> recurrentSignatures();
std::span<const Signature> detectionSignatures();
std::span<const Signature> controlFlowSignatures();

} // namespace avocet::hal

#endif // AVOCET_HAL_SIGNATURES_FAMILIES_H

//===- Reasons.h - Why a network was refused --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_CAPI_LIB_REASONS_H
#define AVOCET_RUNTIME_CAPI_LIB_REASONS_H

#include "Objects.h"
#include "avocet/documents/Refusals.h"

namespace avocet::capi {

std::vector<Reason> reasonsOf(const std::vector<documents::RefusedOperator> &operators);

} // namespace avocet::capi

#endif // AVOCET_RUNTIME_CAPI_LIB_REASONS_H

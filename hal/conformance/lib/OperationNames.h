//===- OperationNames.h - Names of NNAPI's operations -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CONFORMANCE_OPERATIONNAMES_H
#define AVOCET_HAL_CONFORMANCE_OPERATIONNAMES_H

#include "avocet/hal/Types.h"

#include <string>

namespace avocet::hal::conformance {

/// "ADD"; "operation 20000" for codes without a published name.
std::string operationName(OperationType type);

} // namespace avocet::hal::conformance

#endif // AVOCET_HAL_CONFORMANCE_OPERATIONNAMES_H

//===- CopyBytes.h - Copies between memories ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MEMORY_COPYBYTES_H
#define AVOCET_HAL_NNAPI_LIB_MEMORY_COPYBYTES_H

#include "api/ApiResult.h"

#include "avocet/hal/types/Types.h"

namespace avocet::nnapi {

/// Copies the whole of one memory to another of the same size. BAD_DATA: other sizes, or the destination is read-only.
/// UNMAPPABLE.
ApiOutcome copyBytes(const hal::SharedMemory &from, const hal::SharedMemory &to);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MEMORY_COPYBYTES_H

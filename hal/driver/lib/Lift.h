//===- Lift.h - Results of the lower layers as the HAL's --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_LIFT_H
#define AVOCET_HAL_DRIVER_LIB_LIFT_H

#include "avocet/base/Status.h"
#include "avocet/hal/Result.h"

#include <utility>

namespace avocet::hal {

/// The value, or the Status as an Error (fromStatus()).
template <typename T> Result<T> lift(avocet::Result<T> result) {
  if (!result.isOk())
    return fromStatus(result.status());
  return std::move(result).value();
}

inline Outcome lift(const Status &status) {
  if (!status.isOk())
    return fromStatus(status);
  return success();
}

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_LIFT_H

//===- HalResult.h - Results of the lower layers as the HAL's ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_DEVICE_HALRESULT_H
#define AVOCET_HAL_DRIVER_LIB_DEVICE_HALRESULT_H

#include "avocet/base/Status.h"
#include "avocet/hal/types/Result.h"

#include <new>
#include <stdexcept>
#include <utility>

namespace avocet::hal {

/// The value, or the Status as an Error (fromStatus()).
template <typename T> Result<T> toHalResult(avocet::Result<T> result) {
  if (!result.isOk())
    return fromStatus(result.status());
  return std::move(result).value();
}

inline Outcome toHalResult(const Status &status) {
  if (!status.isOk())
    return fromStatus(status);
  return success();
}

/// Runs `work` and returns its result. Exceptions of the standard library on lack of memory become errors.
template <typename Work> auto withoutExceptions(Work &&work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    return error(ErrorStatus::ResourceExhaustedTransient, "out of memory");
  } catch (const std::length_error &) {
    return error(ErrorStatus::ResourceExhaustedPersistent, "more than memory can hold");
  }
}

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_DEVICE_HALRESULT_H

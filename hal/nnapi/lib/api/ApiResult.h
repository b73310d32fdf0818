//===- ApiResult.h - Errors of the C interface -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_API_APIRESULT_H
#define AVOCET_HAL_NNAPI_LIB_API_APIRESULT_H

#include "avocet/NeuralNetworks.h"
#include "avocet/base/Status.h"
#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Result.h"

#include <string>
#include <variant>

namespace avocet::nnapi {

/// A code other than NO_ERROR, and a message for the log: it names the thing, the rule and the value.
struct [[nodiscard]] ApiError {
  ResultCode code = ANEURALNETWORKS_OP_FAILED;
  std::string message;
};

/// The function that BasicResult asks for the code of its error.
inline ResultCode codeOf(const ApiError &error) { return error.code; }

template <typename T> using ApiResult = BasicResult<T, ApiError>;
using ApiOutcome = ApiResult<std::monostate>;
inline ApiOutcome success() { return std::monostate(); }

ApiError badData(std::string message);
ApiError badState(std::string message);
ApiError unexpectedNull(std::string message);
ApiError opFailed(std::string message);

/// The code of the C interface for a status of the HAL.
ResultCode codeFor(hal::ErrorStatus status);
ApiError fromHal(const hal::Error &error);
ApiError fromStatus(const Status &status);

/// A descriptor of the application that outlives the call. BAD_DATA: it is closed, or the process has too many.
ApiResult<hal::SharedHandle> duplicateDescriptor(int fd);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_API_APIRESULT_H

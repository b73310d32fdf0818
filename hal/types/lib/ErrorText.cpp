//===- ErrorText.cpp - Errors of the HAL for layers above -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/ErrorText.h"

#include <fmt/core.h>

namespace avocet::hal {

std::string toString(const Error &error) { return fmt::format("{}: {}", toString(error.code), error.message); }

Status toStatus(const Error &error) { return Status(StatusCode::Aborted, toString(error)); }

} // namespace avocet::hal

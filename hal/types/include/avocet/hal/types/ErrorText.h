//===- ErrorText.h - Errors of the HAL for layers above ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_ERRORTEXT_H
#define AVOCET_HAL_TYPES_ERRORTEXT_H

#include "avocet/hal/types/Result.h"

#include <string>

namespace avocet::hal {

/// "INVALID_ARGUMENT: message"
std::string toString(const Error &error);

/// For layers above, which do not act on the codes: Aborted, with the text of toString().
Status toStatus(const Error &error);

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_ERRORTEXT_H

//===- Compatibility.h - Conversions between HAL versions -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The canonical types are those of the latest version. Older versions cannot express all values. A conversion returns
// the value of the other version and a list of losses, or refuses if a loss would change results. Conversions to newer
// versions lose nothing. Losses are logged as warnings.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_COMPATIBILITY_H
#define AVOCET_HAL_TYPES_COMPATIBILITY_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <string>
#include <vector>

namespace avocet::hal {

template <typename T> struct Converted {
  T value;
  std::vector<std::string> losses; ///< human-readable; each names one thing that the version cannot express
};

/// The lowest version for each operation of the main subgraph, with its operands and the subgraphs that it uses.
/// InvalidArgument: the model is invalid.
Result<std::vector<Version>> versionsOfOperations(const Model &model);

/// Losses: relaxed float (1.0), unused extension names and subgraphs. InvalidArgument: the model is invalid, an
/// operation needs more, or a number does not fit the version's fields (HIDL: locations in 32 bits; AIDL: extents and
/// codes not negative in 32 bits).
Result<Converted<Model>> convertTo(const Model &model, Version version);

/// Losses: padding (HIDL). InvalidArgument: the request is invalid, needs more (tokens: 1.3), or a number does not fit.
Result<Converted<Request>> convertTo(const Request &request, Version version);

/// Losses: operand types that the version does not list, relaxed figures (1.0), those of IF and WHILE (before 1.3).
/// Lost figures are FLT_MAX.
Converted<Capabilities> convertTo(const Capabilities &capabilities, Version version);

/// Losses: everything before 1.2; parts of a microsecond in HIDL.
Converted<Timing> convertTo(const Timing &timing, Version version);

/// Before 1.3, missed deadlines and exhausted resources become general failures. DeadObject becomes one in every
/// version.
Converted<ErrorStatus> convertTo(ErrorStatus status, Version version);

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_COMPATIBILITY_H

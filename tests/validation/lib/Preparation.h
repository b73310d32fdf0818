//===- Preparation.h - A case in a form, compiled ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_PREPARATION_H
#define AVOCET_VALIDATION_PREPARATION_H

#include "Verdicts.h"
#include "avocet/hal/vectors/VectorFile.h"

#include <optional>

namespace avocet::hal::conformance {

/// Either a prepared model or the verdict if there is none.
struct Preparation {
  TestCase test;
  CacheFiles cache; ///< empty if the device keeps none
  std::shared_ptr<IPreparedModel> model;
  std::optional<RunResult> refusal;
  ErrorStatus error = ErrorStatus::None; ///< the device's code if it refused the model
};

/// Makes the form, queries support, and compiles with new cache files.
Preparation prepare(IDevice &device, const CaseRef &ref, Form form, TimePoint deadline);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_PREPARATION_H

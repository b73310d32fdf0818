//===- VersionReport.h - Which HAL versions express a model -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_VERSIONREPORT_H
#define AVOCET_HAL_TYPES_VERSIONREPORT_H

#include "avocet/hal/types/Types.h"

#include <span>
#include <string>

namespace avocet::hal {

/// All versions, oldest first.
std::span<const Version> allVersions();

/// Whether a version can express a model.
struct VersionAnswer {
  bool isExpressible = false;
  std::string text; ///< "yes", "yes, without X, Y", or "no: " and the reason
};
VersionAnswer answerFor(const Model &model, Version version);

/// One line for each version: "1.2: yes\n".
std::string versionReport(const Model &model);

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_VERSIONREPORT_H

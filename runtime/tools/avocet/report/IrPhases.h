//===- IrPhases.h - The IR of all phases of a model -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_IRPHASES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_IRPHASES_H

#include "IrText.h"
#include "ModelSource.h"

#include <vector>

namespace avocet::tool {

/// Compiles the model once for each phase, up to it. `choice.path` is a file.
Result<std::vector<IrText>> collectIr(const ModelChoice &choice, const LayersByName &layers, Progress &progress);

/// The commands of artefacts, in the place of the IR that artefacts do not hold.
IrText disassemble(const cache::ModelCache &model);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_IRPHASES_H

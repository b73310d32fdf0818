//===- WarmUp.h - Loads and warms up the compiler -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_TOOL_WARMUP_H
#define AVOCET_HAL_WORKER_TOOL_WARMUP_H

#include "avocet/base/Status.h"
#include "avocet/compiler/Loader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::hal {

/// ADD of two tensors without an activation, as an NNAPI model. It compiles for every target.
std::vector<uint8_t> warmUpModel();

/// Loads the compiler and compiles one small model for each target, so that workers inherit the compiler's one-time
/// state and the contents of target files. Results of these compilations are ignored.
avocet::Result<compiler::LoadedCompiler> warmCompiler(const std::string &library,
                                                      const std::vector<std::string> &targets);

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_TOOL_WARMUP_H

//===- Options.h - What the application asks for ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of the provider, pairs of texts: those of avocet/hal/plugin/Options.h, and
//
//   allow_fp32   true or false: float64 may be computed in float32; else nodes with float64 stay with the runtime
//   deadline_ms  most milliseconds of a run on the device; later, the run fails
//   profile      NAME.json, a file for counters and times when the session ends
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_OPTIONS_OPTIONS_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_OPTIONS_OPTIONS_H

#include "abi/Runtime.h"

#include "avocet/hal/plugin/Engine.h"

#include <optional>
#include <string>

namespace avocet::ort {

/// What the session asks for about EPContext nodes.
struct ContextOptions {
  bool isEnabled = false;
  bool isEmbedded = false; ///< networks are in the model; otherwise in files beside it
  std::string path;        ///< of the model with the nodes; empty: named after the session's model
};

struct Options {
  plugin::EngineOptions engine; ///< `device` is never empty after optionsOf()
  bool allowsFloat32 = false;
  std::optional<hal::Duration> deadline;
  std::string profile; ///< empty: none
  ContextOptions context = {};
};

/// InvalidArgument names the option, what was found and what is accepted. `defaults`: of the device.
Result<Options> parseOptions(const char *const *keys, const char *const *values, size_t count,
                             const plugin::EngineOptions &defaults = {});

/// Those of a session for the provider: the runtime keeps them among the session's own.
Result<Options> optionsOf(const Runtime &runtime, const abi::SessionOptions *session,
                          const plugin::EngineOptions &defaults);

/// A text that is equal for equal options of the device.
std::string keyOf(const plugin::EngineOptions &options);

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_OPTIONS_OPTIONS_H

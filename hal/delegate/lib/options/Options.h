//===- Options.h - What the application asks for - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of the delegate, pairs of texts:
//
//   device      a target of the embedded device (e256), or with `socket` a device of the service (avocet-e256)
//   socket      where a service listens, or a registry; empty: an embedded device
//   priority    low, medium, high
//   cache_dir   folder for compiled networks, made if its parent exists
//   allow_fp16  true or false: float32 may be computed in float16
//   profile     a file, or "-" for the standard error; NAME.json: in another form, for programs
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_OPTIONS_OPTIONS_H
#define AVOCET_HAL_DELEGATE_LIB_OPTIONS_OPTIONS_H

#include "avocet/base/Status.h"
#include "avocet/hal/plugin/Engine.h"

#include <cstddef>
#include <string>

namespace avocet::delegate {

struct Options {
  plugin::EngineOptions engine; ///< `device` is never empty after parseOptions()
  std::string profile;          ///< empty: none
};

/// InvalidArgument names the option, what was found and what is accepted.
Result<Options> parseOptions(const char *const *keys, const char *const *values, size_t count);

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_OPTIONS_OPTIONS_H

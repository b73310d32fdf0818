//===- InterpreterVersion.h - Which TensorFlow Lite calls -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_MODEL_INTERPRETERVERSION_H
#define AVOCET_HAL_DELEGATE_LIB_MODEL_INTERPRETERVERSION_H

#include "abi/TfliteC.h"

namespace avocet::delegate {

/// Whether the library that made the context says that it is this version or a later one. False for libraries that do
/// not export their version.
bool isInterpreterSince(const abi::Context &context, int major, int minor);

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_MODEL_INTERPRETERVERSION_H

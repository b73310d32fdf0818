//===- ThroughRun.h - avocet run --through ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_THROUGHRUN_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_THROUGHRUN_H

#include "RunOptions.h"

namespace avocet::tool {

/// Runs a .tflite file in TensorFlow Lite through libneuralnetworks.so or libavocet_delegate.so, and prints where the
/// time went. The outputs are written as by other runs.
Status runThrough(const RunOptions &options);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_THROUGHRUN_H

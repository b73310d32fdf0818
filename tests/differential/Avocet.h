//===- Avocet.h - A model through the compiler and the simulator ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_AVOCET_H
#define AVOCET_TESTS_DIFFERENTIAL_AVOCET_H

#include "Model.h"

#include "avocet/base/Status.h"
#include "avocet/compiler/Compiler.h"

#include <functional>
#include <string>

namespace avocet::differential {

/// What became of a model.
struct DeviceResult {
  Status status;             ///< Ok: it ran
  std::string refusal = {};  ///< why the compiler does not support it; empty: another failure, or none
  bool isImplemented = true; ///< false: the importer has no converter for the operator
  std::vector<Bytes> outputs = {};
};

/// Compiles for the target e256; `status` is Ok if the target runs the model. Nothing runs.
DeviceResult compileOnly(const TestModel &model);
struct DeviceOptions {
  std::string target = "e256";
  bool sourceMap = false;
  bool timing = false;
  /// Transformations that the compiler leaves out return false (CompileRequest::runsStep).
  std::function<bool(const compiler::OptionalStep &)> runsStep = {};
  std::function<void(const compiler::Remark &)> remark = {};
};

/// Compiles and runs.
DeviceResult runOnDevice(const TestModel &model, const DeviceOptions &options = {});

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_AVOCET_H

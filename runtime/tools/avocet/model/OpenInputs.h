//===- OpenInputs.h - Options for what a model leaves open ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --shape, --dim and --value of all commands that compile a model.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPENINPUTS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPENINPUTS_H

#include "avocet/base/CommandLine.h"
#include "avocet/base/Status.h"
#include "avocet/compiler/Compiler.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// Arguments as users wrote them.
struct OpenInputs {
  std::vector<std::string> shapes;  ///< "input=1x224x224x3"
  std::vector<std::string> extents; ///< "batch=1"
  std::vector<std::string> values;  ///< "shape=FILE"

  bool any() const { return !shapes.empty() || !extents.empty() || !values.empty(); }
};

void addOptions(CommandLine &command, OpenInputs &inputs);

/// Sets shapes, extents and values of the request. InvalidArgument shows the form of a wrong argument; errors of files
/// name them.
Status apply(const OpenInputs &inputs, compiler::ModelRequest &request);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPENINPUTS_H

//===- OpenInputs.h - What a model leaves open ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes, extents and values of inputs as users write them: --shape, --dim and --value of the commands, and the options
// of these names of the C library.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_NETWORK_OPENINPUTS_H
#define AVOCET_NETWORK_OPENINPUTS_H

#include "avocet/base/Status.h"
#include "avocet/compiler/Compiler.h"

#include <string>
#include <vector>

namespace avocet::network {

/// Arguments as users wrote them.
struct OpenInputs {
  std::vector<std::string> shapes;  ///< "input=1x224x224x3"
  std::vector<std::string> extents; ///< "batch=1"
  std::vector<std::string> values;  ///< "shape=FILE"

  bool any() const { return !shapes.empty() || !extents.empty() || !values.empty(); }
};

/// Sets shapes, extents and values of the request. InvalidArgument shows the form of a wrong argument; errors of files
/// name them.
Status apply(const OpenInputs &inputs, compiler::ModelRequest &request);

} // namespace avocet::network

#endif // AVOCET_NETWORK_OPENINPUTS_H

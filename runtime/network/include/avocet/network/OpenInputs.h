//===- OpenInputs.h - What a model leaves open ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes, extents, values and layouts as users write them: --shape, --dim, --value and --layout of the commands, and
// the options of these names of the C library.
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
  std::vector<std::string> layouts; ///< "input=NHWC", or "NHWC" for all

  bool any() const { return !shapes.empty() || !extents.empty() || !values.empty() || !layouts.empty(); }
};

/// Sets shapes, extents, values and layouts of the request. InvalidArgument shows the form of a wrong argument; errors
/// of files name them.
Status apply(const OpenInputs &inputs, compiler::ModelRequest &request);

} // namespace avocet::network

#endif // AVOCET_NETWORK_OPENINPUTS_H

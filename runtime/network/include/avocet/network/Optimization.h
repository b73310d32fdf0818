//===- Optimization.h - Level or time of the search for schedules ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_NETWORK_OPTIMIZATION_H
#define AVOCET_NETWORK_OPTIMIZATION_H

#include "avocet/compiler/Compiler.h"

#include <string_view>

namespace avocet::network {

/// Sets the effort of a request, with the simulation that it needs. `text`: "0" to "3", or seconds ("30s", "0.5s");
/// empty: the default. InvalidArgument names what is accepted.
Status setOptimization(compiler::CompileRequest &request, std::string_view text);

} // namespace avocet::network

#endif // AVOCET_NETWORK_OPTIMIZATION_H

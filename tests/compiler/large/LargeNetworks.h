//===- LargeNetworks.h - Operations larger than on-chip memory --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Networks of one operation whose operands do not fit the smallest SRAM that ships, each operation in the ranks and
// element types that it takes.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_LARGE_LARGENETWORKS_H
#define AVOCET_TESTS_COMPILER_LARGE_LARGENETWORKS_H

#include <map>
#include <string>
#include <vector>

namespace avocet::compiler {

struct LargeNetwork {
  std::string name; ///< operation, rank or what is special, element type: "add/rank1/f32"
  std::string text; ///< a module of dialect nn
};

/// All of them.
std::vector<LargeNetwork> largeNetworks();

/// The one of that name; ends the test program if there is none.
LargeNetwork largeNetwork(const std::string &name);

/// What the smallest target cannot do, by name, with the rule that says why.
const std::map<std::string, std::string> &refusedNetworks();

} // namespace avocet::compiler

#endif // AVOCET_TESTS_COMPILER_LARGE_LARGENETWORKS_H

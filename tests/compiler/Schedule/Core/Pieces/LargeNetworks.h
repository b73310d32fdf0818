//===- LargeNetworks.h - Operations larger than on-chip memory --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Networks of one operation whose operands do not fit the smallest shipped SRAM, in the ranks and element types that
// the operation supports.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_SCHEDULE_CORE_PIECES_LARGENETWORKS_H
#define AVOCET_TESTS_COMPILER_SCHEDULE_CORE_PIECES_LARGENETWORKS_H

#include <map>
#include <string>
#include <vector>

namespace avocet::compiler {

struct LargeNetwork {
  std::string name; ///< operation, rank or variant, element type: "add/rank1/f32"
  std::string text; ///< a module of dialect nn
};

/// All large networks.
std::vector<LargeNetwork> largeNetworks();

/// The large network with that name; aborts if there is none.
LargeNetwork largeNetwork(const std::string &name);

/// The rule of the expected refusal on the smallest target, by the network's name.
const std::map<std::string, std::string> &refusedNetworks();

} // namespace avocet::compiler

#endif // AVOCET_TESTS_COMPILER_SCHEDULE_CORE_PIECES_LARGENETWORKS_H

//===- GrowingNetwork.h - Networks with any count of one kind ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_COMPILE_GROWINGNETWORK_H
#define AVOCET_TESTS_BENCH_COMPILE_GROWINGNETWORK_H

#include <cstdint>
#include <span>
#include <string>

namespace avocet::bench {

/// Something that a network can have many of.
struct GrowingKind {
  const char *name;
  const char *what;                       ///< what the network of `count` has
  std::string (*network)(uint32_t count); ///< a TFLite file
};

std::span<const GrowingKind> growingKinds();

} // namespace avocet::bench

#endif // AVOCET_TESTS_BENCH_COMPILE_GROWINGNETWORK_H

//===- ChainModel.h - Networks of any length --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_COMPILE_CHAINMODEL_H
#define AVOCET_TESTS_BENCH_COMPILE_CHAINMODEL_H

#include <cstdint>
#include <string>

namespace avocet::bench {

/// A chain of `layers` operations on 16 x 16 x 16 int8 images as text of the phase import: 3 x 3 convolutions, and in
/// every fourth place an addition that joins the result of two layers before.
std::string chainModel(uint32_t layers);

} // namespace avocet::bench

#endif // AVOCET_TESTS_BENCH_COMPILE_CHAINMODEL_H

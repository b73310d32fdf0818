//===- OracleProtocol.h - Messages between the tester and the oracle ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists of byte strings: a 32-bit count, then for each string its 32-bit size and its bytes. A request is the model
// file and the inputs; an answer is one byte (1: the model ran), the library's messages, and the outputs.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_ORACLEPROTOCOL_H
#define AVOCET_TESTS_DIFFERENTIAL_ORACLEPROTOCOL_H

#include <cstdint>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace avocet::differential {

using Bytes = std::vector<uint8_t>;

struct OracleRequest {
  Bytes file;
  std::vector<Bytes> inputs;
  std::vector<std::vector<int32_t>> shapes = {}; ///< of the inputs; empty: as in the file
};

struct OracleAnswer {
  bool isRun = false;
  std::string message; ///< what the library reported
  std::vector<Bytes> outputs;
};

/// Reads return nothing and writes return false when the other side is gone.
bool writeRequest(int descriptor, const OracleRequest &request);
std::optional<OracleRequest> readRequest(int descriptor);
bool writeAnswer(int descriptor, const OracleAnswer &answer);
std::optional<OracleAnswer> readAnswer(int descriptor);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_ORACLEPROTOCOL_H

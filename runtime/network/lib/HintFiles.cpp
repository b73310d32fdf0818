//===- HintFiles.cpp - Files with schedule hints --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/network/HintFiles.h"

#include "avocet/base/File.h"

#include <cstdint>
#include <vector>

namespace avocet::network {

/// Of a hint file. Those of the largest networks have less than 1 MiB.
constexpr uint64_t kMostHintBytes = uint64_t{16} << 20;

Result<std::string> readHints(const std::string &path) {
  if (path.empty())
    return std::string();
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path, kMostHintBytes));
  if (bytes.empty())
    return dataLoss(path + ": is empty; 'avocet explain MODEL --print-hints' writes hints to start from");
  return std::string(bytes.begin(), bytes.end());
}

} // namespace avocet::network

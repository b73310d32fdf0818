//===- Optimization.cpp - Options of the search for schedules -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimization.h"

#include <nlohmann/json.hpp>

namespace avocet::tool {

void AlternativeLog::add(const compiler::Alternative &alternative) {
  nlohmann::ordered_json line = {{"alternative", alternative.what}, {"predicted_cycles", alternative.predictedCycles}};
  line["simulated_cycles"] = nullptr;
  if (alternative.simulatedCycles)
    line["simulated_cycles"] = *alternative.simulatedCycles;
  line["kept"] = alternative.isKept;
  lines_ += (lines_.empty() ? "" : ",\n") + line.dump();
}

} // namespace avocet::tool

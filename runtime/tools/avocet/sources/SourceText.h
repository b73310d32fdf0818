//===- SourceText.h - Parts of the source map as text -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_SOURCETEXT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_SOURCETEXT_H

#include "SourceMap.h"
#include "commands/CommandTimes.h"

namespace avocet::tool {

/// A title in a column of its own, and what it stands for.
std::string line(std::string_view title, std::string_view text);

/// "rows 16 to 31, columns 0 to 55, channels 0 to 31".
std::string boxText(const cache::SourceCommand &from, const firmware::FeatureMap &output);

/// Names of layers and operations without what most of them share, in quotes.
class SourceNames {
public:
  explicit SourceNames(const SourceMap &map);
  std::string layer(uint32_t layer) const { return "'" + layers_[layer] + "'"; }
  std::string operation(uint32_t operation) const { return "'" + operations_[operation] + "'"; }

private:
  std::vector<std::string> layers_, operations_;
};

/// "3 CONV_2D model.tflite:conv1"; of several joined names the first.
std::string operatorText(const cache::SourceEntryView &entry);

/// What a buffer holds of its operation: "result", "constants", "operand" or "state". Its name says it (schema).
std::string_view roleOf(const cache::MemoryEntryView &buffer);

/// "run 2 of 5 of section 3"; empty for a network that is one section.
std::string runText(const SourceMap &map, const CommandTimes &times, size_t run);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_SOURCETEXT_H

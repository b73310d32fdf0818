//===- SourceText.h - Places in the user's file as text ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_SOURCETEXT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_SOURCETEXT_H

#include "avocet/analysis/SourceMap.h"

#include <string>
#include <string_view>
#include <vector>

namespace avocet::tool {

/// A title in a column of its own, and what it stands for.
std::string line(std::string_view title, std::string_view text);

/// "rows 16 to 31, columns 0 to 55, channels 0 to 31".
std::string boxText(const cache::SourceCommand &from, const firmware::FeatureMap &output);

/// Names of layers and operations without what most of them share, in quotes.
class SourceNames {
public:
  explicit SourceNames(const analysis::SourceMap &map);
  std::string layer(uint32_t layer) const { return "'" + layers_[layer] + "'"; }
  std::string operation(uint32_t operation) const { return "'" + operations_[operation] + "'"; }

private:
  std::vector<std::string> layers_, operations_;
};

/// "3 CONV_2D model.tflite:conv1"; of several joined names the first.
std::string operatorText(const cache::SourceEntryView &entry);

/// "run 2 of 5 of section 3"; empty for a network that is one section.
std::string runText(const analysis::SourceMap &map, const analysis::CommandTimes &times, size_t run);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_SOURCETEXT_H

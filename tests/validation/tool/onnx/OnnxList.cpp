//===- OnnxList.cpp -------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxList.h"

#include "OnnxRunner.h"
#include "avocet/base/File.h"

#include <fmt/format.h>
#include <set>
#include <sstream>

namespace avocet::tool {
namespace {

using namespace hal::conformance;

constexpr std::string_view nameOf(Verdict verdict) {
  switch (verdict) {
  case Verdict::Passed:
    return "passed";
  case Verdict::Failed:
    return "failed";
  case Verdict::Unsupported:
    return "unsupported";
  case Verdict::Skipped:
    return "skipped";
  }
  return "failed";
}

const RunResult &runOf(const CaseResult &result) { return result.runs.front(); }

std::string found(const CaseResult &result) {
  const RunResult &run = runOf(result);
  std::string text(nameOf(run.verdict));
  for (const std::string &part : {run.reason, run.detail})
    if (!part.empty())
      text += ": " + part;
  return text;
}

std::string lineOf(const std::string &name, Verdict verdict, const std::string &reason) {
  return fmt::format("{}\t{}\t{}\n", name, nameOf(verdict), reason);
}

} // namespace

Result<OnnxList> OnnxList::read(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path));
  OnnxList list;
  std::istringstream text(std::string(bytes.begin(), bytes.end()));
  std::string line;
  for (size_t number = 1; std::getline(text, line); ++number) {
    if (line.empty() || line.front() == '#') {
      list.comments_ += line + "\n";
      continue;
    }
    const size_t first = line.find('\t'), second = line.find('\t', first + 1);
    const std::string verdict = second == std::string::npos ? "" : line.substr(first + 1, second - first - 1);
    if (verdict != nameOf(Verdict::Unsupported) && verdict != nameOf(Verdict::Failed))
      return invalidArgument(fmt::format("{}:{}: must be a model's name, 'unsupported' or 'failed', and the reason, "
                                         "separated by tabs",
                                         path, number));
    list.entries_[line.substr(0, first)] = {verdict == nameOf(Verdict::Failed) ? Verdict::Failed : Verdict::Unsupported,
                                            line.substr(second + 1)};
  }
  return list;
}

std::string OnnxList::differenceOf(const CaseResult &result) const {
  const auto entry = entries_.find(result.info.name);
  const Verdict verdict = runOf(result).verdict;
  if (entry == entries_.end())
    return verdict == Verdict::Passed ? "" : fmt::format("is not listed, and {}", found(result));
  const auto &[expected, reason] = entry->second;
  const bool isListed =
      verdict == expected && runOf(result).reason == (verdict == Verdict::Failed ? kWrongResult : reason);
  return isListed ? "" : fmt::format("is listed as {}: {}; found is {}", nameOf(expected), reason, found(result));
}

std::vector<std::string> OnnxList::differences(const std::vector<CaseResult> &results, bool isWhole) const {
  std::vector<std::string> lines;
  std::set<std::string> known;
  for (const CaseResult &result : results) {
    known.insert(result.info.name);
    if (const std::string difference = differenceOf(result); !difference.empty())
      lines.push_back(result.info.name + " " + difference);
  }
  for (const auto &[name, entry] : entries_)
    if (isWhole && !known.contains(name))
      lines.push_back(name + " is listed, but there is no such model");
  return lines;
}

std::string OnnxList::updated(const std::vector<CaseResult> &results) const {
  std::string text = comments_;
  for (const CaseResult &result : results) {
    const auto entry = entries_.find(result.info.name);
    const Verdict verdict = runOf(result).verdict;
    if (verdict == Verdict::Unsupported)
      text += lineOf(result.info.name, verdict, runOf(result).reason);
    else if (verdict == Verdict::Failed && entry != entries_.end() && entry->second.verdict == Verdict::Failed)
      text += lineOf(result.info.name, verdict, entry->second.reason);
  }
  return text;
}

} // namespace avocet::tool

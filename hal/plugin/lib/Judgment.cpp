//===- Judgment.cpp - What the compiler says about a network ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/plugin/Judgment.h"

#include "avocet/base/Log.h"
#include "avocet/base/TrustedFolder.h"

#include <cstring>

namespace avocet::plugin {
namespace {

std::string describe(const compiler::Refusal &refusal) {
  std::string text = refusal.operand.empty() ? refusal.rule : refusal.operand + ": " + refusal.rule;
  if (!refusal.value.empty())
    text += ", found " + refusal.value;
  return refusal.limit.empty() ? text : text + ", accepted " + refusal.limit;
}

void append(std::vector<uint8_t> &bytes, const std::string &text) {
  const auto size = static_cast<uint32_t>(text.size());
  const auto *first = reinterpret_cast<const uint8_t *>(&size);
  bytes.insert(bytes.end(), first, first + sizeof(size));
  bytes.insert(bytes.end(), text.begin(), text.end());
}

std::optional<std::string> take(std::span<const uint8_t> &bytes) {
  uint32_t size = 0;
  if (bytes.size() < sizeof(size))
    return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof(size));
  bytes = bytes.subspan(sizeof(size));
  if (bytes.size() < size)
    return std::nullopt;
  std::string text(bytes.begin(), bytes.begin() + size);
  bytes = bytes.subspan(size);
  return text;
}

} // namespace

Judgment judgmentOf(const compiler::Verdict &result) {
  Judgment judgment;
  if (result.status.isOk())
    return judgment;
  for (const compiler::Refusal &refusal : result.refusals)
    judgment.reasons.push_back({refusal.location, describe(refusal)});
  for (const compiler::Diagnostic &diagnostic : result.diagnostics)
    if (diagnostic.severity == compiler::Severity::Error && result.refusals.empty())
      judgment.reasons.push_back({diagnostic.location, diagnostic.message});
  if (judgment.reasons.empty())
    judgment.reasons.push_back({"", result.status.message()});
  return judgment;
}

std::vector<uint8_t> serialize(const Judgment &judgment) {
  std::vector<uint8_t> bytes;
  for (const Reason &reason : judgment.reasons) {
    append(bytes, reason.location);
    append(bytes, reason.text);
  }
  return bytes;
}

std::optional<Judgment> parse(std::span<const uint8_t> bytes) {
  Judgment judgment;
  while (!bytes.empty()) {
    std::optional<std::string> location = take(bytes), text = take(bytes);
    if (!location || !text)
      return std::nullopt;
    judgment.reasons.push_back({std::move(*location), std::move(*text)});
  }
  return judgment;
}

namespace {

constexpr uint64_t kJudgmentBytes = uint64_t{1} << 24;

} // namespace

Result<std::unique_ptr<DiskCache>> DiskCache::open(const std::string &folder, std::string_view generation) {
  AVOCET_RETURN_IF_ERROR(TrustedFolder::open(folder, TrustedFolder::Missing::Create).status());
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<cache::BlobCache> judgments,
                          cache::BlobCache::open(folder + "/judgments", kJudgmentBytes, generation));
  return std::unique_ptr<DiskCache>(new DiskCache(std::move(judgments)));
}

std::optional<Judgment> DiskCache::find(const cache::BlobKey &key) const {
  const Result<std::vector<uint8_t>> bytes = judgments_->get(key);
  return bytes ? parse(*bytes) : std::nullopt;
}

void DiskCache::keep(const cache::BlobKey &key, const Judgment &judgment) const {
  if (Status status = judgments_->put(key, serialize(judgment)); !status.isOk())
    logMessage(LogLevel::Info, "avocet", "a judgment is not kept: {}", status.message());
}

} // namespace avocet::plugin

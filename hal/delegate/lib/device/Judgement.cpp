//===- Judgement.cpp - What the compiler says about a network - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/Judgement.h"

#include <cstring>

namespace avocet::delegate {
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

Judgement judgementOf(const compiler::Verdict &result) {
  Judgement judgement;
  if (result.status.isOk())
    return judgement;
  for (const compiler::Refusal &refusal : result.refusals)
    judgement.reasons.push_back({refusal.location, describe(refusal)});
  for (const compiler::Diagnostic &diagnostic : result.diagnostics)
    if (diagnostic.severity == compiler::Severity::Error && result.refusals.empty())
      judgement.reasons.push_back({diagnostic.location, diagnostic.message});
  if (judgement.reasons.empty())
    judgement.reasons.push_back({"", result.status.message()});
  return judgement;
}

std::vector<uint8_t> serialise(const Judgement &judgement) {
  std::vector<uint8_t> bytes;
  for (const Reason &reason : judgement.reasons) {
    append(bytes, reason.location);
    append(bytes, reason.text);
  }
  return bytes;
}

std::optional<Judgement> parse(std::span<const uint8_t> bytes) {
  Judgement judgement;
  while (!bytes.empty()) {
    std::optional<std::string> location = take(bytes), text = take(bytes);
    if (!location || !text)
      return std::nullopt;
    judgement.reasons.push_back({std::move(*location), std::move(*text)});
  }
  return judgement;
}

} // namespace avocet::delegate

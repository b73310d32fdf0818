//===- SupportAnswers.cpp - Answers about support that are kept -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An answer is a list of texts, each after its length (4 bytes, little endian): for each operation "+" if it is
// supported, else "-" and the five texts of the reason.
//
//===----------------------------------------------------------------------===//

#include "model/SupportAnswers.h"

#include "avocet/base/Log.h"

#include <cstring>

namespace avocet::hal {
namespace {

class TextWriter {
public:
  void add(std::string_view text) {
    const auto size = static_cast<uint32_t>(text.size());
    const auto *bytes = reinterpret_cast<const uint8_t *>(&size);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(size));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  const std::vector<uint8_t> &bytes() const { return bytes_; }

private:
  std::vector<uint8_t> bytes_;
};

class TextReader {
public:
  explicit TextReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  /// Empty at the end, and if the bytes end within a text.
  std::optional<std::string> next() {
    uint32_t size = 0;
    if (bytes_.size() < sizeof(size))
      return std::nullopt;
    std::memcpy(&size, bytes_.data(), sizeof(size));
    bytes_ = bytes_.subspan(sizeof(size));
    if (size > bytes_.size())
      return std::nullopt;
    std::string text(bytes_.begin(), bytes_.begin() + size);
    bytes_ = bytes_.subspan(size);
    return text;
  }
  bool isAtEnd() const { return bytes_.empty(); }

private:
  std::span<const uint8_t> bytes_;
};

std::optional<Unsupported> readReason(TextReader &reader) {
  Unsupported reason;
  for (std::string *part : {&reason.operation, &reason.operand, &reason.rule, &reason.value, &reason.limit}) {
    std::optional<std::string> text = reader.next();
    if (!text)
      return std::nullopt;
    *part = std::move(*text);
  }
  return reason;
}

} // namespace

cache::BlobKey supportKey(const cache::BlobCache &answers, std::span<const uint8_t> description,
                          const ConstantPools &pools) {
  std::vector<std::span<const uint8_t>> parts = {description};
  parts.insert(parts.end(), pools.copies().begin(), pools.copies().end());
  return answers.keyOf(parts);
}

std::optional<SupportedOperations> findAnswer(cache::BlobCache &answers, const cache::BlobKey &key,
                                              size_t numOperations) {
  avocet::Result<std::vector<uint8_t>> kept = answers.get(key);
  if (!kept)
    return std::nullopt;
  TextReader reader(*kept);
  SupportedOperations answer;
  for (size_t i = 0; i < numOperations; ++i) {
    const std::optional<std::string> mark = reader.next();
    std::optional<Unsupported> reason = mark == "-" ? readReason(reader) : Unsupported();
    if ((mark != "+" && mark != "-") || !reason)
      return std::nullopt;
    answer.supported.push_back(mark == "+");
    answer.reasons.push_back(std::move(*reason));
  }
  return reader.isAtEnd() ? std::optional(std::move(answer)) : std::nullopt;
}

void keepAnswer(cache::BlobCache &answers, const cache::BlobKey &key, const SupportedOperations &answer) {
  TextWriter writer;
  for (size_t i = 0; i < answer.supported.size(); ++i) {
    writer.add(answer.supported[i] ? "+" : "-");
    const Unsupported &reason = answer.reasons[i];
    if (!answer.supported[i])
      for (const std::string *part : {&reason.operation, &reason.operand, &reason.rule, &reason.value, &reason.limit})
        writer.add(*part);
  }
  if (avocet::Status kept = answers.put(key, writer.bytes()); !kept.isOk())
    logMessage(LogLevel::Info, "driver", "answer about support not kept: {}", kept.message());
}

} // namespace avocet::hal

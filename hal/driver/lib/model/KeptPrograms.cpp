//===- KeptPrograms.cpp - Programs of executions, for caches ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/KeptPrograms.h"

#include <algorithm>
#include <map>

namespace avocet::hal {
namespace {

using Data = std::shared_ptr<const cache::DataCache>;

bool areEqual(const Data &a, const Data &b) { return a == b || std::ranges::equal(a->bytes(), b->bytes()); }

} // namespace

void KeptPrograms::put(KeptProgram program) {
  std::erase_if(programs_, [&](const KeptProgram &known) { return known.facts == program.facts; });
  auto same = std::ranges::find_if(programs_, [&](const auto &known) { return areEqual(known.data, program.data); });
  if (same != programs_.end())
    program.data = same->data;
  programs_.insert(programs_.begin(), std::move(program));
  if (programs_.size() > most_)
    programs_.pop_back();
}

std::optional<KeptProgram> KeptPrograms::find(const Facts &facts) {
  auto found = std::ranges::find(programs_, facts, &KeptProgram::facts);
  if (found == programs_.end())
    return std::nullopt;
  std::rotate(programs_.begin(), found, std::next(found));
  return programs_.front();
}

uint64_t bytesOf(std::span<const KeptProgram> programs) {
  uint64_t bytes = 0;
  std::vector<const cache::DataCache *> counted;
  for (const KeptProgram &program : programs) {
    bytes += program.program->size();
    if (std::ranges::find(counted, program.data.get()) != counted.end())
      continue;
    counted.push_back(program.data.get());
    bytes += program.data->bytes().size();
  }
  return bytes;
}

DataLayout layOut(std::span<const uint8_t> first, std::span<const KeptProgram> programs) {
  DataLayout layout{{first.begin(), first.end()}, {}};
  std::map<const cache::DataCache *, DataPart> placed;
  for (const KeptProgram &program : programs) {
    auto [known, isNew] = placed.try_emplace(program.data.get());
    if (isNew) {
      const std::span<const uint8_t> bytes = program.data->bytes();
      known->second = {layout.bytes.size(), bytes.size(), program.data->checksum()};
      layout.bytes.insert(layout.bytes.end(), bytes.begin(), bytes.end());
    }
    layout.parts.push_back(known->second);
  }
  return layout;
}

} // namespace avocet::hal

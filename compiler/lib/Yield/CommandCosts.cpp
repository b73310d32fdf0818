//===- CommandCosts.cpp - Cached cycles and blocks of commands --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Yield/CommandCosts.h"

#include "avocet/base/Fnv1a.h"
#include "avocet/compiler/Yield/EngineTime.h"
#include "avocet/firmware_iface/Addresses.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/kernels/BlockChoice.h"

#include <type_traits>

namespace avocet::compiler {

using namespace firmware;

namespace {

/// Removes operand addresses from a command. The remaining fields determine legality and cost.
struct Unplacer {
  void operator()(auto &command) const {
    visitAddresses(command, [](auto &field) {
      if constexpr (std::is_same_v<std::remove_reference_t<decltype(field)>, SramAddress>)
        field = 0;
      else
        field.offset = 0;
    });
  }
};

} // namespace

size_t CommandCosts::KeyHash::operator()(const Key &key) const {
  Fnv1a hash;
  for (uint32_t word : key)
    hash.addInOneStep(word);
  return hash.value() ^ hash.value() >> 32;
}

CommandCosts::Key CommandCosts::keyOf(const CommandBody &command) {
  Command unplaced{kNoLayer, command};
  std::visit(Unplacer{}, unplaced.body);
  Key words;
  encode(unplaced, words);
  return words;
}

uint64_t CommandCosts::cycles(const CommandBody &command) {
  auto [entry, isNew] = cycles_.try_emplace(keyOf(command));
  if (isNew)
    entry->second = engineCycles(target_, command);
  return entry->second;
}

Block CommandCosts::block(const CommandBody &command) {
  auto [entry, isNew] = blocks_.try_emplace(keyOf(command));
  if (isNew)
    entry->second = kernels::chooseBlock(target_, command).block;
  return entry->second;
}

std::optional<uint32_t> &CommandCosts::splitWay(const CommandBody &command, uint64_t bound) {
  Key key = keyOf(command);
  key.push_back(static_cast<uint32_t>(bound));
  key.push_back(static_cast<uint32_t>(bound >> 32));
  return splitWays_[std::move(key)];
}

} // namespace avocet::compiler

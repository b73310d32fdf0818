//===- StreamOrder.cpp - The order that semaphores enforce ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamOrder.h"

#include "avocet/firmware_iface/Footprint.h"

namespace avocet::compiler {

bool conflict(const firmware::CommandBody &a, const firmware::CommandBody &b) {
  std::vector<firmware::ByteRange> rangesA, rangesB;
  firmware::appendFootprint(a, rangesA);
  firmware::appendFootprint(b, rangesB);
  for (const firmware::ByteRange &x : rangesA)
    for (const firmware::ByteRange &y : rangesB)
      if (x.region == y.region && (x.write || y.write) && x.begin < y.end && y.begin < x.end)
        return true;
  return false;
}

StreamOrder::StreamOrder(const std::vector<Stream> &streams, size_t skipStream, size_t skipCommand) {
  addSignals(streams);
  addEdges(streams, skipStream, skipCommand);
  close();
}

void StreamOrder::addSignals(const std::vector<Stream> &streams) {
  std::map<uint32_t, size_t> signaler;
  size_t node = 0;
  for (size_t s = 0; s < streams.size(); ++s)
    for (const StreamCommand &command : streams[s].commands) {
      if (auto *signal = std::get_if<firmware::SignalCommand>(&command.command.body)) {
        signals_[signal->semaphore].push_back(node);
        sound_ &= signaler.emplace(signal->semaphore, s).first->second == s;
      } else if (!std::holds_alternative<firmware::WaitCommand>(command.command.body)) {
        nodeOfSource_[command.source] = node;
      }
      ++node;
    }
  predecessors_.resize(node);
}

void StreamOrder::addEdges(const std::vector<Stream> &streams, size_t skipStream, size_t skipCommand) {
  size_t node = 0;
  for (size_t s = 0; s < streams.size(); ++s)
    for (size_t c = 0; c < streams[s].commands.size(); ++c, ++node) {
      if (c > 0)
        predecessors_[node].push_back(node - 1);
      auto *wait = std::get_if<firmware::WaitCommand>(&streams[s].commands[c].command.body);
      if (!wait || (s == skipStream && c == skipCommand))
        continue;
      const std::vector<size_t> &signals = signals_[wait->semaphore];
      if (wait->value >= 1 && wait->value <= signals.size())
        predecessors_[node].push_back(signals[wait->value - 1]);
      else
        sound_ = false;
    }
}

bool StreamOrder::merge(size_t node, size_t predecessor) {
  bool changed = !contains(before_[node], predecessor);
  before_[node][predecessor / 64] |= uint64_t{1} << (predecessor % 64);
  for (size_t word = 0; word < before_[node].size(); ++word) {
    uint64_t merged = before_[node][word] | before_[predecessor][word];
    changed |= merged != before_[node][word];
    before_[node][word] = merged;
  }
  return changed;
}

void StreamOrder::close() {
  before_.assign(predecessors_.size(), Set(predecessors_.size() / 64 + 1, 0));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t node = 0; node < predecessors_.size(); ++node)
      for (size_t predecessor : predecessors_[node])
        changed |= merge(node, predecessor);
  }
  for (size_t node = 0; node < before_.size(); ++node)
    sound_ &= !contains(before_[node], node);
}

bool StreamOrder::isBefore(uint32_t first, uint32_t second) const {
  return contains(before_[nodeOfSource_.at(second)], nodeOfSource_.at(first));
}

} // namespace avocet::compiler

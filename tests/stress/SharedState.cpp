//===- SharedState.cpp ----------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedState.h"

#include <algorithm>
#include <new>

namespace avocet::stress {

std::string_view toString(Count count) {
  static constexpr std::array<std::string_view, kNumCounts> kNames = {"right", "refused",  "missed",
                                                                      "dead",  "provoked", "not offered"};
  return kNames[static_cast<size_t>(count)];
}

Result<SharedState> SharedState::attach(int descriptor) {
  SharedState state;
  state.file_ = FileDescriptor(descriptor);
  AVOCET_ASSIGN_OR_RETURN(state.mapping_,
                          Mapping::map(descriptor, sizeof(SharedStateContent), Mapping::Access::ReadWrite));
  return state;
}

Result<SharedState> SharedState::create() {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("stressState", sizeof(SharedStateContent)));
  AVOCET_ASSIGN_OR_RETURN(SharedState state, attach(file.release()));
  new (state.mapping_.bytes().data()) SharedStateContent();
  return state;
}

void setText(std::span<char> place, std::string_view text) {
  const size_t size = std::min(text.size(), place.size() - 1);
  std::copy_n(text.begin(), size, place.begin());
  place[size] = 0;
}

} // namespace avocet::stress

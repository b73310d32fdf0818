//===- Board.cpp ----------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Board.h"

#include <algorithm>
#include <new>

namespace avocet::stress {

std::string_view toString(Count count) {
  static constexpr std::array<std::string_view, kNumCounts> kNames = {"right", "refused",  "missed",
                                                                      "dead",  "provoked", "not offered"};
  return kNames[static_cast<size_t>(count)];
}

Result<Board> Board::attach(int descriptor) {
  Board board;
  board.file_ = FileDescriptor(descriptor);
  AVOCET_ASSIGN_OR_RETURN(board.mapping_, Mapping::map(descriptor, sizeof(BoardContent), Mapping::Access::ReadWrite));
  return board;
}

Result<Board> Board::create() {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("stressBoard", sizeof(BoardContent)));
  AVOCET_ASSIGN_OR_RETURN(Board board, attach(file.release()));
  new (board.mapping_.bytes().data()) BoardContent();
  return board;
}

void setText(std::span<char> place, std::string_view text) {
  const size_t size = std::min(text.size(), place.size() - 1);
  std::copy_n(text.begin(), size, place.begin());
  place[size] = 0;
}

} // namespace avocet::stress

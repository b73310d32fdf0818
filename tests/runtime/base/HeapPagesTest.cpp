//===- HeapPagesTest.cpp - Large pages for the heap -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/MachineMemory.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace avocet {
namespace {

/// Flags of the heap's mapping with large pages, or of its first one; empty: there is no heap.
std::string heapFlags() {
  std::ifstream maps("/proc/self/smaps");
  std::string line, flags;
  bool isHeap = false;
  while (std::getline(maps, line)) {
    if (line.find("-") < line.find(" ")) // a mapping begins
      isHeap = line.ends_with("[heap]");
    if (isHeap && line.starts_with("VmFlags:") && (flags.empty() || line.find(" hg") != std::string::npos))
      flags = line;
  }
  return flags;
}

bool hasLargePages() {
  std::string modes;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), modes);
  return !modes.empty() && modes.find("[never]") == std::string::npos;
}

/// In a process of its own, since the heap keeps its form.
TEST(HeapPagesDeathTest, HeapGetsLargePages) {
  if (!hasLargePages() || heapFlags().empty())
    GTEST_SKIP() << "the kernel has no large pages, or the allocator no heap";
  const auto useHeap = [] {
    useLargePagesForHeap();
    std::exit(heapFlags().find(" hg") == std::string::npos ? 1 : 0);
  };
  EXPECT_EXIT(useHeap(), testing::ExitedWithCode(0), "");
}

/// Also with another allocator.
TEST(HeapPagesDeathTest, ProgramGoesOn) {
  const auto useHeap = [] {
    useLargePagesForHeap();
    std::string large(100 << 20, 'a'), small(100, 'b');
    std::exit(large.back() == 'a' && small.back() == 'b' ? 0 : 1);
  };
  EXPECT_EXIT(useHeap(), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace avocet

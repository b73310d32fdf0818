//===- MachineMemoryTest.cpp - Memory that a process may use --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/MachineMemory.h"

#include "../../support/TemporaryFolder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace avocet {
namespace {

class MachineMemoryTest : public testing::Test {
protected:
  void write(const std::string &file, const std::string &text) {
    const std::filesystem::path path = folder_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  uint64_t memory() const { return machineMemory(folder_.path().string()); }

  test::TemporaryFolder folder_{"memory"};
};

TEST_F(MachineMemoryTest, WithoutGroupsItIsTheMachines) {
  const uint64_t machine = memory();
  EXPECT_GE(machine, uint64_t{1} << 27);
  EXPECT_LE(machineMemory(), machine);
  write("proc/self/cgroup", "0::/a/b\n1:name=x:/\n\nbroken\n");
  EXPECT_EQ(memory(), machine);
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(memory(), machine);
}

TEST_F(MachineMemoryTest, TightestGroupOfVersionTwoCounts) {
  write("proc/self/cgroup", "0::/system.slice/avocetd.service\n");
  write("sys/fs/cgroup/system.slice/memory.max", "3000000\n");
  EXPECT_EQ(memory(), 3000000u);
  write("sys/fs/cgroup/system.slice/avocetd.service/memory.max", "2000000\n");
  EXPECT_EQ(memory(), 2000000u);
  write("sys/fs/cgroup/memory.max", "1000000\n");
  EXPECT_EQ(memory(), 1000000u);
}

TEST_F(MachineMemoryTest, NamespaceHasTheLimitAtItsRoot) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "4000000\n");
  EXPECT_EQ(memory(), 4000000u);
}

TEST_F(MachineMemoryTest, GroupsOfVersionOneCount) {
  write("proc/self/cgroup", "4:cpu,memory:/job/1\n3:pids:/job\n0::/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "5000000\n");
  write("sys/fs/cgroup/job/1/memory.max", "1\n");
  EXPECT_EQ(memory(), 5000000u);
}

} // namespace
} // namespace avocet

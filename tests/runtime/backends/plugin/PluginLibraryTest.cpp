//===- PluginLibraryTest.cpp - Files and tables that are refused --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginLibrary.h"

#include "FakeTable.h"
#include "OutputFolder.h"

#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>

namespace avocet::runtime::plugin::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(PluginTableTest, CompleteTableIsAccepted) {
  AvocetBackendTable table = fakeTable();
  EXPECT_TRUE(checkTable(&table, "x.so").isOk());
  table.abi = AVOCET_BACKEND_ABI + 5; // a later minor version, which adds members
  table.size += 64;
  EXPECT_TRUE(checkTable(&table, "x.so").isOk());
}

TEST(PluginTableTest, OtherVersionsAndSizesAreRefused) {
  struct Case {
    void (*change)(AvocetBackendTable &table);
    const char *message;
  };
  for (const Case &each :
       {Case{[](AvocetBackendTable &table) { table.abi += 1u << 16; }, "version 2.0, this program uses 1.0"},
        Case{[](AvocetBackendTable &table) { table.abi = 0; }, "version 0.0"},
        Case{[](AvocetBackendTable &table) { --table.size; }, "has 191 bytes, at least 192"},
        Case{[](AvocetBackendTable &table) { table.name = nullptr; }, "no valid name"},
        Case{[](AvocetBackendTable &table) { table.name = ""; }, "no valid name"},
        Case{[](AvocetBackendTable &table) { table.name = "a b"; }, "no valid name"},
        Case{[](AvocetBackendTable &table) { table.name = "dir/x.so"; }, "no valid name"},
        Case{[](AvocetBackendTable &table) { table.name = "abcdefghijklmnopqrstuvwxyz0123456"; }, "no valid name"},
        Case{[](AvocetBackendTable &table) { table.version = nullptr; }, "no version or description"},
        Case{[](AvocetBackendTable &table) { table.description = nullptr; }, "no version or description"}}) {
    AvocetBackendTable table = fakeTable();
    each.change(table);
    const Status status = checkTable(&table, "x.so");
    EXPECT_EQ(status.code(), StatusCode::FailedPrecondition) << each.message;
    EXPECT_THAT(status.message(), AllOf(HasSubstr("x.so cannot be used as a back end"), HasSubstr(each.message)));
  }
  EXPECT_THAT(checkTable(nullptr, "x.so").message(), HasSubstr("cannot work in this process"));
}

TEST(PluginTableTest, MissingFunctionsAreNamed) {
  // The functions follow each other from open() to finish().
  constexpr size_t kFirst = offsetof(AvocetBackendTable, open), kEnd = sizeof(AvocetBackendTable);
  size_t refused = 0;
  for (size_t offset = kFirst; offset < kEnd; offset += sizeof(void *)) {
    AvocetBackendTable table = fakeTable();
    std::memset(reinterpret_cast<char *>(&table) + offset, 0, sizeof(void *));
    const Status status = checkTable(&table, "x.so");
    const bool isOptional = offset == offsetof(AvocetBackendTable, importMemory) ||
                            offset == offsetof(AvocetBackendTable, drive) ||
                            offset == offsetof(AvocetBackendTable, finish);
    EXPECT_EQ(status.isOk(), isOptional) << offset;
    refused += status.isOk() ? 0 : 1;
  }
  EXPECT_EQ(refused, 15u);
  AvocetBackendTable table = fakeTable();
  table.exportBuffer = nullptr;
  EXPECT_THAT(checkTable(&table, "x.so").message(), HasSubstr("no function 'exportBuffer'"));
}

class PluginLibraryTest : public OutputFolder {
protected:
  /// The message of the refusal, which names the file.
  std::string refusalOf(const std::string &name) {
    const Result<const AvocetBackendTable *> table = loadTable(path(name));
    EXPECT_FALSE(table.isOk());
    EXPECT_THAT(table.status().message(), HasSubstr(name));
    return table.status().message();
  }
  /// The working plug-in with some bytes replaced.
  void putChanged(const std::string &name, size_t offset, const std::string &bytes) {
    std::filesystem::copy_file(AVOCET_MINE_PLUGIN, path(name));
    std::fstream file(path(name), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
};

TEST_F(PluginLibraryTest, LoadsOncePerFile) {
  const Result<const AvocetBackendTable *> table = loadTable(AVOCET_MINE_PLUGIN);
  ASSERT_TRUE(table.isOk()) << table.status().toString();
  EXPECT_STREQ((*table)->name, "mine");
  std::filesystem::create_symlink(AVOCET_MINE_PLUGIN, path("link.so"));
  EXPECT_EQ(loadTable(path("link.so")).value(), *table);
}

TEST_F(PluginLibraryTest, FilesThatAreNoLibrariesAreRefused) {
  put("text.so", "no library");
  EXPECT_THAT(refusalOf("text.so"), HasSubstr("it is no ELF file"));
  put("empty.so", "");
  EXPECT_THAT(refusalOf("empty.so"), HasSubstr("it is no ELF file"));
  put("short.so", "\x7f"
                  "ELF");
  EXPECT_THAT(refusalOf("short.so"), HasSubstr("it is no ELF file"));
  std::filesystem::create_directory(path("folder.so"));
  refusalOf("folder.so");
  ASSERT_EQ(::mkfifo(path("fifo.so").c_str(), 0600), 0);
  refusalOf("fifo.so");
  EXPECT_EQ(loadTable(path("none.so")).code(), StatusCode::NotFound);
}

TEST_F(PluginLibraryTest, DamagedLibrariesAreRefusedBeforeTheyAreMapped) {
  std::filesystem::copy_file(AVOCET_MINE_PLUGIN, path("cut.so"));
  std::filesystem::resize_file(path("cut.so"), std::filesystem::file_size(AVOCET_MINE_PLUGIN) / 4);
  EXPECT_THAT(refusalOf("cut.so"), HasSubstr("it is truncated"));
  putChanged("headers.so", offsetof(Elf64_Ehdr, e_phoff), std::string(8, '\xff'));
  EXPECT_THAT(refusalOf("headers.so"), HasSubstr("it is truncated"));
  putChanged("entries.so", offsetof(Elf64_Ehdr, e_phentsize), std::string("\1\0", 2));
  EXPECT_THAT(refusalOf("entries.so"), HasSubstr("damaged"));
}

TEST_F(PluginLibraryTest, OtherElfFilesAreRefused) {
  putChanged("arm.so", offsetof(Elf64_Ehdr, e_machine), std::string("\xf3\0", 2)); // RISC-V
  EXPECT_THAT(refusalOf("arm.so"), HasSubstr("another processor"));
  putChanged("object.so", offsetof(Elf64_Ehdr, e_type), std::string("\1\0", 2));
  EXPECT_THAT(refusalOf("object.so"), HasSubstr("no shared library"));
}

TEST_F(PluginLibraryTest, LibraryWithoutTableIsRefused) {
  EXPECT_THAT(loadTable(AVOCET_NO_PLUGIN).status().message(), HasSubstr("it exports no function avocetBackendTable"));
}

} // namespace
} // namespace avocet::runtime::plugin::test

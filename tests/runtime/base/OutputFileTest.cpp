//===- OutputFileTest.cpp - Tests of output files ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/OutputFile.h"

#include "OutputFolder.h"

#include <algorithm>
#include <csignal>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <thread>

namespace avocet {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public OutputFolder {
protected:
  static constexpr std::string_view kText = "new contents";
};

TEST_F(OutputFileTest, NullDeviceStaysDevice) {
  if (!makeDevice("null", S_IFCHR, 1, 3))
    GTEST_SKIP() << "device nodes need root";
  Status status = writeFile(path("null"), kText);
  EXPECT_TRUE(status.isOk()) << status.toString();
  EXPECT_TRUE(fs::is_character_file(path("null")));
  EXPECT_EQ(names(), std::vector<std::string>{"null"});
}

TEST_F(OutputFileTest, FullDeviceIsAnError) {
  if (!makeDevice("full", S_IFCHR, 1, 7))
    GTEST_SKIP() << "device nodes need root";
  Status status = writeFile(path("full"), kText);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_NE(status.message().find(path("full") + ": No space left on device"), std::string::npos) << status.message();
  EXPECT_TRUE(fs::is_character_file(path("full")));
}

TEST_F(OutputFileTest, BlockDeviceIsRefused) {
  if (!makeDevice("disk", S_IFBLK, 7, 250))
    GTEST_SKIP() << "device nodes need root";
  Status status = writeFile(path("disk"), kText);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("a block device"), std::string::npos) << status.message();
  EXPECT_TRUE(fs::is_block_file(path("disk")));
}

TEST_F(OutputFileTest, SocketIsRefused) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path("socket").copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr *>(&address), sizeof(address)), 0);
  EXPECT_EQ(writeFile(path("socket"), kText).code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(fs::is_socket(path("socket")));
}

TEST_F(OutputFileTest, FifoIsWrittenInPlace) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  FileDescriptor keep(::open(path("fifo").c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)); // never waits for the other end
  Status status = writeFile(path("fifo"), kText);
  EXPECT_TRUE(status.isOk()) << status.toString();
  ASSERT_TRUE(fs::is_fifo(path("fifo")));
  std::string read(64, '\0');
  ssize_t size = ::read(keep.get(), read.data(), read.size());
  EXPECT_EQ(read.substr(0, static_cast<size_t>(std::max<ssize_t>(size, 0))), kText);
}

TEST_F(OutputFileTest, FifoWaitsForItsReader) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50)); // usually after the writer
    read = get("fifo");
  });
  Status status = writeFile(path("fifo"), kText);
  reader.join();
  EXPECT_TRUE(status.isOk()) << status.toString();
  EXPECT_EQ(read, kText);
}

TEST_F(OutputFileTest, FifoWithoutReaderIsAnError) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  Status status = writeFile(path("fifo"), kText);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("no process reads"), std::string::npos) << status.message();
}

TEST_F(OutputFileTest, RegularOnlyRefusesFifo) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(OutputFile::create(path("fifo"), {.regularOnly = true}).status().code(), StatusCode::InvalidArgument);
}

TEST_F(OutputFileTest, LinkStaysAndTargetIsReplaced) {
  ASSERT_TRUE(fs::create_directory(path("sub")));
  put("sub/target", "old");
  fs::create_symlink("sub/target", path("link"));
  ASSERT_TRUE(writeFile(path("link"), kText).isOk());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(get("sub/target"), kText);
}

TEST_F(OutputFileTest, DanglingLinkCreatesTarget) {
  fs::create_symlink("target", path("link"));
  ASSERT_TRUE(writeFile(path("link"), kText).isOk());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(get("target"), kText);
}

TEST_F(OutputFileTest, LinkLoopIsRefused) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_FALSE(writeFile(path("a"), kText).isOk());
}

TEST_F(OutputFileTest, LinkToDescriptorAppendsToIt) {
  put("log", "before ");
  FileDescriptor file(::open(path("log").c_str(), O_WRONLY | O_CLOEXEC));
  Status status = writeFile("/proc/self/fd/" + std::to_string(file.get()), kText);
  ASSERT_TRUE(status.isOk()) << status.toString();
  struct stat opened, named;
  ASSERT_EQ(::fstat(file.get(), &opened), 0);
  ASSERT_EQ(::stat(path("log").c_str(), &named), 0);
  EXPECT_EQ(opened.st_ino, named.st_ino);
  EXPECT_EQ(get("log"), "before new contents");
}

TEST_F(OutputFileTest, KeepsPermissionsOfOldFile) {
  put("file", "old");
  ASSERT_EQ(::chmod(path("file").c_str(), 0640), 0);
  ASSERT_TRUE(writeFile(path("file"), kText).isOk());
  struct stat info;
  ASSERT_EQ(::stat(path("file").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
}

TEST_F(OutputFileTest, RootKeepsOwnerOfOldFile) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can change owners";
  put("file", "old");
  ASSERT_EQ(::chown(path("file").c_str(), 1234, 1235), 0);
  ASSERT_TRUE(writeFile(path("file"), kText).isOk());
  struct stat info;
  ASSERT_EQ(::stat(path("file").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 1234u);
  EXPECT_EQ(info.st_gid, 1235u);
}

TEST_F(OutputFileTest, ReadOnlyFileIsNotReplaced) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root to become another user";
  put("file", "old");
  ASSERT_EQ(::chmod(root().c_str(), 0777), 0);
  int code = inChild([&] {
    if (::setresuid(1234, 1234, 1234) != 0)
      return 2;
    return writeFile(path("file"), kText).isOk() ? 1 : 0;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(get("file"), "old");
}

TEST_F(OutputFileTest, PlantedLinkInSharedFolderIsRefused) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root to make a link of another user";
  ASSERT_TRUE(fs::create_directory(path("shared")));
  ASSERT_EQ(::chmod(path("shared").c_str(), 01777), 0);
  put("target", "precious");
  fs::create_symlink(path("target"), path("shared/link"));
  ASSERT_EQ(::lchown(path("shared/link").c_str(), 1234, 1234), 0);
  Status status = writeFile(path("shared/link"), kText);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("belongs to another user"), std::string::npos) << status.message();
  EXPECT_EQ(get("target"), "precious");
}

TEST_F(OutputFileTest, UncommittedOutputLeavesNoFile) {
  put("file", "old");
  {
    OutputFile file = OutputFile::create(path("file")).value();
    ASSERT_TRUE(file.write(bytesOf(kText)).isOk());
    EXPECT_EQ(names().size(), 2u);
  }
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
  EXPECT_EQ(get("file"), "old");
}

/// A file without a writer is one of a process that died; no process holds its lock.
TEST_F(OutputFileTest, NextWriterRemovesFilesOfDeadOnes) {
  put(".avocet-0123456789abcdef.tmp", "half");
  put(".avocet-notes.tmp", "precious");
  put(".avocet-data-12-0123456789abcdef.tmp", "for readers");
  OutputFile living = OutputFile::create(path("living")).value(); // of this process
  removeTemporaries(path("file"));
  EXPECT_TRUE(living.commit().isOk());
  EXPECT_EQ(names(), (std::vector<std::string>{".avocet-notes.tmp", "living"}));
}

TEST_F(OutputFileTest, FilesWithTagsOutliveTheirWriter) {
  put(".avocet-0123456789abcdef.tmp", "half");
  put(".avocet-data-12-0123456789abcdef.tmp", "for readers");
  ASSERT_TRUE(writeFile(path("file"), kText).isOk());
  EXPECT_EQ(names(), (std::vector<std::string>{".avocet-data-12-0123456789abcdef.tmp", "file"}));
  EXPECT_EQ(openTemporaries(path("file"), "data-12")->size(), 1u);
  EXPECT_EQ(openTemporaries(path("file"), "data-1")->size(), 0u);
}

TEST_F(OutputFileTest, PublishedFileShowsLaterWrites) {
  OutputFile file = OutputFile::create(path("file")).value();
  ASSERT_TRUE(file.write(bytesOf("one ")).isOk());
  ASSERT_TRUE(file.publish().isOk());
  ASSERT_TRUE(file.write(bytesOf("two ")).isOk());
  EXPECT_EQ(get("file"), "one two ");
  file.truncate(4);
  ASSERT_TRUE(file.write(bytesOf("three")).isOk());
  EXPECT_EQ(get("file"), "one three");
}

TEST_F(OutputFileTest, FileThatBecameDeviceIsNotReplaced) {
  OutputFile file = OutputFile::create(path("file")).value();
  ASSERT_EQ(::mkfifo(path("file").c_str(), 0600), 0);
  EXPECT_FALSE(file.commit().isOk());
  EXPECT_TRUE(fs::is_fifo(path("file")));
  EXPECT_FALSE(file.checkReplaceable().isOk());
  EXPECT_TRUE(fs::is_fifo(path("file")));
}

TEST_F(OutputFileTest, FullDiskLeavesOldFile) {
  ASSERT_TRUE(fs::create_directory(path("disk")));
  int code = inChild([&] {
    if (!mountSmallDisk(path("disk")))
      return 100;
    put("disk/file", "old");
    Status status = writeFile(path("disk/file"), std::string(1 << 20, 'x'));
    bool clear = status.code() == StatusCode::ResourceExhausted &&
                 status.message() == "cannot write " + path("disk/file") + ": No space left on device";
    return clear && get("disk/file") == "old" && names("disk").size() == 1 ? 0 : 1;
  });
  if (code == 100)
    GTEST_SKIP() << "mounting needs root";
  EXPECT_EQ(code, 0);
}

TEST_F(OutputFileTest, SizeLimitLeavesOldFile) {
  put("file", "old");
  int code = inChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {1000, 1000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0)
      return 2;
    return writeFile(path("file"), std::string(5000, 'x')).code() == StatusCode::ResourceExhausted ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
  EXPECT_EQ(get("file"), "old");
}

TEST_F(OutputFileTest, LongestNameIsAccepted) {
  std::string name(NAME_MAX, 'n');
  ASSERT_TRUE(writeFile(path(name), kText).isOk());
  EXPECT_EQ(get(name), kText);
}

} // namespace
} // namespace avocet

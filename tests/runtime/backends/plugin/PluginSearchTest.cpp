//===- PluginSearchTest.cpp - Plug-ins by name, by path and from root's list --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Plugins.h"

#include "OutputFolder.h"
#include "avocet/runtime/LinkedBackends.h"

#include <cstdlib>
#include <gmock/gmock.h>

namespace avocet::runtime {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr uid_t kOtherUser = 1234;

class PluginSearchTest : public OutputFolder {
protected:
  void SetUp() override {
    OutputFolder::SetUp();
    registerLinkedBackends();
    fs::permissions(root(), fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
  }
  void TearDown() override {
    ::unsetenv("AVOCET_BACKENDS");
    OutputFolder::TearDown();
  }
  static void list(const std::string &paths) { ::setenv("AVOCET_BACKENDS", paths.c_str(), 1); }

  static Status open(const std::string &specification) {
    BackendOptions options;
    options.target = firmware::Target::load("e256").value();
    return openBackend(specification, options).status();
  }
};

TEST_F(PluginSearchTest, OpensByPathAndByName) {
  EXPECT_TRUE(open(AVOCET_MINE_PLUGIN).isOk());
  EXPECT_EQ(open("mine").code(), StatusCode::NotFound);
  list(AVOCET_MINE_PLUGIN);
  EXPECT_TRUE(open("mine").isOk());
  EXPECT_TRUE(checkBackend("mine:argument").isOk());
  EXPECT_THAT(open("mine:argument").message(), HasSubstr("takes no argument, found 'argument'"));
  EXPECT_TRUE(open("recorder:" + path("run.avor") + ",mine").isOk()) << "inside another back end";
  EXPECT_THAT(open("nine").message(), AllOf(HasSubstr("no back end 'nine'"), HasSubstr("sim, mine")));
}

TEST_F(PluginSearchTest, DeviceThatIsNotThereGivesItsReason) {
  const Status status = open(AVOCET_NO_DEVICE_PLUGIN ":/dev/none");
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_EQ(status.message(),
            "back end nodevice: there is no device of target e256 at '/dev/none'; is its driver loaded?");
}

TEST_F(PluginSearchTest, FoldersAndSeveralPathsAreListedInOrder) {
  fs::create_directory(path("folder"));
  fs::copy_file(AVOCET_NO_DEVICE_PLUGIN, path("folder/b.so"));
  put("folder/a.so", "no library");
  put("folder/readme.txt", "not looked at");
  list(":" AVOCET_MINE_PLUGIN ":" + path("folder") + ":" AVOCET_MINE_PLUGIN);
  const std::vector<Plugin> plugins = findPlugins();
  ASSERT_EQ(plugins.size(), 3u);
  EXPECT_EQ(plugins[0].name, "mine");
  EXPECT_EQ(plugins[0].version, "1.0");
  EXPECT_EQ(plugins[0].origin, "AVOCET_BACKENDS");
  EXPECT_THAT(plugins[1].usable.message(), HasSubstr("a.so cannot be used"));
  EXPECT_EQ(plugins[2].name, "nodevice");
  EXPECT_THAT(open("none").message(), HasSubstr("a.so cannot be used"));
}

TEST_F(PluginSearchTest, FirstOfTwoWithOneNameIsOpened) {
  fs::copy_file(AVOCET_MINE_PLUGIN, path("second.so"));
  list(AVOCET_MINE_PLUGIN ":" + path("second.so"));
  const std::vector<Plugin> plugins = findPlugins();
  ASSERT_EQ(plugins.size(), 2u);
  EXPECT_TRUE(plugins[0].usable.isOk());
  EXPECT_THAT(plugins[1].usable.message(), HasSubstr("has the name 'mine' of " AVOCET_MINE_PLUGIN));
}

TEST_F(PluginSearchTest, BuiltInNamesStay) {
  registerBackend("nodevice", [](const BackendOptions &, std::string_view) -> Result<std::unique_ptr<Backend>> {
    return internalError("the built-in one");
  });
  list(AVOCET_NO_DEVICE_PLUGIN);
  EXPECT_EQ(inChild([&] { return open("nodevice").message() == "the built-in one" ? 0 : 1; }), 0);
  EXPECT_THAT(findPlugins().at(0).usable.message(), HasSubstr("of a built-in back end"));
  EXPECT_EQ(pluginFor("nodevice").code(), StatusCode::NotFound);
}

/// A restricted process cannot become an unrestricted one, so each case has a process of its own.
class RootsListTest : public PluginSearchTest {
protected:
  void SetUp() override {
    PluginSearchTest::SetUp();
    if (::geteuid() != 0)
      GTEST_SKIP() << "only root can make files of root";
    fs::copy_file(AVOCET_MINE_PLUGIN, path("mine.so"));
    ASSERT_EQ(::chmod(path("mine.so").c_str(), 0644), 0);
    put("list", "# plug-ins of this machine\n\n  " + path("mine.so") + "  # the first\n");
    ASSERT_EQ(::chmod(path("list").c_str(), 0644), 0);
  }

  struct Answers {
    std::string restrict, open, entry; ///< messages
  };
  /// In a restricted process, what is said about the list, about opening, and about the first entry.
  Answers restricted(const std::string &specification) {
    const std::string answers = path("answers");
    EXPECT_EQ(inChild([&] {
                const Status status = restrictPlugins(path("list"));
                const std::vector<Plugin> plugins = findPlugins();
                std::ofstream(answers) << status.message() << '\n'
                                       << open(specification).message() << '\n'
                                       << (plugins.empty() ? "" : plugins[0].usable.message()) << '\n';
                return 0;
              }),
              0);
    Answers result;
    std::ifstream file(answers);
    std::getline(file, result.restrict);
    std::getline(file, result.open);
    std::getline(file, result.entry);
    return result;
  }
};

TEST_F(RootsListTest, ListedPluginIsOpened) {
  EXPECT_EQ(restricted("mine").open, "");
  EXPECT_EQ(restricted(path("mine.so")).open, "") << "by the listed path";
}

TEST_F(RootsListTest, PathsAndVariableAreNotUsed) {
  put("list", "");
  list(AVOCET_MINE_PLUGIN);
  EXPECT_THAT(restricted("mine").open, HasSubstr("there is no back end 'mine'"));
  EXPECT_THAT(restricted(AVOCET_MINE_PLUGIN).open,
              AllOf(HasSubstr("no plug-ins but those that root has listed"), HasSubstr("to " + path("list"))));
}

TEST_F(RootsListTest, ListThatOthersCanChangeIsRefused) {
  ASSERT_EQ(::chmod(path("list").c_str(), 0664), 0);
  const Answers writable = restricted("mine");
  EXPECT_THAT(writable.restrict, HasSubstr("chmod go-w"));
  EXPECT_THAT(writable.open, HasSubstr("there is no back end 'mine'"));
  ASSERT_EQ(::chmod(path("list").c_str(), 0644), 0);
  ASSERT_EQ(::lchown(path("list").c_str(), kOtherUser, 0), 0);
  EXPECT_THAT(restricted("mine").restrict, HasSubstr("belongs to user 1234"));
}

TEST_F(RootsListTest, FolderThatOthersCanChangeIsRefused) {
  ASSERT_EQ(::chmod(root().c_str(), 0777), 0);
  EXPECT_THAT(restricted("mine").restrict, HasSubstr("chmod go-w"));
}

TEST_F(RootsListTest, MissingListIsRefused) {
  fs::remove(path("list"));
  EXPECT_THAT(restricted("mine").restrict, HasSubstr("No such file"));
}

TEST_F(RootsListTest, LibraryThatOthersCanChangeIsLeftOut) {
  ASSERT_EQ(::lchown(path("mine.so").c_str(), kOtherUser, 0), 0);
  EXPECT_THAT(restricted("mine").entry, HasSubstr("mine.so belongs to user 1234"));
  ASSERT_EQ(::lchown(path("mine.so").c_str(), 0, 0), 0);
  ASSERT_EQ(::chmod(path("mine.so").c_str(), 0666), 0);
  const Answers writable = restricted("mine");
  EXPECT_THAT(writable.entry, HasSubstr("mine.so has mode 0666"));
  EXPECT_THAT(writable.open, HasSubstr("there is no back end 'mine'"));
}

TEST_F(RootsListTest, FoldersAboveLibraryMustBelongToRoot) {
  fs::create_directories(path("theirs/inner"));
  fs::copy_file(AVOCET_MINE_PLUGIN, path("theirs/inner/mine.so"));
  ASSERT_EQ(::chmod(path("theirs/inner/mine.so").c_str(), 0644), 0);
  ASSERT_EQ(::chmod(path("theirs").c_str(), 0755), 0);
  ASSERT_EQ(::chmod(path("theirs/inner").c_str(), 0755), 0);
  put("list", path("theirs/inner/mine.so") + "\n");
  EXPECT_EQ(restricted("mine").open, "");
  ASSERT_EQ(::lchown(path("theirs").c_str(), kOtherUser, 0), 0);
  EXPECT_THAT(restricted("mine").entry, HasSubstr("theirs belongs to user 1234"));
}

TEST_F(RootsListTest, RelativePathsAndLinksAreLeftOut) {
  put("list", "mine.so\n");
  EXPECT_THAT(restricted("mine").entry, HasSubstr("no absolute path"));
  fs::create_symlink(path("mine.so"), path("link.so"));
  put("list", path("link.so") + "\n");
  EXPECT_THAT(restricted("mine").entry, HasSubstr("symbolic link"));
}

TEST_F(RootsListTest, UsersOwnFilesAreRefused) {
  ASSERT_EQ(::lchown(path("list").c_str(), kOtherUser, 0), 0);
  ASSERT_EQ(::lchown(root().c_str(), kOtherUser, 0), 0);
  EXPECT_EQ(inChild([&] {
              if (::setuid(kOtherUser) != 0)
                return 1;
              const Status status = restrictPlugins(path("list"));
              return status.code() == StatusCode::FailedPrecondition ? 0 : 2;
            }),
            0);
}

} // namespace
} // namespace avocet::runtime

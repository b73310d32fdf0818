//===- RegistryTest.cpp - The table of extensions -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that every folder of hal/extensions must follow.
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/extensions/Extension.h"

#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <set>

namespace avocet::hal {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAreArray;

std::vector<std::string> namesOf(std::span<const ExtensionRules *const> extensions) {
  std::vector<std::string> names;
  for (const ExtensionRules *rules : extensions)
    names.emplace_back(rules->name);
  return names;
}

TEST(ExtensionRegistryTest, HasOneEntryForEachFolder) {
  std::set<std::string> folders;
  for (const fs::directory_entry &entry : fs::directory_iterator(AVOCET_SOURCE_DIR "/hal/extensions"))
    if (entry.is_directory() && entry.path().filename().string().find('.') != std::string::npos)
      folders.insert(entry.path().filename());
  EXPECT_THAT(namesOf(allExtensions()), ElementsAreArray(folders));
  EXPECT_THAT(folders, Contains("com.avocet.fixed_point"));
}

TEST(ExtensionRegistryTest, EachFolderHasConverters) {
  for (const ExtensionRules *rules : allExtensions())
    EXPECT_TRUE(rules->operations.empty() ||
                fs::is_directory(AVOCET_SOURCE_DIR "/compiler/lib/Import/Extensions/" + std::string(rules->name)))
        << rules->name;
}

TEST(ExtensionRegistryTest, DescriptionSatisfiesTheHal) {
  EXPECT_TRUE(validate(describeExtensions()).isOk());
  EXPECT_EQ(describeExtensions().size(), allExtensions().size());
}

TEST(ExtensionRegistryTest, NumbersOfOperationsAreUnique) {
  for (const ExtensionRules *rules : allExtensions()) {
    std::set<uint16_t> numbers;
    for (const ExtensionOperation &operation : rules->operations)
      EXPECT_TRUE(numbers.insert(operation.number).second) << rules->name << " " << operation.name;
  }
}

TEST(ExtensionRegistryTest, FindsByExactName) {
  ASSERT_NE(findExtension("com.avocet.fixed_point"), nullptr);
  EXPECT_EQ(findExtension("com.avocet.fixed_point")->name, "com.avocet.fixed_point");
  EXPECT_EQ(findExtension("com.avocet.fixed_poin"), nullptr);
  EXPECT_EQ(findExtension(""), nullptr);
}

} // namespace
} // namespace avocet::hal

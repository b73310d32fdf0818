//===- CompilationTest.cpp ----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <unistd.h>

namespace avocet::nnapi::testing {
namespace {

const std::array<uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN> kToken = {};

TEST(CompilationTest, CreationNeedsFinishedModel) {
  ModelMaker open;
  ANeuralNetworksCompilation *made = nullptr;
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_create(nullptr, &made));
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_create(addModel().get(), nullptr));
  EXPECT_EQ(kBadState, ANeuralNetworksCompilation_create(open.get(), &made));
  EXPECT_EQ(nullptr, made);
  ANeuralNetworksCompilation_free(nullptr);
}

TEST(CompilationTest, DevicesMustBeKnownAndDifferent) {
  const Model model = addModel();
  ModelMaker open;
  const ANeuralNetworksDevice *device = firstDevice(), *twice[] = {device, device}, *withNull[] = {device, nullptr};
  ANeuralNetworksCompilation *made = nullptr;
  auto create = [&](ANeuralNetworksModel *from, const ANeuralNetworksDevice *const *devices, uint32_t count) {
    return ANeuralNetworksCompilation_createForDevices(from, devices, count, &made);
  };
  EXPECT_EQ(kNull, create(nullptr, &device, 1));
  EXPECT_EQ(kNull, create(model.get(), nullptr, 1));
  EXPECT_EQ(kNull, create(model.get(), withNull, 2));
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_createForDevices(model.get(), &device, 1, nullptr));
  EXPECT_EQ(kBadData, create(model.get(), &device, 0));
  EXPECT_EQ(kBadData, create(model.get(), twice, 2));
  EXPECT_EQ(kBadState, create(open.get(), &device, 1));
  EXPECT_EQ(nullptr, made);
}

TEST(CompilationTest, SettersRefuseWrongValues) {
  const Model model = addModel();
  const Compilation compilation = compilationOf(model);
  for (int32_t preference : {-1, 3, 40})
    EXPECT_EQ(kBadData, ANeuralNetworksCompilation_setPreference(compilation.get(), preference));
  for (int32_t preference : {0, 1, 2})
    EXPECT_EQ(kOk, ANeuralNetworksCompilation_setPreference(compilation.get(), preference));
  for (int priority : {0, 89, 91, 99, 101, 109, 111, -1})
    EXPECT_EQ(kBadData, ANeuralNetworksCompilation_setPriority(compilation.get(), priority));
  for (int priority : {90, 100, 110})
    EXPECT_EQ(kOk, ANeuralNetworksCompilation_setPriority(compilation.get(), priority));
}

TEST(CompilationTest, SettersRefuseNull) {
  const Compilation compilation = compilationOf(addModel());
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_setPreference(nullptr, 0));
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_setPriority(nullptr, 90));
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_setTimeout(nullptr, 1));
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_setCaching(nullptr, "/tmp", kToken.data()));
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_setCaching(compilation.get(), nullptr, kToken.data()));
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_setCaching(compilation.get(), "/tmp", nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_addExtensionAttribute(nullptr, "x", 0, kToken.data(), 1));
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_addExtensionAttribute(compilation.get(), nullptr, 0, kToken.data(), 1));
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_addExtensionAttribute(compilation.get(), "x", 0, nullptr, 1));
  EXPECT_EQ(kNull, ANeuralNetworksCompilation_finish(nullptr));
}

TEST(CompilationTest, FinishedCompilationIsNotChanged) {
  const Compilation compilation = compile(addModel());
  ANeuralNetworksCompilation *raw = compilation.get();
  EXPECT_EQ(kBadState, ANeuralNetworksCompilation_finish(raw));
  EXPECT_EQ(kBadState, ANeuralNetworksCompilation_setPreference(raw, 1));
  EXPECT_EQ(kBadState, ANeuralNetworksCompilation_setPriority(raw, 100));
  EXPECT_EQ(kBadState, ANeuralNetworksCompilation_setTimeout(raw, 1));
  EXPECT_EQ(kBadState, ANeuralNetworksCompilation_setCaching(raw, "/tmp", kToken.data()));
  EXPECT_EQ(kBadState, ANeuralNetworksCompilation_addExtensionAttribute(raw, "x", 0, kToken.data(), 1));
}

TEST(CompilationTest, TimeoutNeedsOneChosenDevice) {
  const Model model = addModel();
  EXPECT_EQ(kBadData, ANeuralNetworksCompilation_setTimeout(compilationOf(model).get(), 1));
  EXPECT_EQ(kBadData, ANeuralNetworksCompilation_setTimeout(compilationFor(model, allDevices()).get(), 1));
  EXPECT_EQ(kOk, ANeuralNetworksCompilation_setTimeout(compilationFor(model, {firstDevice()}).get(), 1));
}

TEST(CompilationTest, TimeoutThatHasPassedMissesDeadline) {
  const Model model = addModel();
  const Compilation compilation = compilationFor(model, {firstDevice()});
  NEED(ANeuralNetworksCompilation_setTimeout(compilation.get(), 1));
  const int code = ANeuralNetworksCompilation_finish(compilation.get());
  EXPECT_TRUE(code == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT || code == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT)
      << code;
}

TEST(CompilationTest, LongestTimeoutIsNoLimit) {
  const Compilation compilation = compilationFor(addModel(), {firstDevice()});
  ASSERT_EQ(kOk, ANeuralNetworksCompilation_setTimeout(compilation.get(), UINT64_MAX));
  EXPECT_EQ(kOk, ANeuralNetworksCompilation_finish(compilation.get()));
}

TEST(CompilationTest, FailedCompilationCannotBeUsed) {
  const Compilation compilation = compilationFor(addModel(), {firstDevice()});
  NEED(ANeuralNetworksCompilation_setTimeout(compilation.get(), 1));
  ASSERT_NE(kOk, ANeuralNetworksCompilation_finish(compilation.get()));
  ANeuralNetworksExecution *execution = nullptr;
  ANeuralNetworksBurst *burst = nullptr;
  ANeuralNetworksMemoryDesc *desc = nullptr;
  uint32_t value = 0;
  EXPECT_EQ(kBadState, ANeuralNetworksCompilation_finish(compilation.get()));
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_create(compilation.get(), &execution));
  EXPECT_EQ(kBadState, ANeuralNetworksBurst_create(compilation.get(), &burst));
  EXPECT_EQ(kBadState, ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(compilation.get(), 0, &value));
  NEED(ANeuralNetworksMemoryDesc_create(&desc));
  EXPECT_EQ(kBadData, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation.get(), 0, 1));
  ANeuralNetworksMemoryDesc_free(desc);
}

TEST(CompilationTest, AttributesNeedOneDeviceWithTheExtension) {
  const Model model = addModel();
  const uint8_t value = 1;
  auto add = [&](const Compilation &compilation, const char *extension) {
    return ANeuralNetworksCompilation_addExtensionAttribute(compilation.get(), extension, 1, &value, 1);
  };
  EXPECT_EQ(kBadData, add(compilationOf(model), "com.avocet.tflite"));
  const Compilation one = compilationFor(model, {firstDevice()});
  EXPECT_EQ(kBadData, add(one, "no.such.extension"));
  EXPECT_EQ(kOk, add(one, "com.avocet.tflite"));
  EXPECT_EQ(kBadData, add(one, "com.avocet.tflite"));
}

using Getter = int (*)(const ANeuralNetworksCompilation *, uint32_t, uint32_t *);
constexpr Getter kGetters[] = {
    ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput,
    ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput,
    ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput,
    ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput,
};

TEST(CompilationTest, PreferredPlacesArePowersOfTwo) {
  const Model model = addModel();
  const Compilation open = compilationOf(model), compilation = compile(model);
  uint32_t value = 0;
  for (Getter get : kGetters) {
    EXPECT_EQ(kBadState, get(open.get(), 0, &value));
    EXPECT_EQ(kNull, get(nullptr, 0, &value));
    EXPECT_EQ(kNull, get(compilation.get(), 0, nullptr));
    EXPECT_EQ(kBadData, get(compilation.get(), 2, &value));
    EXPECT_EQ(kBadData, get(compilation.get(), UINT32_MAX, &value));
    ASSERT_EQ(kOk, get(compilation.get(), 0, &value));
    EXPECT_TRUE(value != 0 && (value & (value - 1)) == 0) << value;
  }
}

TEST(CompilationTest, EveryDeviceComputes) {
  const Model model = addModel();
  std::vector<Compilation> compilations;
  compilations.push_back(compileForAll(model));
  for (const ANeuralNetworksDevice *device : allDevices()) {
    compilations.push_back(compilationFor(model, {device}));
    ASSERT_EQ(kOk, ANeuralNetworksCompilation_finish(compilations.back().get()));
  }
  for (const Compilation &compilation : compilations) {
    Addition addition(compilation);
    EXPECT_EQ(kOk, ANeuralNetworksExecution_compute(addition.get()));
    EXPECT_TRUE(addition.isRight());
  }
}

TEST(CompilationTest, CachedCompilationComputes) {
  const std::string folder = ::testing::TempDir() + "/nnapiCache" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  const Model model = addModel();
  for (int run = 0; run < 2; ++run) {
    const Compilation compilation = compilationFor(model, {firstDevice()});
    ASSERT_EQ(kOk, ANeuralNetworksCompilation_setCaching(compilation.get(), folder.c_str(), kToken.data()));
    ASSERT_EQ(kOk, ANeuralNetworksCompilation_finish(compilation.get()));
    Addition addition(compilation);
    EXPECT_EQ(kOk, ANeuralNetworksExecution_compute(addition.get()));
    EXPECT_TRUE(addition.isRight());
  }
  EXPECT_FALSE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(CompilationTest, CacheFolderThatIsMissingIsNoError) {
  const Compilation compilation = compilationFor(addModel(), {firstDevice()});
  ASSERT_EQ(kOk, ANeuralNetworksCompilation_setCaching(compilation.get(), "/no/such/folder", kToken.data()));
  EXPECT_EQ(kOk, ANeuralNetworksCompilation_finish(compilation.get()));
}

TEST(CompilationTest, UnsupportedOperationIsBadData) {
  ModelMaker maker;
  const uint32_t input = maker.floats({2}), output = maker.floats({2});
  int32_t code = 0;
  NEED(ANeuralNetworksModel_getExtensionOperationType(maker.get(), "com.avocet.tflite", 9, &code));
  maker.operation(code, {input}, {output});
  maker.identify({input}, {output});
  const Model model = maker.finish();
  EXPECT_EQ(kBadData, ANeuralNetworksCompilation_finish(compilationOf(model).get()));
  EXPECT_EQ(kBadData, ANeuralNetworksCompilation_finish(compilationFor(model, {firstDevice()}).get()));
}

} // namespace
} // namespace avocet::nnapi::testing

//===- RequestValidationTest.cpp - Rules of requests ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <sys/eventfd.h>
#include <sys/mman.h>

namespace avocet::hal::test {
namespace {

using enum OperandType;

/// Two inputs, one output; all shapes known.
const Model &knownModel() {
  static const Model kModel = baseModels()[0].model;
  return kModel;
}

/// One output of shape [?,3].
const Model &unknownModel() {
  static const Model kModel = baseModels()[4].model;
  return kModel;
}

Request unknownRequest() {
  Request request;
  request.pools = {ashmem(128)};
  request.inputs.resize(1);
  request.inputs[0].location = {.offset = 0, .length = 12};
  request.outputs.resize(1);
  request.outputs[0].location = {.offset = 64, .length = 12};
  return request;
}

TEST(RequestValidation, AcceptsRequestsOfAllBaseModels) {
  for (const NamedModel &base : baseModels()) {
    bool isKnown = base.name != "unknownShapes";
    Request request = isKnown ? requestFor(base.model) : unknownRequest();
    Result<Version> version = validateRequestForModel(request, base.model);
    ASSERT_TRUE(version.isOk()) << base.name << ": " << version.error().message;
    EXPECT_EQ(*version, isKnown ? Version::V1_0 : Version::V1_2) << base.name;
  }
}

struct RequestMutation {
  std::string name;
  std::string place; ///< text that the refusal must contain
  std::function<void(Request &)> apply;
};

std::vector<RequestMutation> mutations() {
  auto memory = [](MemoryHandle handle) { return std::make_shared<const Memory>(Memory{std::move(handle)}); };
  return {
      {"inputRemoved", "1 inputs, must be 2", [](Request &request) { request.inputs.pop_back(); }},
      {"inputAdded", "3 inputs, must be 2", [](Request &request) { request.inputs.push_back(request.inputs[0]); }},
      {"outputRemoved", "0 outputs, must be 1", [](Request &request) { request.outputs.pop_back(); }},
      {"outputAdded", "overlap", [](Request &request) { request.outputs.push_back(request.outputs[0]); }},
      {"poolIndex", "input 1: pool index 1", [](Request &request) { request.inputs[1].location.poolIndex = 1; }},
      {"length", "input 0 (operand 0): location has length 20, must be the 24 bytes",
       [](Request &request) { request.inputs[0].location.length = 20; }},
      {"lengthZero", "output 0: location has length 0",
       [](Request &request) { request.outputs[0].location.length = 0; }},
      {"afterTheEnd", "output 0: location has offset 4096",
       [](Request &request) { request.outputs[0].location.offset = 4096; }},
      {"offsetOverflow", "input 0: location has offset 18446744073709551615",
       [](Request &request) { request.inputs[0].location.offset = ~uint64_t{0}; }},
      {"lengthOverflow", "input 0: location has offset 16",
       [](Request &request) { request.inputs[0].location = {.offset = 16, .length = ~uint64_t{0} - 8}; }},
      {"paddingOverflow", "padding 18446744073709551615",
       [](Request &request) { request.inputs[0].location.padding = ~uint64_t{0}; }},
      {"paddingAfterTheEnd", "padding 1000", [](Request &request) { request.outputs[0].location.padding = 1000; }},
      {"rank", "input 1 (operand 1): dimensions [3,1]",
       [](Request &request) { request.inputs[1].dimensions = {3, 1}; }},
      {"extent", "output 0 (operand 3): dimensions [2,4]",
       [](Request &request) { request.outputs[0].dimensions = {2, 4}; }},
      {"noValueWithLocation", "output 0: no value", [](Request &request) { request.outputs[0].hasNoValue = true; }},
      {"noValueWithDimensions", "input 1: no value",
       [](Request &request) {
         request.inputs[1] = RequestArgument();
         request.inputs[1].hasNoValue = true;
         request.inputs[1].dimensions = {3};
       }},
      {"outputOverlapsInput", "input 1 and output 0 overlap",
       [](Request &request) { request.outputs[0].location.offset = 72; }},
      {"outputPaddingOverlaps", "overlap",
       [](Request &request) { request.outputs[0].location = {.offset = 36, .length = 24, .padding = 8}; }},
      {"poolMissing", "request pool 0: there is no memory",
       [](Request &request) { request.pools[0] = SharedMemory(); }},
      {"poolEmpty", "request pool 1: size 0",
       [=](Request &request) {
         request.pools.emplace_back(memory(Ashmem{std::get<Ashmem>(ashmem(1)->handle).fd, 0}));
       }},
      {"poolUnknown", "request pool 1: memory of the unknown kind 'ion'",
       [=](Request &request) { request.pools.emplace_back(memory(UnknownHandle{"ion", {}, {}, 64})); }},
      {"poolClosed", "request pool 1: the handle has no descriptor",
       [=](Request &request) { request.pools.emplace_back(memory(Ashmem{nullptr, 64})); }},
      {"tokenZero", "request pool 1: buffer token 0",
       [](Request &request) { request.pools.emplace_back(BufferToken(0)); }},
      {"tokenWithLocation", "which is not inside the 0 bytes of pool 1",
       [](Request &request) {
         request.pools.emplace_back(BufferToken(7));
         request.inputs[0].location.poolIndex = 1;
       }},
  };
}

TEST(RequestValidation, RefusesEveryMutationAndNamesItsPlace) {
  for (const RequestMutation &mutation : mutations()) {
    Request request = requestFor(knownModel());
    mutation.apply(request);
    Result<Version> version = validateRequestForModel(request, knownModel());
    ASSERT_FALSE(version.isOk()) << mutation.name;
    EXPECT_EQ(version.code(), ErrorStatus::InvalidArgument);
    EXPECT_NE(version.error().message.find(mutation.place), std::string::npos)
        << mutation.name << ": " << version.error().message;
  }
}

TEST(RequestValidation, InputsMayOverlapEachOther) {
  Request request = requestFor(knownModel());
  request.inputs[1].location.offset = 4;
  EXPECT_TRUE(validateRequestForModel(request, knownModel()).isOk());
}

/// The validation must compare with the largest end so far, not with the end of the last region.
TEST(RequestValidation, FindsOverlapAfterShorterRegion) {
  Request request;
  request.pools = {ashmem(256)};
  for (DataLocation location : {DataLocation{.offset = 0, .length = 200}, DataLocation{.offset = 8, .length = 8}})
    request.inputs.emplace_back().location = location;
  request.outputs.emplace_back().location = {.offset = 100, .length = 8};
  EXPECT_NE(validate(request).error().message.find("input 0 and output 0 overlap"), std::string::npos);
}

TEST(RequestValidation, AcceptsManyArguments) {
  static constexpr uint64_t kCount = 100000;
  Request request;
  request.pools = {ashmem(8 * kCount)};
  for (uint64_t i = 0; i < kCount; ++i)
    (i % 2 == 0 ? request.inputs : request.outputs).emplace_back().location = {.offset = 8 * i, .length = 8};
  EXPECT_TRUE(validate(request).isOk());
  request.outputs.back().location.offset -= 1;
  EXPECT_FALSE(validate(request).isOk());
}

TEST(RequestValidation, DetectsOverlapAcrossPoolsOfSameMemory) {
  Request request = requestFor(knownModel());
  request.pools.push_back(request.pools[0]);
  request.outputs[0].location.poolIndex = 1;
  EXPECT_TRUE(validateRequestForModel(request, knownModel()).isOk());
  request.outputs[0].location.offset = 0;
  EXPECT_FALSE(validateRequestForModel(request, knownModel()).isOk());
}

/// Two handles of one file, as from a client that sends a descriptor twice.
class SameFileTwice : public ::testing::Test {
protected:
  static SharedHandle handle() {
    static const FileDescriptor kFile = std::move(createMemoryFile("same file", 4096)).value();
    return std::make_shared<const FileDescriptor>(std::move(kFile.duplicate()).value());
  }
  static SharedMemory memory(MemoryHandle handle) { return std::make_shared<const Memory>(Memory{std::move(handle)}); }
  /// 24 bytes of input and of output, in separate pools.
  static ErrorStatus check(const SharedMemory &inputs, uint64_t inputOffset, const SharedMemory &outputs,
                           uint64_t outputOffset) {
    Request request;
    request.pools = {inputs, outputs};
    request.inputs.emplace_back().location = {.poolIndex = 0, .offset = inputOffset, .length = 24};
    request.outputs.emplace_back().location = {.poolIndex = 1, .offset = outputOffset, .length = 24};
    return validate(request).code();
  }
};

TEST_F(SameFileTwice, RefusesOverlapOfAshmemHandles) {
  SharedMemory first = memory(Ashmem{handle(), 4096}), second = memory(Ashmem{handle(), 4096});
  EXPECT_EQ(check(first, 0, second, 24), ErrorStatus::None);
  EXPECT_EQ(check(first, 0, second, 23), ErrorStatus::InvalidArgument);
}

TEST_F(SameFileTwice, CountsOffsetsFromStartOfFile) {
  constexpr int32_t kAccess = PROT_READ | PROT_WRITE;
  SharedMemory first = memory(MappableFile{handle(), 64, 1024, kAccess});
  SharedMemory second = memory(MappableFile{handle(), 128, 1024, kAccess});
  EXPECT_EQ(check(first, 64, second, 0), ErrorStatus::InvalidArgument);
  EXPECT_EQ(check(first, 40, second, 0), ErrorStatus::None);
  EXPECT_EQ(check(first, 41, second, 0), ErrorStatus::InvalidArgument);
  EXPECT_EQ(check(first, 0, second, 0), ErrorStatus::None) << "equal offsets of different pools";
}

TEST_F(SameFileTwice, ComparesAllKindsOfHandles) {
  SharedMemory ashmem = memory(Ashmem{handle(), 4096});
  SharedMemory file = memory(MappableFile{handle(), 0, 4096, PROT_READ | PROT_WRITE});
  SharedMemory blob = memory(HardwareBuffer{handle(), true, 4096});
  SharedMemory image = memory(HardwareBuffer{handle(), false, 0});
  EXPECT_EQ(check(ashmem, 0, file, 0), ErrorStatus::InvalidArgument);
  EXPECT_EQ(check(file, 0, blob, 8), ErrorStatus::InvalidArgument);
  Request request;
  request.pools = {image, ashmem};
  request.inputs.emplace_back();
  request.outputs.emplace_back().location = {.poolIndex = 1, .offset = 4000, .length = 24};
  EXPECT_EQ(validate(request).code(), ErrorStatus::InvalidArgument) << "an image is used whole";
}

TEST_F(SameFileTwice, RefusesOverlapOfTwoOutputs) {
  Request request;
  request.pools = {memory(Ashmem{handle(), 4096}), memory(Ashmem{handle(), 4096})};
  for (uint32_t pool : {0u, 1u})
    request.outputs.emplace_back().location = {.poolIndex = pool, .offset = 16 * pool, .length = 24};
  EXPECT_NE(validate(request).error().message.find("output 0 and output 1 overlap"), std::string::npos);
}

/// Anonymous files of the kernel share one inode, but are different memories.
TEST_F(SameFileTwice, AcceptsAnonymousFilesWithSharedInode) {
  auto event = [] { return std::make_shared<const FileDescriptor>(::eventfd(0, EFD_CLOEXEC)); };
  EXPECT_EQ(check(memory(Ashmem{event(), 64}), 0, memory(Ashmem{event(), 64}), 0), ErrorStatus::None);
}

TEST(RequestValidation, DriverBuffersAreUsedWhole) {
  Request request = requestFor(knownModel());
  request.pools.emplace_back(BufferToken(7));
  request.inputs[0].location = {.poolIndex = 1};
  Result<Version> version = validateRequestForModel(request, knownModel());
  ASSERT_TRUE(version.isOk()) << version.error().message;
  EXPECT_EQ(*version, Version::V1_3);
  request.outputs[0].location = {.poolIndex = 1};
  EXPECT_NE(validateRequestForModel(request, knownModel()).error().message.find("overlap"), std::string::npos);
}

TEST(RequestValidation, AllowsUnknownOutputsInPlainExecutionsOnly) {
  Request request = unknownRequest();
  EXPECT_TRUE(validateRequestForModel(request, unknownModel()).isOk());
  EXPECT_FALSE(validateRequestForModel(request, unknownModel(), false).isOk());
  request.outputs[0].dimensions = {2, 3};
  EXPECT_TRUE(validateRequestForModel(request, unknownModel(), false).isOk());
  request.outputs[0].dimensions = {2, 0};
  EXPECT_FALSE(validateRequestForModel(request, unknownModel(), false).isOk());
}

TEST(RequestValidation, RefusesUnspecifiedInputs) {
  Model model = knownModel();
  model.main.operands[0].dimensions = {0, 3};
  Request request = requestFor(knownModel());
  EXPECT_NE(validateRequestForModel(request, model).error().message.find("must be fully specified"), std::string::npos);
  request.inputs[0].dimensions = {2, 3};
  EXPECT_TRUE(validateRequestForModel(request, model).isOk());
  request.inputs[0].dimensions = {0xFFFFFFFF, 3};
  EXPECT_FALSE(validateRequestForModel(request, model).isOk());
  model.main.operands[0].dimensions.clear();
  request.inputs[0].dimensions = {2, 3};
  EXPECT_TRUE(validateRequestForModel(request, model).isOk());
}

TEST(RequestValidation, HugeDimensionsAreRefused) {
  Model model = unknownModel();
  Request request = unknownRequest();
  model.main.operands[2].dimensions.clear();
  request.outputs[0].dimensions.assign(20, 0xFFFFFFFF);
  EXPECT_NE(validateRequestForModel(request, model).error().message.find("more than 4294967295 bytes"),
            std::string::npos);
}

TEST(RequestValidation, OmittedArgumentsAreAllowed) {
  Request request = requestFor(knownModel());
  request.inputs[1] = RequestArgument();
  request.inputs[1].hasNoValue = true;
  EXPECT_TRUE(validateRequestForModel(request, knownModel()).isOk());
}

} // namespace
} // namespace avocet::hal::test

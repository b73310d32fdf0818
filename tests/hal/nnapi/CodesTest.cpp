//===- CodesTest.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/nnapi/Codes.h"
#include "avocet/NeuralNetworks.h"
#include "avocet/NeuralNetworksDiagnostic.h"
#include "avocet/NeuralNetworksSupportLibrary.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

namespace avocet::nnapi {
namespace {

// Programs that were compiled with Android's header have these sizes and places.
static_assert(sizeof(ANeuralNetworksOperandType) == 24 && offsetof(ANeuralNetworksOperandType, dimensions) == 8);
static_assert(offsetof(ANeuralNetworksOperandType, scale) == 16);
static_assert(offsetof(ANeuralNetworksOperandType, zeroPoint) == 20);
static_assert(sizeof(ANeuralNetworksSymmPerChannelQuantParams) == 16);
static_assert(offsetof(ANeuralNetworksSymmPerChannelQuantParams, scales) == 8);
static_assert(sizeof(AvocetHardwareBuffer) == 24);
static_assert(ANEURALNETWORKS_DEAD_OBJECT == 14 && ANEURALNETWORKS_FEATURE_LEVEL_8 == 1000008);

// Numbers of Android's header, which programs have compiled in.
static_assert(ANEURALNETWORKS_NO_ERROR == 0 && ANEURALNETWORKS_OUT_OF_MEMORY == 1 && ANEURALNETWORKS_INCOMPLETE == 2);
static_assert(ANEURALNETWORKS_UNEXPECTED_NULL == 3 && ANEURALNETWORKS_BAD_DATA == 4 && ANEURALNETWORKS_OP_FAILED == 5);
static_assert(ANEURALNETWORKS_BAD_STATE == 6 && ANEURALNETWORKS_UNMAPPABLE == 7);
static_assert(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE == 8 && ANEURALNETWORKS_UNAVAILABLE_DEVICE == 9);
static_assert(ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT == 10 && ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT == 11);
static_assert(ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT == 12 &&
              ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT == 13);
static_assert(ANEURALNETWORKS_FUSED_NONE == 0 && ANEURALNETWORKS_FUSED_RELU == 1 && ANEURALNETWORKS_FUSED_RELU1 == 2);
static_assert(ANEURALNETWORKS_FUSED_RELU6 == 3);
static_assert(ANEURALNETWORKS_PADDING_SAME == 1 && ANEURALNETWORKS_PADDING_VALID == 2);
static_assert(ANEURALNETWORKS_PREFER_LOW_POWER == 0 && ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER == 1);
static_assert(ANEURALNETWORKS_PREFER_SUSTAINED_SPEED == 2);
static_assert(ANEURALNETWORKS_PRIORITY_LOW == 90 && ANEURALNETWORKS_PRIORITY_MEDIUM == 100);
static_assert(ANEURALNETWORKS_PRIORITY_HIGH == 110 && ANEURALNETWORKS_PRIORITY_DEFAULT == 100);
static_assert(ANEURALNETWORKS_DEVICE_UNKNOWN == 0 && ANEURALNETWORKS_DEVICE_OTHER == 1 &&
              ANEURALNETWORKS_DEVICE_CPU == 2);
static_assert(ANEURALNETWORKS_DEVICE_GPU == 3 && ANEURALNETWORKS_DEVICE_ACCELERATOR == 4);
static_assert(ANEURALNETWORKS_DURATION_ON_HARDWARE == 0 && ANEURALNETWORKS_DURATION_IN_DRIVER == 1);
static_assert(ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE == 2 && ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER == 3);
static_assert(ANEURALNETWORKS_FEATURE_LEVEL_1 == 27 && ANEURALNETWORKS_FEATURE_LEVEL_5 == 31);
static_assert(ANEURALNETWORKS_FEATURE_LEVEL_6 == 1000006 && ANEURALNETWORKS_FEATURE_LEVEL_7 == 1000007);
static_assert(ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES == 128);
static_assert(ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN == 32);
static_assert(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR == 0);
static_assert(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR == 1);
static_assert(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF == 2);
static_assert(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE == 3);
static_assert(ANNDIAG_DATA_CLASS_UNKNOWN == 0 && ANNDIAG_DATA_CLASS_OTHER == 1 && ANNDIAG_DATA_CLASS_FLOAT32 == 2);
static_assert(ANNDIAG_DATA_CLASS_FLOAT16 == 3 && ANNDIAG_DATA_CLASS_QUANT == 4 && ANNDIAG_DATA_CLASS_MIXED == 5);
static_assert(ANNDIAG_EXECUTION_MODE_UNKNOWN == 0 && ANNDIAG_EXECUTION_MODE_ASYNC == 1);
static_assert(ANNDIAG_EXECUTION_MODE_SYNC == 2 && ANNDIAG_EXECUTION_MODE_BURST == 3);
static_assert(ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS == 4);

/// The enumerators of a type in the header, without the prefix ANEURALNETWORKS_.
std::map<std::string, int32_t> enumeratorsOf(const std::string &type) {
  std::ifstream file(AVOCET_SOURCE_DIR "/hal/nnapi/include/avocet/NeuralNetworks.h");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const size_t end = text.find("} " + type + ";");
  const std::string body = text.substr(text.rfind("enum {", end), end - text.rfind("enum {", end));
  const std::regex enumerator("ANEURALNETWORKS_([A-Z0-9_]+) = ([0-9]+)");
  std::map<std::string, int32_t> codes;
  for (std::sregex_iterator found(body.begin(), body.end(), enumerator), last; found != last; ++found)
    codes.emplace(found->str(1), std::stoi(found->str(2)));
  return codes;
}

TEST(CodesTest, HeaderNamesEveryOperation) {
  std::map<std::string, int32_t> expected;
  for (const auto &operation : kOperations)
    expected.emplace(operation.name, static_cast<int32_t>(operation.type));
  EXPECT_EQ(enumeratorsOf("OperationCode"), expected);
}

TEST(CodesTest, HeaderNamesEveryOperandType) {
  std::map<std::string, int32_t> expected;
  for (const auto &type : kOperandTypes)
    expected.emplace(type.type == OperandType::Subgraph ? "MODEL" : type.name, static_cast<int32_t>(type.type));
  EXPECT_EQ(enumeratorsOf("OperandCode"), expected);
}

} // namespace
} // namespace avocet::nnapi

//===- LargeRunTest.cpp - Correct results of networks in pieces ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each network runs on the simulator of the smallest target, whose SRAM is smaller than the operands. The outputs must
// equal, bit for bit, those of the kernels on whole tensors with one command for each operation.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"
#include "LargeNetworks.h"
#include "PlacedRunner.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr const char *kTarget = "e256s";

/// Random values: -8 to 8 for floats, 0 to 19,999 for 32-bit integers (indices), 0 or 1 for booleans, else any byte.
Bytes valuesFor(RankedTensorType type, std::mt19937 &random) {
  const int64_t count = type.getNumElements();
  const Type element = type.getElementType();
  if (element.isF32()) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float &value : values)
      value = float(int32_t(random() % 4096) - 2048) / 256;
    Bytes bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  if (element.isInteger(32)) {
    std::vector<int32_t> values(static_cast<size_t>(count));
    for (int32_t &value : values)
      value = int32_t(random() % 20000);
    Bytes bytes(values.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  const bool isWide = quantized && quantized.getStorageTypeIntegralWidth() == 16;
  Bytes bytes(static_cast<size_t>(count) * (isWide ? 2 : 1));
  for (uint8_t &byte : bytes)
    byte = uint8_t(element.isInteger(1) ? random() & 1 : random());
  return bytes;
}

/// The network's results on whole tensors, placed for the target. Appends random inputs to `inputs`. Empty on an error.
std::vector<Bytes> expectedOutputs(const std::string &text, std::vector<Bytes> &inputs, const char *placedFor) {
  MLIRContext context;
  context.loadDialect<nn::NnDialect, npu::NpuDialect, func::FuncDialect, quant::QuantDialect>();
  auto target = firmware::Target::load(placedFor);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!target || !module)
    return {};
  std::mt19937 random(11);
  for (Type type : (*module->getOps<func::FuncOp>().begin()).getArgumentTypes())
    inputs.push_back(valuesFor(cast<RankedTensorType>(type), random));
  if (failed(convertNnToNpu(*module, **target)))
    return {};
  Result<std::vector<Bytes>> outputs = PlacedRunner(*module->getOps<func::FuncOp>().begin(), **target).run(inputs);
  EXPECT_TRUE(outputs) << outputs.status().toString();
  return outputs ? *outputs : std::vector<Bytes>();
}

Result<std::vector<Bytes>> simulated(const std::string &text, const std::vector<Bytes> &inputs) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("largeRun." + std::to_string(getpid()) + ".mlir");
  std::ofstream(path) << text;
  Result<session::LoadedModel> compiled = golden::compile(path.string(), kTarget);
  std::filesystem::remove(path);
  if (!compiled)
    return compiled.status();
  // Random indices are mostly out of range, where pieces must do what the whole does.
  AVOCET_ASSIGN_OR_RETURN(golden::Inference inference,
                          golden::Inference::open(*compiled, {.timing = false, .acceptsBadIndices = true}));
  return inference.run(inputs);
}

/// Position of the first byte that differs, or the size.
size_t firstDifference(const Bytes &a, const Bytes &b) {
  return size_t(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

void expectTheBitsOfWholeTensors(const LargeNetwork &network, const char *placedFor = kTarget) {
  SCOPED_TRACE(network.name);
  std::vector<Bytes> inputs;
  const std::vector<Bytes> expected = expectedOutputs(network.text, inputs, placedFor);
  ASSERT_FALSE(expected.empty());
  Result<std::vector<Bytes>> outputs = simulated(network.text, inputs);
  ASSERT_TRUE(outputs) << outputs.status().toString();
  ASSERT_EQ(outputs->size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ((*outputs)[i].size(), expected[i].size());
    EXPECT_EQ(firstDifference((*outputs)[i], expected[i]), expected[i].size()) << "output " << i;
  }
}

class LargeRun : public testing::TestWithParam<std::string> {};

TEST_P(LargeRun, MatchesKernelsOnWholeTensors) { expectTheBitsOfWholeTensors(largeNetwork(GetParam())); }

/// Only the large target has room for all scores, which are then not reduced to the best ones first.
TEST(LargeRunDetection, BestClassesGiveDetectionsOfAllScores) {
  expectTheBitsOfWholeTensors(largeNetwork("detection_postprocessing/classes/f32"), "p4096");
}

/// The smallest case of each way to split an operation.
const std::vector<std::string> kOfEachKind = {
    "add/rank1/f32",
    "add/rank1/i8",
    "add/prime/f32",
    "add/constant/i8",
    "add/rows/f32",
    "mul/columns/i8",
    "add/outer/i8",
    "compare/scalar/i8",
    "mul/between/i8",
    "select/rank2/i8",
    "prelu/rank1/f32",
    "tanh/rank1/i8",
    "quantize/rank1/f32",
    "dequantize/rank1/i8",
    "cast/rank5/i8",
    "rescale/rank1/i8",
    "rescaleChannels/rank3/i8",
    "chain/rank1/i8",
    "reshape/rank1/f32",
    "transpose/rank2/i8",
    "transpose/rank5/f32",
    "transpose/image/i8",
    "transpose/to_planes/f32",
    "transpose/copy/f32",
    "reversed_slice/rank3/i8",
    "pad/rank2/f32",
    "tile/rank4/i8",
    "concatenation_axis0/rank1/i8",
    "concatenation_axis1/rank2/f32",
    "max_axis0/rank2/f32",
    "mean_axis0/rank2/i8",
    "argmin_axis0/rank3/i8",
    "mean_image/rank4/i8",
    "mean_image/rank4/f32",
    "max_image/rank4/f32",
    "argmax_rows/rank4/f32",
    "argmax_columns/rank4/i8",
    "softmax_axis0/rank2/i8",
    "softmax_axis1/rank2/f32",
    "log_softmax_axis0/rank3/f32",
    "cumsum_axis1/rank2/f32",
    "cumsum_axis0/exclusive/f32",
    "cumsum_axis0/reverse/f32",
    "l2_normalize_axis0/rank2/i8",
    "fully_connected/long_input/f32",
    "fully_connected/huge_input/i8",
    "fully_connected/huge_input/i16",
    "conv_2d/large_padded_window/f32",
    "max_axis0/rank1/i8",
    "sum_axis0/rank1/f32",
    "mean_axis0/rank1/f32",
    "mean_axis0/rank1/i8",
    "argmin_axis0/rank1/f32",
    "argmin_axis0/rank1/i8",
    "gather/long_line/f32",
    "softmax_axis0/rank1/f32",
    "softmax_axis0/rank1/i8",
    "log_softmax_axis0/rank1/f32",
    "log_softmax_axis0/rank1/i8",
    "prod_axis0/rank1/i8",
    "l2_normalize_axis0/rank1/i8",
    "gather/rows/i8",
    "gather/columns/i8",
    "gather_nd/rows/i8",
    "gather_nd/elements/f32",
    "gather_nd/pairs/f32",
    "scatter_nd/rows/f32",
    "scatter_nd/elements/i8",
    "scatter_nd/wide/f32",
    "scatter_nd/many/f32",
    "roi_align/channels/f32",
    "axis_aligned_bbox_transform/classes/f32",
    "heatmap_max_keypoint/boxes/f32",
    "topk_v2/rows/f32",
    "rfft/lines/f32",
    "resize/channels/i8",
    "resize/image/f32",
    "max_pool_2d/wide/i8",
    "max_pool_2d/batch/i8",
    "max_pool_2d/global/i8",
    "max_pool_2d/global/f32",
    "average_pool_2d/global/i8",
    "average_pool_2d/global/f32",
    "max_pool_2d/overlapping/f32",
    "average_pool_2d/deep/i8",
    "conv_2d/wide/i8",
    "depthwise_conv_2d/wide/i8",
    "conv_2d/deep/i8",
    "batch_matmul/batch/i8",
    "batch_matmul/columns/f32",
    "batch_matmul/deep/i8",
    "conv_2d/wide/i16",
    "transpose_conv_2d/image/i8",
    "transpose_conv_2d/image/i16",
    "transpose_conv_2d/sparse/f32",
    "transpose_conv_2d/wide/i8",
    "conv_2d/many_filters/i16",
    "depthwise_conv_2d/wide/i16",
    "fully_connected/long_output/i16",
    "tanh/rank2/i16",
    "softmax_axis0/rank2/i16",
};

INSTANTIATE_TEST_SUITE_P(OfEachKind, LargeRun, testing::ValuesIn(kOfEachKind), [](const auto &info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

/// All networks that compile. Takes minutes, so run it by hand (--gtest_also_run_disabled_tests).
TEST(LargeRunAll, DISABLED_MatchesKernelsOnWholeTensors) {
  for (const LargeNetwork &network : largeNetworks())
    if (!refusedNetworks().count(network.name))
      expectTheBitsOfWholeTensors(network);
}

} // namespace
} // namespace avocet::compiler

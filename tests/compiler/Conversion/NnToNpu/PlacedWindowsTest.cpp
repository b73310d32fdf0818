//===- PlacedWindowsTest.cpp - One window on both engines -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the same convolution twice. With a constant filter it runs on the array (spread groups, depthwise groups, phases
// of a transposed convolution); with a filter that is an argument it runs on the DSP. Both must give the same bytes.
// The kernel tests check the DSP's kernel against its definition.
//
//===----------------------------------------------------------------------===//

#include "PlacedRunner.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr const char *kTypes = R"(
!x = !quant.uniform<u8:f32, 0.5:120>
!w = !quant.uniform<u8:f32, 0.015625:131>
)";

struct WindowCase {
  const char *name;
  const char *operation, *attributes;
  const char *input, *filter, *result; ///< extents, "1x4x4x6x"
  size_t inputElements, filterElements;
};

void PrintTo(const WindowCase &c, std::ostream *out) { *out << c.name; }

const WindowCase kCases[] = {
    {"fewGroups", "nn.grouped_conv_2d", "groups 2 pad [1, 1, 1, 1] activation relu", "1x4x5x6x", "4x3x3x3x", "1x4x5x4x",
     120, 108},
    {"groupsOfOne", "nn.grouped_conv_2d", "groups 3 stride [2, 1]", "1x5x4x3x", "6x2x2x1x", "1x2x3x6x", 60, 24},
    {"transposed", "nn.transpose_conv_2d", "stride [2, 2] pad [1, 1, 1, 1]", "1x3x4x2x", "3x4x4x2x", "1x6x8x3x", 24,
     96},
    {"transposedOdd", "nn.transpose_conv_2d", "stride [2, 3] pad [0, 0, 1, -1]", "1x3x3x2x", "2x3x5x2x", "1x7x11x2x",
     18, 60},
    {"transposedSparse", "nn.transpose_conv_2d", "stride [3, 3]", "1x2x2x2x", "2x1x2x2x", "1x4x5x2x", 8, 8},
    {"transposedPlain", "nn.transpose_conv_2d", "pad [1, 1, 0, 0]", "1x4x4x2x", "2x3x3x2x", "1x4x6x2x", 32, 36},
    {"dense", "nn.conv_2d", "stride [2, 2] dilation [2, 1] pad [2, 2, 1, 1]", "1x6x5x3x", "4x3x3x3x", "1x3x3x4x", 90,
     108},
    {"wideGroups", "nn.grouped_conv_2d", "groups 2 pad [1, 1, 1, 1]", "1x5x6x64x", "64x3x3x32x", "1x5x6x64x", 1920,
     18432},
    {"transposedWide", "nn.transpose_conv_2d", "stride [3, 4] pad [1, 0, 0, -3]", "1x3x2x3x", "2x2x2x3x", "1x7x9x2x",
     18, 24},
    {"batch", "nn.conv_2d", "stride [2, 1] pad [1, 1, 1, 0]", "3x5x4x2x", "3x3x2x2x", "3x3x4x3x", 120, 36},
    {"transposedBatch", "nn.transpose_conv_2d", "stride [2, 2] pad [1, 1, 1, 1]", "2x3x4x2x", "3x4x4x2x", "2x6x8x3x",
     48, 96},
    {"farDilation", "nn.conv_2d", "dilation [12, 15] pad [12, 12, 15, 15]", "1x26x31x64x", "2x3x3x64x", "1x26x31x2x",
     51584, 1152},
    {"farDilationStride", "nn.conv_2d", "stride [3, 2] dilation [12, 10] pad [7, 9, 8, 8]", "1x29x32x64x", "2x3x3x64x",
     "1x7x14x2x", 59392, 1152},
    {"depthwise", "nn.depthwise_conv_2d", "pad [1, 1, 1, 1] activation relu6", "1x4x4x2x", "1x3x3x4x", "1x4x4x4x", 32,
     36},
};

/// Random values of a type. Floats are small integers, so that every sum is exact.
template <typename T> std::vector<T> randomValues(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = std::is_floating_point_v<T> ? static_cast<T>(static_cast<int32_t>(random() % 33) - 16)
                                        : static_cast<T>(random() % 256);
  return values;
}

template <typename T> std::string literal(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  std::string hex = "dense<\"0x";
  for (uint8_t byte : bytes)
    for (int digit : {byte >> 4, byte & 15})
      hex += "0123456789ABCDEF"[digit];
  return hex + "\">";
}

template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// One case with elements of C++ type T; `input`, `filter` and `stored` are their MLIR types.
template <typename T> struct TypedCase {
  const WindowCase &window;
  std::string input, filter, stored;
  std::vector<T> inputs = randomValues<T>(window.inputElements, 1), filters = randomValues<T>(window.filterElements, 2);

  std::string text(bool constant) const {
    std::string x = "tensor<" + std::string(window.input) + input + ">", w = window.filter + filter + ">";
    std::string y = "tensor<" + std::string(window.result) + input + ">";
    std::string plain = "tensor<" + std::string(window.filter) + stored + ">";
    std::string text =
        kTypes + ("func.func @f(%x: " + x + (constant ? "" : ", %w: tensor<" + w) + ") -> " + y + " {\n");
    if (constant)
      text +=
          "%w = nn.constant " + literal(filters) + " : " + plain + (stored == filter ? "" : " as tensor<" + w) + "\n";
    return text + "%0 = " + window.operation + " %x, %w " + window.attributes + " : (" + x + ", tensor<" + w + ") -> " +
           y + "\n return %0 : " + y + "\n}";
  }
};

/// Places the function and runs it; the placed function must contain the operation `engine`.
Bytes run(const std::string &text, const std::vector<Bytes> &inputs, StringRef engine) {
  MLIRContext context;
  context.loadDialect<nn::NnDialect, npu::NpuDialect, func::FuncDialect, quant::QuantDialect>();
  auto target = firmware::Target::load("e256");
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!target || !module || failed(convertNnToNpu(*module, **target)) || failed(verify(*module))) {
    ADD_FAILURE() << "not placed: " << text;
    return {};
  }
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  EXPECT_TRUE(llvm::any_of(function.front(), [&](Operation &op) { return op.getName().getStringRef() == engine; }))
      << "nothing on the engine: " << text;
  Result<std::vector<Bytes>> outputs = PlacedRunner(function, **target).run(inputs);
  EXPECT_TRUE(outputs) << outputs.status().message();
  return outputs ? outputs->front() : Bytes();
}

template <typename T> void expectSame(const TypedCase<T> &typed) {
  Bytes array = run(typed.text(true), {bytesOf(typed.inputs)}, "npu.conv");
  Bytes dsp = run(typed.text(false), {bytesOf(typed.inputs), bytesOf(typed.filters)}, "npu.dsp");
  EXPECT_FALSE(array.empty());
  EXPECT_EQ(array, dsp);
}

class PlacedWindows : public testing::TestWithParam<WindowCase> {};

TEST_P(PlacedWindows, FloatsAreTheSameOnBothEngines) { expectSame(TypedCase<float>{GetParam(), "f32", "f32", "f32"}); }

TEST_P(PlacedWindows, BytesAreTheSameOnBothEngines) { expectSame(TypedCase<uint8_t>{GetParam(), "!x", "!w", "i8"}); }

INSTANTIATE_TEST_SUITE_P(All, PlacedWindows, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::compiler

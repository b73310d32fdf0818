//===- SplitRowsTest.cpp - Operations with repeated rows, row by row ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a rotary embedding on a target with little memory, where its heads are computed one after the other, and on one
// with enough. Both must give the same bytes.
//
//===----------------------------------------------------------------------===//

#include "PlacedRunner.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/firmware_iface/TargetEdit.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr size_t kHeads = 4, kTokens = 64, kDepth = 16;

struct Placed {
  size_t operations = 0;
  Bytes result;
};

Bytes floats(size_t count, size_t seed) {
  Bytes bytes(count * sizeof(float));
  for (size_t i = 0; i < count; ++i) {
    const float value = static_cast<float>((i * 37 + seed) % 101) / 16 - 3;
    std::memcpy(&bytes[i * sizeof(float)], &value, sizeof(float));
  }
  return bytes;
}

Placed placeAndRun(const std::string &text, const char *sramBytes) {
  const TargetPtr shipped = *firmware::Target::load("e256");
  const firmware::TargetChange change{"sram.bytes", sramBytes};
  const TargetPtr target =
      *firmware::Target::parse(*firmware::changedTargetText(*shipped, {&change, 1}, "e256", "test"), "test");
  MLIRContext context;
  context.loadDialect<nn::NnDialect, npu::NpuDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module || failed(convertNnToNpu(*module, *target)) || failed(verify(*module))) {
    ADD_FAILURE() << "not placed";
    return {};
  }
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  Placed placed;
  placed.operations = llvm::range_size(function.front().getOps<npu::EltwiseOp>());
  Result<std::vector<Bytes>> outputs = PlacedRunner(function, *target)
                                           .run({floats(kHeads * kTokens * kDepth, 1), floats(kTokens * kDepth / 2, 2),
                                                 floats(kTokens * kDepth / 2, 3)});
  EXPECT_TRUE(outputs) << outputs.status().message();
  placed.result = outputs ? outputs->front() : Bytes();
  return placed;
}

/// `second` is the second half of the result, which may read %d, the sum of it.
std::string networkOf(const std::string &between, const std::string &second) {
  const std::string half = "tensor<1x4x64x8xf32>", angles = "tensor<1x1x64x8xf32>", whole = "tensor<1x4x64x16xf32>";
  const std::string slice = " size [1, 4, 64, 8] strides [1, 1, 1, 1] : (" + whole + ") -> " + half + "\n";
  const std::string turn = " : (" + half + ", " + angles + ") -> " + half + "\n";
  const std::string pair = " : (" + half + ", " + half + ") -> " + half + "\n";
  return "func.func @f(%x: " + whole + ", %cos: " + angles + ", %sin: " + angles + ") -> " + whole + " {\n" +
         "  %l = nn.slice %x begin [0, 0, 0, 0]" + slice + "  %h = nn.slice %x begin [0, 0, 0, 8]" + slice +
         "  %a = nn.mul %l, %cos" + turn + "  %b = nn.mul %h, %sin" + turn + "  %c = nn.sub %a, %b" + pair + between +
         "  %e = nn.mul %h, %cos" + turn + "  %f = nn.mul %l, %sin" + turn + "  %d = nn.add %e, %f" + pair +
         "  %y = nn.concatenation %c, %" + second + " axis 3 : (" + half + ", " + half + ") -> " + whole +
         "\n  return %y : " + whole + "\n}\n";
}

TEST(SplitRowsTest, HeadsAreComputedOneByOne) {
  const Placed whole = placeAndRun(networkOf("", "d"), "2M"), split = placeAndRun(networkOf("", "d"), "32K");
  EXPECT_EQ(whole.operations, 6U);
  EXPECT_EQ(split.operations, 6 * kHeads);
  ASSERT_FALSE(whole.result.empty());
  EXPECT_EQ(split.result, whole.result);
}

TEST(SplitRowsTest, ReaderBetweenTheOperationsKeepsThemWhole) {
  const std::string between = "  %u = nn.unary exp %c : (tensor<1x4x64x8xf32>) -> tensor<1x4x64x8xf32>\n";
  EXPECT_EQ(placeAndRun(networkOf(between, "u"), "32K").operations, 6U);
}

} // namespace
} // namespace avocet::compiler

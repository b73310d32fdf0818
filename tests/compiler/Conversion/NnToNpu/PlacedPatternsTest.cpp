//===- PlacedPatternsTest.cpp - Recognized operators of halves ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Networks of halves, which TensorFlow Lite does not run, with and without nn-recognize-operators. One operation rounds
// once and its steps each time, so that results differ by at most a unit in the last place for each step.
//
//===----------------------------------------------------------------------===//

#include "PlacedText.h"

#include "avocet/compiler/Dialect/Nn/NnPasses.h"

#include "mlir/Pass/PassManager.h"

namespace avocet::compiler {
namespace {

constexpr const char *kHead = R"(
!m = tensor<16x16xf16>
!c = tensor<16x1xf16>
!s = tensor<f16>
func.func @f(%x: !m) -> !m {
  %zero = nn.constant dense<0.0> : !s
  %half = nn.constant dense<0.5> : !s
  %one = nn.constant dense<1.0> : !s
  %three = nn.constant dense<3.0> : !s
  %slopes = nn.constant dense<[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6]> : tensor<16xf16>
)";

constexpr const char *kPrelu = R"(
  %a = nn.clamp relu %x : (!m) -> !m
  %b = nn.minimum %x, %zero : (!m, !s) -> !m
  %d = nn.mul %b, %slopes : (!m, tensor<16xf16>) -> !m
  %r = nn.add %a, %d : (!m, !m) -> !m
)";

constexpr const char *kLogistic = R"(
  %a = nn.unary neg %x : (!m) -> !m
  %b = nn.unary exp %a : (!m) -> !m
  %d = nn.add %b, %one : (!m, !s) -> !m
  %r = nn.div %one, %d : (!s, !m) -> !m
)";

constexpr const char *kHardSwish = R"(
  %sixth = nn.constant dense<0.16666667> : !s
  %a = nn.add %x, %three activation relu6 : (!m, !s) -> !m
  %b = nn.mul %x, %a : (!m, !m) -> !m
  %r = nn.mul %b, %sixth : (!m, !s) -> !m
)";

constexpr const char *kGelu = R"(
  %cubic = nn.constant dense<0.044715> : !s
  %root = nn.constant dense<0.7978846> : !s
  %a = nn.mul %x, %x : (!m, !m) -> !m
  %b = nn.mul %a, %x : (!m, !m) -> !m
  %d = nn.mul %b, %cubic : (!m, !s) -> !m
  %e = nn.add %x, %d : (!m, !m) -> !m
  %f = nn.mul %e, %root : (!m, !s) -> !m
  %g = nn.tanh %f : (!m) -> !m
  %h = nn.add %g, %one : (!m, !s) -> !m
  %i = nn.mul %h, %half : (!m, !s) -> !m
  %r = nn.mul %i, %x : (!m, !m) -> !m
)";

constexpr const char *kErrorGelu = R"(
  %root = nn.constant dense<0.70710678> : !s
  %a = nn.mul %x, %root : (!m, !s) -> !m
  %b = nn.unary erf %a : (!m) -> !m
  %d = nn.add %b, %one : (!m, !s) -> !m
  %e = nn.mul %x, %half : (!m, !s) -> !m
  %r = nn.mul %e, %d : (!m, !m) -> !m
)";

constexpr const char *kScaledSoftmax = R"(
  %a = nn.mul %x, %half : (!m, !s) -> !m
  %r = nn.softmax %a : (!m) -> !m
)";

constexpr const char *kLayerNorm = R"(
  %a = nn.mean %x axes [1] keep_dims : (!m) -> !c
  %b = nn.sub %x, %a : (!m, !c) -> !m
  %d = nn.mul %b, %b : (!m, !m) -> !m
  %e = nn.mean %d axes [1] keep_dims : (!m) -> !c
  %f = nn.unary sqrt %e : (!c) -> !c
  %r = nn.div %b, %f : (!m, !c) -> !m
)";

constexpr const char *kScaleAndShift = R"(
  %a = nn.mul %x, %slopes : (!m, tensor<16xf16>) -> !m
  %r = nn.add %a, %slopes : (!m, tensor<16xf16>) -> !m
)";

std::vector<_Float16> runOnce(const char *steps, const Bytes &input, bool recognizes) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NnDialect, npu::NpuDialect, mlir::func::FuncDialect, mlir::quant::QuantDialect>();
  const auto target = firmware::Target::load("e256");
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(std::string(kHead) + steps + "  return %r : !m\n}\n", &context);
  if (!target || !module)
    return {};
  // Placement replaces the function.
  const auto function = [&] { return *module->getOps<mlir::func::FuncOp>().begin(); };
  const auto operations = [&] { return llvm::range_size(function().front()); };
  const auto before = operations();
  mlir::PassManager passes(&context);
  passes.addNestedPass<mlir::func::FuncOp>(nn::createRecognizeOperatorsPass());
  if (recognizes && (mlir::failed(passes.run(*module)) || operations() >= before))
    return {};
  if (mlir::failed(convertNnToNpu(*module, **target)))
    return {};
  const Result<std::vector<Bytes>> outputs = PlacedRunner(function(), **target).run({input});
  if (!outputs)
    return {};
  std::vector<_Float16> halves(outputs->front().size() / sizeof(_Float16));
  std::memcpy(halves.data(), outputs->front().data(), outputs->front().size());
  return halves;
}

/// The numbers from -8 to 8 in steps of a sixteenth, such that lines have small and large ones.
Bytes spreadHalves() {
  std::vector<_Float16> halves(256);
  for (int i = 0; i < 256; ++i)
    halves[i] = static_cast<_Float16>(i * 37 % 256 / 16.0f - 8);
  return bytesOf(halves);
}

/// Compares results; `roundings`: of the steps.
void expectNear(const char *steps, int roundings) {
  const std::vector<_Float16> one = runOnce(steps, spreadHalves(), true), many = runOnce(steps, spreadHalves(), false);
  ASSERT_EQ(one.size(), 256u) << steps;
  ASSERT_EQ(many.size(), 256u) << steps;
  for (size_t i = 0; i < one.size(); ++i) {
    const auto found = static_cast<float>(one[i]), expected = static_cast<float>(many[i]);
    EXPECT_LE(std::abs(found - expected), static_cast<float>(roundings) * 0x1p-10f * std::max(1.0f, std::abs(expected)))
        << steps << i << ": " << found << ", in steps " << expected;
  }
}

TEST(PlacedPatterns, RectifiersOfHalvesAreEqual) { expectNear(kPrelu, 0); }

TEST(PlacedPatterns, OtherHalvesDifferByRoundingsOfSteps) {
  expectNear(kLogistic, 4);
  expectNear(kHardSwish, 3);
  expectNear(kGelu, 9);
  expectNear(kErrorGelu, 4);
  expectNear(kScaledSoftmax, 1);
  expectNear(kLayerNorm, 5);
  expectNear(kScaleAndShift, 2);
}

} // namespace
} // namespace avocet::compiler

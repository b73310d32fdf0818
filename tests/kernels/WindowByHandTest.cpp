//===- WindowByHandTest.cpp - Windows with known results --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Window.h"

namespace avocet::kernels {
namespace {

using namespace firmware;

TEST(WindowConvByHandTest, TransposedOutputsWithoutInputHoldBias) {
  // One element 3 spread by stride 2 over kernel [1, 2], output of 5: [3, 6] at 0, and only the bias after them.
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  WindowConvParameters parameters;
  parameters.form = WindowConvForm::Transposed;
  parameters.window.kernelWidth = parameters.window.strideWidth = 2;
  parameters.hasBias = 1;
  parameters.clamp = floatActivationClamp(Activation::kRelu6);
  DspCommand command = dspCommand("windowConv", packParameters(parameters));
  auto map = [&](uint32_t width) { return sram.map(DataType::Float32, 1, width, 1, Placement::Dense, random); };
  command.inputs = {map(1), map(2), map(1)};
  command.outputs = {map(5)};
  sram.setValues(command.inputs[0], {3});
  sram.setValues(command.inputs[1], {1, 2});
  sram.setValues(command.inputs[2], {0.5});
  checkAndRun(*target, command, sram);
  EXPECT_EQ(sram.values(command.outputs[0]), (std::vector<double>{3.5, 6, 0.5, 0.5, 0.5}));
}

} // namespace
} // namespace avocet::kernels

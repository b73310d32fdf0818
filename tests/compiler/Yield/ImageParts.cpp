//===- ImageParts.cpp - Commands that work on images -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartCommands.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Resize.h"
#include "avocet/kernels/dsp/Section.h"
#include "avocet/kernels/dsp/Window.h"

#include <cmath>

namespace avocet::compiler {

using namespace firmware;
using namespace kernels;

namespace {

DspCommand resizeBilinear(Operands &o) {
  const uint32_t n = rows(o, 3 * 4 * 21);
  ResizeParameters p{ResizeKind::Bilinear, 0, 1, 1, n, 7, 2 * n, 7, 3};
  return commandOf("resize", {o.dense(kF32, n, 7, 3)}, {o.dense(kF32, 2 * n, 7, 3)}, p);
}

DspCommand resizeNearest(Operands &o) {
  const uint32_t n = rows(o, 3 * (10 + 25) * 3);
  ResizeParameters p{ResizeKind::Nearest, 1, 0, 3, n, 10, n, 25, 3};
  return commandOf("resize", {o.dense(kI8, 3 * n, 10, 3)}, {o.dense(kI8, 3 * n, 25, 3)}, p);
}

WindowConvParameters convParameters(WindowConvForm form, DataType type) {
  WindowConvParameters p;
  p.form = form;
  p.window.kernelHeight = p.window.kernelWidth = 3;
  p.window.padTop = p.window.padLeft = 1;
  p.hasBias = 1;
  p.clamp = isFloat(type) ? floatActivationClamp(Activation::kNone) : Clamp{minValue(type), maxValue(type)};
  return p;
}

DspCommand convOfFloats(Operands &o) {
  const uint32_t n = rows(o, 4 * 9 * (6 + 8));
  return commandOf("windowConv", {o.any(kF32, n, 9, 6), o.dense(kF32, 3 * 8, 3, 6), o.any(kF32, 1, 1, 8)},
                   {o.any(kF32, n, 9, 8)}, convParameters(WindowConvForm::Dense, kF32));
}

/// Few pixels and a large filter.
DspCommand convWithManyChannels(Operands &o) {
  const auto n = static_cast<uint32_t>(std::max(5.0, std::sqrt(o.bytes / 12)));
  WindowConvParameters p = convParameters(WindowConvForm::Dense, kI8);
  return commandOf("windowConv",
                   {o.any(kI8, 3, 3, n), o.dense(kI8, 3 * n, 3, n), o.any(kI32, 1, 1, n), o.any(kI32, 1, 1, 2)},
                   {o.any(kI8, 3, 3, n)}, p);
}

/// The second kernel row of several: continues sums and hands them on.
DspCommand convInSections(Operands &o) {
  const uint32_t n = rows(o, 4 * 9 * (6 + 8 + 8));
  WindowConvParameters p = convParameters(WindowConvForm::Dense, kF32);
  p.window.kernelHeight = 1;
  p.window.padTop = 0;
  const FeatureMap state = o.any(kI32, n, 9, 8);
  DspCommand command =
      commandOf("windowConv", {o.any(kF32, n, 9, 6), o.dense(kF32, 8, 3, 6), o.any(kF32, 1, 1, 8), state},
                {o.any(kI32, n, 9, 8)}, p);
  for (uint32_t word : packParameters(Section{0, 0, 1, 3}))
    command.parameters.push_back(word);
  return command;
}

/// One pixel. Its channels cannot be split, because of the groups.
DspCommand convWithGroups(Operands &o) {
  const auto half = static_cast<uint32_t>(std::max(2.0, std::sqrt(o.bytes / 8 / 2.2)));
  WindowConvParameters p = convParameters(WindowConvForm::Dense, kF32);
  p.window = Window();
  p.groups = 2;
  return commandOf("windowConv",
                   {o.any(kF32, 1, 1, 2 * half), o.dense(kF32, 2 * half, 1, half), o.any(kF32, 1, 1, 2 * half)},
                   {o.any(kF32, 1, 1, 2 * half)}, p);
}

DspCommand convDepthwise(Operands &o) {
  const uint32_t n = rows(o, 6 * 4 * 5 * 4);
  WindowConvParameters p = convParameters(WindowConvForm::Depthwise, kF32);
  p.batch = 2;
  p.window.strideHeight = 2;
  return commandOf("windowConv", {o.any(kF32, 4 * n, 5, 4), o.dense(kF32, 3, 3, 4), o.any(kF32, 1, 1, 4)},
                   {o.any(kF32, 2 * n, 5, 4)}, p);
}

DspCommand convTransposed(Operands &o) {
  const uint32_t n = rows(o, 4 * (4 + 32));
  WindowConvParameters p = convParameters(WindowConvForm::Transposed, kF32);
  p.window.strideHeight = 4; // longer than the kernel, so some rows have no input
  p.window.strideWidth = 2;
  return commandOf("windowConv", {o.any(kF32, n, 2, 2), o.dense(kF32, 3 * 2, 3, 2), o.any(kF32, 1, 1, 2)},
                   {o.any(kF32, 4 * n, 4, 2)}, p);
}

DspCommand pool(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 40);
  WindowPoolParameters p;
  p.kind = WindowPoolKind::L2;
  p.window = convParameters(WindowConvForm::Dense, kF32).window;
  p.clamp = floatActivationClamp(Activation::kNone);
  return commandOf("windowPool", {o.any(kF32, n, 8, 5)}, {o.any(kF32, n, 8, 5)}, p);
}

} // namespace

std::vector<PartCase> imageParts() {
  return {{"resizeBilinear", resizeBilinear},
          {"resizeNearest", resizeNearest},
          {"convOfFloats", convOfFloats},
          {"convWithManyChannels", convWithManyChannels},
          {"convInSections", convInSections},
          {"convWithGroups", convWithGroups, 341},
          {"convDepthwise", convDepthwise},
          {"convTransposed", convTransposed},
          {"pool", pool}};
}

} // namespace avocet::compiler

//===- DenseFloat.cpp - Dense convolution of float32 inputs ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/DenseFloat.h"

#include "conv/FloatTile.h"
#include "conv/OutputStage.h"
#include "conv/WindowRows.h"

#include <cstring>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

struct CopyFloats {
  void operator()(const float *source, size_t count, float *destination) const {
    std::memcpy(destination, source, count * sizeof(float));
  }
};

/// Scratch that commands reuse; each thread has its own.
struct Scratch {
  std::vector<float> rows, panels;
  std::vector<float *> outputs;
};

} // namespace

bool runDenseFloat(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram) {
  thread_local Scratch scratch;
  if (command.kind != ConvKind::Dense || command.input.type != DataType::Float32 ||
      !packFloatPanels(sram.data() + command.weights.offset, layout, scratch.panels))
    return false;
  OutputStage stage(command, sram);
  StageArrays arrays(command, stage);
  FeatureMapView<float> output(command.output, sram);
  size_t products = layout.products();
  WindowRows<float, float, CopyFloats> windowRows(command, sram, products, CopyFloats());
  size_t pixels = size_t(output.height()) * output.width();
  size_t perTile = pixelsPerTile(products * sizeof(float));
  scratch.rows.resize(std::max(scratch.rows.size(), std::min(perTile, pixels) * products));
  for (size_t first = 0; first < pixels; first += perTile) {
    size_t count = std::min(perTile, pixels - first);
    scratch.outputs.resize(count);
    forEachRun(first, count, output.width(), [&](uint32_t y, uint32_t x, uint32_t run, size_t done) {
      windowRows.fillRun(y, x, run, scratch.rows.data() + done * products);
      for (uint32_t i = 0; i < run; ++i)
        scratch.outputs[done + i] = output.pixel(y, x + i);
    });
    multiplyFloatTile({scratch.rows.data(), count, products, scratch.panels.data(), arrays, output.channels(),
                       scratch.outputs.data()});
  }
  return true;
}

} // namespace avocet::kernels

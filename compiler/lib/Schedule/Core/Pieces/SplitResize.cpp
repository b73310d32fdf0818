//===- SplitResize.cpp - Resampling of images -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "Splitters.h"

#include "avocet/kernels/dsp/Resize.h"

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// Cuts along images, bands of one image, and channels.
class ResizeSplitter : public Splitter {
public:
  ResizeSplitter(const Operation &op, kernels::ResizeParameters resize) : op_(op), resize_(resize) {
    extents_ = {resize.batches, resize.outputHeight, resize.channels};
  }

  std::optional<Piece> piece(const std::vector<Range> &cut) const override {
    const bool isBand = cut[1].count() != resize_.outputHeight;
    if (isBand && cut[0].count() != 1)
      return std::nullopt;
    const kernels::ResizeBand band{cut[1].begin, cut[1].count()};
    const kernels::ResizeSource source =
        isBand ? kernels::sourceOf(resize_, band) : kernels::ResizeSource{0, resize_.inputHeight};
    const Range rows{source.firstRow, source.firstRow + source.rows};
    DspCommand command = std::get<DspCommand>(op_.command);
    command.parameters = parametersOf(cut, isBand, band, source);
    const auto from = view(op_.inputs[0], resize_.inputHeight, resize_.inputWidth, {cut[0], rows, cut[2]});
    const auto to = view(op_.outputs[0], resize_.outputHeight, resize_.outputWidth, cut);
    if (!from || !to)
      return std::nullopt;
    command.inputs = {map(op_.inputs[0], resize_.inputWidth, {cut[0], rows, cut[2]})};
    command.outputs = {map(op_.outputs[0], resize_.outputWidth, cut)};
    return Piece{std::move(command), {{0, from->box}}, to->box};
  }

private:
  std::vector<uint32_t> parametersOf(const std::vector<Range> &cut, bool isBand, const kernels::ResizeBand &band,
                                     const kernels::ResizeSource &source) const {
    kernels::ResizeParameters parameters = resize_;
    parameters.batches = cut[0].count();
    parameters.channels = cut[2].count();
    std::vector<uint32_t> words = kernels::packParameters(parameters);
    if (isBand)
      for (const auto &more : {kernels::packParameters(band), kernels::packParameters(source)})
        words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  std::optional<View> view(const Operand &operand, uint32_t height, uint32_t width,
                           const std::vector<Range> &cut) const {
    return viewOfRanges(operand.shape.type, denseSteps({resize_.batches, height, width, resize_.channels}),
                        {cut[0], cut[1], {0, width}, cut[2]});
  }
  static FeatureMap map(const Operand &operand, uint32_t width, const std::vector<Range> &cut) {
    return denseMap(operand.shape.type, cut[0].count() * cut[1].count(), width, cut[2].count(), operand.zeroPoint);
  }

  const Operation &op_;
  const kernels::ResizeParameters resize_;
};

} // namespace

Splitters splitResize(const Whole &whole) {
  const auto &command = std::get<DspCommand>(whole.op.command);
  auto parameters = kernels::unpackParameters<kernels::ResizeParameters>(command.parameters);
  if (!parameters.isOk() || parameters->inputHeight == 0 || parameters->outputHeight == 0)
    return {};
  return oneSplitter<ResizeSplitter>(whole.op, *parameters);
}

} // namespace avocet::compiler::schedule

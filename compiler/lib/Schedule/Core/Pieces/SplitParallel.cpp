//===- SplitParallel.cpp - Results that are computed separately -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of which each result depends on a part of the inputs that is known before the device runs: rows in which the
// largest elements are found, lines of spectra, boxes, heat maps, regions of images.
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"
#include "View.h"

#include "avocet/kernels/dsp/Detection.h"
#include "avocet/kernels/dsp/Regions.h"
#include "avocet/kernels/dsp/Sort.h"

#include <functional>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// An axis of an operand, and the axis of the cut that divides it; kWhole: none does.
struct OperandAxis {
  uint32_t extent;
  size_t cut;
};
constexpr size_t kWhole = SIZE_MAX;
using Layout = std::vector<OperandAxis>; ///< of a dense operand

struct Layouts {
  std::vector<Layout> inputs, outputs;
  bool linesArePixels = false; ///< the first of several axes is rows of one pixel, whose channels are the others
};

class ParallelSplitter : public Splitter {
public:
  /// The kernel's parameters for a piece with these extents along the cut's axes.
  using Parameters = std::function<std::vector<uint32_t>(const std::vector<Range> &)>;

  ParallelSplitter(const Operation &op, std::vector<uint32_t> extents, Layouts layouts, Parameters parameters)
      : op_(op), layouts_(std::move(layouts)), parameters_(std::move(parameters)) {
    extents_ = std::move(extents);
  }

  std::optional<Piece> piece(const std::vector<Range> &cut) const override {
    Piece piece{op_.command, {}, {}};
    auto &command = std::get<DspCommand>(piece.command);
    command.parameters = parameters_(cut);
    command.inputs.clear();
    command.outputs.clear();
    for (uint32_t i = 0; i < layouts_.inputs.size(); ++i) {
      const std::optional<Box> box = add(op_.inputs[i], layouts_.inputs[i], cut, command.inputs);
      if (!box)
        return std::nullopt;
      piece.inputs.push_back({i, *box});
    }
    for (size_t i = 0; i < layouts_.outputs.size(); ++i) {
      const std::optional<Box> box = add(op_.outputs[i], layouts_.outputs[i], cut, command.outputs);
      if (!box)
        return std::nullopt;
      piece.moreOutputs.push_back(*box);
    }
    piece.output = piece.moreOutputs.front();
    piece.moreOutputs.erase(piece.moreOutputs.begin());
    return piece;
  }

private:
  std::optional<Box> add(const Operand &operand, const Layout &layout, const std::vector<Range> &cut,
                         std::vector<FeatureMap> &maps) const {
    std::vector<uint32_t> extents;
    std::vector<Range> ranges;
    for (const OperandAxis &axis : layout) {
      extents.push_back(axis.extent);
      ranges.push_back(axis.cut == kWhole ? Range{0, axis.extent} : cut[axis.cut]);
    }
    const auto view = viewOfRanges(operand.shape.type, denseSteps(extents), ranges);
    if (!view)
      return std::nullopt;
    const uint32_t rows = layouts_.linesArePixels && layout.size() > 1 ? ranges[0].count() : 1;
    maps.push_back(denseMap(operand.shape.type, rows, 1, uint32_t(view->elements / rows), operand.zeroPoint));
    return view->box;
  }

  const Operation &op_;
  const Layouts layouts_;
  const Parameters parameters_;
};

template <typename T> auto parametersOf(const Whole &whole) {
  return kernels::unpackParameters<T>(std::get<DspCommand>(whole.op.command).parameters);
}

} // namespace

Splitters splitTopK(const Whole &whole) {
  const auto p = parametersOf<kernels::TopKParameters>(whole);
  if (!p.isOk())
    return {};
  const Layout results = {{p->rows, 0}, {p->count, kWhole}};
  return oneSplitter<ParallelSplitter>(whole.op, std::vector{p->rows},
                                       Layouts{{{{p->rows, 0}, {p->extent, kWhole}}}, {results, results}},
                                       [part = *p](const std::vector<Range> &cut) mutable {
                                         part.rows = cut[0].count();
                                         return kernels::packParameters(part);
                                       });
}

Splitters splitFourier(const Whole &whole) {
  const MapShape &input = whole.op.inputs[0].shape, &output = whole.op.outputs[0].shape;
  const uint32_t lines = input.height * input.width;
  const Layout spectrum = {{lines, 0}, {output.channels, kWhole}};
  Layouts layouts{{{{lines, 0}, {input.channels, kWhole}}, {{whole.op.inputs[1].shape.channels, kWhole}}},
                  {spectrum, spectrum},
                  /*linesArePixels=*/true};
  return oneSplitter<ParallelSplitter>(
      whole.op, std::vector{lines}, std::move(layouts),
      [words = std::get<DspCommand>(whole.op.command).parameters](const std::vector<Range> &) { return words; });
}

Splitters splitBoxTransform(const Whole &whole) {
  const auto p = parametersOf<kernels::BoxTransformParameters>(whole);
  if (!p.isOk())
    return {};
  const Layout boxes = {{p->boxes, 0}, {4, kWhole}}, moved = {{p->boxes, 0}, {4 * p->classes, kWhole}};
  return oneSplitter<ParallelSplitter>(whole.op, std::vector{p->boxes},
                                       Layouts{{boxes, moved, {{p->boxes, 0}}, {{2 * p->images, kWhole}}}, {moved}},
                                       [part = *p](const std::vector<Range> &cut) mutable {
                                         part.boxes = cut[0].count();
                                         return kernels::packParameters(part);
                                       });
}

Splitters splitHeatmaps(const Whole &whole) {
  const auto p = parametersOf<kernels::HeatmapKeypointParameters>(whole);
  if (!p.isOk())
    return {};
  const Layout maps = {{p->boxes, 0}, {p->size * p->size, kWhole}, {p->points, 1}};
  return oneSplitter<ParallelSplitter>(
      whole.op, std::vector{p->boxes, p->points},
      Layouts{{maps, {{p->boxes, 0}, {4, kWhole}}},
              {{{p->boxes, 0}, {p->points, 1}}, {{p->boxes, 0}, {p->points, 1}, {2, kWhole}}}},
      [part = *p](const std::vector<Range> &cut) mutable {
        part.boxes = cut[0].count();
        part.points = cut[1].count();
        return kernels::packParameters(part);
      });
}

Splitters splitRegions(const Whole &whole) {
  const auto p = parametersOf<kernels::RegionsParameters>(whole);
  if (!p.isOk())
    return {};
  const Layout images = {{p->batches * p->height * p->width, kWhole}, {p->channels, 1}};
  const Layout pixels = {{p->regions, 0}, {p->outputHeight * p->outputWidth, kWhole}, {p->channels, 1}};
  return oneSplitter<ParallelSplitter>(whole.op, std::vector{p->regions, p->channels},
                                       Layouts{{images, {{p->regions, 0}, {4, kWhole}}, {{p->regions, 0}}}, {pixels}},
                                       [part = *p](const std::vector<Range> &cut) mutable {
                                         part.regions = cut[0].count();
                                         part.channels = cut[1].count();
                                         return kernels::packParameters(part);
                                       });
}

} // namespace avocet::compiler::schedule

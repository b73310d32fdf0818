//===- LineParts.cpp - Commands that work along lines ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalizeSamples.h"
#include "PartCommands.h"

#include "avocet/kernels/dsp/Fourier.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Normalize.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Softmax.h"

#include <string>
#include <utility>

namespace avocet::compiler {

using namespace firmware;
using namespace kernels;

namespace {

DspCommand softmaxRows(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 100);
  return commandOf("softmax", {o.any(kF32, n, 2, 50)}, {o.any(kF32, n, 2, 50)}, SoftmaxParameters{});
}

DspCommand softmaxPixels(Operands &o) {
  const uint32_t n = rows(o, 2 * 40);
  FeatureMap output = o.any(kI8, 1, n, 40);
  output.zeroPoint = -128;
  return commandOf("softmax", {o.any(kI8, 1, n, 40)}, {output}, prepareSoftmax(1.0f, 0.1f));
}

DspCommand softmaxOneLine(Operands &o) {
  const uint32_t n = rows(o, 2 * 4);
  return commandOf("softmax", {o.any(kF32, 1, 1, n)}, {o.any(kF32, 1, 1, n)}, SoftmaxParameters{});
}

DspCommand spectraOfRows(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * (16 + 2 * 9));
  return commandOf("realFourier", {o.any(kF32, n, 2, 16), o.dense(kF32, 1, 1, 16)},
                   {o.any(kF32, n, 2, 9), o.any(kF32, n, 2, 9)}, RealFourierParameters{16});
}

DspCommand spectraOfPixels(Operands &o) {
  const uint32_t n = rows(o, 4 * (6 + 2 * 5));
  return commandOf("realFourier", {o.any(kF32, 1, n, 6), o.dense(kF32, 1, 1, 8)},
                   {o.any(kF32, 1, n, 5), o.any(kF32, 1, n, 5)}, RealFourierParameters{8});
}

using Sample = NormalizeSample;

DspCommand lines(const Sample &sample, const Maps &maps, AxisExtents extents) {
  return commandOf(sample.kernel.name, {maps[0]}, {maps[1]}, sample.parameters(extents));
}

DspCommand linesAcrossRows(const Sample &sample, Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 17);
  return lines(sample, {o.dense(kF32, 1, 17, n), o.dense(kF32, 1, 17, n)}, {1, 17, n});
}

DspCommand linesOfOuterAxis(const Sample &sample, Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 60);
  return lines(sample, {o.dense(kF32, n, 10, 6), o.dense(kF32, n, 10, 6)}, {n, 10, 6});
}

DspCommand linesOfPixels(const Sample &sample, Operands &o) {
  const uint32_t n = rows(o, 2 * 2 * 33);
  return lines(sample, {o.any(kF16, 1, n, 33), o.any(kF16, 1, n, 33)}, {0, 33, 1});
}

DspCommand linesOfPixelRows(const Sample &sample, Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 64);
  return lines(sample, {o.any(kF32, n, 2, 32), o.any(kF32, n, 2, 32)}, {0, 32, 1});
}

DspCommand linesOfImage(const Sample &sample, Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 49);
  return lines(sample, {o.dense(kF32, 7, 7, n), o.dense(kF32, 7, 7, n)}, {1, 49, n});
}

/// Each normalization in each place of its lines.
void addNormalizations(std::vector<PartCase> &cases) {
  using Make = DspCommand (*)(const Sample &, Operands &);
  constexpr std::pair<const char *, Make> kPlaces[] = {{"AcrossRows", linesAcrossRows},
                                                       {"OfOuterAxis", linesOfOuterAxis},
                                                       {"OfPixels", linesOfPixels},
                                                       {"OfPixelRows", linesOfPixelRows},
                                                       {"OfImage", linesOfImage}};
  for (const Sample &sample : kNormalizeSamples)
    for (const auto &[place, make] : kPlaces)
      cases.push_back({std::string(sample.kernel.name) + place,
                       [&sample, make](Operands &operands) { return make(sample, operands); }});
}

DspCommand instanceNormalizeLargeImage(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 16);
  return commandOf("instanceNormalize", {o.dense(kF32, n, 1, 16)}, {o.dense(kF32, n, 1, 16)},
                   InstanceNormalizeParameters{{1, n, 16}});
}

DspCommand meanOfImage(Operands &o) {
  const uint32_t n = rows(o, 64);
  return commandOf("mean", {o.any(kI8, 8, 8, n)}, {o.any(kI8, 1, 1, n)}, prepareMean(1.0f, 1.0f, 64));
}

DspCommand meanOfLargeImage(Operands &o) {
  const uint32_t n = rows(o, 4 * 8);
  return commandOf("mean", {o.any(kF32, n, 1, 8)}, {o.any(kF32, 1, 1, 8)}, MeanParameters{});
}

DspCommand meanOfColumns(Operands &o) {
  const uint32_t n = rows(o, 4 * 55);
  return commandOf("mean", {o.any(kF32, n, 10, 5)}, {o.any(kF32, n, 1, 5)}, MeanParameters{});
}

DspCommand reduceRows(Operands &o) {
  const uint32_t n = rows(o, 4 * 55);
  ReduceParameters p;
  p.rank = 2;
  p.extents = {10, 5};
  p.reducedAxes = 1;
  return commandOf("reduce", {o.any(kF32, n, 1, 50)}, {o.any(kF32, n, 1, 5)}, p);
}

DspCommand reduceOneRow(Operands &o) {
  const uint32_t n = rows(o, 4 * 50);
  ReduceParameters p;
  p.rank = 2;
  p.extents = {n, 50};
  p.reducedAxes = 1;
  return commandOf("reduce", {o.any(kF32, 1, 1, n * 50)}, {o.any(kF32, 1, 1, 50)}, p);
}

DspCommand reduceInnerOfOneRow(Operands &o) {
  const uint32_t n = rows(o, 35);
  ReduceParameters p;
  p.kind = ReduceKind::Max;
  p.rank = 3;
  p.extents = {1, n, 30};
  p.reducedAxes = 4;
  return commandOf("reduce", {o.any(kI8, 1, 1, n * 30)}, {o.any(kI8, 1, 1, n)}, p);
}

DspCommand reduceMeanOfOneRow(Operands &o) {
  const uint32_t n = rows(o, 30);
  ReduceParameters p;
  p.kind = ReduceKind::Mean;
  const MeanParameters mean = prepareMean(0.5f, 0.25f, 29);
  p.multiplier = mean.multiplier;
  p.shift = mean.shift;
  p.rank = 3;
  p.extents = {29, 1, n};
  p.reducedAxes = 3;
  return commandOf("reduce", {o.any(kI8, 1, 1, 29 * n)}, {o.any(kI8, 1, 1, n)}, p);
}

DspCommand argReduceInnerOfOneRow(Operands &o) {
  const uint32_t n = rows(o, 20 + 8);
  return commandOf("argReduce", {o.any(kI8, 1, 1, 20 * n)}, {o.any(kI32, 1, 1, 2 * n)}, ArgReduceParameters{1, 10, 2});
}

DspCommand argReduceRows(Operands &o) {
  const uint32_t n = rows(o, 40 + 16);
  return commandOf("argReduce", {o.any(kI8, n, 1, 40)}, {o.any(kI32, n, 1, 4)}, ArgReduceParameters{0, 10, 4});
}

DspCommand argReduceOneRow(Operands &o) {
  const uint32_t n = rows(o, 40);
  return commandOf("argReduce", {o.any(kI8, 1, 1, 40 * n)}, {o.any(kI32, 1, 1, 40)}, ArgReduceParameters{0, n, 40});
}

} // namespace

std::vector<PartCase> lineParts() {
  std::vector<PartCase> cases = {{"softmaxRows", softmaxRows},
                                 {"softmaxPixels", softmaxPixels},
                                 {"softmaxOneLine", softmaxOneLine, 2989},
                                 {"spectraOfRows", spectraOfRows},
                                 {"spectraOfPixels", spectraOfPixels},
                                 {"instanceNormalizeLargeImage", instanceNormalizeLargeImage, 345},
                                 {"meanOfImage", meanOfImage},
                                 {"meanOfLargeImage", meanOfLargeImage, 499},
                                 {"meanOfColumns", meanOfColumns},
                                 {"reduceRows", reduceRows},
                                 {"reduceOneRow", reduceOneRow},
                                 {"reduceInnerOfOneRow", reduceInnerOfOneRow},
                                 {"reduceMeanOfOneRow", reduceMeanOfOneRow},
                                 {"argReduceRows", argReduceRows},
                                 {"argReduceOneRow", argReduceOneRow, 303},
                                 {"argReduceInnerOfOneRow", argReduceInnerOfOneRow}};
  addNormalizations(cases);
  return cases;
}

} // namespace avocet::compiler

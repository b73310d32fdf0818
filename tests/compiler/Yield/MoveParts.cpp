//===- MoveParts.cpp - Commands that move elements -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartCommands.h"

#include "avocet/kernels/dsp/Gather.h"
#include "avocet/kernels/dsp/LshProjection.h"
#include "avocet/kernels/dsp/Rearrange.h"

namespace avocet::compiler {

using namespace firmware;
using namespace kernels;

namespace {

DspCommand transpose(Operands &o) {
  const uint32_t n = rows(o, 2 * 30);
  RearrangeParameters p;
  p.moves = {{0, 0, 0, {{5, int32_t(6 * n), 6}, {n, 6, 30}, {6, 1, 1}}}};
  return commandOf("rearrange", {o.dense(kI8, 5, n, 6)}, {o.dense(kI8, n, 5, 6)}, packRearrange(p));
}

/// A single row, such as a set of weights that is reordered.
DspCommand reorderedRow(Operands &o) {
  const uint32_t n = rows(o, 2 * 32);
  RearrangeParameters p;
  p.areOfRows = true;
  p.moves = {{0, 0, 0, {{n, 1, 32}, {32, int32_t(n), 1}}}};
  return commandOf("rearrange", {o.dense(kI8, 1, 32, n)}, {o.dense(kI8, 1, 1, 32 * n)}, packRearrange(p));
}

/// Fills the output, then writes the input forwards and mirrored.
DspCommand padAndMirror(Operands &o) {
  const uint32_t n = rows(o, 3 * 2 * 12);
  RearrangeParameters p;
  p.fill = true;
  p.fillBits = 0x1234;
  p.moves = {{0, 0, 3, {{n, 12, 24}, {9, 1, 1}}}, {0, 12 * n - 1, 14, {{n, -12, 24}, {9, -1, 1}}}};
  return commandOf("rearrange", {o.dense(DataType::Int16, n, 1, 12)}, {o.dense(DataType::Int16, n, 1, 24)},
                   packRearrange(p));
}

DspCommand gatherOuter(Operands &o) {
  const uint32_t n = rows(o, 4 * 4 * (6 + 3));
  return commandOf("gather", {o.dense(kF32, n, 6, 4), o.dense(kI32, 1, 1, 3)}, {o.dense(kF32, n, 3, 4)},
                   GatherParameters{n, 6, 4});
}

DspCommand gatherIndices(Operands &o) {
  const uint32_t n = rows(o, 4 + 4 * 8);
  return commandOf("gather", {o.dense(kF32, 1, 11, 8), o.dense(kI32, 1, 1, n)}, {o.dense(kF32, 1, n, 8)},
                   GatherParameters{1, 11, 8});
}

DspCommand gatherOneSlice(Operands &o) {
  const uint32_t n = rows(o, 4 * 3);
  return commandOf("gather", {o.dense(kF32, 1, 2, n), o.dense(kI32, 1, 1, 1)}, {o.dense(kF32, 1, 1, n)},
                   GatherParameters{1, 2, n});
}

DspCommand hashtableLookup(Operands &o) {
  const uint32_t n = rows(o, 4 + 4 * 3 + 1);
  return commandOf("hashtableLookup", {o.dense(kI32, 1, 1, n), o.dense(kI32, 1, 1, 20), o.dense(kF32, 1, 20, 3)},
                   {o.dense(kF32, 1, n, 3), o.dense(DataType::UInt8, 1, 1, n)});
}

DspCommand lshDense(Operands &o) {
  const uint32_t n = rows(o, 16);
  return commandOf("lshProjection", {o.dense(kF32, 1, 6, 4), o.dense(kI32, n, 1, 4)}, {o.dense(kI32, 1, 1, 24)},
                   LshProjectionParameters{LshKind::Dense, 4, n});
}

DspCommand lshSparse(Operands &o) {
  const uint32_t n = rows(o, 16);
  return commandOf("lshProjection", {o.dense(kF32, 1, 6, 4), o.dense(kI32, n, 1, 4)}, {o.dense(kI32, 1, 1, 6)},
                   LshProjectionParameters{LshKind::SparseDeprecated, 4, n});
}

} // namespace

std::vector<PartCase> moveParts() {
  return {
      {"reorderedRow", reorderedRow},       {"transpose", transpose},         {"padAndMirror", padAndMirror},
      {"gatherOuter", gatherOuter},         {"gatherIndices", gatherIndices}, {"gatherOneSlice", gatherOneSlice, 416},
      {"hashtableLookup", hashtableLookup}, {"lshDense", lshDense, 6475},     {"lshSparse", lshSparse, 25900}};
}

} // namespace avocet::compiler

//===- ElementwiseParts.cpp - Commands that work element by element --===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartCommands.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Binary.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "avocet/kernels/dsp/Unary.h"
#include "avocet/kernels/dsp/WideFunctions.h"

namespace avocet::compiler {

using namespace firmware;
using namespace kernels;

namespace {

DspCommand unaryRows(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 35);
  return commandOf("unary", {o.any(kF32, n, 5, 7)}, {o.any(kF32, n, 5, 7)}, UnaryParameters{});
}

DspCommand unaryOneRow(Operands &o) {
  const uint32_t n = rows(o, 2 * 2);
  return commandOf("unary", {o.any(kF16, 1, 1, n)}, {o.any(kF16, 1, 1, n)}, UnaryParameters{});
}

DspCommand castColumns(Operands &o) {
  const uint32_t n = rows(o, 6 * 11);
  return commandOf("cast", {o.any(kF32, 1, n, 11)}, {o.any(DataType::Int16, 1, n, 11)});
}

DspCommand selectMap(Operands &o) {
  const uint32_t n = rows(o, 13 * 9);
  return commandOf("select", {o.any(DataType::Bool8, n, 1, 9), o.any(kF32, n, 1, 9), o.any(kF32, n, 1, 9)},
                   {o.any(kF32, n, 1, 9)});
}

DspCommand quantizeMap(Operands &o) {
  const uint32_t n = rows(o, 5 * 24);
  return commandOf("quantize", {o.any(kF32, n, 8, 3)}, {o.any(kI8, n, 8, 3)}, QuantizeParameters{0.25f});
}

DspCommand dequantizeMap(Operands &o) {
  const uint32_t n = rows(o, 5 * 64);
  return commandOf("dequantize", {o.any(kI8, 2, n, 32)}, {o.any(kF32, 2, n, 32)}, QuantizeParameters{0.5f});
}

DspCommand requantizeMap(Operands &o) {
  const uint32_t n = rows(o, 2 * 64);
  return commandOf("requantize", {o.any(kI8, n, 1, 64)}, {o.any(kI8, n, 1, 64)}, RequantizeParameters{1 << 30, 1});
}

DspCommand requantizeChannels(Operands &o) {
  const uint32_t n = rows(o, 4 * 40);
  return commandOf("requantize", {o.any(DataType::Int32, 1, 1, n), o.any(DataType::Int64, 1, 1, n)},
                   {o.any(kI8, 1, 1, n)}, RequantizeParameters{.rounding = Rounding::Single});
}

DspCommand wideSigmoid(Operands &o) {
  const uint32_t n = rows(o, 2 * 2 * 24);
  return commandOf("wideSigmoid", {o.any(DataType::Int16, n, 8, 3)}, {o.any(DataType::Int16, n, 8, 3)},
                   prepareWideSigmoid(WideSigmoidFunction::Tanh, 0.001f));
}

DspCommand dynamicQuantize(Operands &o) {
  const uint32_t n = rows(o, 5 * 16);
  return commandOf("dynamicQuantize", {o.any(kF32, n, 1, 16)}, {o.any(kI8, n, 1, 16), o.dense(kI8, 1, 1, 8)},
                   DynamicQuantizeParameters{});
}

DspCommand rowRange(Operands &o) {
  const uint32_t n = rows(o, 4 * (16 + 2));
  return commandOf("rowRange", {o.any(kF32, n, 4, 4)}, {o.dense(kF32, n, 1, 2)});
}

DspCommand dynamicValues(Operands &o) {
  const uint32_t n = rows(o, (4 + 1) * 16);
  return commandOf("dynamicValues", {o.any(kF32, n, 1, 16), o.dense(kF32, 1, 1, 2)}, {o.any(kI8, n, 1, 16)},
                   DynamicQuantizeParameters{1});
}

DspCommand powWithBroadcast(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 30);
  BinaryParameters p;
  p.kind = BinaryKind::Pow;
  return commandOf("binary", {o.any(kF32, n, 5, 6), o.any(kF32, 1, 5, 1)}, {o.any(kF32, n, 5, 6)}, p);
}

DspCommand binaryInOneRow(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 12);
  BinaryParameters p;
  p.kind = BinaryKind::Maximum;
  p.shape.rank = 4;
  p.shape.extents = {1, n, 3, 4};
  p.shape.stridesA = {0, 12, 4, 1};
  p.shape.stridesB = {0, 1, 0, 0};
  return commandOf("binary", {o.any(kF32, 1, 1, 12 * n), o.any(kF32, 1, 1, n)}, {o.any(kF32, 1, 1, 12 * n)}, p);
}

} // namespace

std::vector<PartCase> elementwiseParts() {
  return {{"unaryRows", unaryRows},
          {"unaryOneRow", unaryOneRow},
          {"castColumns", castColumns},
          {"select", selectMap},
          {"quantize", quantizeMap},
          {"dequantize", dequantizeMap},
          {"requantize", requantizeMap},
          {"requantizeChannels", requantizeChannels},
          {"wideSigmoid", wideSigmoid},
          {"dynamicQuantize", dynamicQuantize, 43},
          {"rowRange", rowRange},
          {"dynamicValues", dynamicValues},
          {"powWithBroadcast", powWithBroadcast},
          {"binaryInOneRow", binaryInOneRow}};
}

} // namespace avocet::compiler

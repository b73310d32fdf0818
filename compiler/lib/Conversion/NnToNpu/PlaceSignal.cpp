//===- PlaceSignal.cpp - Spectra on the vector DSP --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers/MacLayer.h"
#include "Placement.h"

#include "avocet/kernels/dsp/Fourier.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

Value fourierFactors(nn::RfftOp op, uint32_t points, Placement &placement) {
  const auto type = RankedTensorType::get({1, 1, points}, placement.builder().getF32Type());
  return placement.bytes(op, "factors", type, [points](llvm::MutableArrayRef<uint8_t> bytes) {
    kernels::fourierFactors({reinterpret_cast<float *>(bytes.data()), points});
  });
}

/// Lines are pixels, in the rows in which matrix products read them: stripes stay on chip between the layers.
LogicalResult placeRfft(nn::RfftOp op, Placement &placement) {
  const RankedTensorType input = tensorOf(op.getInput());
  const auto [height, width] = rowsAsImage(llvm::product_of(input.getShape().drop_back()), placement);
  const auto points = static_cast<uint32_t>(op.getPoints());
  const Type spectrum = storageType(StorageShape{height, width, points / 2 + 1}, input.getElementType());
  const Value rows =
      placement.view(op.getLoc(), placement.operand(op.getInput()), {height, width, input.getShape().back()});
  Placement::Dsp dsp;
  dsp.kernel = kernels::kRealFourierKernel;
  dsp.parameters = kernels::packParameters(kernels::RealFourierParameters{points});
  dsp.inputs = {rows, fourierFactors(op, points, placement)};
  dsp.inputZeroPoints = dsp.resultZeroPoints = {0, 0};
  dsp.results = {spectrum, spectrum};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> placed = placement.dsp(op, dsp);
  if (failed(placed))
    return failure();
  for (auto [result, storage] : llvm::zip(op->getResults(), placed->getResults()))
    placement.bind(result, placement.view(op.getLoc(), storage, storageShape(tensorOf(result).getShape())));
  return success();
}

} // namespace

void addSignalPlacers(PlacerTable &table) { table.add(placeRfft); }

} // namespace avocet::compiler

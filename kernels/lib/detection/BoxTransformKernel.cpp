//===- BoxTransformKernel.cpp - Boxes moved by offsets --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Detection.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/SlicedKernel.h"
#include "detection/BoxTransform.h"
#include "detection/Reals.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

class BoxTransformKernel : public SlicedKernel<BoxTransformParameters, &BoxTransformParameters::boxes> {
public:
  KernelId id() const override { return kBoxTransformKernel; }

protected:
  bool isShared(size_t input) const override { return input == 3; }
  OperandCount inputCount() const override { return 4; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const auto &in = command.inputs;
    AVOCET_ASSIGN_OR_RETURN(auto p, unpackParameters<BoxTransformParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkReals("input0", in[0], p.boxScale, {p.boxes, 4}));
    AVOCET_RETURN_IF_ERROR(checkReals("input1", in[1], p.offsetScale, {p.boxes, p.classes, 4}));
    AVOCET_RETURN_IF_ERROR(checkIndices("input2", in[2], {p.boxes}));
    AVOCET_RETURN_IF_ERROR(checkReals("input3", in[3], p.imageScale, {p.images, 2}));
    return checkReals("output0", command.outputs[0], p.resultScale, {p.boxes, p.classes, 4});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto p = parametersOf<BoxTransformParameters>(command);
    const auto &in = command.inputs;
    const std::vector<float> boxes = readReals(in[0], p.boxScale, sram),
                             offsets = readReals(in[1], p.offsetScale, sram),
                             images = readReals(in[3], p.imageScale, sram);
    const auto *batches = denseData<int32_t>(in[2], sram);
    std::vector<float> results(offsets.size());
    for (size_t i = 0; i < size_t(p.boxes) * p.classes; ++i) {
      const size_t box = i / p.classes;
      transformBox(boxes.data() + 4 * box, offsets.data() + 4 * i,
                   images.data() + size_t(2) * nearestIndex(batches[box], p.images), results.data() + 4 * i);
    }
    writeReals(command.outputs[0], p.resultScale, results, sram);
  }

  /// 20 operations for an axis of a box, of which most are the exponential.
  DspWork work(const DspCommand &command) const override {
    const auto p = parametersOf<BoxTransformParameters>(command);
    DspWork work = elementWork(command, 2, DataType::Float32);
    work.elementOps += 40ull * p.boxes * p.classes;
    work.rows = p.boxes;
    return work;
  }
};

} // namespace

const Kernel &boxTransformKernel() {
  static const BoxTransformKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels

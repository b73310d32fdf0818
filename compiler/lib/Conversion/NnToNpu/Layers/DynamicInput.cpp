//===- DynamicInput.cpp - Inputs quantized at run time ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers/DynamicInput.h"

#include "avocet/kernels/dsp/Quantize.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

class Quantizer {
public:
  Quantizer(Operation *op, Value input, bool asymmetric, Placement &placement)
      : op_(op), input_(input), parameters_(kernels::packParameters(kernels::DynamicQuantizeParameters{asymmetric})),
        placement_(placement) {}

  FailureOr<DynamicInput> run() { return isWorthRows() ? byRows() : atOnce(); }

private:
  StorageShape shape() const {
    ArrayRef<int64_t> dims = tensorOf(input_).getShape();
    return {dims[0], dims[1], dims[2]};
  }

  /// Whether the range takes eight times as long as a command, of which rows need two in addition. The range of a row,
  /// and that of all rows, must end within the time that a command may take.
  bool isWorthRows() const {
    constexpr int64_t kMostRowElements = 16384, kMostRows = 16384; // 8,192 cycles, 16 us, on the slowest shipped DSP
    const auto [height, width, channels] = shape();
    const firmware::Target &target = placement_.target();
    const uint64_t lanes = std::max(1u, target.dsp().lanes[uint32_t(firmware::DataType::Float32)]);
    const uint64_t command = target.dsp().issueCycles + target.sram().latencyCycles;
    return height > 1 && height <= kMostRows && width * channels <= kMostRowElements &&
           uint64_t(2 * height * width * channels) / lanes > 8 * command;
  }

  FailureOr<DynamicInput> atOnce() {
    FailureOr<npu::DspOp> whole =
        place(kernels::kDynamicQuantizeKernel, {input_}, {valuesType(), recordType()}, parameters_);
    if (failed(whole))
      return failure();
    return DynamicInput{whole->getResult(0), whole->getResult(1)};
  }

  FailureOr<DynamicInput> byRows() {
    FailureOr<npu::DspOp> ranges =
        place(kernels::kRowRangeKernel, {input_}, {rangesType(shape()[0])}, {}, /*rowWise=*/true);
    if (failed(ranges))
      return failure();
    FailureOr<npu::DspOp> scale =
        place(kernels::kDynamicRecordKernel, {ranges->getResult(0)}, {rangesType(1), recordType()}, parameters_);
    if (failed(scale))
      return failure();
    FailureOr<npu::DspOp> values = place(kernels::kDynamicValuesKernel, {input_, scale->getResult(0)}, {valuesType()},
                                         parameters_, /*rowWise=*/true);
    if (failed(values))
      return failure();
    return DynamicInput{values->getResult(0), scale->getResult(1)};
  }

  FailureOr<npu::DspOp> place(kernels::KernelId kernel, ArrayRef<Value> inputs, ArrayRef<Type> results,
                              std::vector<uint32_t> parameters, bool rowWise = false) {
    Placement::Dsp dsp;
    dsp.kernel = kernel;
    dsp.parameters = std::move(parameters);
    dsp.inputs.assign(inputs.begin(), inputs.end());
    dsp.inputZeroPoints.assign(inputs.size(), 0);
    dsp.results.assign(results.begin(), results.end());
    dsp.resultZeroPoints.assign(results.size(), 0);
    dsp.rowWise = rowWise;
    return placement_.dsp(op_, dsp);
  }

  Type valuesType() const { return storageType(shape(), placement_.builder().getI8Type()); }
  Type recordType() const {
    return storageType({1, 1, sizeof(firmware::DynamicRecord)}, placement_.builder().getI8Type());
  }
  Type rangesType(int64_t rows) const { return storageType({rows, 1, 2}, placement_.builder().getF32Type()); }

  Operation *op_;
  Value input_;
  std::vector<uint32_t> parameters_;
  Placement &placement_;
};

} // namespace

FailureOr<DynamicInput> quantizeAtRunTime(Operation *op, Value input, bool asymmetric, Placement &placement) {
  return Quantizer(op, input, asymmetric, placement).run();
}

} // namespace avocet::compiler

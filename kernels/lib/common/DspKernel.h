//===- DspKernel.h - Base of all vector DSP kernels -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_DSPKERNEL_H
#define AVOCET_KERNELS_LIB_COMMON_DSPKERNEL_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/Kernel.h"
#include "common/Checks.h"
#include "cost/Cost.h"

namespace avocet::kernels {

/// Number of operands of a kernel, or its range.
struct OperandCount {
  OperandCount(uint32_t exactly) : least(exactly), most(exactly) {}
  OperandCount(uint32_t least, uint32_t most) : least(least), most(most) {}
  uint32_t least, most;
};

/// A kernel of the vector DSP: checks the operands in general, then calls the checks of the kernel itself.
class DspKernel : public Kernel {
public:
  Status check(const firmware::Target &target, const firmware::CommandBody &body) const final;
  void run(const firmware::Target &target, const firmware::CommandBody &body, std::span<uint8_t> sram) const final;
  std::optional<BadIndex> findBadIndex(const firmware::CommandBody &body, std::span<uint8_t> sram) const final;
  TileCost cost(const firmware::Target &target, const firmware::CommandBody &body) const final;
  uint32_t parts(const firmware::CommandBody &body) const final;
  firmware::CommandBody part(const firmware::CommandBody &body, uint32_t first, uint32_t count) const final;

protected:
  virtual OperandCount inputCount() const = 0;
  virtual OperandCount outputCount() const = 0;
  /// Checks types, shapes and parameters. Requires valid operand counts, and that every operand passes checkMap.
  virtual Status checkOperands(const firmware::DspCommand &command) const = 0;
  virtual void compute(const firmware::DspCommand &command, std::span<uint8_t> sram) const = 0;
  virtual DspWork work(const firmware::DspCommand &command) const = 0;
  /// Kernel.h: findBadIndex().
  virtual std::optional<BadIndex> badIndexOf(const firmware::DspCommand &, std::span<uint8_t>) const {
    return std::nullopt;
  }
  /// Kernel.h: parts() and part().
  virtual uint32_t partsOf(const firmware::DspCommand &) const { return 1; }
  virtual firmware::DspCommand partOf(const firmware::DspCommand &command, uint32_t, uint32_t) const { return command; }
};

/// The parameters of a command that has passed check().
template <typename Parameters> Parameters parametersOf(const firmware::DspCommand &command) {
  return *unpackParameters<Parameters>(command.parameters);
}

/// Work of a kernel that does `ops` lane operations per element of input 0, and reads and writes each operand once.
DspWork elementWork(const firmware::DspCommand &command, uint64_t ops, firmware::DataType type);

/// The same of a kernel that computes each element by itself: one loop for each run of elements that follow each other
/// in all maps, which is a pixel, a row or a map.
DspWork pointwiseWork(const firmware::DspCommand &command, uint64_t ops, firmware::DataType type);

/// Whether all elements follow each other. Parts of a row of pixels are such rows of one pixel.
bool isDense(const firmware::FeatureMap &map);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_DSPKERNEL_H

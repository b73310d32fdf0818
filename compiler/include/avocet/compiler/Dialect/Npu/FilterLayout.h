//===- FilterLayout.h - Layout of a convolution's weights -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NPU_FILTERLAYOUT_H
#define AVOCET_COMPILER_DIALECT_NPU_FILTERLAYOUT_H

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/firmware_iface/WeightLayout.h"

namespace avocet::compiler::npu {

/// The order of the weights of a convolution, or of one set of computed ones. Errors as WeightLayout::create().
Result<firmware::WeightLayout> filterLayout(ConvOp op, const firmware::Target &target);

} // namespace avocet::compiler::npu

#endif // AVOCET_COMPILER_DIALECT_NPU_FILTERLAYOUT_H

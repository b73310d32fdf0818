//===- ConvChain.h - Convolutions with inner channels ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_CONVCHAIN_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_CONVCHAIN_H

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/firmware_iface/Target.h"

#include <optional>

namespace avocet::compiler {

// Accessors of operations in constant objects.
inline mlir::Value inputOf(npu::ConvOp conv) { return conv.getInput(); }
inline mlir::Value resultOf(npu::ConvOp conv) { return conv.getResult(); }
inline const firmware::ConvCommand &commandOf(npu::ConvOp conv) { return conv.getCommand(); }

int64_t channelsOf(mlir::Value storage);

/// Float convolutions one after the other, with constant weights and nothing else reading what is between them. All
/// that `first` makes, `middle` has, and `last` reads are the inner channels.
struct ConvChain {
  npu::ConvOp first;                     ///< null: another operation makes the inner channels
  mlir::SmallVector<npu::ConvOp> middle; ///< depthwise
  npu::ConvOp last;

  mlir::Value inner() const { return middle.empty() ? inputOf(last) : inputOf(middle.front()); }
  int64_t channels() const { return channelsOf(inputOf(last)); }
  mlir::SmallVector<npu::ConvOp> all() const;
};

/// The longest chain that ends with a convolution; nullopt if that one cannot add up parts of its input channels.
std::optional<ConvChain> chainOf(npu::ConvOp last);

/// The fewest inner channels at a time with which the chain takes the fewest cycles; nullopt if it gains nothing.
std::optional<int64_t> partChannelsOf(const ConvChain &chain, const firmware::Target &target);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_CONVCHAIN_H

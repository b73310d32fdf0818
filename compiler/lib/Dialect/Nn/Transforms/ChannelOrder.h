//===- ChannelOrder.h - Layers with channels in another order ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_CHANNELORDER_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_CHANNELORDER_H

#include "Permutations.h"
#include "ReorderedConstants.h"

namespace avocet::compiler::nn {

/// Place i has channel order[i]. Orders are permutations.
using ChannelOrder = Permutation;

/// Whether the layer's outputs can be made in any order: it has constant weights of its own.
bool hasFreeOutputs(Conv2dOp op);
bool hasFreeOutputs(DepthwiseConv2dOp op);
/// Makes channel order[i] in place i. The readers are the caller's.
void reorderOutputs(Conv2dOp op, llvm::ArrayRef<int64_t> order, mlir::PatternRewriter &rewriter);
void reorderOutputs(DepthwiseConv2dOp op, llvm::ArrayRef<int64_t> order, mlir::PatternRewriter &rewriter);

/// Whether the layer gives the same result with its inputs in any order: its constant weights are its own, and
/// integers, whose sums do not depend on the order.
bool hasFreeInputs(Conv2dOp op);
/// Whether the value has readers, all of which are such layers.
bool isReadInAnyOrder(mlir::Value value);
/// Reads channel order[i] in place i of `input`.
void reorderInputs(Conv2dOp op, mlir::Value input, llvm::ArrayRef<int64_t> order, mlir::PatternRewriter &rewriter);

/// Divides the shuffle of a concatenation between those that read parts of it.
void addShufflePatterns(mlir::RewritePatternSet &patterns);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_CHANNELORDER_H

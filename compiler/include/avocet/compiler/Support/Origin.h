//===- Origin.h - What an operation was made from ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source map of the compiler. Each operation's location names the operators of the user's file that it was made
// from; MLIR passes locations on, and prints them with debug information. From the outside in, a location is:
//
//   fused<array<i32: step, operation, row, column, channel>>   of a command (phase cmd)
//   fused<array<i32: row, column, channel, isBox>>             of a tile (phases schedule and allocate)
//   fused<{operation = 7, result = tensor<112x112x32xi8>}>     of an operation of the placed network, from schedule on
//   fused<"name">                                              the tensor that a fused operation computes
//   fused["conv1", "pad1"]                                     its operators; the first one names the layer
//   fused<{kind = "PRELU"}>["sub1", "relu1", "mul1"]           one operation instead of several, with its own kind
//   "conv1"(fused<{kind = "CONV_2D", operator = 3}>["model.tflite"])   an operator
//   "ADD_3"(fused<{kind = "ADD", topLevel = 3}>["model.avnn"])         one of a format without names of tensors
//
// The name and the kind of a layer are those of one operator of the file, the first. An operation that absorbs others
// stays the first, because it does most of the work: a convolution with padding and an activation is called CONV_2D.
// Operations that an importer makes of one operator have the location of that operator, and so its name and kind.
//
// The first three are made only if the module has the attribute attrs::kSourceMap, since they cost time.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_ORIGIN_H
#define AVOCET_COMPILER_SUPPORT_ORIGIN_H

#include "avocet/cache/SourcePlace.h"
#include "avocet/compiler/Yield/TilePlace.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

#include <optional>
#include <vector>

namespace avocet::compiler {

/// Whether the phases of this module record where tiles and commands come from.
bool recordsOrigins(mlir::Operation *op);

/// Location of operator `number` of a file, whose first output is the tensor `output`. `kind` is written as the format
/// writes it: "CONV_2D" in TFLite and NNAPI.
mlir::Location operatorLocation(llvm::StringRef output, llvm::StringRef kind, uint32_t number, mlir::Location file);
/// Location of an operation of an NNAPI model, whose tensors have no names: "ADD_3". `number` counts the operations of
/// its subgraph, `topLevel` is the main subgraph's operation that is or contains it.
mlir::Location operationLocation(llvm::StringRef kind, uint32_t number, uint32_t topLevel, mlir::Location model);

/// Whether the location is one of operatorLocation().
bool isOperatorLocation(mlir::Location location);
/// `topLevel` of an operationLocation() in the location; -1: it has none.
int64_t topLevelOf(mlir::Location location);

/// The operator that names the layer: its first output, or the name of operationLocation(). Empty: it has no name.
llvm::StringRef operatorName(mlir::Location location);
/// Its kind, or that of the operation that replaces it and others. Empty: the location is of nothing that an importer
/// read.
llvm::StringRef operatorKind(mlir::Location location);

/// Location of one operation of a kind that no single operator has, instead of those at `replaced`.
mlir::Location replacementLocation(mlir::Location replaced, llvm::StringRef kind);

/// Location of an operation that keeps its own name and has absorbed others.
mlir::Location fusedLocation(mlir::Location own, mlir::Location absorbed);
/// The same if its result is now that of `result`, which it has absorbed.
mlir::Location fusedIntoResult(mlir::Location own, mlir::Location result);

/// Location of an operation whose result is no tensor of the user's file any more, such as one with other channels.
mlir::Location unnamedResult(mlir::Location own);

/// Appends the operators that a location names, each once, with `layer`.
void appendOperators(mlir::Location location, uint32_t layer, std::vector<cache::SourceEntry> &operators);

/// Appends the names of these operators.
void appendOperatorNames(mlir::Location location, std::vector<llvm::StringRef> &names);

/// The tensor of the user's file that an operation computes; empty: it has no name.
llvm::StringRef resultName(mlir::Location location);

/// An operation of the placed network.
struct PlacedOrigin {
  uint32_t operation = 0; ///< counted over all sections
  mlir::RankedTensorType result;
};
cache::ResultShape resultShapeOf(const PlacedOrigin &origin);
mlir::Location placedLocation(mlir::Location operation, const PlacedOrigin &origin);
std::optional<PlacedOrigin> placedOriginOf(mlir::Location location);

/// Where a tile begins in the first result of its operation.
mlir::Location tileLocation(mlir::Location placed, const TilePlace &place);
std::optional<TilePlace> tilePlaceOf(mlir::Location location);

mlir::Location commandLocation(mlir::Location location, const cache::SourceCommand &source);
std::optional<cache::SourceCommand> commandOriginOf(mlir::Location location);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_ORIGIN_H

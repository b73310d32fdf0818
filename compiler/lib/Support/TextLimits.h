//===- TextLimits.h - Nesting of MLIR text ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser, verifier and printer recurse as deep as a text nests, without a limit, and a stack overflow ends the
// process. This check runs before the parser. It counts brackets, operators of affine expressions, and the nesting
// through aliases (`#a1 = [#a0]`).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SUPPORT_TEXTLIMITS_H
#define AVOCET_COMPILER_LIB_SUPPORT_TEXTLIMITS_H

#include "mlir/Support/LLVM.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace avocet::compiler {

/// Deepest accepted nesting, in brackets. A level needs up to 2 KiB of stack (nested regions; measured with a release
/// build), and at most a few times that with sanitizers. Models nest less than 20 levels.
inline constexpr uint32_t kMaxNesting = 256;

/// Maximum number of brackets in an alias after all aliases in it are expanded. Printing and walking take time
/// proportional to it: 30 lines of `#a1 = [#a0, #a0]` expand to 2^30.
inline constexpr uint64_t kMaxExpansion = uint64_t{1} << 22;

/// Why and where a text is refused (line and column count from 1).
struct TextProblem {
  uint32_t line = 1;
  uint32_t column = 1;
  std::string message;
};

/// Nullopt if the text is within the limits, whether or not it is valid MLIR. Time and memory are at most linear in the
/// text; nested text needs no stack.
std::optional<TextProblem> checkTextLimits(llvm::StringRef text);

/// The same for a buffer of text or bytecode, with an error at `context`. Bytecode passes unchecked (see IrFormat in
/// Compiler.h).
mlir::LogicalResult checkTextLimits(mlir::MLIRContext *context, llvm::StringRef name, llvm::StringRef bytes);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_SUPPORT_TEXTLIMITS_H

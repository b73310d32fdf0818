//===- TextTokens.h - Tokens of MLIR text -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SUPPORT_TEXTTOKENS_H
#define AVOCET_COMPILER_LIB_SUPPORT_TEXTTOKENS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <utility>

namespace avocet::compiler {

/// A token of MLIR text, with the kinds that matter for nesting.
struct TextToken {
  enum class Kind {
    End,      ///< of the text, or a string without an end, where MLIR's parser stops
    Open,     ///< ( [ { <
    Close,    ///< ) ] } >
    Alias,    ///< "#name" or "!name"; without a dot, which would make it a dialect's attribute or type
    Word,     ///< identifiers, also "#dialect.name", "%value", "^block", "@symbol"
    Literal,  ///< numbers and strings
    Operator, ///< + - *
    Other,    ///< "->" and the rest
  };
  Kind kind = Kind::Other;
  llvm::StringRef text;
};

/// Splits text as MLIR's lexer does. Comments and white space are skipped.
class TextTokens {
public:
  explicit TextTokens(llvm::StringRef text) : text_(text), rest_(text) {}

  TextToken next();

  /// Whether a single '=' follows.
  bool isDefinition();

  /// Line and column, from 1.
  std::pair<uint32_t, uint32_t> positionOf(const TextToken &token) const;

private:
  void skipSpace();
  TextToken take(TextToken::Kind kind, size_t length);
  TextToken takeString();
  TextToken takePrefixed();

  llvm::StringRef text_, rest_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_SUPPORT_TEXTTOKENS_H

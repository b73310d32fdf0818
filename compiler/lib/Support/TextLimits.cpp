//===- TextLimits.cpp - Nesting of MLIR text --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextLimits.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

using llvm::StringRef;

namespace avocet::compiler {
namespace {

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

/// Length of the longest prefix whose characters are letters, digits or in `more`.
size_t wordLength(StringRef text, StringRef more) {
  return text.take_while([&](char c) { return llvm::isAlnum(c) || more.contains(c); }).size();
}

void TextTokens::skipSpace() {
  while (true) {
    rest_ = rest_.ltrim(StringRef(" \t\n\r\0", 5));
    if (!rest_.starts_with("//"))
      return;
    rest_ = rest_.drop_while([](char c) { return c != '\n' && c != '\r'; });
  }
}

TextToken TextTokens::take(TextToken::Kind kind, size_t length) {
  TextToken token{kind, rest_.take_front(length)};
  rest_ = rest_.drop_front(length);
  return token;
}

TextToken TextTokens::takeString() {
  for (size_t i = 1; i < rest_.size(); ++i) {
    if (rest_[i] == '"')
      return take(TextToken::Kind::Literal, i + 1);
    if (rest_[i] == '\n' || rest_[i] == '\v' || rest_[i] == '\f')
      break;
    if (rest_[i] == '\\')
      ++i;
  }
  return {TextToken::Kind::End, {}};
}

/// '#', '!', '%' or '^' with digits, or with letters and "$._-"; '@' with letters and "$._".
TextToken TextTokens::takePrefixed() {
  StringRef name = rest_.drop_front();
  const size_t digits = name.take_while(llvm::isDigit).size();
  const size_t length = digits != 0 ? digits : wordLength(name, rest_[0] == '@' ? "$._" : "$._-");
  if (length == 0)
    return take(TextToken::Kind::Other, 1);
  const bool isAlias = (rest_[0] == '#' || rest_[0] == '!') && !name.take_front(length).contains('.');
  return take(isAlias ? TextToken::Kind::Alias : TextToken::Kind::Word, length + 1);
}

TextToken TextTokens::next() {
  skipSpace();
  if (rest_.empty())
    return {TextToken::Kind::End, {}};
  const char c = rest_[0];
  if (c == '"')
    return takeString();
  if (StringRef("([{<").contains(c))
    return take(TextToken::Kind::Open, 1);
  if (StringRef(")]}>").contains(c))
    return take(TextToken::Kind::Close, 1);
  if (rest_.starts_with("->"))
    return take(TextToken::Kind::Other, 2);
  if (StringRef("+-*").contains(c))
    return take(TextToken::Kind::Operator, 1);
  if (StringRef("#!%^@").contains(c))
    return takePrefixed();
  if (llvm::isDigit(c))
    return take(TextToken::Kind::Literal, wordLength(rest_, "."));
  if (llvm::isAlpha(c) || c == '_')
    return take(TextToken::Kind::Word, wordLength(rest_, "_$."));
  return take(TextToken::Kind::Other, 1);
}

bool TextTokens::isDefinition() {
  skipSpace();
  return rest_.starts_with("=") && !rest_.starts_with("==");
}

std::pair<uint32_t, uint32_t> TextTokens::positionOf(const TextToken &token) const {
  StringRef before = text_.take_front(token.text.data() - text_.data());
  const size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
  return {static_cast<uint32_t>(before.count('\n') + 1), static_cast<uint32_t>(before.size() - lineStart + 1)};
}

} // namespace

} // namespace avocet::compiler

namespace avocet::compiler {
namespace {

/// The cost of one attribute, type or location in a recursive walk.
struct Extent {
  uint64_t depth = 0;
  uint64_t brackets = 1;
};

/// Scans the tokens of one text. The sum of everything open at a token is an upper bound for the parser's recursion
/// there.
class Scanner {
public:
  explicit Scanner(StringRef text) : tokens_(text) {}

  std::optional<TextProblem> run() {
    for (TextToken token = tokens_.next(); token.kind != TextToken::Kind::End; token = tokens_.next()) {
      visit(token);
      if (problem_)
        return problem_;
      last_ = token;
    }
    return std::nullopt;
  }

private:
  void visit(const TextToken &token) {
    if (alias_ && open_.empty() && endsValue(last_) && startsValue(token))
      finishAlias();
    switch (token.kind) {
    case TextToken::Kind::Open:
      open(token);
      break;
    case TextToken::Kind::Close:
      close(token.text.front());
      break;
    case TextToken::Kind::Alias:
      visitAlias(token);
      break;
    case TextToken::Kind::Word:
    case TextToken::Kind::Operator:
      if (affineLevel_ != 0 && isOperator(token))
        note(token, ++operators_, "operators of an affine expression");
      break;
    default:
      break;
    }
  }

  void open(const TextToken &token) {
    open_.push_back(token.text.front());
    if (alias_)
      ++alias_->extent.brackets;
    if (affineLevel_ == 0 && (last_.text == "affine_map" || last_.text == "affine_set"))
      affineLevel_ = open_.size();
    note(token, 0, "brackets");
  }

  /// A closing bracket without a match is a comparison, or an error for the parser to report.
  void close(char bracket) {
    const char opening = bracket == ')' ? '(' : bracket == ']' ? '[' : bracket == '}' ? '{' : '<';
    // "<=" in an integer set leaves a '<' open inside parentheses; '>' closes only '<'.
    auto match = bracket == '>' ? open_.rbegin() + (open_.empty() || open_.back() != '<' ? open_.size() : 0)
                                : std::find(open_.rbegin(), open_.rend(), opening);
    if (match == open_.rend())
      return;
    open_.erase(match.base() - 1, open_.end());
    if (open_.size() < affineLevel_)
      affineLevel_ = operators_ = 0;
  }

  /// A definition "#name =", or a use of one.
  void visitAlias(const TextToken &token) {
    if (open_.empty() && tokens_.isDefinition()) {
      finishAlias();
      alias_.emplace(Definition{token.text, {}});
      return;
    }
    auto known = aliases_.find(token.text);
    if (known == aliases_.end())
      return;
    if (alias_)
      alias_->extent.brackets = std::min(alias_->extent.brackets + known->second.brackets, kMaxExpansion + 1);
    note(token, known->second.depth, "aliases");
    if (alias_ && alias_->extent.brackets > kMaxExpansion)
      refuse(token, "the alias '" + alias_->name.str() + "' stands for more than " + std::to_string(kMaxExpansion) +
                        " brackets when the aliases in it are replaced");
  }

  void finishAlias() {
    if (!alias_)
      return;
    // Keep the larger one: an operation's own syntax may look like a definition, and must not reduce an alias's depth.
    Extent &known = aliases_[alias_->name];
    known.depth = std::max(known.depth, alias_->extent.depth);
    known.brackets = std::max(known.brackets, alias_->extent.brackets);
    alias_.reset();
  }

  /// Records `more` levels inside the brackets open at the token.
  void note(const TextToken &token, uint64_t more, const char *what) {
    const uint64_t depth = open_.size() + more;
    if (alias_)
      alias_->extent.depth = std::max(alias_->extent.depth, depth + 1);
    if (depth > kMaxNesting)
      refuse(token, std::string(what) + " nest deeper than " + std::to_string(kMaxNesting) + " levels");
  }

  void refuse(const TextToken &token, std::string message) {
    auto [line, column] = tokens_.positionOf(token);
    problem_ = TextProblem{line, column, std::move(message)};
  }

  /// Two adjacent tokens of these kinds, outside brackets, belong to two values: the definition of an alias has ended.
  /// No value in MLIR's grammar contains such a pair.
  static bool endsValue(const TextToken &token) { return token.kind == TextToken::Kind::Close || startsValue(token); }
  static bool startsValue(const TextToken &token) {
    return token.kind == TextToken::Kind::Word || token.kind == TextToken::Kind::Alias ||
           token.kind == TextToken::Kind::Literal;
  }

  static bool isOperator(const TextToken &token) {
    return token.kind == TextToken::Kind::Operator || token.text == "mod" || token.text == "floordiv" ||
           token.text == "ceildiv";
  }

  struct Definition {
    StringRef name;
    Extent extent;
  };

  TextTokens tokens_;
  TextToken last_;
  llvm::SmallVector<char, 32> open_; ///< opening brackets
  size_t affineLevel_ = 0;           ///< of the outermost affine expression; 0: in none
  uint64_t operators_ = 0;           ///< of that expression
  std::optional<Definition> alias_;  ///< the alias whose value is being read
  llvm::StringMap<Extent> aliases_;
  std::optional<TextProblem> problem_;
};

} // namespace

std::optional<TextProblem> checkTextLimits(StringRef text) { return Scanner(text).run(); }

mlir::LogicalResult checkTextLimits(mlir::MLIRContext *context, StringRef name, StringRef bytes) {
  if (mlir::isBytecode(llvm::MemoryBufferRef(bytes, name)))
    return mlir::success();
  std::optional<TextProblem> problem = checkTextLimits(bytes);
  if (!problem)
    return mlir::success();
  return mlir::emitError(mlir::FileLineColLoc::get(context, name, problem->line, problem->column)) << problem->message;
}

} // namespace avocet::compiler

//===- TextLimits.cpp - Nesting of MLIR text ------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Support/TextLimits.h"

#include "TextTokens.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

using llvm::StringRef;

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

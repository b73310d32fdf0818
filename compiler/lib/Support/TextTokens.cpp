//===- TextTokens.cpp - Tokens of MLIR text -------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextTokens.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace avocet::compiler {
namespace {

/// Length of the longest prefix whose characters are letters, digits or in `more`.
size_t wordLength(StringRef text, StringRef more) {
  return text.take_while([&](char c) { return llvm::isAlnum(c) || more.contains(c); }).size();
}

} // namespace

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

} // namespace avocet::compiler

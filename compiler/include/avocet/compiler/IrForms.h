//===- IrForms.h - Forms of IR for reading ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_IRFORMS_H
#define AVOCET_COMPILER_IRFORMS_H

#include "avocet/compiler/Compiler.h"

namespace avocet::compiler {

/// Text for people, from which no compilation can go on: constants above kMostShownElements elements are left out.
inline constexpr IrFormat kReadableText{2};
/// The same with locations, which hold the names of layers.
inline constexpr IrFormat kReadableTextWithLocations{3};

inline constexpr int64_t kMostShownElements = 16;

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_IRFORMS_H

//===- EmbeddedFile.h - A file inside the program ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text files that avocet_embed_files() (scripts/cmake/AvocetEmbedFiles.cmake) compiles into a program, so that a
// program needs no files beside it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_EMBEDDEDFILE_H
#define AVOCET_BASE_EMBEDDEDFILE_H

#include <string_view>

namespace avocet {

struct EmbeddedFile {
  std::string_view name; ///< as given to avocet_embed_files()
  std::string_view text; ///< of static storage
};

} // namespace avocet

#endif // AVOCET_BASE_EMBEDDEDFILE_H

//===- ForeignFile.h - What a file is that is no model ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_FOREIGNFILE_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_FOREIGNFILE_H

#include <optional>
#include <string>
#include <string_view>

namespace avocet::compiler {

/// "is a PyTorch model; export it to ONNX with torch.onnx.export": what the file is, by its first bytes and
/// its name, and what to do with it. None for a file of no known kind.
std::optional<std::string> describeKnownFile(std::string_view bytes, std::string_view path);

/// Also of binary files of unknown kinds. None for text, which may be MLIR.
std::optional<std::string> describeForeignFile(std::string_view bytes, std::string_view path);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_FOREIGNFILE_H

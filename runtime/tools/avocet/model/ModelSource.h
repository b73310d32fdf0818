//===- ModelSource.h - Models from files and directories --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command line names either a directory of artefacts or a model file that has to be compiled first. Both give a pair
// of artefacts and their target. The compiler is loaded only in the second case.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_MODELSOURCE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_MODELSOURCE_H

#include "OpenInputs.h"

#include "avocet/compiler/Compiler.h"
#include "avocet/session/Session.h"
#include "output/Progress.h"

#include <functional>
#include <string>
#include <vector>

namespace avocet::tool {

enum class DiagnosticsFormat {
  Text,
  Json,
  TextWithoutRefusals ///< as Text, but nothing if there are refusals, which the caller presents
};

using session::LoadedModel;

/// Runs the compiler with progress and prints its diagnostics: as text on the standard error stream, or, if the
/// compilation failed and `format` is Json, as one JSON object on the standard output.
Result<compiler::CompileResult> compileModel(compiler::CompileRequest request, DiagnosticsFormat format,
                                             Progress &progress);

/// Divides a .tflite file, likewise.
Result<compiler::DivideResult> divideModel(compiler::DivideRequest request, DiagnosticsFormat format,
                                           Progress &progress);

inline constexpr const char *kSignatureHelp =
    "Entry point of a .tflite model: the key of its signature; default: the first subgraph";

struct ModelChoice {
  std::string path;          ///< of a file, or of a directory with artefacts
  std::string target;        ///< empty: the artefacts' own target, or the default one (knob AVOCET_TARGET) for a file
  std::string signature;     ///< entry point of a TFLite file; empty: its first subgraph
  OpenInputs inputs = {};    ///< of a TFLite or ONNX file
  std::string optimise = {}; ///< effort for the schedule of a file, as kOptimiseHelp says; empty: default
  bool trustData = false;    ///< of artefacts: skips cache::DataCheck::Hash
  bool sourceMap = false;    ///< whether a file is compiled with a source map
  std::string hints = {};    ///< path of a hint file, for a model file; empty: none
  std::function<void(const compiler::Remark &)> remark = {}; ///< called for the decisions of the compiler, if set
};

/// The request to compile a file. Errors: InvalidArgument for shapes and effort.
Result<compiler::CompileRequest> requestOf(const ModelChoice &choice);

/// A model from the compiler's memory, without target. `path` names it in messages.
Result<LoadedModel> adoptResult(const std::string &path, const compiler::CompileResult &result);

/// Loads artefacts from a directory, or compiles a file.
Result<LoadedModel> loadModel(const ModelChoice &choice, DiagnosticsFormat format, Progress &progress);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_MODELSOURCE_H

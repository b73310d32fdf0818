//===- ModelSource.h - Models from files and directories --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user names either a directory of artefacts or a model file that has to be compiled first. Both give a pair
// of artefacts and their target. The compiler is loaded only in the second case.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_NETWORK_MODELSOURCE_H
#define AVOCET_NETWORK_MODELSOURCE_H

#include "avocet/compiler/Compiler.h"
#include "avocet/network/Observer.h"
#include "avocet/network/OpenInputs.h"
#include "avocet/session/HostOperator.h"
#include "avocet/session/Session.h"

#include <functional>
#include <span>
#include <string>

namespace avocet::network {

/// Loads and runs the compiler. The error is that of the answer, of which the observer hears all. Any thread.
Result<compiler::CompileResult> compileModel(compiler::CompileRequest request, Observer &observer);

/// Divides a model, likewise.
Result<compiler::DivideResult> divideModel(compiler::DivideRequest request, Observer &observer);

struct ModelChoice {
  std::string path;          ///< of a file, or of a directory with artefacts
  std::string target;        ///< empty: the artefacts' own target, or the default one (knob AVOCET_TARGET) for a file
  std::string signature;     ///< entry point of a TFLite file; empty: its first subgraph
  OpenInputs inputs = {};    ///< of a TFLite or ONNX file
  std::string optimize = {}; ///< effort for the schedule of a file, as for setOptimization()
  bool trustData = false;    ///< of artefacts: skips cache::DataCheck::Hash
  bool sourceMap = false;    ///< whether a file is compiled with a source map
  std::string hints = {};    ///< path of a hint file, for a model file; empty: none
  std::function<void(const compiler::Remark &)> remark = {}; ///< called for the decisions of the compiler, if set
  std::span<const uint8_t> bytes = {}; ///< the file's, if it is in memory; `path` then only names it. Borrowed
  compiler::InputFormat format = compiler::InputFormat::Auto;
  /// Whether operators that the target refuses run on the host: those of `operators` in the application, the others on
  /// the CPU. The model is then divided (LoadedModel::divided).
  bool fallback = false;
  session::HostOperators operators = {};
};

/// The request to compile a file. Errors: InvalidArgument for shapes and effort.
Result<compiler::CompileRequest> requestOf(const ModelChoice &choice);

/// A model from the compiler's memory, without target. `path` names it in messages.
Result<session::LoadedModel> adoptResult(const std::string &path, const compiler::CompileResult &result);

/// Loads artefacts from a directory, or compiles a file, or what `avocet compile --partition` wrote. Any thread.
Result<session::LoadedModel> loadModel(const ModelChoice &choice, Observer &observer);

} // namespace avocet::network

#endif // AVOCET_NETWORK_MODELSOURCE_H

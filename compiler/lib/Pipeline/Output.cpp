//===- Output.cpp - Output of a compilation ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "avocet/compiler/Emit/Artefacts.h"
#include "avocet/compiler/IrForms.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace avocet::compiler {

LogicalResult emitArtefacts(ModuleOp module, ArtefactBytes &artefacts) {
  cmd::ProgramOp program = programOf(module);
  if (!program)
    return failure();
  FailureOr<std::vector<uint8_t>> model = emitModelCache(program);
  FailureOr<AsmResourceBlob> data = takeDataCache(program);
  if (failed(model) || failed(data))
    return failure();
  artefacts.model = std::move(*model);
  artefacts.data = std::move(*data);
  return success();
}

LogicalResult printModule(ModuleOp module, IrFormat format, std::string &text) {
  llvm::raw_string_ostream stream(text);
  if (format == IrFormat::Bytecode)
    return writeBytecodeToFile(module, stream);
  OpPrintingFlags flags;
  const bool isReadable = format == kReadableText || format == kReadableTextWithLocations;
  if (isReadable)
    flags.elideLargeElementsAttrs(kMostShownElements).elideLargeResourceString(kMostShownElements);
  // Locations hold the layer names, which the artefacts of a resumed compilation need.
  flags.enableDebugInfo(format != kReadableText, /*prettyForm=*/isReadable);
  module->print(stream, flags);
  return success();
}

void printElided(ModuleOp module, std::string &text) {
  constexpr int64_t kMostElements = 16;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags()
                            .elideLargeElementsAttrs(kMostElements)
                            .elideLargeResourceString(kMostElements)
                            .assumeVerified());
}

} // namespace avocet::compiler

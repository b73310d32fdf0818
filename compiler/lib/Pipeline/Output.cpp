//===- Output.cpp - Output of a compilation ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "Emit/Artefacts.h"
#include "avocet/compiler/Compiler.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <string_view>

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

/// The text with only the first scales of types that have one for each channel. MLIR has no flag for it.
static std::string withoutLongScales(std::string_view text) {
  constexpr std::string_view kType = "!quant.uniform<", kBefore = ", {";
  constexpr size_t kMostShownScales = 4;
  std::string shorter;
  size_t copied = 0;
  for (size_t type = text.find(kType); type != text.npos; type = text.find(kType, type + 1)) {
    const size_t list = text.find(kBefore, type), end = text.find('>', type);
    if (list == text.npos || end == text.npos || list > end)
      continue;
    const std::string_view scales = text.substr(list, end - list);
    size_t cut = kBefore.size();
    for (size_t shown = 0; shown < kMostShownScales && cut != scales.npos; ++shown)
      cut = scales.find(',', cut + 1);
    if (cut == scales.npos)
      continue;
    const size_t left = static_cast<size_t>(std::ranges::count(scales.substr(cut), ','));
    shorter += text.substr(copied, list + cut - copied);
    shorter.append(kScalesLeftOut).append(std::to_string(left)).append(" more}");
    copied = end;
  }
  return shorter.append(text.substr(copied));
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
  if (isReadable)
    text = withoutLongScales(text);
  return success();
}

void printElided(ModuleOp module, std::string &text) {
  constexpr int64_t kMostElements = 16;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags()
                            .elideLargeElementsAttrs(kMostElements)
                            .elideLargeResourceString(kMostElements)
                            .assumeVerified());
  text = withoutLongScales(text);
}

} // namespace avocet::compiler

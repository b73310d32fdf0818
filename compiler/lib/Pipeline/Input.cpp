//===- Input.cpp - What a compilation starts from ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input.h"

#include "avocet/base/File.h"
#include "avocet/compiler/Import/TfliteImport.h"
#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The parser of MLIR text needs a zero behind the last byte; a mapped file has one, borrowed bytes may not.
Result<std::unique_ptr<llvm::MemoryBuffer>> openBytes(const CompileRequest &request) {
  const std::string &path = request.modelPath;
  if (!request.modelBytes.empty()) {
    llvm::StringRef bytes(reinterpret_cast<const char *>(request.modelBytes.data()), request.modelBytes.size());
    if (isTflite(bytes))
      return llvm::MemoryBuffer::getMemBuffer(bytes, path, /*RequiresNullTerminator=*/false);
    return llvm::MemoryBuffer::getMemBufferCopy(bytes, path);
  }
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, openForReading(path));
  AVOCET_ASSIGN_OR_RETURN(uint64_t size, fileSize(file, path));
  auto buffer = llvm::MemoryBuffer::getOpenFile(file.get(), path, size, /*RequiresNullTerminator=*/true);
  if (!buffer)
    return errnoStatus(buffer.getError().value(), "read " + path);
  return std::move(*buffer);
}

} // namespace

Result<InputFile> openInput(const CompileRequest &request) {
  AVOCET_ASSIGN_OR_RETURN(auto buffer, openBytes(request));
  bool tflite = isTflite(buffer->getBuffer());
  if (request.format == InputFormat::Tflite && !tflite)
    return dataLoss(request.modelPath + ": not a TFLite model: the identifier TFL3 is missing at byte 4");
  if (request.format == InputFormat::Mlir && tflite)
    return invalidArgument(request.modelPath + ": is a TFLite model, but MLIR was announced");
  if (tflite && !request.startAt.empty() && request.startAt != "import")
    return invalidArgument(request.modelPath + ": a TFLite model enters at the phase import, not behind " +
                           request.startAt);
  return InputFile{std::shared_ptr<llvm::MemoryBuffer>(std::move(buffer)), tflite};
}

OwningOpRef<ModuleOp> importModel(MLIRContext *context, const InputFile &input) {
  OwningOpRef<ModuleOp> module = importTflite(context, input.buffer);
  if (module)
    noteModel(*module, input.buffer->getBufferIdentifier());
  return module;
}

OwningOpRef<ModuleOp> parseModule(MLIRContext *context, const InputFile &input) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(input.buffer->getMemBufferRef()), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context, /*verifyAfterParse=*/false));
}

} // namespace avocet::compiler

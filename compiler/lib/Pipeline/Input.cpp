//===- Input.cpp - Input of a compilation -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input.h"

#include "Output.h"

#include "Import/Common/BorderLayouts.h"
#include "Import/Common/ForeignFile.h"
#include "Support/TextLimits.h"
#include "avocet/base/File.h"
#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// A format of models that enters at the phase import.
struct ModelFormat {
  InputFormat format;
  bool (*matches)(llvm::StringRef bytes);
  std::string_view title;
  std::string_view identifier; ///< at byte 4; empty: the format has none
  std::string_view suffix;     ///< of names of files
};

constexpr ModelFormat kModelFormats[] = {{InputFormat::Tflite, isTflite, "a TFLite model", "TFL3", ".tflite"},
                                         {InputFormat::Nnapi, isNnapi, "an NNAPI model", "AVNN", ".avnn"},
                                         {InputFormat::Tosa, isTosa, "a TOSA model", "TOSA", ".tosa"},
                                         {InputFormat::Onnx, isOnnx, "an ONNX model", "", ".onnx"}};

/// Null: the bytes are none of these.
const ModelFormat *modelFormat(llvm::StringRef bytes) {
  const auto *found = llvm::find_if(kModelFormats, [bytes](const ModelFormat &each) { return each.matches(bytes); });
  return found == std::end(kModelFormats) ? nullptr : found;
}

/// The parser of MLIR text needs a zero after the last byte; a mapped file has one, borrowed bytes may not.
Result<std::unique_ptr<llvm::MemoryBuffer>> openBytes(const ModelRequest &request) {
  const std::string &path = request.modelPath;
  if (!request.modelBytes.empty()) {
    llvm::StringRef bytes(reinterpret_cast<const char *>(request.modelBytes.data()), request.modelBytes.size());
    if (modelFormat(bytes))
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

InputFormat formatOf(llvm::MemoryBufferRef buffer) {
  if (const ModelFormat *model = modelFormat(buffer.getBuffer()))
    return model->format;
  // The reader of ONNX says what else a file of this name is.
  if (buffer.getBufferIdentifier().ends_with_insensitive(".onnx"))
    return InputFormat::Onnx;
  return isBytecode(buffer) ? InputFormat::Bytecode : InputFormat::Mlir;
}

bool isMlir(InputFormat format) { return format == InputFormat::Mlir || format == InputFormat::Bytecode; }

/// Refuses content that is not of the format that the request, or the name of the file, promises.
Status checkIdentifier(const ModelRequest &request, InputFormat found) {
  const std::string &path = request.modelPath;
  for (const ModelFormat &each : kModelFormats) {
    if (each.identifier.empty()) {
      if (request.format == each.format && found != each.format)
        return dataLoss(path + ": not " + std::string(each.title));
      continue;
    }
    const bool isNamed = request.format == InputFormat::Auto && isMlir(found) &&
                         llvm::StringRef(path).ends_with_insensitive(each.suffix);
    if (isNamed || (request.format == each.format && found != each.format))
      return dataLoss(path + ": not " + std::string(each.title) + ": the identifier " + std::string(each.identifier) +
                      " is missing at byte 4" + (isNamed ? "; give MLIR another file name" : ""));
  }
  return Status::ok();
}

Status checkFormat(const ModelRequest &request, InputFormat found, llvm::StringRef bytes) {
  const std::string &path = request.modelPath;
  if (bytes.empty())
    return dataLoss(path +
                    ": the file is empty; a model is a .tflite, .onnx or .tosa file, MLIR text or MLIR bytecode");
  // MLIR's parser would report a syntax error or a missing attribute, which does not point to the wrong file type.
  if (request.format == InputFormat::Auto && found == InputFormat::Mlir)
    if (auto kind = describeForeignFile(bytes, path))
      return dataLoss(path + ": " + *kind);
  AVOCET_RETURN_IF_ERROR(checkIdentifier(request, found));
  if (!request.signature.empty() && found != InputFormat::Tflite)
    return invalidArgument(path + ": only TFLite models have signatures, found '" + request.signature + "'");
  if (!request.shapes.empty() && found != InputFormat::Tflite && found != InputFormat::Onnx)
    return invalidArgument(path + ": only inputs of TFLite and ONNX models get new shapes, found one for '" +
                           request.shapes.front().name + "'");
  if ((!request.extents.empty() || !request.values.empty()) && found != InputFormat::Onnx)
    return invalidArgument(path + ": only ONNX models have named extents, and inputs with values");
  if (!request.layouts.empty() && (isMlir(found) || found == InputFormat::Nnapi))
    return invalidArgument(path +
                           ": only inputs and outputs of TFLite, TOSA and ONNX files get another layout; give it "
                           "when such a file is read");
  if (isMlir(request.format) && !isMlir(found))
    return invalidArgument(path + ": is " + titleOf(found) + ", but the request names the format MLIR");
  return Status::ok();
}

/// Refuses text for reading (Compiler.h), which names constants whose bytes it leaves out.
LogicalResult checkConstants(ModuleOp module) {
  auto check = [](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs()) {
      auto constant = dyn_cast<DenseResourceElementsAttr>(attribute.getValue());
      if (!constant || constant.getRawHandle().getBlob() != nullptr)
        continue;
      op->emitError() << "the bytes of its constant '" << constant.getRawHandle().getKey()
                      << "' are not in the text; write the IR with --constants all, or to a file";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  };
  return failure(module.walk(check).wasInterrupted());
}

OwningOpRef<ModuleOp> readModel(MLIRContext *context, const InputFile &input, const ModelRequest &request,
                                ImportNeeds &needs, const NnapiOptions &options, RefusedOperators refused) {
  switch (input.format) {
  case InputFormat::Tflite:
    return importTflite(context, input.buffer, request.signature, request.shapes, refused);
  case InputFormat::Tosa:
    return importTosa(context, input.buffer);
  case InputFormat::Onnx:
    return importOnnx(context, input.buffer, {request.shapes, request.extents, request.values, request.pools, refused},
                      needs);
  default:
    return importNnapi(context, input.buffer, request.pools, needs, options);
  }
}

} // namespace

Result<InputFile> openInput(const ModelRequest &request) {
  AVOCET_ASSIGN_OR_RETURN(auto buffer, openBytes(request));
  const InputFormat format = formatOf(buffer->getMemBufferRef());
  AVOCET_RETURN_IF_ERROR(checkFormat(request, format, buffer->getBuffer()));
  return InputFile{std::shared_ptr<llvm::MemoryBuffer>(std::move(buffer)), format};
}

OwningOpRef<ModuleOp> importModel(MLIRContext *context, const InputFile &input, const ModelRequest &request,
                                  ImportNeeds &needs, const NnapiOptions &options, RefusedOperators refused) {
  OwningOpRef<ModuleOp> module = readModel(context, input, request, needs, options, refused);
  if (!module || failed(arrangeBorder(*module, request.layouts, input.format == InputFormat::Onnx)))
    return {};
  noteModel(*module, input.buffer->getBufferIdentifier());
  return module;
}

std::string titleOf(InputFormat model) {
  return std::string(
      llvm::find_if(kModelFormats, [model](const ModelFormat &each) { return each.format == model; })->title);
}

Status checkBytecode(const ModelRequest &request, InputFormat found) {
  if (found == InputFormat::Bytecode && request.format != InputFormat::Bytecode)
    return invalidArgument(request.modelPath + ": is MLIR bytecode, which a request must name; give MLIR text");
  if (found != InputFormat::Bytecode && request.format == InputFormat::Bytecode)
    return invalidArgument(request.modelPath + ": is no MLIR bytecode, but the request names this format");
  return Status::ok();
}

OwningOpRef<ModuleOp> parseModule(MLIRContext *context, const InputFile &input) {
  if (failed(checkTextLimits(context, input.buffer->getBufferIdentifier(), input.buffer->getBuffer())))
    return {};
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(input.buffer->getMemBufferRef()), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(context, /*verifyAfterParse=*/false));
  if (!module && input.buffer->getBuffer().contains(kScalesLeftOut))
    emitError(FileLineColLoc::get(context, input.buffer->getBufferIdentifier(), 0, 0))
        << "scales of its types are not in the text; write the IR with --constants all, or to a file";
  if (module && failed(checkConstants(*module)))
    return {};
  return module;
}

} // namespace avocet::compiler

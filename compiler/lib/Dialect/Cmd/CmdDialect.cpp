//===- CmdDialect.cpp - The command level of the compiler -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Cmd/Cmd.h"

#include "CommandText.h"

#include "Support/AsmText.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace avocet::compiler::cmd {
namespace {

LogicalResult layerFromAttribute(Attribute attribute, uint32_t &layer, function_ref<InFlightDiagnostic()> emitError) {
  auto integer = dyn_cast_if_present<IntegerAttr>(attribute);
  if (!integer || !integer.getType().isSignlessInteger(64) || integer.getInt() < 0 || integer.getInt() > UINT32_MAX)
    return emitError() << "layer must be a 64-bit integer from 0 to " << UINT32_MAX;
  layer = static_cast<uint32_t>(integer.getInt());
  return success();
}

LogicalResult readLayer(DialectBytecodeReader &reader, uint32_t &layer) {
  uint64_t number = 0;
  if (failed(reader.readVarInt(number)))
    return failure();
  if (number > UINT32_MAX)
    return reader.emitError("layer ") << number << " is too large";
  layer = static_cast<uint32_t>(number);
  return success();
}

template <typename OpTy> ParseResult parseCommandOp(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
  firmware::CommandBody body(std::in_place_type<typename OpTy::CommandType>);
  if (parseCommandBody(parser, body) || parseLayer(parser, properties.layer))
    return failure();
  properties.command = std::get<typename OpTy::CommandType>(std::move(body));
  return parser.parseOptionalAttrDictWithKeyword(state.attributes);
}

template <typename OpTy> void printCommandOp(OpTy op, OpAsmPrinter &printer) {
  printCommandBody(printer, op.getCommand());
  printLayer(printer, op.getLayer());
  printer.printOptionalAttrDictWithKeyword(
      op->getDiscardableAttrs().empty() ? ArrayRef<NamedAttribute>() : op->getDiscardableAttrDictionary().getValue());
}

/// Creates an OpTy if `command` is of its kind; false for operations that are not commands.
template <typename OpTy>
bool createIf(OpBuilder &builder, Location location, const firmware::Command &command, Operation *&created) {
  if constexpr (requires { typename OpTy::CommandType; }) {
    if (auto *body = std::get_if<typename OpTy::CommandType>(&command.body)) {
      OperationState state(location, OpTy::getOperationName());
      auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
      properties.command = *body;
      properties.layer = command.layer;
      created = builder.create(state);
      return true;
    }
  }
  return false;
}

template <typename... Ops> struct CommandFactory {
  static Operation *create(OpBuilder &builder, Location location, const firmware::Command &command) {
    Operation *created = nullptr;
    (createIf<Ops>(builder, location, command, created) || ...);
    return created;
  }
};

} // namespace

void CmdDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "avocet/compiler/Dialect/Cmd/CmdOps.cpp.inc"
      >();
}

Operation *createCommand(OpBuilder &builder, Location location, const firmware::Command &command) {
  return CommandFactory<
#define GET_OP_LIST
#include "avocet/compiler/Dialect/Cmd/CmdOps.cpp.inc"
      >::create(builder, location, command);
}

std::vector<firmware::Command> commandsOf(StreamOp stream) {
  std::vector<firmware::Command> commands;
  for (auto command : stream.getBody().front().getOps<StreamCommandInterface>())
    commands.push_back(command.toCommand());
  return commands;
}

std::vector<firmware::ControlInstruction> ControlOp::instructions() {
  llvm::ArrayRef<int32_t> raw = getWords();
  auto program = firmware::decodeControl({reinterpret_cast<const uint32_t *>(raw.data()), raw.size()});
  return program ? std::move(*program) : std::vector<firmware::ControlInstruction>();
}

ControlOp controlOf(ModuleOp module) {
  auto controls = module.getOps<ControlOp>();
  return controls.empty() ? ControlOp() : *controls.begin();
}

} // namespace avocet::compiler::cmd

#include "avocet/compiler/Dialect/Cmd/CmdDialect.cpp.inc"
#include "avocet/compiler/Dialect/Cmd/CmdEnums.cpp.inc"
#include "avocet/compiler/Dialect/Cmd/CmdInterfaces.cpp.inc"

// mlir-tblgen reuses names of variables in nested blocks.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#define GET_OP_CLASSES
#include "avocet/compiler/Dialect/Cmd/CmdOps.cpp.inc"
#pragma GCC diagnostic pop

//===- Cmd.h - The command level of the compiler ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cmd dialect and helpers for generic code over its commands. CmdOps.td is the contract of the level.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_CMD_CMD_H
#define AVOCET_COMPILER_DIALECT_CMD_CMD_H

#include "avocet/compiler/Support/CommandAttr.h"
#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Control.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "avocet/compiler/Dialect/Cmd/CmdDialect.h.inc"
#include "avocet/compiler/Dialect/Cmd/CmdEnums.h.inc"
#include "avocet/compiler/Dialect/Cmd/CmdInterfaces.h.inc"
#define GET_OP_CLASSES
#include "avocet/compiler/Dialect/Cmd/CmdOps.h.inc"

namespace avocet::compiler::cmd {

/// Creates the operation of a command at the builder's insertion point.
mlir::Operation *createCommand(mlir::OpBuilder &builder, mlir::Location location, const firmware::Command &command);

/// The commands of a stream in order, the End included.
std::vector<firmware::Command> commandsOf(StreamOp stream);

/// The control operation next to the sections of a network, or null for a network of one section.
ControlOp controlOf(mlir::ModuleOp module);

} // namespace avocet::compiler::cmd

#endif // AVOCET_COMPILER_DIALECT_CMD_CMD_H

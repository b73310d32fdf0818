//===- Relocation.h - Address fields of device commands ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The addresses (firmware_iface/Addresses.h) in a command template of the scheduled level hold offsets. Address n is
// relative to buffer operand n of the operation.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NPU_RELOCATION_H
#define AVOCET_COMPILER_DIALECT_NPU_RELOCATION_H

#include "avocet/firmware_iface/Addresses.h"

#include "mlir/IR/ValueRange.h"

#include <algorithm>

namespace avocet::compiler::npu {

/// Start of a buffer. `region` as in firmware::DmaEnd.
struct BufferAddress {
  uint32_t region = firmware::kSramRegion;
  uint64_t offset = 0;
};

/// The command with buffer addresses added to its offsets. Requires one buffer per address. An SRAM address that
/// does not fit its field becomes kNoAddress - 1, which is outside the SRAM of every device.
template <typename Command>
Command relocate(Command command, mlir::OperandRange buffers,
                 llvm::function_ref<BufferAddress(mlir::Value)> addressOf) {
  auto buffer = buffers.begin();
  visitAddresses(command, [&](auto &field) {
    BufferAddress base = addressOf(*buffer++);
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(field)>, firmware::DmaEnd>) {
      field.region = base.region;
      field.offset += base.offset;
    } else {
      constexpr uint64_t kLast = firmware::kNoAddress.offset - 1;
      field = static_cast<uint32_t>(std::min(base.offset + field.offset, kLast));
    }
  });
  return command;
}

} // namespace avocet::compiler::npu

#endif // AVOCET_COMPILER_DIALECT_NPU_RELOCATION_H

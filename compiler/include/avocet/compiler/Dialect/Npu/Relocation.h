//===- Relocation.h - Address fields of device commands ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which fields of a command are addresses, in one fixed order: that of visitFields, without those that hold kNoAddress and
// without the source of a fill. A command template of the scheduled level holds offsets there; the n-th address field
// belongs to the n-th buffer operand of its operation.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NPU_RELOCATION_H
#define AVOCET_COMPILER_DIALECT_NPU_RELOCATION_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Reflection.h"

#include "mlir/IR/ValueRange.h"

#include <string_view>

namespace avocet::compiler::npu {

/// Where a buffer starts. `region` as in firmware::DmaEnd.
struct BufferAddress {
  uint32_t region = firmware::kSramRegion;
  uint64_t offset = 0;
};

namespace detail {

inline bool isAddressName(std::string_view name) {
  return name == "address" || name == "weights" || name == "channelRecords" || name == "dynamicScale" ||
         name == "lookupTable" || name == "table";
}

template <typename T, typename Visit> void visitAddressField(const char *name, T &field, Visit &visit) {
  using Field = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Field, firmware::DmaEnd>) {
    visit(name, field);
  } else if constexpr (firmware::Reflected<Field>) {
    Field::visitFields(field, [&](const char *inner, auto &value) { visitAddressField(inner, value, visit); });
  } else if constexpr (firmware::WireList<Field>) {
    for (auto &element : field)
      visitAddressField("", element, visit);
  } else if constexpr (std::is_same_v<Field, uint32_t>) {
    if (isAddressName(name) && field != firmware::kNoAddress)
      visit(name, field);
  }
}

} // namespace detail

/// Calls visit(name, field) for each address field; the field is a uint32_t (an SRAM address) or a firmware::DmaEnd.
template <typename Command, typename Visit> void visitAddresses(Command &command, Visit &&visit) {
  using Plain = std::remove_const_t<Command>;
  if constexpr (std::is_same_v<Plain, firmware::DmaCommand>) {
    if (command.kind != firmware::DmaKind::Fill)
      visit("source", command.source);
    visit("destination", command.destination);
  } else {
    Plain::visitFields(command, [&](const char *name, auto &field) { detail::visitAddressField(name, field, visit); });
  }
}

template <typename Command> unsigned countAddresses(const Command &command) {
  unsigned count = 0;
  visitAddresses(command, [&](const char *, const auto &) { ++count; });
  return count;
}

/// The command with buffer addresses added to its offsets. Requires one buffer for each address field. An SRAM address
/// that does not fit its field becomes kNoAddress - 1, which no device has.
template <typename Command>
Command relocate(Command command, mlir::OperandRange buffers,
                 llvm::function_ref<BufferAddress(mlir::Value)> addressOf) {
  auto buffer = buffers.begin();
  visitAddresses(command, [&](const char *, auto &field) {
    BufferAddress base = addressOf(*buffer++);
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(field)>, firmware::DmaEnd>) {
      field.region = base.region;
      field.offset += base.offset;
    } else {
      uint64_t sum = base.offset + field;
      field = sum < firmware::kNoAddress ? static_cast<uint32_t>(sum) : firmware::kNoAddress - 1;
    }
  });
  return command;
}

} // namespace avocet::compiler::npu

#endif // AVOCET_COMPILER_DIALECT_NPU_RELOCATION_H

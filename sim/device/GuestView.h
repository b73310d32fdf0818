//===- GuestView.h - Where a driver keeps its messages and records ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_DEVICE_GUESTVIEW_H
#define AVOCET_SIM_DEVICE_GUESTVIEW_H

#include "avocet/base/File.h"
#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Mailbox.h"
#include "avocet/sim/Device.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace avocet::sim {

/// The memory of a QEMU machine of type q35, as a shared file (memory-backend-file with share=on). If the machine's
/// owner shortens the file, the lost bytes read as zero.
class GuestMemory {
public:
  static Result<GuestMemory> open(const std::string &path);

  /// Makes the memory accessible to the device at the guest's physical addresses. It must outlive the device.
  Status attachTo(Device &device);

  /// Memory at a guest's physical address; empty if it is not all there.
  std::span<uint8_t> at(uint64_t address, uint64_t bytes);

  uint64_t bytes() const { return memory_.bytes().size(); }

private:
  Mapping memory_;
};

/// Follows a driver's writes and messages as the device does, to find the memory that the two exchange. It believes
/// nothing: what is not in the guest's memory is not found. One thread at a time.
class GuestView {
public:
  explicit GuestView(GuestMemory &memory) : memory_(memory) {}

  void observeWrite(uint32_t offset, uint32_t value); ///< before the device sees it

  firmware::Mailbox *answer(); ///< the mailbox from the device, or null

  /// The records of jobs that the device has ended since the last call.
  std::vector<firmware::CompletionRecord *> takeEndedRecords();

private:
  struct Ring {
    uint64_t address = 0;
    uint32_t entries = 0, reported = 0;
  };

  template <typename T> T *at(uint64_t systemAddress);
  template <typename T> T *at(uint32_t context, uint64_t deviceAddress);
  void observeMessage();
  void takeEndedRecords(uint32_t context, Ring &ring, std::vector<firmware::CompletionRecord *> &ended);

  GuestMemory &memory_;
  uint64_t mailboxIn_ = 0, mailboxOut_ = 0;
  std::map<std::pair<uint32_t, uint64_t>, firmware::MapRequest> mappings_; ///< by context and device address
  std::map<std::pair<uint32_t, uint32_t>, Ring> rings_;                    ///< by context and number
};

} // namespace avocet::sim

#endif // AVOCET_SIM_DEVICE_GUESTVIEW_H

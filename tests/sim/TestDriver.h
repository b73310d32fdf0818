//===- TestDriver.h - A small driver for tests ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does the work of a kernel driver, with one context and one ring: hand-shake, mappings, descriptors, completions.
// Device, system and host addresses are equal.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_SIM_TESTDRIVER_H
#define AVOCET_TESTS_SIM_TESTDRIVER_H

#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Mailbox.h"
#include "avocet/sim/Device.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace avocet::sim::test {

/// Page-aligned zeroed memory.
class Pages {
public:
  explicit Pages(size_t bytes);
  uint8_t *data() const { return data_.get(); }
  size_t size() const { return bytes_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_.get()); }
  std::span<uint8_t> span() const { return {data_.get(), bytes_}; }

private:
  struct Free {
    void operator()(uint8_t *memory) const;
  };
  size_t bytes_;
  std::unique_ptr<uint8_t, Free> data_;
};

struct TestStream {
  firmware::Engine engine;
  std::vector<uint32_t> words;
  uint32_t section = 0;
};

struct TestRegion {
  uint64_t address;
  uint64_t bytes;
  uint32_t access = firmware::access::kRead | firmware::access::kWrite;
};

inline constexpr firmware::Engine kMac{firmware::EngineKind::Mac, 0};
inline constexpr firmware::Engine kDsp{firmware::EngineKind::Dsp, 0};
inline constexpr firmware::Engine kDma{firmware::EngineKind::Dma, 0};

/// A stream of command bodies, all of one layer, followed by End.
TestStream stream(firmware::Engine engine, std::vector<firmware::CommandBody> bodies,
                  uint32_t layer = firmware::kNoLayer);

class TestDriver {
public:
  static constexpr uint32_t kContext = 1;
  static constexpr uint32_t kRing = 0;
  static constexpr uint32_t kEntries = 16;

  explicit TestDriver(const std::string &target = "e256", DeviceOptions options = {});

  Device &device() { return *device_; }
  const firmware::Target &target() const { return *target_; }
  const firmware::JobProfile &profile() const { return profile_; }

  void writeRegister(firmware::Register number, uint32_t value) {
    device_->writeRegister(static_cast<uint32_t>(number), value);
  }
  uint32_t readRegister(firmware::Register number) { return device_->readRegister(static_cast<uint32_t>(number)); }

  /// Sends a request and returns the reply mailbox.
  template <typename Body> firmware::Mailbox send(firmware::MessageKind kind, const Body &body) {
    post(kind, body);
    return takeReply();
  }
  /// Writes a request to the mailbox and rings, without running the device.
  template <typename Body> void post(firmware::MessageKind kind, const Body &body) {
    firmware::Mailbox message{};
    message.header.kind = static_cast<uint32_t>(kind);
    message.header.bytes = sizeof(body);
    std::memcpy(message.body, &body, sizeof(body));
    postMessage(message);
  }
  static firmware::ReplyCode codeOf(const firmware::Mailbox &reply);

  /// Attaches and maps.
  void map(const Pages &pages, uint32_t access = firmware::access::kRead | firmware::access::kWrite,
           uint32_t context = kContext);

  /// Maps the memory of tables, streams and records in another context.
  void mapTables(uint32_t context) { map(tables_, firmware::access::kRead | firmware::access::kWrite, context); }
  /// Copies a table, of entries without pointers, to that memory.
  template <typename T> uint64_t place(const std::vector<T> &items) {
    return placeBytes(items.data(), items.size() * sizeof(T));
  }

  /// A descriptor of a job with its tables in driver memory; the caller may change it before push().
  firmware::JobDescriptor makeJob(const std::vector<TestStream> &streams, const std::vector<TestRegion> &regions = {});
  /// Adds a descriptor to the ring, without ringing.
  void push(const firmware::JobDescriptor &descriptor);
  void ring() { writeRegister(firmware::Register::RingBell, kRing); }
  const firmware::CompletionRecord &recordOf(const firmware::JobDescriptor &descriptor) const;

  /// makeJob, push, ring, run.
  firmware::CompletionRecord run(const std::vector<TestStream> &streams, const std::vector<TestRegion> &regions = {});
  firmware::CompletionRecord run(const firmware::JobDescriptor &descriptor);

  /// Gives a job a control program.
  void setControl(firmware::JobDescriptor &job, const std::vector<uint32_t> &words);

  firmware::RingHeader &ringHeader();

private:
  void postMessage(firmware::Mailbox message);
  firmware::Mailbox takeReply();
  uint64_t placeBytes(const void *items, size_t bytes);

  std::shared_ptr<const firmware::Target> target_;
  std::unique_ptr<Device> device_;
  Pages mailboxes_{4096};
  Pages ringPages_{4096};
  Pages tables_{1 << 24}; ///< streams, tables and records, in the order of their creation
  uint64_t used_ = 0;
  uint32_t sequence_ = 0;
  firmware::JobProfile profile_;
};

} // namespace avocet::sim::test

#endif // AVOCET_TESTS_SIM_TESTDRIVER_H

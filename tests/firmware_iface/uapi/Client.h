//===- Client.h - A context with programs to run ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FIRMWARE_IFACE_UAPI_CLIENT_H
#define AVOCET_TESTS_FIRMWARE_IFACE_UAPI_CLIENT_H

#include "Device.h"

#include <vector>

namespace avocet::uapi {

/// What a job does. Both copy region 1 to region 2. A gate first loops on the device until the first byte of region 3
/// is 0.
enum class Program { Copy, Gate };

struct Submitted {
  int error = 0;
  uint64_t job = 0;
  FileDescriptor fence; ///< valid if the job was accepted
};

struct Waited {
  int error = 0;
  uint32_t state = 0, fault = 0;
};

/// A context with code, an input, an output and a gate, all mapped.
class Client {
public:
  static constexpr uint32_t kBytes = 1000; ///< of input and output

  explicit Client(const Device &device, uint32_t owner = 0);
  ~Client();
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  const Device &device() const { return device_; }
  uint32_t context() const { return context_; }

  /// The call without fences. Its tables are `streams` and `regions`.
  avocet_submit describe(Program program);
  /// The call with fences before and after it.
  Submitted submit(avocet_submit call, const std::vector<int> &after = {});
  Submitted submit(Program program, const std::vector<int> &after = {}) { return submit(describe(program), after); }

  Waited wait(uint64_t job, int64_t until = afterNow(kPatience));
  int cancel(uint64_t job);
  uint64_t map(uint32_t handle, uint32_t access);

  void fill(uint8_t value); ///< the input; the output gets other values
  bool hasCopied(uint8_t value);
  void closeGate();
  void openGate();
  Buffer &output() { return output_; }

  std::vector<avocet_stream> streams;
  std::vector<avocet_region> regions;

private:
  const Device &device_;
  uint32_t context_ = 0;
  Buffer code_, input_, output_, gate_;
  uint64_t control_ = 0;
  uint32_t controlWords_ = 0;
};

/// ENOENT after the context's end.
int destroyContext(const Device &device, uint32_t context);

} // namespace avocet::uapi

#endif // AVOCET_TESTS_FIRMWARE_IFACE_UAPI_CLIENT_H

//===- DeviceServer.h - A simulated device on a bus -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_DEVICE_DEVICESERVER_H
#define AVOCET_SIM_DEVICE_DEVICESERVER_H

#include "FaultInjector.h"
#include "IvshmemPort.h"

#include <atomic>
#include <mutex>
#include <thread>

namespace avocet::sim {

/// Gives one guest a device: the calling thread takes its writes of registers, another one runs the device. Nothing
/// that a guest writes can harm the process; its writes are those of any driver (Device.h).
class DeviceServer {
public:
  DeviceServer(IvshmemPort &port, Device &device, FaultInjector *faults = nullptr);
  ~DeviceServer(); ///< ends the running job

  /// Serves until the guest has ended, or a fault ends the device.
  Status serve();

private:
  void takeWrites();
  void publish();
  void interruptArrived();
  void runDevice();

  IvshmemPort &port_;
  Device &device_;
  FaultInjector *faults_;
  uint32_t taken_ = 0;
  std::mutex publishing_; ///< guards the copy of the registers
  std::atomic<uint32_t> bells_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_DEVICE_DEVICESERVER_H

/*===- NoDevice.c - A plug-in in C --------------------------------*- C -*-===//
 *
 * Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===//
 *
 * The frame of a plug-in in C, which needs nothing of Avocet but the header: it never finds its device. The other
 * functions are reached only for a device that was opened.
 *
 *===----------------------------------------------------------------------===*/

#include <avocet/runtime/BackendPlugin.h>

#include <stdio.h>

static AvocetBackendCode openDevice(const AvocetBackendOptions *options, AvocetBackendDevice **device,
                                    AvocetBackendMessage *message) {
  (void)device;
  snprintf(message->text, sizeof(message->text), "there is no device of target %s at '%s'; is its driver loaded?",
           options->targetName, options->argument);
  return AVOCET_BACKEND_NOT_FOUND;
}

static void closeDevice(AvocetBackendDevice *device) { (void)device; }

static void readProperties(AvocetBackendDevice *device, AvocetBackendProperties *properties) {
  (void)device;
  (void)properties;
}

static AvocetBackendCode createContext(AvocetBackendDevice *device, uint32_t owner, uint32_t *context,
                                       AvocetBackendMessage *message) {
  (void)device, (void)owner, (void)context, (void)message;
  return AVOCET_BACKEND_DEVICE_LOST;
}

static AvocetBackendCode useContext(AvocetBackendDevice *device, uint32_t context, AvocetBackendMessage *message) {
  (void)device, (void)context, (void)message;
  return AVOCET_BACKEND_DEVICE_LOST;
}

static AvocetBackendCode createBuffer(AvocetBackendDevice *device, uint64_t bytes, uint32_t *buffer,
                                      AvocetBackendMessage *message) {
  (void)device, (void)bytes, (void)buffer, (void)message;
  return AVOCET_BACKEND_DEVICE_LOST;
}

static AvocetBackendCode importBuffer(AvocetBackendDevice *device, int32_t file, uint64_t offset, uint64_t bytes,
                                      uint32_t writable, uint32_t *buffer, AvocetBackendMessage *message) {
  (void)device, (void)file, (void)offset, (void)bytes, (void)writable, (void)buffer, (void)message;
  return AVOCET_BACKEND_DEVICE_LOST;
}

static AvocetBackendCode exportBuffer(AvocetBackendDevice *device, uint32_t buffer, int32_t *file,
                                      AvocetBackendMessage *message) {
  (void)device, (void)buffer, (void)file, (void)message;
  return AVOCET_BACKEND_DEVICE_LOST;
}

static AvocetBackendCode mapBuffer(AvocetBackendDevice *device, uint32_t context, uint32_t buffer, uint32_t access,
                                   uint64_t *address, AvocetBackendMessage *message) {
  (void)device, (void)context, (void)buffer, (void)access, (void)address, (void)message;
  return AVOCET_BACKEND_DEVICE_LOST;
}

static AvocetBackendCode useNumber(AvocetBackendDevice *device, uint32_t context, uint64_t number,
                                   AvocetBackendMessage *message) {
  (void)device, (void)context, (void)number, (void)message;
  return AVOCET_BACKEND_DEVICE_LOST;
}

static AvocetBackendCode submitJob(AvocetBackendDevice *device, const AvocetBackendSubmission *submission,
                                   uint64_t *job, AvocetBackendMessage *message) {
  (void)device, (void)submission, (void)job, (void)message;
  return AVOCET_BACKEND_DEVICE_LOST;
}

static AvocetBackendCode waitForJob(AvocetBackendDevice *device, uint32_t context, uint64_t job, int64_t nanoseconds,
                                    AvocetBackendOutcome *outcome, AvocetBackendMessage *message) {
  (void)device, (void)context, (void)job, (void)nanoseconds, (void)outcome, (void)message;
  return AVOCET_BACKEND_DEVICE_LOST;
}

static AvocetBackendCode resetDevice(AvocetBackendDevice *device, AvocetBackendMessage *message) {
  (void)device, (void)message;
  return AVOCET_BACKEND_DEVICE_LOST;
}

const AvocetBackendTable *avocetBackendTable(void) {
  static const AvocetBackendTable table = {.size = sizeof(AvocetBackendTable),
                                           .abi = AVOCET_BACKEND_ABI,
                                           .name = "nodevice",
                                           .version = "1.0",
                                           .description = "A plug-in in C without a device",
                                           .open = openDevice,
                                           .close = closeDevice,
                                           .properties = readProperties,
                                           .createContext = createContext,
                                           .destroyContext = useContext,
                                           .createBuffer = createBuffer,
                                           .importBuffer = importBuffer,
                                           .exportBuffer = exportBuffer,
                                           .destroyBuffer = useContext,
                                           .map = mapBuffer,
                                           .unmap = useNumber,
                                           .submit = submitJob,
                                           .cancel = useNumber,
                                           .wait = waitForJob,
                                           .reset = resetDevice};
  return &table;
}

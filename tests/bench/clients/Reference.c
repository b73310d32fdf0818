// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All work goes to nnapi-reference, whatever devices were chosen: TensorFlow Lite's C interface cannot name a device,
// and by itself TensorFlow Lite never chooses the CPU.
#define _GNU_SOURCE // for RTLD_NEXT
#include "avocet/NeuralNetworks.h"

#include <dlfcn.h>
#include <stddef.h>

static const ANeuralNetworksDevice *cpu(void) {
  uint32_t count = 0;
  ANeuralNetworks_getDeviceCount(&count);
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice *device = NULL;
    int32_t type = 0;
    if (ANeuralNetworks_getDevice(i, &device) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksDevice_getType(device, &type) == ANEURALNETWORKS_NO_ERROR && type == ANEURALNETWORKS_DEVICE_CPU)
      return device;
  }
  return NULL;
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel *model,
                                                          const ANeuralNetworksDevice *const *devices, uint32_t count,
                                                          bool *supported) {
  int (*ask)(const ANeuralNetworksModel *, const ANeuralNetworksDevice *const *, uint32_t, bool *);
  *(void **)&ask = dlsym(RTLD_NEXT, "ANeuralNetworksModel_getSupportedOperationsForDevices");
  const ANeuralNetworksDevice *const device = cpu();
  (void)devices, (void)count;
  return ask(model, &device, 1, supported);
}

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model,
                                                const ANeuralNetworksDevice *const *devices, uint32_t count,
                                                ANeuralNetworksCompilation **compilation) {
  int (*create)(ANeuralNetworksModel *, const ANeuralNetworksDevice *const *, uint32_t, ANeuralNetworksCompilation **);
  *(void **)&create = dlsym(RTLD_NEXT, "ANeuralNetworksCompilation_createForDevices");
  const ANeuralNetworksDevice *const device = cpu();
  (void)devices, (void)count;
  return create(model, &device, 1, compilation);
}

//===- Nnapi.c - Uses the installed NNAPI library ---------------*- C -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <avocet/NeuralNetworks.h>

#include <stdio.h>

// Prints the devices. Exit code 1: there are none.
int main(void) {
  uint32_t count = 0;
  if (ANeuralNetworks_getDeviceCount(&count) != ANEURALNETWORKS_NO_ERROR || count == 0)
    return 1;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice *device = NULL;
    const char *name = NULL;
    if (ANeuralNetworks_getDevice(i, &device) != ANEURALNETWORKS_NO_ERROR ||
        ANeuralNetworksDevice_getName(device, &name) != ANEURALNETWORKS_NO_ERROR)
      return 1;
    printf("%s\n", name);
  }
  return 0;
}

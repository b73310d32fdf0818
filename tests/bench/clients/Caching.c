// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilations use the folder "cache" in the current folder: TensorFlow Lite's C interface has no option for it. One
// model for each folder, since all have the same token.
#define _GNU_SOURCE // for RTLD_NEXT
#include "avocet/NeuralNetworks.h"

#include <dlfcn.h>

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation) {
  static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {1};
  int (*finish)(ANeuralNetworksCompilation *);
  *(void **)&finish = dlsym(RTLD_NEXT, "ANeuralNetworksCompilation_finish");
  const int code = ANeuralNetworksCompilation_setCaching(compilation, "cache", token);
  return code != ANEURALNETWORKS_NO_ERROR ? code : finish(compilation);
}

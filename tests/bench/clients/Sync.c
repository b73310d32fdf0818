// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executions in bursts become single ones: TensorFlow Lite 2.9 always uses bursts on devices of this feature level.
#include "avocet/NeuralNetworks.h"

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst) {
  (void)burst;
  return ANeuralNetworksExecution_compute(execution);
}

// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing is taken from this library but its name.
extern const char kAvocetNeuralNetworksByPath;
const char kAvocetNeuralNetworksByPath = 0;

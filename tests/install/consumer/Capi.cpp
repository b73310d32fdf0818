//===- Capi.cpp - Uses the installed C library from C++ -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <avocet/avocet.hpp>

#include <cstdio>

// Prints the cycles of a network with zeros as input.
int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  try {
    const avocet::api::Model model = avocet::api::Network(argv[1]).compile();
    avocet::api::Run run(model);
    run.execute();
    std::printf("%s on %s: %llu cycles\n", model.name().c_str(), model.target().c_str(),
                static_cast<unsigned long long>(run.cycles()));
  } catch (const avocet::api::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

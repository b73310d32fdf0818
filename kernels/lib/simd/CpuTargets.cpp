//===- CpuTargets.cpp - The vector instructions of this processor ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that Highway's headers call. They replace the library libhwy: when it is loaded, it measures the
// resolution of the processor's timer, which takes 4 ms of the start of each process.
//
//===----------------------------------------------------------------------===//

#include <hwy/targets.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace hwy {
namespace {

constexpr int64_t kPlainTargets = HWY_STATIC_TARGET | HWY_EMU128 | HWY_SCALAR;

/// Bits that are set in no answer of SupportedTargets().
std::atomic<int64_t> disabledTargets{0};
/// 0: those of the processor.
std::atomic<int64_t> testedTargets{0};

#if HWY_ARCH_X86
bool hasAvx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
         __builtin_cpu_supports("f16c") != 0 && __builtin_cpu_supports("lzcnt") != 0;
}

bool hasAvx3() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512cd") != 0;
}

bool hasAvx3Dl() {
  return __builtin_cpu_supports("avx512vnni") != 0 && __builtin_cpu_supports("vpclmulqdq") != 0 &&
         __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512vbmi2") != 0 &&
         __builtin_cpu_supports("vaes") != 0 && __builtin_cpu_supports("avx512vpopcntdq") != 0 &&
         __builtin_cpu_supports("avx512bitalg") != 0 && __builtin_cpu_supports("gfni") != 0;
}

/// Each form needs the instructions of the narrower ones too.
int64_t detect() {
  int64_t targets = kPlainTargets;
  if (__builtin_cpu_supports("ssse3") == 0)
    return targets;
  targets |= HWY_SSSE3;
  if (__builtin_cpu_supports("sse4.1") == 0 || __builtin_cpu_supports("sse4.2") == 0 ||
      __builtin_cpu_supports("pclmul") == 0 || __builtin_cpu_supports("aes") == 0)
    return targets;
  targets |= HWY_SSE4;
  if (!hasAvx2())
    return targets;
  targets |= HWY_AVX2;
  if (!hasAvx3())
    return targets;
  targets |= HWY_AVX3;
  return hasAvx3Dl() ? targets | HWY_AVX3_DL : targets;
}
#else
int64_t detect() { return kPlainTargets; }
#endif

} // namespace

ChosenTarget &GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

int64_t SupportedTargets() {
  static const int64_t detected = detect();
  if (const int64_t tested = testedTargets.load(std::memory_order_relaxed); tested != 0)
    return tested;
  const int64_t targets = detected & ~disabledTargets.load(std::memory_order_relaxed);
  return targets != 0 ? targets : int64_t{HWY_STATIC_TARGET};
}

void DisableTargets(int64_t targets) {
  disabledTargets.store(targets, std::memory_order_relaxed);
  GetChosenTarget().DeInit();
}

void SetSupportedTargetsForTest(int64_t targets) {
  testedTargets.store(targets, std::memory_order_relaxed);
  GetChosenTarget().DeInit();
}

/// Called by assertions of the headers, which only builds without optimization or with sanitizers contain.
void Abort(const char *file, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)std::fprintf(stderr, "%s:%d: ", file, line);
  (void)std::vfprintf(stderr, format, arguments);
  (void)std::fputc('\n', stderr);
  va_end(arguments);
  std::abort();
}

} // namespace hwy

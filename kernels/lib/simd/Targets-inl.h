//===- Targets-inl.h - Instruction sets with vector forms ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Include after hwy/highway.h in every file that is compiled once per instruction set. The vector forms rely on a fixed
// number of 128-bit blocks. Where that does not hold (scalar emulation, scalable vectors), they return false without
// effect, and the plain form runs.
//
//===----------------------------------------------------------------------===//

// Included once per instruction set, so that the guard toggles.
#if defined(AVOCET_KERNELS_LIB_SIMD_TARGETS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef AVOCET_KERNELS_LIB_SIMD_TARGETS_INL_H
#undef AVOCET_KERNELS_LIB_SIMD_TARGETS_INL_H
#else
#define AVOCET_KERNELS_LIB_SIMD_TARGETS_INL_H
#endif

// Highway 1.0.3 detects the 512-bit dot-product extension for this target, but does not enable it in the compiler. The
// extension makes one instruction of a widening multiply and the addition.
#if HWY_TARGET == HWY_AVX3_DL
#undef HWY_TARGET_STR
#define HWY_TARGET_STR                                                                                                 \
  HWY_TARGET_STR_AVX3                                                                                                  \
  ",vpclmulqdq,avx512vbmi,avx512vbmi2,vaes,avxvnni,avx512vnni,avx512bitalg,avx512vpopcntdq"
#endif

#undef AVOCET_HAVE_VECTORS
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_HAVE_SCALABLE
#define AVOCET_HAVE_VECTORS 0
#else
#define AVOCET_HAVE_VECTORS 1
#endif

#endif // AVOCET_KERNELS_LIB_SIMD_TARGETS_INL_H

// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception
#ifndef __CHECKER__ /* sparse does not parse the definitions */
#define CREATE_TRACE_POINTS
#include "avocet_trace.h"
#endif

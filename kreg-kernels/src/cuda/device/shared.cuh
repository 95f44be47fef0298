// Dynamic shared memory as an array `name` of T: its bytes are those of the launch. One such array per kernel. The CPU
// emulator defines the macro before this file is read.
#pragma once

#ifndef DYN_SHARED
#define DYN_SHARED(T, name) extern __shared__ __align__(16) T name[]
#endif

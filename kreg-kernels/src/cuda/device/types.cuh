// Fixed-size integers: NVRTC has no <cstdint>.
#pragma once

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

constexpr u32 WARP = 32;
constexpr u32 ALL_LANES = 0xffffffffu;

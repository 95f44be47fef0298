// Integer and byte intrinsics, by their definitions.
#pragma once

static inline int __dp4a(int a, int b, int c) {
    unsigned sum = static_cast<unsigned>(c);
    for (int i = 0; i < 4; i++) {
        sum += static_cast<unsigned>(static_cast<int8_t>(a >> 8 * i) * static_cast<int8_t>(b >> 8 * i));
    }
    return static_cast<int>(sum);
}

static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 4; i++) c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
    return c;
}

// Four bytes of the eight in b:a, chosen by the nibbles of `selector`; a nibble's top bit spreads the byte's sign.
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const uint64_t bytes = static_cast<uint64_t>(b) << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned pick = selector >> 4 * i & 15;
        const unsigned byte = static_cast<unsigned>(bytes >> 8 * (pick & 7)) & 255;
        result |= (pick & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * i;
    }
    return result;
}

// Per byte, signed, saturating: a - b.
static inline unsigned __vsubss4(unsigned a, unsigned b) {
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        const int d = static_cast<int8_t>(a >> 8 * i) - static_cast<int8_t>(b >> 8 * i);
        result |= static_cast<unsigned>(static_cast<uint8_t>(max(-128, min(127, d)))) << 8 * i;
    }
    return result;
}

// Per byte, wrapping: a - b.
static inline unsigned __vsub4(unsigned a, unsigned b) {
    unsigned result = 0;
    for (int i = 0; i < 4; i++) result |= ((a >> 8 * i) - (b >> 8 * i) & 255) << 8 * i;
    return result;
}

// The upper word of (high:low) << (shift & 31), and the lower word of (high:low) >> (shift & 31).
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) << (shift & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) >> (shift & 31));
}

static inline int __popc(unsigned v) {
    return __builtin_popcount(v);
}
static inline int __ffs(int v) {
    return __builtin_ffs(v);
}
static inline int __clz(int v) {
    return v ? __builtin_clz(static_cast<unsigned>(v)) : 32;
}
static inline unsigned __brev(unsigned v) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= (v >> i & 1) << (31 - i);
    return r;
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}

#include "order.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace emu {

Order Order::parse(const char* text) {
    Order order;
    if (!text || !*text || !strcmp(text, "forward") || !strcmp(text, "0")) return order;
    if (!strcmp(text, "reverse") || !strcmp(text, "1")) {
        order.kind = Reverse;
        return order;
    }
    uint64_t seed = 1;
    if (!strncmp(text, "random:", 7)) {
        seed = strtoull(text + 7, nullptr, 10);
    } else if (strcmp(text, "random")) {
        seed = strtoull(text, nullptr, 10);
        if (seed < 2) {
            fprintf(stderr, "cuda emulator: EMU_ORDER=%s is not forward, reverse, random or random:SEED\n", text);
            abort();
        }
    }
    order.kind = Random;
    order.state = 0x9E3779B97F4A7C15ull * (2 * seed + 1);
    return order;
}

uint64_t Order::next() {  // xorshift64
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 16;
}

Order::Permutation Order::draw(uint64_t n) {
    if (kind != Random || n < 2 || n >> 31) return {n, 1, 0};
    uint64_t factor;
    do factor = next() % n | 1;
    while (std::gcd(factor, n) != 1);
    return {n, factor, next() % n};
}

uint64_t Order::at(const Permutation& p, uint64_t i) const {
    switch (kind) {
        case Forward: return i;
        case Reverse: return p.n - 1 - i;
        default: return (p.factor * i + p.shift) % p.n;
    }
}

}  // namespace emu

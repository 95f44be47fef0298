// The order in which blocks, warps and lanes run: a correct kernel gives the same result in every one.
#pragma once
#include <cstdint>

namespace emu {

// Forward, reverse, or a permutation drawn anew each time.
class Order {
  public:
    // `text`: "forward", "reverse", "random", "random:SEED", or the numbers 0, 1, SEED > 1.
    static Order parse(const char* text);

    // A permutation of 0..n, in the form that `at` takes.
    struct Permutation {
        uint64_t n, factor, shift;
    };
    Permutation draw(uint64_t n);

    // Item `i` of a permutation.
    uint64_t at(const Permutation& p, uint64_t i) const;

  private:
    enum Kind { Forward, Reverse, Random } kind = Forward;
    uint64_t state = 1;
    uint64_t next();
};

}  // namespace emu

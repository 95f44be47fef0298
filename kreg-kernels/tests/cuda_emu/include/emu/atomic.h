// Atomics on 32- and 64-bit words: relaxed, as CUDA's are.
#pragma once

namespace emu {

template <class T, class F>
static inline T update(T* word, F next) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    auto* bits = reinterpret_cast<Bits*>(word);
    Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED), want;
    do {
        want = static_cast<Bits>(to_bits(next(from_bits<T>(old))));
    } while (!__atomic_compare_exchange_n(bits, &old, want, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return from_bits<T>(old);
}

}  // namespace emu

// The operand's type is that of the word, as CUDA's overloads make it.
#define EMU_ATOMIC(name, expression)                                     \
    template <class T>                                                   \
    static inline T name(T* word, std::common_type_t<T> value) {         \
        return emu::update(word, [=](T old) -> T { return expression; }); \
    }
EMU_ATOMIC(atomicAdd, old + value)
EMU_ATOMIC(atomicSub, old - value)
EMU_ATOMIC(atomicMax, old > value ? old : value)
EMU_ATOMIC(atomicMin, old < value ? old : value)
EMU_ATOMIC(atomicOr, old | value)
EMU_ATOMIC(atomicAnd, old & value)
EMU_ATOMIC(atomicExch, ((void)old, value))
#undef EMU_ATOMIC

template <class T>
static inline T atomicCAS(T* word, std::common_type_t<T> compare, std::common_type_t<T> value) {
    return emu::update(word, [=](T old) { return old == compare ? value : old; });
}

// `selftest KERNEL`: runs a kernel of bugs.cu in one block of 256 threads and prints what y sums to.
#include <cstdio>
#include <cstdlib>
#include "cuda_emu.h"

int main(int count, char** arguments) {
    const emu::Kernel* kernel = count == 2 ? emu::find_kernel(arguments[1]) : nullptr;
    if (!kernel) {
        fprintf(stderr, "selftest: no such kernel\n");
        return 2;
    }
    float* buffers[2];
    for (float*& b : buffers) b = static_cast<float*>(aligned_alloc(256, 256 * sizeof(float)));
    for (int i = 0; i < 256; i++) buffers[0][i] = static_cast<float>(i);
    void* values[2] = {&buffers[0], &buffers[1]};
    emu::run(*kernel, 1, 256, 256 * sizeof(float), values);
    float sum = 0;
    for (int i = 0; i < 256; i++) sum += buffers[1][i];
    printf("%g\n", static_cast<double>(sum));
    for (float* b : buffers) free(b);
}

/* Which instruction sets this processor and its operating system offer. */
#include "kernels.h"
#include <stddef.h>

#if defined(__x86_64__)

#include <cpuid.h>

extern const kernel_set kindling_set_sse2, kindling_set_avx2, kindling_set_avx512, kindling_set_avx512vnni, kindling_set_amx;

static int has(unsigned value, int bit) { return value >> bit & 1; }

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

/* Linux hands the tiles to a process that asks: ARCH_REQ_XCOMP_PERM for the state component XTILEDATA. */
static int may_use_tiles(void) { return syscall(SYS_arch_prctl, 0x1023, 18) == 0; }
#else
static int may_use_tiles(void) { return 0; }
#endif

/* Intel SDM, CPUID leaves 1 and 7, and XCR0. */
static int best_rank(void) {
    unsigned a, b, c, d, features;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
    int fma = has(c, 12), f16c = has(c, 29), osxsave = has(c, 27);
    if (!fma || !f16c || !osxsave) return 0;
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6 || !__get_cpuid_count(7, 0, &a, &b, &features, &d)) return 0;
    int avx2 = has(b, 5) && has(b, 3) && has(b, 8);
    if (!avx2) return 0;
    int avx512 = has(b, 16) && has(b, 17) && has(b, 28) && has(b, 30) && has(b, 31);
    if (!avx512 || (low & 0xe6) != 0xe6) return 1;
    if (!has(features, 11)) return 2;
    int tiles = has(d, 22) && has(d, 24) && has(d, 25) && (low & 0x60000) == 0x60000;
    return tiles && may_use_tiles() ? 4 : 3;
}

const kernel_set *kernel_set_at(int rank) {
    static const kernel_set *const sets[] = {
        &kindling_set_sse2, &kindling_set_avx2, &kindling_set_avx512, &kindling_set_avx512vnni, &kindling_set_amx};
    return rank <= best_rank() ? sets[rank] : NULL;
}

#elif defined(__aarch64__)

extern const kernel_set kindling_set_neon, kindling_set_dotprod;

#if defined(__linux__)
#include <sys/auxv.h>
/* HWCAP_ASIMDDP of the Linux kernel's arm64 interface. */
static int has_dotprod(void) { return getauxval(AT_HWCAP) >> 20 & 1; }
#elif defined(__APPLE__)
/* Every Apple processor that runs macOS has it. */
static int has_dotprod(void) { return 1; }
#else
static int has_dotprod(void) { return 0; }
#endif

const kernel_set *kernel_set_at(int rank) {
    if (rank == 0) return &kindling_set_neon;
    return rank == 1 && has_dotprod() ? &kindling_set_dotprod : NULL;
}

#endif

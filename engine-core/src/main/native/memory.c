#define _FILE_OFFSET_BITS 64
#include "memory.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef _WIN32

#include <malloc.h>

void *memory_allocate(int64_t size) { return _aligned_malloc((size_t)(size ? size : 1), 64); }
void memory_free(void *memory) { _aligned_free(memory); }

void *memory_map(const char *path, int64_t offset, int64_t size, int *problem) {
    *problem = -1;
    return NULL;
}

void memory_unmap(void *memory, int64_t size) {}

#else

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

void *memory_allocate(int64_t size) {
    void *memory;
    return posix_memalign(&memory, 64, (size_t)(size ? size : 1)) == 0 ? memory : NULL;
}

void memory_free(void *memory) { free(memory); }

/* The mapping starts at a page; the caller's address lies `offset % page` behind it. */
void *memory_map(const char *path, int64_t offset, int64_t size, int *problem) {
    int64_t lead = offset % sysconf(_SC_PAGESIZE);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        *problem = errno;
        return NULL;
    }
    char *start = mmap(NULL, (size_t)(size + lead), PROT_READ, MAP_SHARED, file, offset - lead);
    *problem = errno;
    close(file);
    return start == MAP_FAILED ? NULL : start + lead;
}

void memory_unmap(void *memory, int64_t size) {
    int64_t lead = (int64_t)((uintptr_t)memory % (uintptr_t)sysconf(_SC_PAGESIZE));
    munmap((char *)memory - lead, (size_t)(size + lead));
}

#endif

/* A kept piece begins with its size, on a cache line of its own. */
#define KEPT 64
#define SIZE_BYTES 64

static _Atomic(uintptr_t) kept[KEPT];

void *scratch_take(int64_t size) {
    for (int i = 0; i < KEPT; i++) {
        if (!atomic_load_explicit(&kept[i], memory_order_relaxed)) continue;
        char *piece = (char *)atomic_exchange(&kept[i], 0);
        if (piece && *(int64_t *)piece >= size) return piece + SIZE_BYTES;
        if (piece) memory_free(piece);
    }
    char *piece = memory_allocate(size + SIZE_BYTES);
    if (!piece) return NULL;
    *(int64_t *)piece = size;
    return piece + SIZE_BYTES;
}

void scratch_return(void *memory) {
    uintptr_t piece = (uintptr_t)memory - SIZE_BYTES;
    for (int i = 0; i < KEPT; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&kept[i], &none, piece)) return;
    }
    memory_free((void *)piece);
}

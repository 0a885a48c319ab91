/* Host memory without Java's 2 GiB limit. */
#ifndef KINDLING_MEMORY_H
#define KINDLING_MEMORY_H

#include <stdint.h>

/* Memory aligned to 64, or NULL. */
void *memory_allocate(int64_t size);
void memory_free(void *memory);

/*
 * Memory for one call of a kernel, aligned to 64 and with any contents, or NULL. What is given back is kept for the next call of
 * any thread, a few pieces at most.
 */
void *scratch_take(int64_t size);
void scratch_return(void *memory);

/* Maps `size` bytes of a file from `offset`, read-only. NULL with errno in *problem, or -1 where files cannot be mapped here. */
void *memory_map(const char *path, int64_t offset, int64_t size, int *problem);
void memory_unmap(void *memory, int64_t size);

#endif

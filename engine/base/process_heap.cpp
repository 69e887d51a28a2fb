#include "engine/base/process_heap.h"

#include <malloc.h>

namespace lacuna {

void trimHeap() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

std::int64_t allocatedHeapBytes() {
#ifdef __GLIBC__
    const struct mallinfo2 info = ::mallinfo2();
    return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
#else
    return 0;
#endif
}

}  // namespace lacuna

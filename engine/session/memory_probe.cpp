#include "engine/session/memory_probe.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "engine/kv/slot_memory.h"

namespace lacuna {
namespace {

constexpr std::int64_t kIntervalNs = 100'000'000;

std::int64_t readResident() {
    std::ifstream file("/proc/self/statm");  // total and resident size, in pages
    std::int64_t total = 0;
    std::int64_t resident = 0;
    if (!(file >> total >> resident)) return 0;
    // Pages shared by several caches are mapped several times but exist only once.
    return std::max<std::int64_t>(resident * ::sysconf(_SC_PAGESIZE) - bytesMappedTwice(), 0);
}

}  // namespace

std::int64_t MemoryProbe::residentBytes() {
    const std::int64_t now = clock_.nowNs();
    if (readAtNs_ && now - *readAtNs_ < kIntervalNs) return bytes_;
    readAtNs_ = now;
    bytes_ = readResident();
    return bytes_;
}

}  // namespace lacuna

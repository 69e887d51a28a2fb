#include "engine/kv/slot/spare_rows.h"

#include <sys/mman.h>
#include <unistd.h>

namespace lacuna {
namespace {

// Guesses that were wrong are taken back with every step; a trim worth a call frees much more.
constexpr std::size_t kWorthIt = 64 * 1024;

/// Pages of a block that lie after its first `used` bytes. Small blocks have neighbours.
void giveBackBehind(SlotBlock& block, std::size_t used) {
    if (block.size() < SlotAllocator::kMappedFrom || block.shared()) return;
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t kept = (used + page - 1) / page * page;
    const std::size_t whole = block.size() / page * page;
    // Refused: the memory stays, as before.
    if (kept < whole) ::madvise(block.data() + kept, whole - kept, MADV_DONTNEED);
}

}  // namespace

void giveSpareRowsBack(SlotState& state, std::int64_t removed) {
    const SlotSizes sizes = slotSizes(state.shape);
    if (static_cast<std::size_t>(removed) * sizes.key < kWorthIt) return;
    for (HeadStore& head : state.heads) {
        const auto rows = static_cast<std::size_t>(head.slots);
        giveBackBehind(head.keys, rows * sizes.key);
        giveBackBehind(head.values, rows * sizes.value);
    }
}

}  // namespace lacuna

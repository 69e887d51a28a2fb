#include "engine/kv/window/window_state.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/slot/slot_state.h"
#include "engine/kv/slot_memory.h"
#include "engine/kv/state_words.h"

namespace lacuna {
namespace {

/// The kept first tokens and the newest others, `most` slots in all, oldest first.
std::vector<std::int32_t> newestInOrder(const TokenWindow& window, int most) {
    std::vector<std::int32_t> order = temporalOrder(window);
    const int surplus = window.slots() - most;
    if (surplus > 0) {
        const auto from = order.begin() + std::min(window.rule.keep, most);
        order.erase(from, from + surplus);
    }
    return order;
}

void appendPositions(TokenWindow& window, int tokens) {
    for (int i = 0; i < tokens; ++i)
        window.positions.push_back(static_cast<std::int32_t>(window.offset + i));
    window.offset += tokens;
    window.next = window.slots();
}

bool isIdentity(const std::vector<std::int32_t>& order, int slots) {
    return static_cast<int>(order.size()) == slots && std::is_sorted(order.begin(), order.end());
}

/// Moves the remaining slots to the front, if any slot is dropped or moved.
void gather(WindowStep& step, const TokenWindow& window, std::vector<std::int32_t> order) {
    if (isIdentity(order, window.slots())) return;
    step.gathers = true;
    step.after.positions.clear();
    for (const std::int32_t slot : order)
        step.after.positions.push_back(window.positions[static_cast<std::size_t>(slot)]);
    step.after.next = step.after.slots();
    step.order = std::move(order);
}

void overwriteOldest(WindowStep& step) {
    TokenWindow& after = step.after;
    if (after.next >= after.rule.size) after.next = after.rule.keep;
    step.firstSlot = after.next;
    step.overwrites = true;
    after.positions[static_cast<std::size_t>(after.next)] = static_cast<std::int32_t>(after.offset);
    ++after.next;
    ++after.offset;
}

}  // namespace

Status checkRule(const WindowRule& rule) {
    if (rule.size < 2)
        return fail(ErrorCode::InvalidArgument,
                    format("window of {} tokens, expected 2 or more", rule.size));
    const int most = rule.size - 1;
    if (rule.keep < 0 || rule.keep > most)
        return fail(ErrorCode::InvalidArgument,
                    format("keep is {} in a window of {} tokens, expected 0 to {}", rule.keep,
                           rule.size, most));
    return {};
}

WindowStep planAppend(const TokenWindow& window, int tokens, AppendMode mode) {
    LACUNA_REQUIRE(tokens >= 1, "an append of at least one token");
    const int size = window.rule.size;
    const bool fresh = mode == AppendMode::SpeculativeFirst;
    WindowStep step;
    step.after = window;
    if (mode == AppendMode::Plain && tokens == 1 && window.slots() >= size) {
        if (window.slots() > size) {
            gather(step, window, newestInOrder(window, size));
            step.after.next = window.rule.keep;
        }
        overwriteOldest(step);
        return step;
    }
    if (mode == AppendMode::Plain) gather(step, window, newestInOrder(window, size - 1));
    if (fresh && (!window.inOrder() || window.slots() > 2 * size))
        gather(step, window, newestInOrder(window, size));
    step.firstSlot = step.after.slots();
    appendPositions(step.after, tokens);
    return step;
}

std::vector<std::int32_t> temporalOrder(const TokenWindow& window) {
    std::vector<std::int32_t> order(window.positions.size());
    std::iota(order.begin(), order.end(), 0);
    if (window.inOrder()) return order;
    std::rotate(order.begin() + window.rule.keep, order.begin() + window.next, order.end());
    return order;
}

int trimmable(const TokenWindow& window) {
    return window.offset < window.rule.size ? window.slots() : 0;
}

void removeNewest(TokenWindow& window, int tokens) {
    LACUNA_REQUIRE(tokens >= 0 && tokens <= window.slots(), "no more tokens than there are");
    LACUNA_REQUIRE(tokens == 0 || window.inOrder(), "the newest tokens are at the end");
    window.positions.resize(window.positions.size() - static_cast<std::size_t>(tokens));
    window.offset -= tokens;
    if (tokens > 0) window.next = window.slots();
}

namespace {

// The only kind of window.
constexpr std::uint32_t kRing = 0;

Result<std::int64_t> readCount(ByteReader& reader, const char* what) {
    const auto value = reader.read<std::uint32_t>();
    if (!value) return corruptState("it ends within the header");
    if (*value > std::numeric_limits<std::int32_t>::max())
        return corruptState(format("{} is {}", what, *value));
    return std::int64_t{*value};
}

/// Checks that a cache of this rule can hold these tokens: the kept first ones, then the newest
/// without a gap.
Status checkTokens(const TokenWindow& window) {
    std::int64_t expected = window.offset - window.slots();
    const std::vector<std::int32_t> order = temporalOrder(window);
    for (int i = 0; i < window.slots(); ++i) {
        const std::int64_t position =
            window.positions[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
        const bool kept = i < window.rule.keep && position == i;
        if (!kept && position != expected + i)
            return corruptState(
                format("token {} of the window is {}, expected {}", i, position, expected + i));
    }
    return {};
}

Result<TokenWindow> readWindow(ByteReader& reader) {
    TokenWindow window;
    LACUNA_TRY(const std::int64_t kind, readCount(reader, "kind"));
    LACUNA_TRY(const std::int64_t size, readCount(reader, "window"));
    LACUNA_TRY(const std::int64_t keep, readCount(reader, "keep"));
    LACUNA_TRY(const std::int64_t slots, readCount(reader, "slot count"));
    LACUNA_TRY(const std::int64_t next, readCount(reader, "ring index"));
    const auto offset = reader.read<std::uint64_t>();
    if (!offset) return corruptState("it ends within the header");
    if (kind != kRing) return corruptState(format("window kind {} is unknown", kind));
    window.rule = {static_cast<int>(size), static_cast<int>(keep)};
    if (auto status = checkRule(window.rule); !status) return corruptState(status.error().what);
    const std::int64_t least = next == slots ? 0 : keep + 1;
    if (*offset > std::numeric_limits<std::int32_t>::max() ||
        slots > static_cast<std::int64_t>(*offset) || next < least || next > slots)
        return corruptState(
            format("{} slots of {} tokens with ring index {}", slots, *offset, next));
    const auto positions = reader.take(static_cast<std::uint64_t>(slots) * sizeof(std::int32_t));
    if (!positions) return corruptState("it ends within the positions");
    window.offset = static_cast<std::int64_t>(*offset);
    window.next = static_cast<int>(next);
    window.positions.resize(static_cast<std::size_t>(slots));
    if (slots > 0) std::memcpy(window.positions.data(), positions->data(), positions->size());
    LACUNA_TRY_STATUS(checkTokens(window));
    return window;
}

void putRows(std::string& out, const SlotBlock& block, std::size_t bytes) {
    if (bytes > 0) out.append(reinterpret_cast<const char*>(block.data()), bytes);
}

void copyRows(const WindowRows& from, std::size_t rows, const SlotSizes& sizes, WindowRows& to) {
    std::memcpy(to.keys.data(), from.keys.data(), rows * sizes.key);
    if (sizes.value > 0) std::memcpy(to.values.data(), from.values.data(), rows * sizes.value);
}

}  // namespace

Result<std::vector<WindowRows>> makeWindowRows(const KvShape& shape, std::int64_t capacity,
                                               SlotAllocator& allocator) {
    const SlotSizes sizes = slotSizes(shape);
    const auto rows = static_cast<std::size_t>(capacity);
    std::vector<WindowRows> heads(static_cast<std::size_t>(shape.layers) *
                                  static_cast<std::size_t>(shape.kvHeads));
    for (WindowRows& head : heads) {
        LACUNA_TRY(head.keys, allocator.allocate(rows * sizes.key));
        LACUNA_TRY(head.values, allocator.allocate(rows * sizes.value));
    }
    return heads;
}

Status growRows(WindowState& state, int tokens, SlotAllocator& allocator) {
    const std::int64_t slots = state.window.slots();
    if (slots + tokens <= state.capacity) return {};
    const bool first = state.capacity == 0;
    const std::int64_t capacity = std::max(
        slots + tokens, std::min<std::int64_t>(grownCapacity(state.capacity, slots, tokens),
                                               state.window.rule.size));
    LACUNA_TRY(auto heads, makeWindowRows(state.shape, capacity, allocator));
    const SlotSizes sizes = slotSizes(state.shape);
    const auto rows = static_cast<std::size_t>(slots);
    for (std::size_t h = 0; h < heads.size() && rows > 0; ++h) {
        copyRows(state.heads[h], rows, sizes, heads[h]);
        state.heads[h] = {};
    }
    state.heads = std::move(heads);
    state.capacity = capacity;
    if (!first) ++state.reallocations;
    return {};
}

KvStats statsOf(const WindowState& state) {
    const auto heads = static_cast<std::int64_t>(state.heads.size());
    const std::int64_t slots = state.window.slots();
    const std::int64_t positions = slots * static_cast<std::int64_t>(sizeof(std::int32_t));
    KvStats stats;
    stats.tokens = state.window.offset;
    stats.slotsTotal = heads * slots;
    stats.slotsLargestHead = static_cast<int>(slots);
    stats.numbers = stats.slotsTotal * state.shape.extent(LayerIndex(0)).elements();
    stats.logicalBytes = logicalBytes(state.shape, stats.tokens);
    stats.liveBytes = heads * headBytes(state.shape, HeadLayout{}, slots) + positions;
    stats.allocatedBytes = heads * headBytes(state.shape, HeadLayout{}, state.capacity) + positions;
    for (const ExactRows& rows : state.exact) {
        stats.exactBytes += exactBytes(state.shape, rows.count());
        stats.allocatedBytes += exactBytes(state.shape, rows.capacity());
    }
    stats.liveBytes += stats.exactBytes;
    stats.scaleBytes = scaleBytes(state.shape, stats.slotsTotal);
    stats.reallocations = state.reallocations;
    return stats;
}

Result<WindowState> copyState(const WindowState& state, SlotAllocator& allocator) {
    WindowState out;
    out.shape = state.shape;
    out.rotations = state.rotations;
    out.window = state.window;
    out.capacity = state.capacity;
    LACUNA_TRY(out.heads, makeWindowRows(state.shape, out.capacity, allocator));
    const auto rows = static_cast<std::size_t>(state.window.slots());
    for (std::size_t h = 0; h < out.heads.size() && rows > 0; ++h)
        copyRows(state.heads[h], rows, slotSizes(state.shape), out.heads[h]);
    for (const ExactRows& from : state.exact) {
        LACUNA_TRY(out.exact.emplace_back(), from.copy(state.shape, allocator));
    }
    return out;
}

std::string writeWindowState(const WindowState& state) {
    const TokenWindow& window = state.window;
    std::string out(kWindowMagic);
    putWord(out, state.shape.keepsExact() ? kExactStateVersion : kWindowStateVersion);
    putShape(out, state.shape);
    putRotations(out, state.shape, state.rotations);
    putExactWindow(out, state.shape);
    putWord(out, kRing);
    for (const int field : {window.rule.size, window.rule.keep, window.slots(), window.next})
        putWord(out, static_cast<std::uint32_t>(field));
    putWord(out, static_cast<std::uint64_t>(window.offset));
    for (const std::int32_t position : window.positions) putWord(out, position);
    for (const ExactRows& rows : state.exact)
        if (state.shape.keepsExact()) putWord(out, static_cast<std::uint32_t>(rows.count()));
    const SlotSizes sizes = slotSizes(state.shape);
    const auto slots = static_cast<std::size_t>(window.slots());
    for (std::size_t h = 0; h < state.heads.size(); ++h) {
        putRows(out, state.heads[h].keys, slots * sizes.key);
        putRows(out, state.heads[h].values, slots * sizes.value);
        putExactRows(out, state.shape, state.exact[h], [](std::int32_t slot) { return slot; });
    }
    sealState(out);
    return out;
}

namespace {

/// Number of 16-bit rows of each head.
Result<std::vector<int>> readExactCounts(ByteReader& reader, const WindowState& state,
                                         std::uint64_t heads) {
    std::vector<int> counts;
    if (!state.shape.keepsExact()) return counts;
    for (std::uint64_t h = 0; h < heads; ++h) {
        LACUNA_TRY(const std::int64_t count, readCount(reader, "count of rows in 16 bits"));
        if (count > state.window.slots())
            return corruptState(
                format("{} rows in 16 bits of {} slots", count, state.window.slots()));
        counts.push_back(static_cast<int>(count));
    }
    return counts;
}

std::uint64_t bytesOf(const std::vector<int>& exact, const KvShape& shape) {
    std::uint64_t rows = 0;
    for (const int count : exact) rows += static_cast<std::uint64_t>(count);
    return rows * (sizeof(std::int32_t) + exactSizes(shape).row());
}

}  // namespace

void dropOldExact(WindowState& state, std::int64_t asking) {
    for (ExactRows& rows : state.exact)
        rows.move([&](std::int32_t slot) {
            const std::int32_t position = state.window.positions[static_cast<std::size_t>(slot)];
            return state.shape.exact.covers(position, asking) ? slot : -1;
        });
}

Result<WindowState> readWindowState(std::string_view bytes, SlotAllocator& allocator,
                                    const RowsInUse& rows) {
    LACUNA_TRY(const auto body, unsealState(bytes));
    ByteReader reader(body);
    LACUNA_TRY(const std::uint32_t version, readStart(reader, kWindowMagic, kExactStateVersion));
    WindowState state;
    LACUNA_TRY(state.shape, readShape(reader));
    LACUNA_TRY(const std::uint64_t seed, readRotations(reader, state.shape, rows.rotations));
    if (version == kExactStateVersion) {
        if (!state.shape.rotated())
            return corruptState("it has rows in 16 bits but no rotated codes");
        LACUNA_TRY(state.shape.exact, readExactWindow(reader));
    }
    LACUNA_TRY(state.window, readWindow(reader));
    const SlotSizes sizes = slotSizes(state.shape);
    const auto slots = static_cast<std::uint64_t>(state.window.slots());
    const std::uint64_t heads = static_cast<std::uint64_t>(state.shape.layers) *
                                static_cast<std::uint64_t>(state.shape.kvHeads);
    LACUNA_TRY(const std::vector<int> exact, readExactCounts(reader, state, heads));
    const std::uint64_t exactRows = bytesOf(exact, state.shape);
    const auto perHead = checkedMultiply(slots, sizes.key + sizes.value);
    const auto expected = perHead ? checkedMultiply(*perHead, heads) : std::nullopt;
    if (!expected || exactRows > reader.remaining() || *expected != reader.remaining() - exactRows)
        return corruptState(
            format("{} heads of {} slots do not fit {} bytes", heads, slots, reader.remaining()));
    LACUNA_TRY(state.rotations, LayerRotations::make(state.shape, seed));
    state.capacity = state.window.slots();
    LACUNA_TRY(state.heads, makeWindowRows(state.shape, state.capacity, allocator));
    for (std::size_t h = 0; h < state.heads.size(); ++h) {
        WindowRows& head = state.heads[h];
        for (auto [block, size] :
             {std::pair{&head.keys, sizes.key}, std::pair{&head.values, sizes.value}}) {
            const auto part = reader.take(slots * size);
            if (!part) return corruptState("it ends within the slots");
            if (slots > 0) std::memcpy(block->data(), part->data(), part->size());
        }
        LACUNA_TRY(state.exact.emplace_back(),
                   ExactRows::read(reader, state.shape, exact.empty() ? 0 : exact[h],
                                   state.window.slots(), allocator));
    }
    if (rows.exact && state.shape.rotated()) {
        state.shape.exact = *rows.exact;
        if (!state.shape.keepsExact()) state.exact = std::vector<ExactRows>(state.heads.size());
        dropOldExact(state, state.window.offset - 1);
    }
    return state;
}

}  // namespace lacuna

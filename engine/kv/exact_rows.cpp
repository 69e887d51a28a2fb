#include "engine/kv/exact_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/state_words.h"

namespace lacuna {
namespace {

constexpr int kRowQuantum = 16;
constexpr int kMaxNewest = 1024;

int roundedUp(int rows) {
    return (rows + kRowQuantum - 1) / kRowQuantum * kRowQuantum;
}

std::vector<ExactSlot> moved(std::span<const ExactSlot> places,
                             const std::function<std::int32_t(std::int32_t)>& slotOf) {
    std::vector<ExactSlot> out;
    out.reserve(places.size());
    for (const ExactSlot& at : places)
        if (const std::int32_t slot = slotOf(at.slot); slot >= 0) out.push_back({slot, at.place});
    std::ranges::sort(out, {}, &ExactSlot::slot);
    return out;
}

}  // namespace

ExactSizes exactSizes(const KvShape& shape) {
    if (!shape.keepsExact()) return {};
    const auto bytes = [](const KvQuant& quant, int dim) {
        return quant.rotated() ? sizeof(std::uint16_t) * static_cast<std::size_t>(dim) : 0;
    };
    return {bytes(shape.keyQuant, shape.keyDim), bytes(shape.valueQuant, shape.valueDim)};
}

std::int64_t exactBytes(const KvShape& shape, std::int64_t rows) {
    return rows * static_cast<std::int64_t>(exactSizes(shape).row() + sizeof(ExactSlot));
}

int ExactRows::settledRows(const KvShape& shape, int more) const {
    return roundedUp(std::max(count() + more, shape.exact.newest + shape.exact.first + 1));
}

bool ExactRows::fits(const KvShape& shape, int more) const {
    const int needed = count() + more;
    const int settled = settledRows(shape, more);
    return needed == 0 || (needed <= capacity_ && capacity_ <= settled + settled / 2);
}

Result<ExactRows::Room> ExactRows::room(const KvShape& shape, int more,
                                        SlotAllocator& allocator) const {
    const int needed = count() + more;
    Room out;
    if (fits(shape, more)) return out;
    out.capacity = needed <= capacity_ ? settledRows(shape, more) : roundedUp(needed);
    const std::size_t bytes = static_cast<std::size_t>(out.capacity) * exactSizes(shape).row();
    LACUNA_TRY(out.block, allocator.allocate(bytes));
    return out;
}

void ExactRows::take(const KvShape& shape, Room room) {
    if (room.capacity == 0) return;
    const std::size_t bytes = exactSizes(shape).row();
    std::int32_t place = 0;
    for (ExactSlot& at : kept_) {
        std::memcpy(room.block.data() + static_cast<std::size_t>(place) * bytes, row(shape, at),
                    bytes);
        at.place = place++;
    }
    block_ = std::move(room.block);
    capacity_ = room.capacity;
}

Result<ExactRows> ExactRows::copy(const KvShape& shape, SlotAllocator& allocator) const {
    ExactRows out;
    if (capacity_ == 0) return out;
    const std::size_t bytes = exactSizes(shape).row();
    out.capacity_ = capacity_;
    LACUNA_TRY(out.block_, allocator.allocate(static_cast<std::size_t>(capacity_) * bytes));
    for (const ExactSlot& at : kept_)
        std::memcpy(out.rowAt(at.place, bytes), row(shape, at), bytes);
    out.kept_ = kept_;
    return out;
}

void ExactRows::markUsedIndices() {
    used_.assign(static_cast<std::size_t>(capacity_), false);
    for (const ExactSlot& at : kept_) used_[static_cast<std::size_t>(at.place)] = true;
    nextIndex_ = 0;
}

std::int32_t ExactRows::freeIndex() {
    while (nextIndex_ < capacity_ && used_[static_cast<std::size_t>(nextIndex_)]) ++nextIndex_;
    LACUNA_REQUIRE(nextIndex_ < capacity_, "room for a row in 16 bits");
    return nextIndex_;
}

void ExactRows::open(std::span<const std::int32_t> order, std::int64_t first, int tokens) {
    if (order.empty()) {
        open_ = kept_;
    } else {
        open_ = moved(kept_, [order](std::int32_t slot) {
            const auto at = std::ranges::find(order, slot);
            return at == order.end() ? -1 : static_cast<std::int32_t>(at - order.begin());
        });
    }
    std::erase_if(open_, [first, tokens](const ExactSlot& at) {
        return at.slot >= first && at.slot < first + tokens;
    });
    const auto after = std::ranges::lower_bound(open_, first, {}, &ExactSlot::slot);
    after_ = static_cast<std::size_t>(after - open_.begin());
    run_.assign(open_.begin(), after);
    markUsedIndices();
}

std::byte* ExactRows::next(const KvShape& shape) {
    return rowAt(freeIndex(), exactSizes(shape).row());
}

void ExactRows::add(std::int32_t slot) {
    const auto at = open_.begin() + static_cast<std::ptrdiff_t>(after_++);
    open_.insert(at, {slot, nextIndex_++});
}

void ExactRows::addRun(std::int32_t slot, int token, int head, int tokens) {
    run_.push_back({slot, -1 - (head * tokens + token)});
}

void ExactRows::commit(const std::function<bool(std::int32_t)>& stays) {
    std::erase_if(open_, [&](const ExactSlot& at) { return !stays(at.slot); });
    std::swap(kept_, open_);
    abort();
}

void ExactRows::abort() {
    open_.clear();
    run_.clear();
    used_.clear();
}

void ExactRows::move(const std::function<std::int32_t(std::int32_t)>& slotOf) {
    if (!kept_.empty()) kept_ = moved(kept_, slotOf);
}

void ExactRows::copyRows(const KvShape& shape, const ExactRows& from, std::int64_t first,
                         std::int64_t slot) {
    const std::size_t bytes = exactSizes(shape).row();
    markUsedIndices();
    for (const ExactSlot& at : from.kept_) {
        if (at.slot < first) continue;
        std::memcpy(rowAt(freeIndex(), bytes), from.row(shape, at), bytes);
        kept_.push_back({static_cast<std::int32_t>(at.slot - first + slot), nextIndex_++});
    }
    abort();
}

ExactView ExactRows::view(const KvShape& shape, bool written, const std::byte* run) const {
    const ExactSizes sizes = exactSizes(shape);
    const std::vector<ExactSlot>& shown = !written ? kept_ : run != nullptr ? run_ : open_;
    return {.places = shown.data(),
            .count = static_cast<int>(shown.size()),
            .held = block_.data(),
            .run = run,
            .keyBytes = static_cast<int>(sizes.key),
            .valueBytes = static_cast<int>(sizes.value),
            .window = shape.exact};
}

void ExactRows::requireConsistent(std::int64_t slots) const {
    std::vector<bool> used(static_cast<std::size_t>(capacity_), false);
    std::int32_t previous = -1;
    for (const ExactSlot& at : kept_) {
        LACUNA_REQUIRE(at.slot > previous && at.slot < slots, "slots of rows in 16 bits ascend");
        LACUNA_REQUIRE(at.place >= 0 && at.place < capacity_, "every row in 16 bits has a slot");
        LACUNA_REQUIRE(!used[static_cast<std::size_t>(at.place)], "as many slots as rows");
        used[static_cast<std::size_t>(at.place)] = true;
        previous = at.slot;
    }
}

namespace {

/// Number of rows of an append that stay after it.
int staying(const ExactWindow& window, const ExactAppend& append) {
    int rows = 0;
    for (int i = 0; i < append.tokens; ++i)
        rows += window.covers(append.first + i, append.asking) ? 1 : 0;
    return rows;
}

}  // namespace

Result<std::vector<ExactRows::Room>> roomForAppend(
    const KvShape& shape, std::size_t heads,
    const std::function<const ExactRows&(std::size_t)>& rowsOf, ExactAppend& append,
    SlotAllocator& allocator) {
    std::vector<ExactRows::Room> rooms;
    if (!shape.keepsExact() || append.tokens == 0) return rooms;
    const int stay = staying(shape.exact, append);
    if (stay < append.tokens) {
        const std::size_t rows =
            static_cast<std::size_t>(shape.kvHeads) * static_cast<std::size_t>(append.tokens);
        LACUNA_TRY(append.run, allocator.allocate(rows * exactSizes(shape).row()));
    }
    bool fit = true;
    for (std::size_t i = 0; i < heads && fit; ++i) fit = rowsOf(i).fits(shape, stay);
    for (std::size_t i = 0; i < heads && !fit; ++i) {
        LACUNA_TRY(rooms.emplace_back(), rowsOf(i).room(shape, stay, allocator));
    }
    return rooms;
}

namespace {

constexpr int kWrittenTogether = 16;

/// Writes the codes of some tokens and, consecutively to `rows`, the 16-bit rows of the sides with
/// rotated codes. `fits` receives whether f16 can hold them.
void writeTokens(const AppendTarget& to, View<const float, 3> keys, View<const float, 3> values,
                 int first, int count, std::byte* rows, bool* fits) {
    const KvShape& shape = *to.shape;
    const ExactSizes sizes = exactSizes(shape);
    const auto write = [&](const RowFormat& format, const float* numbers, std::byte* codes,
                           std::byte* exact) {
        const std::int64_t stride = std::int64_t{shape.kvHeads} * format.dim;
        std::array<bool, kWrittenTogether> held;
        held.fill(true);
        encodeRows(format, {numbers + first * stride + to.head * format.dim, stride, count},
                   codes + static_cast<std::size_t>(first) * formatBytes(format),
                   {exact, sizes.row(), held.data()});
        for (int i = 0; i < count; ++i) fits[i] = fits[i] && held[static_cast<std::size_t>(i)];
    };
    const bool exactKeys = rows != nullptr && sizes.key > 0;
    const bool exactValues = rows != nullptr && sizes.value > 0;
    std::fill_n(fits, count, true);
    write(to.key, keys.data(), to.keys, exactKeys ? rows : nullptr);
    write(to.value, values.data(), to.values, exactValues ? rows + sizes.key : nullptr);
}

}  // namespace

void writeAppended(const AppendTarget& to, View<const float, 3> keys, View<const float, 3> values,
                   ExactAppend& append) {
    const KvShape& shape = *to.shape;
    const ExactSizes sizes = exactSizes(shape);
    const auto tokens = static_cast<int>(keys.extent(0));
    const bool exact = to.exact != nullptr && sizes.row() > 0;
    const bool runs = append.run.data() != nullptr;
    if (exact) to.exact->open(to.order, to.slot, tokens);
    std::array<std::byte, kWrittenTogether * 2 * sizeof(std::uint16_t) * kLongestRotatedRow> space;
    std::array<bool, kWrittenTogether> fits;
    for (int first = 0; first < tokens; first += kWrittenTogether) {
        const int count = std::min(kWrittenTogether, tokens - first);
        std::byte* const rows = !exact ? nullptr
                                : runs ? append.runRow(shape, to.head, first)
                                       : space.data();
        writeTokens(to, keys, values, first, count, rows, fits.data());
        for (int i = first; exact && i < first + count; ++i) {
            const auto at = static_cast<std::size_t>(i - first);
            if (!fits[at]) continue;
            const auto slot = static_cast<std::int32_t>(to.slot + i);
            if (runs) to.exact->addRun(slot, i, to.head, tokens);
            if (!shape.exact.covers(append.first + i, append.asking)) continue;
            std::memcpy(to.exact->next(shape), rows + at * sizes.row(), sizes.row());
            to.exact->add(slot);
        }
    }
}

void putExactWindow(std::string& out, const KvShape& shape) {
    if (!shape.keepsExact()) return;
    putWord(out, static_cast<std::uint32_t>(shape.exact.newest));
    putWord(out, static_cast<std::uint32_t>(shape.exact.first));
}

Result<ExactWindow> readExactWindow(ByteReader& reader) {
    const auto newest = reader.read<std::uint32_t>();
    const auto first = reader.read<std::uint32_t>();
    if (!newest || !first) return corruptState("it ends within the header");
    if (*newest < 1 || *newest > kMaxNewest || *first > kMaxNewest)
        return corruptState(
            format("rows in 16 bits of {} newest and {} first tokens", *newest, *first));
    return ExactWindow{static_cast<int>(*newest), static_cast<int>(*first)};
}

void putExactRows(std::string& out, const KvShape& shape, const ExactRows& rows,
                  const std::function<std::int32_t(std::int32_t)>& slotOf) {
    const std::vector<ExactSlot> places = moved(rows.places(), slotOf);
    for (const ExactSlot& at : places) putWord(out, at.slot);
    for (const ExactSlot& at : places)
        out.append(reinterpret_cast<const char*>(rows.row(shape, at)), exactSizes(shape).row());
}

Result<ExactRows> ExactRows::read(ByteReader& reader, const KvShape& shape, int count,
                                  std::int64_t slots, SlotAllocator& allocator) {
    const std::size_t bytes = exactSizes(shape).row();
    const auto rowCount = static_cast<std::size_t>(count);
    const auto labels = reader.take(rowCount * sizeof(std::int32_t));
    const auto rows = labels ? reader.take(rowCount * bytes) : std::nullopt;
    if (!rows) return corruptState("it ends within the rows in 16 bits");
    ExactRows out;
    LACUNA_TRY(Room memory, out.room(shape, count, allocator));
    out.take(shape, std::move(memory));
    if (count > 0) std::memcpy(out.block_.data(), rows->data(), rowCount * bytes);
    std::int32_t previous = -1;
    for (std::size_t i = 0; i < rowCount; ++i) {
        std::int32_t slot = 0;
        std::memcpy(&slot, labels->data() + i * sizeof(slot), sizeof(slot));
        if (slot <= previous || slot >= slots)
            return corruptState(format("row {} in 16 bits is of slot {} of {}", i, slot, slots));
        out.kept_.push_back({slot, static_cast<std::int32_t>(i)});
        previous = slot;
    }
    return out;
}

}  // namespace lacuna

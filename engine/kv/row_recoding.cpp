// Heads are encoded one after the other, each from its content at that time; after the last one all
// are extended by the tokens that arrived meanwhile. A head is encoded in position order and
// without its holes. The positions of the encoded rows tell which are still in the cache: dropped
// tokens are removed from the encoded rows wherever they were. 16-bit rows are created along
// with their codes and dropped at the end if the window has moved on.

#include "engine/kv/row_recoding.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/layer_layout.h"
#include "engine/kv/layer_rotations.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/slot_state.h"
#include "engine/kv/window/window_state.h"

namespace lacuna {
namespace {

// Room for the tokens that arrive while the other heads are encoded.
constexpr std::int64_t kRoomToGrow = kSlotQuantum;
// Rows per task of the pool.
constexpr std::int64_t kBlockRows = 64;
constexpr int kMaxDoublings = 20;

/// Layout of a list; any other cache has one part.
Result<LayerLayout> layoutOfChoice(const KvChoice& choice) {
    if (!choice.layers.empty()) return layoutOf(choice.shape, choice.layers);
    std::vector<int> all(static_cast<std::size_t>(choice.shape.layers));
    std::iota(all.begin(), all.end(), 0);
    return LayerLayout{.part = std::vector<int>(all.size(), 0),
                       .inner = all,
                       .distinct = {plansOf(choice).front()},
                       .owners = {all}};
}

std::int32_t positionOf(const KvHeadView& view, std::int32_t slot) {
    return view.positions == nullptr ? slot : view.positions[slot];
}

/// Slots of a head that hold a token, oldest token first.
std::vector<std::int32_t> slotsInTime(const KvHeadView& view) {
    std::vector<std::int32_t> slots;
    slots.reserve(static_cast<std::size_t>(view.slots));
    for (std::int32_t slot = 0; slot < view.slots; ++slot)
        if (view.bias == nullptr || view.bias[slot] != kHole) slots.push_back(slot);
    const auto position = [&view](std::int32_t slot) { return positionOf(view, slot); };
    if (!std::ranges::is_sorted(slots, {}, position)) std::ranges::sort(slots, {}, position);
    return slots;
}

/// Conversion of the keys or values of a head from one format to another.
struct Side {
    RowFormat from;
    RowFormat to;
    bool same = false;  ///< the format is unchanged, rows are copied
};

bool sameFormat(const RowFormat& a, const RowFormat& b) {
    if (!(a.quant == b.quant)) return false;
    if (a.quant.plain()) return a.type == b.type;
    return !a.quant.rotated() || a.rotation == b.rotation || *a.rotation == *b.rotation;
}

Side sideOf(const RowFormat& from, const RowFormat& to) {
    return {.from = from, .to = to, .same = sameFormat(from, to)};
}

/// A head in the new format, with the positions of its source rows.
struct CodedHead {
    HeadStore store;                           ///< rows in position order
    std::vector<std::int32_t> positions = {};  ///< positions of the rows
    /// Number of tokens in the cache when the last row was encoded; -1 if rows are missing.
    std::int64_t tokens = -1;

    void keepFirst(std::size_t rows) {
        store.slots = static_cast<std::int64_t>(rows);
        positions.resize(rows);
        store.norms.resize(std::min(store.norms.size(), rows));
        store.exact.move(
            [rows](std::int32_t row) { return static_cast<std::size_t>(row) < rows ? row : -1; });
        tokens = -1;
    }
    /// Keeps only the given rows, in their order.
    void keepOnly(std::span<const std::int32_t> rows, const SlotSizes& sizes);
};

void moveRow(SlotBlock& block, std::size_t from, std::size_t to, std::size_t bytes) {
    if (block.size() > 0)
        std::memmove(block.data() + to * bytes, block.data() + from * bytes, bytes);
}

void CodedHead::keepOnly(std::span<const std::int32_t> rows, const SlotSizes& sizes) {
    std::vector<std::int32_t> placeOf(positions.size(), -1);
    for (std::size_t to = 0; to < rows.size(); ++to) {
        const auto from = static_cast<std::size_t>(rows[to]);
        placeOf[from] = static_cast<std::int32_t>(to);
        if (from == to) continue;
        moveRow(store.keys, from, to, sizes.key);
        moveRow(store.values, from, to, sizes.value);
        moveRow(store.positions, from, to, sizeof(std::int32_t));
        moveRow(store.bias, from, to, sizeof(float));
        positions[to] = positions[from];
        if (!store.norms.empty()) store.norms[to] = store.norms[from];
    }
    store.exact.move(
        [&placeOf](std::int32_t row) { return placeOf[static_cast<std::size_t>(row)]; });
    keepFirst(rows.size());
}

/// Drops rows that are no longer in the cache, and all rows after a missing one.
void dropGone(CodedHead& coded, const KvHeadView& from, std::span<const std::int32_t> slots,
              const SlotSizes& sizes) {
    std::vector<std::int32_t> kept;
    std::size_t live = 0;
    for (std::size_t row = 0; row < coded.positions.size() && live < slots.size(); ++row) {
        const std::int32_t oldest = positionOf(from, slots[live]);
        if (oldest < coded.positions[row]) break;
        if (oldest > coded.positions[row]) continue;
        kept.push_back(static_cast<std::int32_t>(row));
        ++live;
    }
    if (kept.size() < coded.positions.size()) coded.keepOnly(kept, sizes);
}

/// Source rows and their target format.
struct HeadCoding {
    const KvHeadView& view;
    const KvShape& shape;  ///< shape of the new format
    Side key;
    Side value;
    bool norms = false;
};

using ReadRows = void (*)(const KvHeadView&, int, int, int, float*);

/// Encodes slots [first, first + count) into `out`.
void codeSide(const Side& side, const KvHeadView& view, const std::byte* rows, ReadRows read,
              std::int32_t first, std::int64_t count, std::byte* out) {
    const std::size_t bytes = formatBytes(side.to);
    if (bytes == 0) return;  // values that are in the keys
    const auto many = static_cast<std::size_t>(count);
    if (side.same) {
        std::memcpy(out, rows + static_cast<std::size_t>(first) * bytes, many * bytes);
        return;
    }
    const auto dim = static_cast<std::size_t>(side.to.dim);
    std::vector<float> numbers(many * dim);
    read(view, side.to.dim, first, static_cast<int>(count), numbers.data());
    for (std::size_t i = 0; i < many; ++i)
        encodeRowSaturated(side.to, std::span(numbers).subspan(i * dim, dim), out + i * bytes);
}

/// Encodes rows [first, end) from the corresponding entries of `slots`.
void codeBlock(const HeadCoding& coding, std::span<const std::int32_t> slots, std::int64_t first,
               std::int64_t end, HeadStore& to) {
    const SlotSizes sizes = slotSizes(coding.shape);
    const auto slotAt = [&](std::int64_t row) { return slots[static_cast<std::size_t>(row)]; };
    for (std::int64_t row = first; row < end;) {
        const std::int32_t slot = slotAt(row);
        std::int64_t run = 1;
        while (row + run < end && slotAt(row + run) == slot + run) ++run;
        const auto at = static_cast<std::size_t>(row);
        codeSide(coding.key, coding.view, coding.view.keys, readKeys, slot, run,
                 to.keys.data() + at * sizes.key);
        codeSide(coding.value, coding.view, coding.view.values, readValues, slot, run,
                 to.values.data() + at * sizes.value);
        row += run;
    }
    std::vector<float> numbers(static_cast<std::size_t>(coding.shape.keyDim));
    for (std::int64_t row = first; row < end; ++row) {
        const auto at = static_cast<std::size_t>(row);
        if (to.layout.positions)
            to.positions.as<std::int32_t>()[at] = positionOf(coding.view, slotAt(row));
        if (to.layout.bias) to.bias.as<float>()[at] = coding.view.bias[slotAt(row)];
        if (!coding.norms) continue;
        decodeRow(coding.key.to, to.keys.data() + at * sizes.key, numbers);
        to.norms[at] = norm(numbers);
    }
}

/// Benefit of a 16-bit row compared with its code.
enum class Gain { No, Yes, DoesNotFit };

/// Writes the key or value of a slot in 16 bits. An existing 16-bit row is copied.
Gain writeExact(const Side& side, const KvHeadView& view, ReadRows read, std::int32_t slot,
                const std::byte* had, std::byte* out) {
    if (!side.to.quant.rotated()) return Gain::No;
    const auto dim = static_cast<std::size_t>(side.to.dim);
    if (side.same && had != nullptr) {
        std::memcpy(out, had, dim * sizeof(std::uint16_t));
        return Gain::Yes;
    }
    std::vector<float> numbers(dim);
    std::vector<std::byte> code(formatBytes(side.to));
    read(view, side.to.dim, slot, 1, numbers.data());
    if (!encodeRowAndExact(side.to, numbers, code.data(), out)) return Gain::DoesNotFit;
    return side.same ? Gain::No : Gain::Yes;
}

/// Creates 16-bit rows for the rows among [first, end) that the newest token must see exactly.
Status addExact(const HeadCoding& coding, std::span<const std::int32_t> slots, std::int64_t first,
                std::int64_t end, std::int64_t asking, CodedHead& coded, SlotAllocator& allocator) {
    if (!coding.shape.keepsExact()) return {};
    const auto covered = [&](std::int32_t row) {
        return coding.shape.exact.covers(coded.positions[static_cast<std::size_t>(row)], asking);
    };
    std::vector<std::int32_t> rows;
    for (auto row = static_cast<std::int32_t>(first); row < end; ++row)
        if (covered(row)) rows.push_back(row);
    ExactRows& exact = coded.store.exact;
    LACUNA_TRY(ExactRows::Room room,
               exact.room(coding.shape, static_cast<int>(rows.size()), allocator));
    exact.take(coding.shape, std::move(room));
    const ExactSizes sizes = exactSizes(coding.shape);
    exact.open({}, first, static_cast<int>(end - first));
    for (const std::int32_t row : rows) {
        const std::int32_t slot = slots[static_cast<std::size_t>(row)];
        const ExactView& view = coding.view.exact;
        const auto place = view.within(slot, 1);
        const std::byte* const key =
            place.empty() || view.keyBytes == 0 ? nullptr : view.key(place.front());
        const std::byte* const value =
            place.empty() || view.valueBytes == 0 ? nullptr : view.value(place.front());
        std::byte* const out = exact.next(coding.shape);
        const Gain ofKey = writeExact(coding.key, coding.view, readKeys, slot, key, out);
        const Gain ofValue =
            writeExact(coding.value, coding.view, readValues, slot, value, out + sizes.key);
        const bool fits = ofKey != Gain::DoesNotFit && ofValue != Gain::DoesNotFit;
        if (fits && (ofKey == Gain::Yes || ofValue == Gain::Yes)) exact.add(row);
    }
    exact.commit(covered);
    return {};
}

bool differsInRowsAlone(const KvCache& cache, const KvChoice& choice) {
    const KvShape& shape = cache.shape();
    const KvShape& target = choice.shape;
    if (shape.layers != target.layers || shape.kvHeads != target.kvHeads ||
        shape.keyDim != target.keyDim || shape.valueDim != target.valueDim ||
        shape.extents != target.extents)
        return false;
    const std::vector<LayerPlan>* const plans = cache.layerPlans();
    if ((plans != nullptr) == choice.layers.empty()) return false;
    if (plans != nullptr)
        return std::ranges::equal(*plans, choice.layers, {}, &LayerPlan::window,
                                  &LayerPlan::window);
    const KvCapabilities able = cache.capabilities();
    const WindowRule rule = choice.window.value_or(WindowRule{});
    return able.windowSize == rule.size && able.windowKeep == rule.keep;
}

}  // namespace

KvChoice withRowsOf(const KvCache& cache, const KvChoice& choice) {
    KvChoice rows{.shape = choice.shape, .window = {}, .layers = {}};
    if (const std::vector<LayerPlan>* const plans = cache.layerPlans()) {
        rows.layers = *plans;
        const std::vector<LayerPlan> target = plansOf(choice);
        for (std::size_t i = 0; i < std::min(rows.layers.size(), target.size()); ++i) {
            rows.layers[i].keyQuant = target[i].keyQuant;
            rows.layers[i].valueQuant = target[i].valueQuant;
        }
    } else if (const KvCapabilities able = cache.capabilities(); able.windowSize > 0) {
        rows.window = WindowRule{able.windowSize, able.windowKeep};
    }
    return rows;
}

bool sameRows(const KvChoice& a, const KvChoice& b) {
    KvShape shape = a.shape;
    shape.exact.first = b.shape.exact.first;
    return shape == b.shape && a.window == b.window && a.layers == b.layers;
}

namespace {

/// recodedBytes for layers that differ.
std::int64_t recodedBytesByLayer(const KvCache& cache, const KvShape& rows) {
    KvShape part = rows;
    part.extents.clear();
    std::int64_t bytes = 0;
    for (int i = 0; i < rows.layers; ++i) {
        const LayerIndex layer(i);
        const KvExtent extent = rows.extent(layer);
        part.keyDim = extent.keyDim;
        part.valueDim = extent.valueDim;
        part.valuesInKeys = extent.valuesInKeys;
        const SlotSizes sizes = slotSizes(part);
        const std::int64_t exact = std::int64_t{rows.exact.newest} + rows.exact.first;
        for (int head = 0; head < extent.heads; ++head) {
            const std::int64_t slots = cache.slots(layer, HeadIndex(head));
            bytes += slots * static_cast<std::int64_t>(sizes.key + sizes.value);
            if (rows.keepsExact()) bytes += exactBytes(part, std::min(exact, slots));
        }
    }
    return bytes;
}

}  // namespace

std::int64_t recodedBytes(const KvCache& cache, const KvShape& rows) {
    if (!rows.uniform()) return recodedBytesByLayer(cache, rows);
    const SlotSizes sizes = slotSizes(rows);
    const std::int64_t heads = std::int64_t{rows.layers} * rows.kvHeads;
    const KvStats stats = cache.stats();
    const std::int64_t exact =
        rows.keepsExact()
            ? std::min<std::int64_t>(rows.exact.newest + rows.exact.first, stats.slotsLargestHead)
            : 0;
    return stats.slotsTotal * static_cast<std::int64_t>(sizes.key + sizes.value) +
           heads * exactBytes(rows, exact);
}

struct RowRecoding::Impl {
    KvChoice target;
    Options options;
    std::vector<LayerPlan> plans;  ///< by layer
    LayerLayout layout;
    std::vector<KvShape> shapes;            ///< by part
    std::vector<LayerRotations> rotations;  ///< by part
    std::vector<CodedHead> heads;           ///< by KvShape::headIndex
    std::int64_t compactions = 0;  ///< compactions of the cache when its first head was encoded
    int restarts = 0;
    std::size_t next = 0;         ///< first head that is not encoded yet
    std::vector<HeadStore> left;  ///< heads of the old cache, after the new one was taken

    [[nodiscard]] SlotAllocator& allocator() const {
        return options.allocator != nullptr ? *options.allocator : systemSlotAllocator();
    }
    [[nodiscard]] KvHeadLocation placeOf(std::size_t head) const {
        return target.shape.placeOf(static_cast<int>(head));
    }
    [[nodiscard]] bool hasWindow(std::size_t head) const {
        return plans[static_cast<std::size_t>(placeOf(head).layer.value)].window.has_value();
    }
    [[nodiscard]] KvHeadView view(const KvCache& cache, std::size_t head) const {
        const KvHeadLocation at = placeOf(head);
        return cache.head(at.layer, at.head);
    }
    [[nodiscard]] HeadCoding coding(const KvHeadView& from, std::size_t head) const;
    void dropChanged(const KvCache& cache, std::int64_t kept);
    [[nodiscard]] Status makeRoom(std::size_t head, const KvShape& shape, const KvHeadView& from,
                                  std::int64_t rows);
    [[nodiscard]] Status code(const KvCache& cache, std::size_t head, std::int64_t& rows,
                              ThreadPool& pool);
    [[nodiscard]] std::vector<std::size_t> headsOf(std::size_t part) const;
    [[nodiscard]] std::unique_ptr<KvCache> slotPart(const KvCache& cache, std::size_t part);
    [[nodiscard]] std::unique_ptr<KvCache> windowPart(const KvCache& cache, std::size_t part);
};

std::vector<std::size_t> RowRecoding::Impl::headsOf(std::size_t part) const {
    std::vector<std::size_t> found;
    for (const int layer : layout.owners[part])
        for (int head = 0; head < shapes[part].kvHeads; ++head)
            found.push_back(static_cast<std::size_t>(
                target.shape.headIndex(LayerIndex(layer), HeadIndex(head))));
    return found;
}

HeadCoding RowRecoding::Impl::coding(const KvHeadView& from, std::size_t head) const {
    const KvHeadLocation at = placeOf(head);
    const auto layer = static_cast<std::size_t>(at.layer.value);
    const auto part = static_cast<std::size_t>(layout.part[layer]);
    const KvShape& shape = shapes[part];
    const auto own = static_cast<std::size_t>(
        shape.headIndex(LayerIndex(layout.inner[layer]), at.head));  // within the part
    return {
        .view = from,
        .shape = shape,
        .key = sideOf(keyFormat(from, shape.keyDim), keyFormat(shape, rotations[part].keys(own))),
        .value = sideOf(valueFormat(from, shape.valuesInKeys ? 0 : shape.valueDim),
                        valueFormat(shape, rotations[part].values(own))),
        .norms = options.norms && !hasWindow(head)};
}

/// Discards rows that may be stale: a compaction may have changed the value of any slot, and a
/// position may hold another token after a rollback.
void RowRecoding::Impl::dropChanged(const KvCache& cache, std::int64_t kept) {
    const std::int64_t now = cache.stats().compactions;
    if (now != compactions) {
        compactions = now;
        restarts = std::min(restarts + 1, kMaxDoublings);
        for (CodedHead& head : heads) head = {};
        next = 0;
        return;
    }
    for (CodedHead& head : heads) {
        const auto first = std::ranges::lower_bound(head.positions, kept);
        if (first != head.positions.end())
            head.keepFirst(static_cast<std::size_t>(first - head.positions.begin()));
    }
}

/// Makes room for `rows` rows of a head. Restarts the head if columns were added since.
Status RowRecoding::Impl::makeRoom(std::size_t head, const KvShape& shape, const KvHeadView& from,
                                   std::int64_t rows) {
    CodedHead& coded = heads[head];
    // All heads of a window have the same tokens and share one list of positions.
    const HeadLayout columns{.positions = !hasWindow(head) && from.positions != nullptr,
                             .bias = from.bias != nullptr};
    if (!(coded.store.layout == columns)) coded = {};
    coded.store.layout = columns;
    if (coded.store.capacity >= rows) return {};
    LACUNA_TRY(HeadStore larger, makeHeadStore(shape, columns, rows + kRoomToGrow, allocator()));
    copySlots(shape, coded.store, larger);
    larger.exact = std::move(coded.store.exact);
    coded.store = std::move(larger);
    return {};
}

/// Encodes up to `rows` new rows of the head and reduces `rows` by their number.
Status RowRecoding::Impl::code(const KvCache& cache, std::size_t head, std::int64_t& rows,
                               ThreadPool& pool) {
    CodedHead& coded = heads[head];
    const KvHeadView from = view(cache, head);
    const std::vector<std::int32_t> slots = slotsInTime(from);
    const auto count = static_cast<std::int64_t>(slots.size());
    const HeadCoding how = coding(from, head);
    LACUNA_TRY_STATUS(makeRoom(head, how.shape, from, count));
    dropGone(coded, from, slots, slotSizes(how.shape));
    const std::int64_t first = coded.store.slots;
    const std::int64_t end = std::min(count, first + std::max<std::int64_t>(rows, 0));
    if (how.norms) coded.store.norms.resize(static_cast<std::size_t>(end));
    const auto blocks = static_cast<int>((end - first + kBlockRows - 1) / kBlockRows);
    pool.parallelFor(blocks, [&](int block) {
        const std::int64_t from64 = first + block * kBlockRows;
        codeBlock(how, slots, from64, std::min(end, from64 + kBlockRows), coded.store);
    });
    for (std::int64_t row = first; row < end; ++row)
        coded.positions.push_back(positionOf(from, slots[static_cast<std::size_t>(row)]));
    const std::int64_t tokens = cache.offset().value;
    LACUNA_TRY_STATUS(addExact(how, slots, first, end, tokens - 1, coded, allocator()));
    coded.store.slots = end;
    coded.tokens = end == count ? tokens : -1;
    rows -= end - first;
    return {};
}

RowRecoding::RowRecoding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RowRecoding::~RowRecoding() = default;

const KvChoice& RowRecoding::target() const {
    return impl_->target;
}

double RowRecoding::share(const KvCache& cache) const {
    const std::int64_t all = cache.stats().slotsTotal;
    std::int64_t coded = 0;
    for (const CodedHead& head : impl_->heads) coded += head.store.slots;
    return all <= 0 ? 1.0 : std::min(1.0, static_cast<double>(coded) / static_cast<double>(all));
}

Result<std::unique_ptr<RowRecoding>> RowRecoding::begin(const KvCache& cache, KvChoice target,
                                                        Options options) {
    if (!differsInRowsAlone(cache, target))
        return fail(ErrorCode::Incompatible,
                    "the cache differs from the requested one in more than the format of its rows");
    auto impl = std::make_unique<Impl>();
    impl->options = options;
    impl->plans = plansOf(target);
    LACUNA_TRY(impl->layout, layoutOfChoice(target));
    for (std::size_t part = 0; part < impl->layout.distinct.size(); ++part) {
        const KvShape shape =
            target.layers.empty()
                ? target.shape
                : partShape(target.shape, impl->layout.distinct[part], impl->layout.owners[part]);
        LACUNA_TRY_STATUS(checkShape(shape));
        LACUNA_TRY(LayerRotations rotations, LayerRotations::make(shape, kRotationSeed));
        impl->shapes.push_back(shape);
        impl->rotations.push_back(std::move(rotations));
    }
    impl->heads.resize(static_cast<std::size_t>(target.shape.headCount()));
    impl->compactions = cache.stats().compactions;
    impl->target = std::move(target);
    return std::unique_ptr<RowRecoding>(new RowRecoding(std::move(impl)));
}

Result<bool> RowRecoding::advance(const KvCache& cache, const Slice& slice, ThreadPool& pool) {
    Impl& my = *impl_;
    my.dropChanged(cache, slice.kept);
    std::int64_t rows = slice.rows << my.restarts;
    const std::int64_t tokens = cache.offset().value;
    for (; my.next < my.heads.size(); ++my.next) {
        LACUNA_TRY_STATUS(my.code(cache, my.next, rows, pool));
        if (my.heads[my.next].tokens != tokens) return false;
    }
    for (std::size_t head = 0; head < my.heads.size(); ++head) {
        if (my.heads[head].tokens == tokens) continue;
        LACUNA_TRY_STATUS(my.code(cache, head, rows, pool));
        if (my.heads[head].tokens != tokens) return false;
    }
    return true;
}

std::unique_ptr<KvCache> RowRecoding::Impl::slotPart(const KvCache& cache, std::size_t part) {
    SlotState state;
    state.shape = shapes[part];
    state.rotations = rotations[part];
    state.tokens = state.lowest = cache.offset().value;
    for (const std::size_t head : headsOf(part)) {
        HeadStore& store = heads[head].store;
        dropOldExact(store, state.shape.exact, state.tokens - 1);
        if (store.layout.positions) {
            state.compactions = cache.stats().compactions;
            state.settledTokens = state.tokens - cache.capabilities().rollbackLimit;
        }
        state.heads.push_back(std::move(store));
    }
    return slotCacheOf(std::move(state), allocator());
}

std::unique_ptr<KvCache> RowRecoding::Impl::windowPart(const KvCache& cache, std::size_t part) {
    WindowState state;
    state.shape = shapes[part];
    state.rotations = rotations[part];
    state.window.rule = *layout.distinct[part].window;
    state.window.offset = cache.offset().value;
    for (const std::size_t head : headsOf(part)) {
        CodedHead& coded = heads[head];
        state.window.positions = coded.positions;
        state.capacity = state.heads.empty() ? coded.store.capacity
                                             : std::min(state.capacity, coded.store.capacity);
        state.exact.push_back(std::move(coded.store.exact));
        state.heads.push_back({std::move(coded.store.keys), std::move(coded.store.values)});
    }
    state.window.next = state.window.slots();
    dropOldExact(state, state.window.offset - 1);
    return windowCacheOf(std::move(state), allocator());
}

Result<std::unique_ptr<KvCache>> RowRecoding::take(KvCache& cache) {
    Impl& my = *impl_;
    for (const CodedHead& head : my.heads)
        LACUNA_REQUIRE(head.tokens == cache.offset().value, "every row is coded before the end");
    std::vector<std::unique_ptr<KvCache>> parts;
    for (std::size_t part = 0; part < my.layout.distinct.size(); ++part)
        parts.push_back(my.layout.distinct[part].window ? my.windowPart(cache, part)
                                                        : my.slotPart(cache, part));
    std::unique_ptr<KvCache> made;
    if (my.target.layers.empty()) {
        made = std::move(parts.front());
    } else {
        std::unique_ptr<StateStore> states;
        if (cache.states() != nullptr) {
            LACUNA_TRY(states, cache.states()->clone());
        }
        LACUNA_TRY(made, joinCacheList(my.target.shape, my.target.layers, std::move(parts),
                                       std::move(states)));
    }
    // Rows of layers with a window are few; they are freed with the old cache.
    Snapshots* const old = cache.snapshots();
    if (old != nullptr)
        for (SlotState* const slots : old->sharedSlots())
            std::ranges::move(slots->heads, std::back_inserter(my.left));
    return made;
}

bool RowRecoding::release(std::int64_t bytes) {
    std::vector<HeadStore>& left = impl_->left;
    for (; !left.empty() && bytes > 0; left.pop_back())
        bytes -= static_cast<std::int64_t>(left.back().keys.size() + left.back().values.size());
    return !left.empty();
}

}  // namespace lacuna

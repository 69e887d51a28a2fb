#include "engine/kv/window/window_cache.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/slot_state.h"
#include "engine/kv/speculation.h"
#include "engine/kv/window/window_state.h"

namespace lacuna {
namespace {

constexpr std::int64_t kMaxTokens = std::numeric_limits<std::int32_t>::max();

/// The current append: the resulting window, and the data to undo it.
struct PendingAppend {
    int tokens = 0;
    WindowStep step;
    ExactAppend exact;
    std::vector<WindowRows> gathered;  ///< used if the step gathers
    std::int64_t gatheredCapacity = 0;
    std::vector<bool> written;           ///< by layer
    std::vector<std::byte> overwritten;  ///< the row that each head overwrote, key then value
};

class WindowCache final : public KvCache {
  public:
    WindowCache(WindowState state, SlotAllocator& allocator)
        : state_(std::move(state)),
          allocator_(&allocator),
          speculation_(*this),
          norms_(state_.heads.size()) {}

    [[nodiscard]] const KvShape& shape() const override { return state_.shape; }
    [[nodiscard]] KvCapabilities capabilities() const override;
    [[nodiscard]] KvStats stats() const override { return statsOf(state_); }
    [[nodiscard]] Position offset() const override {
        return Position(static_cast<std::int32_t>(state_.window.offset));
    }
    [[nodiscard]] int slots(LayerIndex /*layer*/, HeadIndex /*head*/) const override {
        return state_.window.slots();
    }
    [[nodiscard]] Status beginAppend(int tokens) override;
    void writeLayer(LayerIndex layer, View<const float, 3> keys, View<const float, 3> values,
                    ThreadPool* pool) override;
    [[nodiscard]] KvHeadView head(LayerIndex layer, HeadIndex head) const override;
    void commitAppend() override;
    void abortAppend() override;
    [[nodiscard]] Status rollback(int tokens) override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> clone() const override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> share() override { return clone(); }
    void visitBlocks(const BlockVisitor& visit) const override;
    [[nodiscard]] Result<std::string> save() const override;
    [[nodiscard]] std::span<const float> keyNorms(LayerIndex layer, HeadIndex head) override;
    void checkInvariants() const override;
    [[nodiscard]] Speculation& speculation() override { return speculation_; }

  private:
    [[nodiscard]] std::size_t index(LayerIndex layer, int head) const {
        LACUNA_REQUIRE(layer.value >= 0 && layer.value < state_.shape.layers, "layer in range");
        LACUNA_REQUIRE(head >= 0 && head < state_.shape.kvHeads, "KV head in range");
        return static_cast<std::size_t>(layer.value * state_.shape.kvHeads + head);
    }
    [[nodiscard]] AppendMode appendMode() const;
    [[nodiscard]] int rollbackLimit() const;
    /// Token whose view decides which 16-bit rows are kept after an append: the newest one that
    /// cannot be taken back.
    [[nodiscard]] std::int64_t asking(int tokens) const {
        return speculation_.permanentTokens(state_.window.offset + tokens) - 1;
    }
    [[nodiscard]] Status gather(PendingAppend& append) const;
    void exchangeRow(std::size_t head, std::int64_t row, bool restore);
    void dropNorms() {
        for (std::vector<float>& norms : norms_) norms.clear();
    }

    WindowState state_;
    SlotAllocator* allocator_;
    SpeculationSpan speculation_;
    std::optional<PendingAppend> append_;
    std::vector<std::vector<float>> norms_;  ///< cached norms of the heads that were requested
};

int WindowCache::rollbackLimit() const {
    if (speculation_.open()) {
        const std::int64_t appended = state_.window.offset - speculation_.start();
        return static_cast<int>(std::min<std::int64_t>(appended, state_.window.slots()));
    }
    return trimmable(state_.window);
}

KvCapabilities WindowCache::capabilities() const {
    KvCapabilities able;
    able.kind = KvKind::Rotating;
    able.holdsEveryToken = false;
    able.windowSize = state_.window.rule.size;
    able.windowKeep = state_.window.rule.keep;
    able.rollbackLimit = rollbackLimit();
    able.trimLimit = able.rollbackLimit;
    if (able.rollbackLimit < state_.window.offset)
        able.rollbackBlocker = format(
            "a rotating cache of {} tokens has dropped older ones; begin speculation before tokens "
            "that may be removed again",
            state_.window.rule.size);
    return able;
}

AppendMode WindowCache::appendMode() const {
    if (!speculation_.open()) return AppendMode::Plain;
    return state_.window.offset == speculation_.start() ? AppendMode::SpeculativeFirst
                                                        : AppendMode::Speculative;
}

Status WindowCache::beginAppend(int tokens) {
    LACUNA_REQUIRE(!append_, "one append at a time");
    if (tokens < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("append of {} tokens, expected 0 or more", tokens));
    if (state_.window.offset + tokens > kMaxTokens)
        return fail(ErrorCode::ContextFull,
                    format("{} tokens and {} more exceed the {} tokens of a cache",
                           state_.window.offset, tokens, kMaxTokens));
    PendingAppend append;
    append.tokens = tokens;
    append.step.after = state_.window;
    append.written.assign(static_cast<std::size_t>(state_.shape.layers), false);
    std::vector<ExactRows::Room> rooms;
    if (tokens > 0) {
        append.step = planAppend(state_.window, tokens, appendMode());
        append.exact = {.tokens = tokens, .first = state_.window.offset, .asking = asking(tokens)};
        const auto rowsOf = [this](std::size_t i) -> const ExactRows& { return state_.exact[i]; };
        LACUNA_TRY(rooms, roomForAppend(state_.shape, state_.exact.size(), rowsOf, append.exact,
                                        *allocator_));
        if (append.step.gathers) {
            LACUNA_TRY_STATUS(gather(append));
        } else if (append.step.overwrites) {
            const SlotSizes sizes = slotSizes(state_.shape);
            append.overwritten.resize(state_.heads.size() * (sizes.key + sizes.value));
        } else {
            LACUNA_TRY_STATUS(growRows(state_, tokens, *allocator_));
        }
    }
    for (std::size_t h = 0; h < rooms.size(); ++h)
        state_.exact[h].take(state_.shape, std::move(rooms[h]));
    append_ = std::move(append);
    return {};
}

/// Copies the remaining slots to new memory; the old memory is unchanged until the append is
/// committed.
Status WindowCache::gather(PendingAppend& append) const {
    const SlotSizes sizes = slotSizes(state_.shape);
    append.gatheredCapacity =
        std::max<std::int64_t>(append.step.after.slots(), state_.window.rule.size);
    LACUNA_TRY(append.gathered, makeWindowRows(state_.shape, append.gatheredCapacity, *allocator_));
    const auto copy = [&](const SlotBlock& from, SlotBlock& to, std::size_t size) {
        for (std::size_t i = 0; size > 0 && i < append.step.order.size(); ++i) {
            const auto row = static_cast<std::size_t>(append.step.order[i]);
            std::memcpy(to.data() + i * size, from.data() + row * size, size);
        }
    };
    for (std::size_t h = 0; h < state_.heads.size(); ++h) {
        copy(state_.heads[h].keys, append.gathered[h].keys, sizes.key);
        copy(state_.heads[h].values, append.gathered[h].values, sizes.value);
    }
    return {};
}

/// Saves the row that is about to be overwritten, or restores it.
void WindowCache::exchangeRow(std::size_t head, std::int64_t row, bool restore) {
    const SlotSizes sizes = slotSizes(state_.shape);
    std::byte* saved = append_->overwritten.data() + head * (sizes.key + sizes.value);
    std::byte* key = state_.heads[head].keys.data() + static_cast<std::size_t>(row) * sizes.key;
    std::byte* value =
        state_.heads[head].values.data() + static_cast<std::size_t>(row) * sizes.value;
    std::memcpy(restore ? key : saved, restore ? saved : key, sizes.key);
    if (sizes.value > 0)
        std::memcpy(restore ? value : saved + sizes.key, restore ? saved + sizes.key : value,
                    sizes.value);
}

void WindowCache::writeLayer(LayerIndex layer, View<const float, 3> keys,
                             View<const float, 3> values, ThreadPool* pool) {
    const KvShape& shape = state_.shape;
    using Extents = View<const float, 3>::Extents;
    LACUNA_REQUIRE(append_.has_value(), "writeLayer inside an append");
    LACUNA_REQUIRE((keys.extents() == Extents{append_->tokens, shape.kvHeads, shape.keyDim}),
                   "keys are [tokens, kvHeads, keyDim]");
    LACUNA_REQUIRE((values.extents() == Extents{append_->tokens, shape.kvHeads, shape.valueDim}),
                   "values are [tokens, kvHeads, valueDim]");
    const std::size_t firstHead = index(layer, 0);
    const SlotSizes sizes = slotSizes(shape);
    const WindowStep& step = append_->step;
    const auto written = static_cast<std::size_t>(layer.value);
    const bool saves = step.overwrites && !step.gathers && !append_->written[written];
    forHeads(shape, static_cast<int>(keys.extent(0)), pool, [&](int h) {
        const std::size_t i = firstHead + static_cast<std::size_t>(h);
        const RowFormat keyRow = keyFormat(shape, state_.rotations.keys(i));
        const RowFormat valueRow = valueFormat(shape, state_.rotations.values(i));
        if (saves) exchangeRow(i, step.firstSlot, false);
        WindowRows& rows = step.gathers ? append_->gathered[i] : state_.heads[i];
        const auto slot = static_cast<std::size_t>(step.firstSlot);
        writeAppended(
            {.shape = &shape,
             .key = keyRow,
             .value = valueRow,
             .keys = rows.keys.data() + slot * sizes.key,
             .values = rows.values.data() + slot * sizes.value,
             .slot = step.firstSlot,
             .head = h,
             .exact = &state_.exact[i],
             .order = step.gathers ? std::span(step.order) : std::span<const std::int32_t>()},
            keys, values, append_->exact);
    });
    append_->exact.runLayer = layer.value;
    append_->written[written] = true;
}

KvHeadView WindowCache::head(LayerIndex layer, HeadIndex headIndex) const {
    const std::size_t i = index(layer, headIndex.value);
    const bool pending = append_ && append_->written[static_cast<std::size_t>(layer.value)];
    const bool moved = pending && append_->step.gathers;
    const TokenWindow& tokens = pending ? append_->step.after : state_.window;
    const WindowRows& rows = moved ? append_->gathered[i] : state_.heads[i];
    KvHeadView view;
    view.type = state_.shape.type;
    view.keyQuant = state_.shape.keyQuant;
    view.valueQuant = state_.shape.valueQuant;
    view.keyRotation = state_.rotations.keys(i);
    view.valueRotation = state_.rotations.values(i);
    view.slots = tokens.slots();
    view.window = tokens.rule.size - tokens.rule.keep;
    view.keep = tokens.rule.keep;
    if (view.slots == 0) return view;
    view.keys = rows.keys.data();
    view.values = rows.values.data();
    setValuesInKeys(state_.shape, view);
    view.positions = tokens.positions.data();
    const bool runs = append_ && append_->exact.runLayer == layer.value;
    view.exact =
        state_.exact[i].view(state_.shape, pending, runs ? append_->exact.run.data() : nullptr);
    return view;
}

void WindowCache::commitAppend() {
    LACUNA_REQUIRE(append_.has_value(), "commitAppend inside an append");
    const bool all = std::find(append_->written.begin(), append_->written.end(), false) ==
                     append_->written.end();
    LACUNA_REQUIRE(append_->tokens == 0 || all, "every layer written before commitAppend");
    if (append_->step.gathers) {
        state_.heads = std::move(append_->gathered);
        state_.capacity = append_->gatheredCapacity;
    }
    state_.window = std::move(append_->step.after);
    for (ExactRows& rows : state_.exact)
        if (append_->tokens > 0)
            rows.commit([this](std::int32_t slot) {
                return state_.shape.exact.covers(
                    state_.window.positions[static_cast<std::size_t>(slot)], append_->exact.asking);
            });
    if (append_->tokens > 0) dropNorms();
    append_.reset();
}

void WindowCache::abortAppend() {
    const bool restores = append_ && append_->step.overwrites && !append_->step.gathers;
    for (std::size_t i = 0; restores && i < state_.heads.size(); ++i)
        if (append_->written[i / static_cast<std::size_t>(state_.shape.kvHeads)])
            exchangeRow(i, append_->step.firstSlot, true);
    for (ExactRows& rows : state_.exact) rows.abort();
    append_.reset();
}

Status WindowCache::rollback(int tokens) {
    LACUNA_REQUIRE(!append_, "rollback outside an append");
    if (tokens < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("rollback of {} tokens, expected 0 or more", tokens));
    const int most = rollbackLimit();
    const int held = state_.window.slots();
    if (tokens > most && most < held)
        return fail(ErrorCode::Unsupported,
                    format("rollback of {} tokens: only the newest {} can be removed, because {}",
                           tokens, most, capabilities().rollbackBlocker));
    removeNewest(state_.window, std::min(tokens, most));
    for (ExactRows& rows : state_.exact)
        rows.move([this](std::int32_t slot) { return slot < state_.window.slots() ? slot : -1; });
    dropNorms();
    return {};
}

Result<std::unique_ptr<KvCache>> WindowCache::clone() const {
    LACUNA_REQUIRE(!append_, "clone outside an append");
    if (speculation_.open())
        return fail(ErrorCode::InvalidArgument, "copy while speculation is open; commit it first");
    LACUNA_TRY(WindowState copy, copyState(state_, *allocator_));
    return std::make_unique<WindowCache>(std::move(copy), *allocator_);
}

void WindowCache::visitBlocks(const BlockVisitor& visit) const {
    const SlotSizes sizes = slotSizes(state_.shape);
    const auto slots = static_cast<std::size_t>(state_.window.slots());
    for (const WindowRows& rows : state_.heads) {
        rows.keys.visit(slots * sizes.key, visit);
        rows.values.visit(slots * sizes.value, visit);
    }
}

Result<std::string> WindowCache::save() const {
    LACUNA_REQUIRE(!append_, "save outside an append");
    if (speculation_.open())
        return fail(ErrorCode::InvalidArgument, "save while speculation is open; commit it first");
    return writeWindowState(state_);
}

std::span<const float> WindowCache::keyNorms(LayerIndex layer, HeadIndex headIndex) {
    LACUNA_REQUIRE(!append_, "norms outside an append");
    std::vector<float>& norms = norms_[index(layer, headIndex.value)];
    const KvHeadView view = head(layer, headIndex);
    std::vector<float> row(static_cast<std::size_t>(state_.shape.keyDim));
    for (int slot = static_cast<int>(norms.size()); slot < view.slots; ++slot) {
        readKeys(view, state_.shape.keyDim, slot, 1, row.data());
        norms.push_back(norm(row));
    }
    return norms;
}

void WindowCache::checkInvariants() const {
    const TokenWindow& window = state_.window;
    LACUNA_REQUIRE(window.slots() <= window.offset, "no more slots than tokens");
    LACUNA_REQUIRE(window.slots() <= state_.capacity, "slots within capacity");
    LACUNA_REQUIRE(window.next >= 0 && window.next <= window.slots(), "ring index in range");
    std::int32_t previous = -1;
    for (const std::int32_t slot : temporalOrder(window)) {
        const std::int32_t position = window.positions[static_cast<std::size_t>(slot)];
        LACUNA_REQUIRE(position > previous && position < window.offset, "tokens ascend in time");
        previous = position;
    }
    LACUNA_REQUIRE(window.slots() == 0 || previous == window.offset - 1, "the newest is held");
    for (const ExactRows& rows : state_.exact) rows.requireConsistent(window.slots());
}

}  // namespace

Result<std::unique_ptr<KvCache>> makeWindowCache(const KvShape& shape, const WindowRule& rule,
                                                 SlotAllocator& allocator) {
    LACUNA_TRY_STATUS(checkShape(shape));
    LACUNA_TRY_STATUS(checkRule(rule));
    WindowState state;
    state.shape = shape;
    LACUNA_TRY(state.rotations, LayerRotations::make(shape, kRotationSeed));
    state.window.rule = rule;
    LACUNA_TRY(state.heads, makeWindowRows(shape, 0, allocator));
    state.exact.resize(state.heads.size());
    return std::make_unique<WindowCache>(std::move(state), allocator);
}

Result<std::unique_ptr<KvCache>> makeWindowCache(const KvShape& shape, const WindowRule& rule) {
    return makeWindowCache(shape, rule, systemSlotAllocator());
}

std::unique_ptr<KvCache> windowCacheOf(WindowState state, SlotAllocator& allocator) {
    return std::make_unique<WindowCache>(std::move(state), allocator);
}

bool isWindowState(std::string_view bytes) {
    return bytes.starts_with(kWindowMagic);
}

Result<std::unique_ptr<KvCache>> loadWindowCache(std::string_view bytes, SlotAllocator& allocator,
                                                 const RowsInUse& rows) {
    LACUNA_TRY(WindowState state, readWindowState(bytes, allocator, rows));
    return std::make_unique<WindowCache>(std::move(state), allocator);
}

std::unique_ptr<KvCache> windowOutline(const KvCache& window, Position tokens) {
    const KvCapabilities able = window.capabilities();
    WindowState state;
    state.shape = window.shape();
    state.window.rule = {able.windowSize, able.windowKeep};
    state.window.offset = tokens.value;
    state.heads.resize(static_cast<std::size_t>(state.shape.layers) *
                       static_cast<std::size_t>(state.shape.kvHeads));
    state.exact.resize(state.heads.size());
    return std::make_unique<WindowCache>(std::move(state), systemSlotAllocator());
}

}  // namespace lacuna

#include "engine/kv/cache_list.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/calibrated_rotations.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/layer_layout.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/kv/speculation.h"
#include "engine/kv/state/state_store.h"
#include "engine/kv/state_words.h"
#include "engine/kv/window/window_cache.h"

namespace lacuna {
namespace {

constexpr std::string_view kListMagic = "LACUNAKL";
constexpr std::uint32_t kListStateVersion = 1;
/// Version of a list whose layers differ in extent.
constexpr std::uint32_t kMixedStateVersion = 2;
/// Version of a list with the states of recurrent layers.
constexpr std::uint32_t kRecurrentStateVersion = 3;

/// Returns null for a model without recurrent layers.
Result<std::unique_ptr<StateStore>> makeStates(const KvShape& shape) {
    if (shape.states == nullptr) return nullptr;
    return StateStore::create(shape.states, {});
}

Result<std::unique_ptr<KvCache>> makePart(const KvShape& shape, const LayerPlan& plan,
                                          SlotAllocator& allocator) {
    if (!plan.window) return makeSlotCache(shape, allocator);
    return makeWindowCache(shape, *plan.window, allocator);
}

class CacheList final : public KvCache,
                        private Compactable,
                        private Snapshots,
                        private Speculation {
  public:
    CacheList(const KvShape& shape, std::vector<LayerPlan> plans, LayerLayout layout,
              std::vector<std::unique_ptr<KvCache>> parts, std::unique_ptr<StateStore> states)
        : shape_(shape),
          plans_(std::move(plans)),
          layout_(std::move(layout)),
          parts_(std::move(parts)),
          states_(std::move(states)) {
        compacts_ = std::ranges::any_of(
            parts_, [](const auto& part) { return part->compactable() != nullptr; });
    }

    [[nodiscard]] const KvShape& shape() const override { return shape_; }
    [[nodiscard]] KvCapabilities capabilities() const override;
    [[nodiscard]] KvStats stats() const override;
    [[nodiscard]] Position offset() const override {
        return parts_.empty() ? Position(static_cast<std::int32_t>(states_->offset()))
                              : parts_.front()->offset();
    }
    [[nodiscard]] StateStore* states() const override { return states_.get(); }
    [[nodiscard]] std::int64_t tokensAgain(Position length) const override;
    [[nodiscard]] int slots(LayerIndex layer, HeadIndex head) const override {
        return at(layer).slots(inner(layer), head);
    }
    [[nodiscard]] Status beginAppend(int tokens) override;
    void writeLayer(LayerIndex layer, View<const float, 3> keys, View<const float, 3> values,
                    ThreadPool* pool) override {
        at(layer).writeLayer(inner(layer), keys, values, pool);
    }
    [[nodiscard]] KvHeadView head(LayerIndex layer, HeadIndex head) const override {
        return at(layer).head(inner(layer), head);
    }
    void commitAppend() override {
        for (auto& part : parts_) part->commitAppend();
        if (states_ != nullptr) states_->commitAppend();
    }
    void abortAppend() override {
        for (auto& part : parts_) part->abortAppend();
        if (states_ != nullptr) states_->abortAppend();
    }
    [[nodiscard]] Status rollback(int tokens) override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> clone() const override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> share() override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> shareEnd() override;
    void visitBlocks(const BlockVisitor& visit) const override {
        for (const auto& part : parts_) part->visitBlocks(visit);
        if (states_ != nullptr) states_->visitBlocks(visit);
    }
    [[nodiscard]] Result<std::string> save() const override;
    [[nodiscard]] std::span<const float> keyNorms(LayerIndex layer, HeadIndex head) override {
        return at(layer).keyNorms(inner(layer), head);
    }
    void checkInvariants() const override;
    [[nodiscard]] Speculation& speculation() override { return *this; }
    [[nodiscard]] Compactable* compactable() override { return compacts_ ? this : nullptr; }
    [[nodiscard]] Snapshots* snapshots() override { return compacts_ ? this : nullptr; }
    [[nodiscard]] const std::vector<LayerPlan>* layerPlans() const override { return &plans_; }

  private:
    [[nodiscard]] Status begin(int most) override;
    [[nodiscard]] Status rewind(int tokens) override;
    [[nodiscard]] Status commit() override;
    [[nodiscard]] Status apply(const CompactionPlan& plan) override {
        return applyToParts(
            plan, [](Compactable& part, const CompactionPlan& own) { return part.apply(own); });
    }
    [[nodiscard]] Status applyInPlace(const CompactionPlan& plan, ThreadPool& pool) override {
        return applyToParts(plan, [&pool](Compactable& part, const CompactionPlan& own) {
            return part.applyInPlace(own, pool);
        });
    }
    [[nodiscard]] bool defragment(std::int64_t bytes, ThreadPool& pool, bool all) override;
    void keepNorms() override {
        for (auto& part : parts_)
            if (Compactable* const own = part->compactable()) own->keepNorms();
    }
    [[nodiscard]] Result<std::unique_ptr<KvCache>> snapshot() override;
    [[nodiscard]] Status follow(KvCache& longer) override;
    [[nodiscard]] Status checkAdopt(KvCache& successor) override;
    [[nodiscard]] Status adopt(KvCache& successor) override;
    [[nodiscard]] std::vector<SlotState*> sharedSlots() override;
    [[nodiscard]] KvCache& at(LayerIndex layer) const {
        LACUNA_REQUIRE(layer.value >= 0 && layer.value < shape_.layers, "layer in range");
        const int part = layout_.part[static_cast<std::size_t>(layer.value)];
        LACUNA_REQUIRE(part >= 0, "the layer stores rows");
        return *parts_[static_cast<std::size_t>(part)];
    }
    [[nodiscard]] LayerIndex inner(LayerIndex layer) const {
        return LayerIndex(layout_.inner[static_cast<std::size_t>(layer.value)]);
    }
    [[nodiscard]] Status checkOffsets() const;
    [[nodiscard]] Result<std::unique_ptr<StateStore>> copyOfStates() const;
    /// Parts over the same memory. Errors: as share().
    [[nodiscard]] Result<std::vector<std::unique_ptr<KvCache>>> sharedParts();
    [[nodiscard]] Status checkHasRows() const;
    template <class Apply>
    [[nodiscard]] Status applyToParts(const CompactionPlan& plan, const Apply& apply);
    /// Returns the list if `cache` is one with the same plans and extents, otherwise null.
    [[nodiscard]] CacheList* alike(KvCache& cache) const;
    /// Returns true if this part of a snapshot was compacted since it was taken.
    [[nodiscard]] bool compactedSince(std::size_t part) const {
        return !taken_.empty() && parts_[part]->stats().compactions != taken_[part];
    }

    KvShape shape_;
    std::vector<LayerPlan> plans_;
    LayerLayout layout_;
    std::vector<std::unique_ptr<KvCache>> parts_;
    std::unique_ptr<StateStore> states_;  ///< null: none, or this is a snapshot
    SpeculationSpan bare_{*this};         ///< of a list without parts
    bool compacts_ = false;               ///< some part can be compacted
    /// In a snapshot, whose parts with a window hold no rows: compactions of each part when it was
    /// taken. Otherwise empty.
    std::vector<std::int64_t> taken_;
};

/// Errors: Divergent, naming the model's layer.
Status CacheList::checkOffsets() const {
    for (std::size_t p = 1; p < parts_.size(); ++p)
        if (parts_[p]->offset() != offset())
            return fail(ErrorCode::Divergent,
                        format("layer {} holds {} tokens, layer {} {}; all layers of a sequence "
                               "must agree",
                               layout_.owners[p].front(), parts_[p]->offset().value,
                               layout_.owners[0].front(), offset().value));
    if (states_ != nullptr && states_->offset() != offset().value)
        return fail(ErrorCode::Divergent,
                    format("the recurrent layers hold {} tokens, layer {} {}; all layers of a "
                           "sequence must agree",
                           states_->offset(), layout_.owners[0].front(), offset().value));
    return {};
}

/// Errors: InvalidArgument.
Status CacheList::checkHasRows() const {
    if (taken_.empty()) return {};
    return fail(ErrorCode::InvalidArgument, "the window layers of a snapshot hold no rows");
}

KvCapabilities CacheList::capabilities() const {
    KvCapabilities able;
    able.kind = KvKind::List;
    able.rollbackLimit = able.trimLimit = std::numeric_limits<int>::max();
    for (const auto& part : parts_) {
        const KvCapabilities own = part->capabilities();
        able.holdsEveryToken = able.holdsEveryToken && own.holdsEveryToken;
        able.rollbackLimit = std::min(able.rollbackLimit, own.rollbackLimit);
        able.trimLimit = std::min(able.trimLimit, own.trimLimit);
        if (able.rollbackBlocker.empty()) able.rollbackBlocker = own.rollbackBlocker;
    }
    if (states_ == nullptr) return able;
    const std::int64_t limit = states_->rollbackLimit();
    if (limit == states_->offset()) return able;
    able.trimLimit = std::min(able.trimLimit, static_cast<int>(limit));
    if (limit >= able.rollbackLimit) return able;
    able.rollbackLimit = static_cast<int>(limit);
    able.rollbackBlocker = "the states of recurrent layers are kept for the newest tokens only";
    return able;
}

KvStats CacheList::stats() const {
    KvStats sum;
    for (const auto& part : parts_) {
        const KvStats own = part->stats();
        sum.slotsTotal += own.slotsTotal;
        sum.numbers += own.numbers;
        sum.slotsLargestHead = std::max(sum.slotsLargestHead, own.slotsLargestHead);
        sum.logicalBytes += own.logicalBytes;
        sum.liveBytes += own.liveBytes;
        sum.scaleBytes += own.scaleBytes;
        sum.exactBytes += own.exactBytes;
        sum.allocatedBytes += own.allocatedBytes;
        sum.reallocations += own.reallocations;
        sum.compactions = std::max(sum.compactions, own.compactions);
        sum.normsComputed += own.normsComputed;
    }
    sum.tokens = offset().value;
    if (states_ == nullptr) return sum;
    const StateBytes bytes = states_->bytes();
    sum.stateBytes = bytes.states();
    sum.checkpointBytes = bytes.requested;
    return sum;
}

Status CacheList::beginAppend(int tokens) {
    LACUNA_TRY_STATUS(checkHasRows());
    LACUNA_TRY_STATUS(checkOffsets());
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        Status status = parts_[p]->beginAppend(tokens);
        if (status) continue;
        for (std::size_t begun = 0; begun < p; ++begun) parts_[begun]->abortAppend();
        return status;
    }
    if (states_ == nullptr) return {};
    Status status = states_->beginAppend(tokens);
    if (!status)
        for (auto& part : parts_) part->abortAppend();
    return status;
}

std::int64_t CacheList::tokensAgain(Position length) const {
    const std::int64_t rows = KvCache::tokensAgain(length);
    if (states_ == nullptr) return rows;
    int limit = std::numeric_limits<int>::max();
    for (const auto& part : parts_) limit = std::min(limit, part->capabilities().rollbackLimit);
    const std::int64_t again = states_->tokensAgain(length.value);
    const std::int64_t surplus = std::int64_t{offset().value} - length.value + again;
    return surplus <= limit ? again : length.value;
}

Status CacheList::rollback(int tokens) {
    LACUNA_TRY_STATUS(checkOffsets());
    const KvCapabilities able = capabilities();
    const int held = std::min(tokens, offset().value);
    // A checkpoint of the states may be further back than their limit.
    const bool reached = tokens >= 0 && states_ != nullptr && tokensAgain(offset() - held) == 0;
    if (tokens >= 0 && held > able.rollbackLimit && !reached)
        return fail(ErrorCode::Unsupported,
                    format("rollback of {} tokens: only the newest {} can be removed, because {}",
                           tokens, able.rollbackLimit, able.rollbackBlocker));
    if (states_ != nullptr) LACUNA_TRY_STATUS(states_->rollback(tokens));
    for (auto& part : parts_) LACUNA_TRY_STATUS(part->rollback(tokens));
    return {};
}

Status CacheList::begin(int most) {
    std::size_t begun = 0;
    Status status = parts_.empty() ? bare_.begin(most) : Status();
    for (; status && begun < parts_.size(); ++begun)
        status = parts_[begun]->speculation().begin(most);
    if (!status && begun > 0) --begun;  // the last one refused
    if (status && states_ != nullptr) {
        status = states_->beginSpeculation(most);
        if (!status && parts_.empty()) LACUNA_TRY_STATUS(bare_.commit());
    }
    if (status) return {};
    for (std::size_t p = 0; p < begun; ++p) LACUNA_TRY_STATUS(parts_[p]->speculation().commit());
    return status;
}

// All parts received the same calls, so all reject what the first rejects, before any change.
Status CacheList::rewind(int tokens) {
    if (parts_.empty()) return bare_.rewind(tokens);
    for (auto& part : parts_) LACUNA_TRY_STATUS(part->speculation().rewind(tokens));
    return states_ != nullptr ? states_->rollback(tokens) : Status();
}

Status CacheList::commit() {
    if (parts_.empty()) LACUNA_TRY_STATUS(bare_.commit());
    for (auto& part : parts_) LACUNA_TRY_STATUS(part->speculation().commit());
    if (states_ != nullptr) states_->endSpeculation();
    return {};
}

template <class Apply>
Status CacheList::applyToParts(const CompactionPlan& plan, const Apply& apply) {
    LACUNA_TRY(const auto plans, splitPlan(shape_, plans_, layout_, plan));
    std::vector<std::size_t> touched;
    for (std::size_t p = 0; p < plans.size(); ++p)
        if (plans[p].touched()) touched.push_back(p);
    // Plans accepted by splitPlan only change parts without a window, all of which are compactable.
    if (touched.size() == 1) return apply(*parts_[touched[0]]->compactable(), plans[touched[0]]);
    // Several parts: if one fails, those changed before it become what they were. All but the last
    // leave a copy, which shares their rows.
    std::vector<std::unique_ptr<KvCache>> before;
    for (std::size_t i = 0; i + 1 < touched.size(); ++i) {
        LACUNA_TRY(auto twin, parts_[touched[i]]->share());
        before.push_back(std::move(twin));
    }
    for (std::size_t i = 0; i < touched.size(); ++i) {
        Status status = apply(*parts_[touched[i]]->compactable(), plans[touched[i]]);
        if (status) continue;
        for (std::size_t done = 0; done < i; ++done)
            parts_[touched[done]] = std::move(before[done]);
        return status;
    }
    return {};
}

bool CacheList::defragment(std::int64_t bytes, ThreadPool& pool, bool all) {
    return std::ranges::any_of(
        parts_, [&](const auto& part) { return defragmentCache(*part, bytes, pool, all); });
}

Result<std::unique_ptr<KvCache>> CacheList::clone() const {
    std::vector<std::unique_ptr<KvCache>> copies;
    for (const auto& part : parts_) {
        LACUNA_TRY(auto copy, part->clone());
        copies.push_back(std::move(copy));
    }
    LACUNA_TRY(auto states, copyOfStates());
    auto list =
        std::make_unique<CacheList>(shape_, plans_, layout_, std::move(copies), std::move(states));
    list->taken_ = taken_;
    return list;
}

Result<std::vector<std::unique_ptr<KvCache>>> CacheList::sharedParts() {
    LACUNA_TRY_STATUS(checkHasRows());
    LACUNA_TRY_STATUS(checkOffsets());
    std::vector<std::unique_ptr<KvCache>> twins;
    for (const auto& part : parts_) {
        LACUNA_TRY(auto twin, part->share());
        twins.push_back(std::move(twin));
    }
    if (bare_.open())
        return fail(ErrorCode::InvalidArgument,
                    "the cache is not shared while speculation is open");
    return twins;
}

Result<std::unique_ptr<KvCache>> CacheList::share() {
    LACUNA_TRY(auto twins, sharedParts());
    LACUNA_TRY(auto states, copyOfStates());
    return std::make_unique<CacheList>(shape_, plans_, layout_, std::move(twins),
                                       std::move(states));
}

Result<std::unique_ptr<KvCache>> CacheList::shareEnd() {
    LACUNA_TRY(auto twins, sharedParts());
    std::unique_ptr<StateStore> end;
    if (states_ != nullptr) {
        LACUNA_TRY(end, states_->cloneEnd());
    }
    return std::make_unique<CacheList>(shape_, plans_, layout_, std::move(twins), std::move(end));
}

Result<std::unique_ptr<StateStore>> CacheList::copyOfStates() const {
    if (states_ == nullptr) return nullptr;
    return states_->clone();
}

/// Layers with a window and recurrent layers take no part in a compaction, so that their content is
/// neither shared nor copied.
Result<std::unique_ptr<KvCache>> CacheList::snapshot() {
    LACUNA_TRY_STATUS(checkOffsets());
    std::vector<std::unique_ptr<KvCache>> twins;
    for (const auto& part : parts_) {
        if (part->snapshots() == nullptr) {
            twins.push_back(windowOutline(*part, offset()));
            continue;
        }
        LACUNA_TRY(auto twin, part->snapshots()->snapshot());
        twins.push_back(std::move(twin));
    }
    auto list = std::make_unique<CacheList>(shape_, plans_, layout_, std::move(twins), nullptr);
    for (const auto& part : list->parts_) list->taken_.push_back(part->stats().compactions);
    return list;
}

CacheList* CacheList::alike(KvCache& cache) const {
    auto* const list = dynamic_cast<CacheList*>(&cache);
    return list != nullptr && list->plans_ == plans_ && list->shape_ == shape_ ? list : nullptr;
}

Status CacheList::follow(KvCache& longer) {
    CacheList* const list = alike(longer);
    if (list == nullptr)
        return fail(ErrorCode::Incompatible, "only a snapshot follows a cache, between steps");
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (parts_[p]->snapshots() == nullptr) {
            parts_[p] = windowOutline(*parts_[p], longer.offset());
        } else {
            LACUNA_TRY_STATUS(parts_[p]->snapshots()->follow(*list->parts_[p]));
        }
    }
    return {};
}

/// A part that the compaction left as it is has nothing to exchange, but must be the same here.
Status CacheList::checkAdopt(KvCache& successor) {
    CacheList* const list = alike(successor);
    if (list == nullptr || list->taken_.empty())
        return fail(ErrorCode::Incompatible, "only a snapshot is adopted, between steps");
    bool compacted = false;
    bool changed = list->offset() != offset();
    for (std::size_t p = 0; p < parts_.size() && !changed; ++p) {
        if (list->compactedSince(p)) {
            compacted = true;
            LACUNA_TRY_STATUS(parts_[p]->snapshots()->checkAdopt(*list->parts_[p]));
        } else {
            changed = parts_[p]->stats().compactions != list->taken_[p];
        }
    }
    if (changed || !compacted)
        return fail(ErrorCode::Incompatible, "the cache has changed since its snapshot was taken");
    return {};
}

// No part fails after the check, so all are exchanged or none.
Status CacheList::adopt(KvCache& successor) {
    LACUNA_TRY_STATUS(checkAdopt(successor));
    CacheList& list = *alike(successor);
    for (std::size_t p = 0; p < parts_.size(); ++p)
        if (list.compactedSince(p))
            LACUNA_TRY_STATUS(parts_[p]->snapshots()->adopt(*list.parts_[p]));
    return {};
}

std::vector<SlotState*> CacheList::sharedSlots() {
    std::vector<SlotState*> all;
    for (auto& part : parts_) {
        if (part->snapshots() == nullptr) continue;
        const std::vector<SlotState*> own = part->snapshots()->sharedSlots();
        if (own.empty()) return {};
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

Result<std::string> CacheList::save() const {
    LACUNA_TRY_STATUS(checkHasRows());
    LACUNA_TRY_STATUS(checkOffsets());
    std::string out(kListMagic);
    if (bare_.open())
        return fail(ErrorCode::InvalidArgument, "the cache is not saved while speculation is open");
    const std::uint32_t rows = shape_.uniform() ? kListStateVersion : kMixedStateVersion;
    putWord(out, states_ != nullptr ? kRecurrentStateVersion : rows);
    if (states_ != nullptr) putWord(out, rows);
    putShape(out, shape_);
    putPlans(out, plans_);
    for (const auto& part : parts_) {
        LACUNA_TRY(const std::string bytes, part->save());
        putWord(out, static_cast<std::uint64_t>(bytes.size()));
        out += bytes;
    }
    if (states_ != nullptr) {
        const std::string bytes = states_->save();
        putWord(out, static_cast<std::uint64_t>(bytes.size()));
        out += bytes;
    }
    sealState(out);
    return out;
}

void CacheList::checkInvariants() const {
    for (const auto& part : parts_) {
        part->checkInvariants();
        LACUNA_REQUIRE(part->offset() == offset(), "all layers hold the same number of tokens");
    }
    if (states_ == nullptr) return;
    states_->checkInvariants();
    LACUNA_REQUIRE(states_->offset() == offset().value, "the states are those of all tokens");
}

}  // namespace

Result<std::unique_ptr<KvCache>> makeCacheList(const KvShape& shape, std::vector<LayerPlan> plans,
                                               SlotAllocator& allocator) {
    LACUNA_TRY(LayerLayout layout, layoutOf(shape, plans));
    std::vector<std::unique_ptr<KvCache>> parts;
    for (std::size_t p = 0; p < layout.distinct.size(); ++p) {
        auto part = makePart(partShape(shape, layout.distinct[p], layout.owners[p]),
                             layout.distinct[p], allocator);
        if (!part)
            return tl::unexpected<Error>(
                withPrefix(part.error(), format("layer {}", layout.owners[p].front())));
        parts.push_back(std::move(*part));
    }
    if (parts.empty() && shape.states == nullptr)
        return fail(ErrorCode::InvalidArgument, "a cache list needs layers");
    LACUNA_TRY(auto states, makeStates(shape));
    return std::make_unique<CacheList>(shape, std::move(plans), std::move(layout), std::move(parts),
                                       std::move(states));
}

Result<std::unique_ptr<KvCache>> makeCacheList(const KvShape& shape, std::vector<LayerPlan> plans) {
    return makeCacheList(shape, std::move(plans), systemSlotAllocator());
}

Result<std::unique_ptr<KvCache>> joinCacheList(const KvShape& shape, std::vector<LayerPlan> plans,
                                               std::vector<std::unique_ptr<KvCache>> parts,
                                               std::unique_ptr<StateStore> states) {
    LACUNA_TRY(LayerLayout layout, layoutOf(shape, plans));
    if ((states != nullptr) != (shape.states != nullptr))
        return fail(ErrorCode::InvalidArgument,
                    "a cache has states exactly if its model has recurrent layers");
    if (parts.size() != layout.distinct.size() || (parts.empty() && states == nullptr))
        return fail(ErrorCode::InvalidArgument, format("{} caches for {} distinct layer plans",
                                                       parts.size(), layout.distinct.size()));
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const LayerPlan& plan = layout.distinct[p];
        const KvCapabilities able = parts[p]->capabilities();
        const int layer = layout.owners[p].front();
        const int window = plan.window ? plan.window->size : 0;
        if (!(parts[p]->shape() == partShape(shape, plan, layout.owners[p])) ||
            able.windowSize != window)
            return fail(ErrorCode::Incompatible,
                        format("layer {} has a cache of another shape or window ({} tokens, "
                               "expected {}; 0: all)",
                               layer, able.windowSize, window));
        if (parts[p]->offset() != parts[0]->offset())
            return fail(ErrorCode::Divergent,
                        format("layer {} holds {} tokens, expected {} as in layer {}", layer,
                               parts[p]->offset().value, parts[0]->offset().value,
                               layout.owners[0].front()));
    }
    auto list = std::make_unique<CacheList>(shape, std::move(plans), std::move(layout),
                                            std::move(parts), std::move(states));
    if (list->states() != nullptr && list->states()->offset() != list->offset().value)
        return fail(ErrorCode::Divergent,
                    format("the recurrent layers hold {} tokens, the others {}",
                           list->states()->offset(), list->offset().value));
    return list;
}

bool isListState(std::string_view bytes) {
    return bytes.starts_with(kListMagic);
}

Result<std::unique_ptr<KvCache>> loadCacheList(std::string_view bytes,
                                               const std::vector<LayerPlan>& plans,
                                               const RowsInUse& rows) {
    LACUNA_TRY(const auto body, unsealState(bytes));
    ByteReader reader(body);
    LACUNA_TRY(const std::uint32_t version, readStart(reader, kListMagic, kRecurrentStateVersion));
    const bool recurrent = version == kRecurrentStateVersion;
    if (recurrent != (rows.states != nullptr))
        return fail(ErrorCode::Incompatible,
                    format("saved cache: {} recurrent layers, the model has {}",
                           recurrent ? "with" : "without", recurrent ? "none" : "some"));
    std::optional<std::uint32_t> ofRows = version;
    if (recurrent) ofRows = reader.read<std::uint32_t>();
    if (!ofRows || *ofRows < kListStateVersion || *ofRows > kMixedStateVersion)
        return corruptState("the version of its rows");
    LACUNA_TRY(KvShape shape,
               *ofRows == kMixedStateVersion ? readMixedShape(reader) : readShape(reader));
    shape.states = rows.states;
    if (static_cast<std::size_t>(shape.layers) != plans.size())
        return fail(ErrorCode::Incompatible, format("saved cache of {} layers, the model has {}",
                                                    shape.layers, plans.size()));
    LACUNA_TRY_STATUS(expectPlans(reader, plans));
    LACUNA_TRY(const LayerLayout layout, layoutOf(shape, plans));
    if (rows.rotations != nullptr && shape.uniform() && rows.rotations->layers() == shape.layers)
        shape.rotations = rows.rotations;
    std::vector<std::unique_ptr<KvCache>> parts;
    for (std::size_t p = 0; p < layout.distinct.size(); ++p) {
        const KvShape wanted = partShape(shape, layout.distinct[p], layout.owners[p]);
        const auto length = reader.read<std::uint64_t>();
        const auto part = length ? reader.takeText(*length) : std::nullopt;
        if (!part) return corruptState(format("it ends within part {}", p));
        LACUNA_TRY(auto cache,
                   loadCache(*part, {.exact = rows.exact, .rotations = wanted.rotations}));
        LACUNA_TRY_STATUS(checkRotations(cache->shape(), wanted));
        if (cache->shape().rotated()) shape.exact = cache->shape().exact;
        parts.push_back(std::move(cache));
    }
    std::unique_ptr<StateStore> states;
    if (recurrent) {
        const auto length = reader.read<std::uint64_t>();
        const auto bytesOfStates = length ? reader.takeText(*length) : std::nullopt;
        if (!bytesOfStates) return corruptState("it ends within the recurrent states");
        LACUNA_TRY(states, StateStore::load(*bytesOfStates, rows.states, {}));
    }
    return joinCacheList(shape, plans, std::move(parts), std::move(states));
}

}  // namespace lacuna

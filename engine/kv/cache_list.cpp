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
#include "engine/kv/state_words.h"
#include "engine/kv/window/window_cache.h"

namespace lacuna {
namespace {

constexpr std::string_view kListMagic = "LACUNAKL";
constexpr std::uint32_t kListStateVersion = 1;
/// Version of a list whose layers differ in extent.
constexpr std::uint32_t kMixedStateVersion = 2;

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
              std::vector<std::unique_ptr<KvCache>> parts)
        : shape_(shape),
          plans_(std::move(plans)),
          layout_(std::move(layout)),
          parts_(std::move(parts)) {
        compacts_ = std::ranges::any_of(
            parts_, [](const auto& part) { return part->compactable() != nullptr; });
    }

    [[nodiscard]] const KvShape& shape() const override { return shape_; }
    [[nodiscard]] KvCapabilities capabilities() const override;
    [[nodiscard]] KvStats stats() const override;
    [[nodiscard]] Position offset() const override { return parts_.front()->offset(); }
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
    }
    void abortAppend() override {
        for (auto& part : parts_) part->abortAppend();
    }
    [[nodiscard]] Status rollback(int tokens) override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> clone() const override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> share() override;
    void visitBlocks(const BlockVisitor& visit) const override {
        for (const auto& part : parts_) part->visitBlocks(visit);
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
    bool compacts_ = false;  ///< some part can be compacted
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
    able.holdsEveryToken = false;
    able.rollbackLimit = able.trimLimit = std::numeric_limits<int>::max();
    for (const auto& part : parts_) {
        const KvCapabilities own = part->capabilities();
        able.rollbackLimit = std::min(able.rollbackLimit, own.rollbackLimit);
        able.trimLimit = std::min(able.trimLimit, own.trimLimit);
        if (able.rollbackBlocker.empty()) able.rollbackBlocker = own.rollbackBlocker;
    }
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
    return {};
}

Status CacheList::rollback(int tokens) {
    LACUNA_TRY_STATUS(checkOffsets());
    const KvCapabilities able = capabilities();
    const int held = std::min(tokens, offset().value);
    if (tokens >= 0 && held > able.rollbackLimit)
        return fail(ErrorCode::Unsupported,
                    format("rollback of {} tokens: only the newest {} can be removed, because {}",
                           tokens, able.rollbackLimit, able.rollbackBlocker));
    for (auto& part : parts_) LACUNA_TRY_STATUS(part->rollback(tokens));
    return {};
}

Status CacheList::begin(int most) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        Status status = parts_[p]->speculation().begin(most);
        if (status) continue;
        for (std::size_t begun = 0; begun < p; ++begun)
            LACUNA_TRY_STATUS(parts_[begun]->speculation().commit());
        return status;
    }
    return {};
}

// All parts received the same calls, so all reject what the first rejects, before any change.
Status CacheList::rewind(int tokens) {
    for (auto& part : parts_) LACUNA_TRY_STATUS(part->speculation().rewind(tokens));
    return {};
}

Status CacheList::commit() {
    for (auto& part : parts_) LACUNA_TRY_STATUS(part->speculation().commit());
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
    // leave a twin, which shares their rows.
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
    auto list = std::make_unique<CacheList>(shape_, plans_, layout_, std::move(copies));
    list->taken_ = taken_;
    return list;
}

Result<std::unique_ptr<KvCache>> CacheList::share() {
    LACUNA_TRY_STATUS(checkHasRows());
    LACUNA_TRY_STATUS(checkOffsets());
    std::vector<std::unique_ptr<KvCache>> twins;
    for (const auto& part : parts_) {
        LACUNA_TRY(auto twin, part->share());
        twins.push_back(std::move(twin));
    }
    return std::make_unique<CacheList>(shape_, plans_, layout_, std::move(twins));
}

/// Layers with a window take no part in a compaction, so their rows are neither shared nor copied.
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
    auto list = std::make_unique<CacheList>(shape_, plans_, layout_, std::move(twins));
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
    putWord(out, shape_.uniform() ? kListStateVersion : kMixedStateVersion);
    putShape(out, shape_);
    putPlans(out, plans_);
    for (const auto& part : parts_) {
        LACUNA_TRY(const std::string bytes, part->save());
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
    if (parts.empty()) return fail(ErrorCode::InvalidArgument, "a cache list needs layers");
    return std::make_unique<CacheList>(shape, std::move(plans), std::move(layout),
                                       std::move(parts));
}

Result<std::unique_ptr<KvCache>> makeCacheList(const KvShape& shape, std::vector<LayerPlan> plans) {
    return makeCacheList(shape, std::move(plans), systemSlotAllocator());
}

Result<std::unique_ptr<KvCache>> joinCacheList(const KvShape& shape, std::vector<LayerPlan> plans,
                                               std::vector<std::unique_ptr<KvCache>> parts) {
    LACUNA_TRY(LayerLayout layout, layoutOf(shape, plans));
    if (parts.size() != layout.distinct.size() || parts.empty())
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
    return std::make_unique<CacheList>(shape, std::move(plans), std::move(layout),
                                       std::move(parts));
}

bool isListState(std::string_view bytes) {
    return bytes.starts_with(kListMagic);
}

Result<std::unique_ptr<KvCache>> loadCacheList(std::string_view bytes,
                                               const std::vector<LayerPlan>& plans,
                                               const RowsInUse& rows) {
    LACUNA_TRY(const auto body, unsealState(bytes));
    ByteReader reader(body);
    LACUNA_TRY(const std::uint32_t version, readStart(reader, kListMagic, kMixedStateVersion));
    LACUNA_TRY(KvShape shape,
               version == kMixedStateVersion ? readMixedShape(reader) : readShape(reader));
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
    return joinCacheList(shape, plans, std::move(parts));
}

}  // namespace lacuna

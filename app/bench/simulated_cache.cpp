// Rows are stored in the coding basis, and the view contains the rotation for queries. Which rows a
// query sees in 16 bits depends on positions only, so all rows are also stored in 16 bits and the
// view lists the valid ones. A row that has left the window stays coded even after a rollback, as
// in real caches.

#include "app/bench/simulated_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/kv/kv_factory.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/slot_cache.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kSketchSeed = 0x716A6C;
constexpr int kHalfBytes = 2;

struct HeadCoders {
    RowCoder keys, values;
};

/// Data shared by all copies of a cache.
struct Coding {
    SimulatedRows rows;
    std::unique_ptr<KvCache> turning;  ///< an empty cache that provides the heads' rotations; may
                                       ///< be null
    std::vector<HeadCoders> heads;     ///< [layers * kvHeads]
    ExactWindow window;
};

class SimulatedCache final : public KvCache {
  public:
    SimulatedCache(std::unique_ptr<KvCache> rows, std::shared_ptr<const Coding> coding)
        : rows_(std::move(rows)), coding_(std::move(coding)) {
        const auto heads = static_cast<std::size_t>(shape().layers * shape().kvHeads);
        if (exact()) exact_.resize(heads);
    }

    [[nodiscard]] const KvShape& shape() const override { return rows_->shape(); }
    [[nodiscard]] KvCapabilities capabilities() const override { return rows_->capabilities(); }
    [[nodiscard]] KvStats stats() const override;
    [[nodiscard]] Position offset() const override { return rows_->offset(); }
    [[nodiscard]] int slots(LayerIndex layer, HeadIndex head) const override {
        return rows_->slots(layer, head);
    }
    [[nodiscard]] Status beginAppend(int tokens) override;
    void writeLayer(LayerIndex layer, View<const float, 3> keys, View<const float, 3> values,
                    ThreadPool* pool) override;
    void commitAppend() override;
    void abortAppend() override;
    [[nodiscard]] KvHeadView head(LayerIndex layer, HeadIndex head) const override;
    [[nodiscard]] std::span<const float> keyNorms(LayerIndex layer, HeadIndex head) override {
        return rows_->keyNorms(layer, head);
    }
    [[nodiscard]] Status rollback(int tokens) override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> clone() const override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> share() override { return clone(); }
    void visitBlocks(const BlockVisitor& visit) const override { rows_->visitBlocks(visit); }
    [[nodiscard]] Result<std::string> save() const override {
        return fail(ErrorCode::Unsupported, "rows that simulate codes cannot be saved");
    }
    void checkInvariants() const override { rows_->checkInvariants(); }
    [[nodiscard]] Speculation& speculation() override { return rows_->speculation(); }

  private:
    [[nodiscard]] bool exact() const { return coding_->window.newest > 0; }
    [[nodiscard]] int rowLength() const { return shape().keyDim + shape().valueDim; }
    [[nodiscard]] std::size_t index(LayerIndex layer, int head) const {
        return static_cast<std::size_t>(layer.value * shape().kvHeads + head);
    }
    /// Returns the oldest row, after the first ones, that a query at this position sees in 16 bits.
    [[nodiscard]] int oldestExact(int asking) const {
        return std::max({coding_->window.first, asking - coding_->window.newest + 1, codesUntil_});
    }
    void findPlaces(int asking, int end);

    std::unique_ptr<KvCache> rows_;
    std::shared_ptr<const Coding> coding_;
    std::vector<float> keys_, values_;  ///< rows of the layer being written
    /// Per head [tokens, keyDim + valueDim] in f16, the input of the codes; empty without a window.
    std::vector<std::vector<std::byte>> exact_;
    std::vector<ExactSlot> places_;  ///< the same for every head: slots that some query sees in 16
                                     ///< bits
    int codesUntil_ = 0;  ///< tokens before it, except the first ones, have left the window
    int appending_ = 0;
};

/// Lists the slots before `end` that a query at `asking` or later sees in 16 bits.
void SimulatedCache::findPlaces(int asking, int end) {
    places_.clear();
    if (!exact()) return;
    const auto add = [this](int slot) { places_.push_back({.slot = slot, .place = slot}); };
    for (int slot = 0; slot < std::min(coding_->window.first, end); ++slot) add(slot);
    for (int slot = oldestExact(asking); slot < end; ++slot) add(slot);
}

Status SimulatedCache::beginAppend(int tokens) {
    LACUNA_TRY_STATUS(rows_->beginAppend(tokens));
    appending_ = tokens;
    const int from = offset().value;
    codesUntil_ = std::min(codesUntil_, from);
    const auto bytes = static_cast<std::size_t>(kHalfBytes * rowLength());
    for (auto& rows : exact_) rows.resize(static_cast<std::size_t>(from + tokens) * bytes);
    findPlaces(from, from + tokens);
    return {};
}

void SimulatedCache::writeLayer(LayerIndex layer, View<const float, 3> keys,
                                View<const float, 3> values, ThreadPool* pool) {
    const auto keyDim = static_cast<std::size_t>(shape().keyDim);
    const auto valueDim = static_cast<std::size_t>(shape().valueDim);
    keys_.resize(static_cast<std::size_t>(keys.size()));
    values_.resize(static_cast<std::size_t>(values.size()));
    const auto from = static_cast<std::size_t>(offset().value);
    const std::size_t bytes = kHalfBytes * (keyDim + valueDim);
    std::vector<float> turnedKey(keyDim), turnedValue(valueDim);
    std::size_t row = 0;
    for (std::int64_t token = 0; token < keys.extent(0); ++token)
        for (int head = 0; head < shape().kvHeads; ++head, ++row) {
            const HeadCoders& coders = coding_->heads[index(layer, head)];
            const std::span<const float> key = keys.row(token).row(head);
            const std::span<const float> value = values.row(token).row(head);
            coders.keys.turn(key, turnedKey);
            coders.values.turn(value, turnedValue);
            coders.keys.recode(turnedKey, std::span(keys_).subspan(row * keyDim, keyDim));
            coders.values.recode(turnedValue, std::span(values_).subspan(row * valueDim, valueDim));
            if (!exact()) continue;
            std::byte* const to = exact_[index(layer, head)].data() +
                                  (from + static_cast<std::size_t>(token)) * bytes;
            storeRowSaturated(DType::F16, turnedKey, to);
            storeRowSaturated(DType::F16, turnedValue, to + kHalfBytes * keyDim);
        }
    rows_->writeLayer(layer, {keys_.data(), keys.extents()}, {values_.data(), values.extents()},
                      pool);
}

void SimulatedCache::commitAppend() {
    rows_->commitAppend();
    if (appending_ > 0) codesUntil_ = oldestExact(offset().value - 1);
    appending_ = 0;
    findPlaces(offset().value - 1, offset().value);
}

void SimulatedCache::abortAppend() {
    rows_->abortAppend();
    appending_ = 0;
    findPlaces(offset().value - 1, offset().value);
}

Status SimulatedCache::rollback(int tokens) {
    LACUNA_TRY_STATUS(rows_->rollback(tokens));
    findPlaces(offset().value - 1, offset().value);
    return {};
}

KvHeadView SimulatedCache::head(LayerIndex layer, HeadIndex head) const {
    KvHeadView view = rows_->head(layer, head);
    const HeadCoders& coders = coding_->heads[index(layer, head.value)];
    view.keyRotation = coders.keys.rotation();
    view.valueRotation = coders.values.rotation();
    if (!exact()) return view;
    const auto written = std::ranges::lower_bound(places_, view.slots, {}, &ExactSlot::slot);
    view.exact = {.places = places_.data(),
                  .count = static_cast<int>(written - places_.begin()),
                  .held = exact_[index(layer, head.value)].data(),
                  .run = nullptr,
                  .keyBytes = kHalfBytes * shape().keyDim,
                  .valueBytes = kHalfBytes * shape().valueDim,
                  .window = coding_->window};
    return view;
}

/// Returns the stats of a real cache with these codes and the same capacity as this one.
KvStats SimulatedCache::stats() const {
    KvStats stats = rows_->stats();
    const auto length = static_cast<std::int64_t>(rowLength());
    const auto coded =
        static_cast<std::int64_t>(rowCodingBytes(coding_->rows.keys, shape().keyDim) +
                                  rowCodingBytes(coding_->rows.values, shape().valueDim));
    const std::int64_t capacity = stats.allocatedBytes / (length * std::int64_t{sizeof(float)});
    const auto exactRows =
        static_cast<std::int64_t>(places_.size()) * shape().layers * shape().kvHeads;
    const std::int64_t exactBytes =
        exactRows * (kHalfBytes * length + static_cast<std::int64_t>(sizeof(ExactSlot)));
    stats.logicalBytes = stats.tokens * shape().layers * shape().kvHeads * length * kHalfBytes;
    stats.liveBytes = stats.slotsTotal * coded + exactBytes;
    stats.allocatedBytes = capacity * coded + exactBytes;
    return stats;
}

Result<std::unique_ptr<KvCache>> SimulatedCache::clone() const {
    LACUNA_TRY(auto rows, rows_->clone());
    auto copy = std::make_unique<SimulatedCache>(std::move(rows), coding_);
    copy->exact_ = exact_;
    copy->places_ = places_;
    copy->codesUntil_ = codesUntil_;
    return std::unique_ptr<KvCache>(std::move(copy));
}

}  // namespace

Result<std::unique_ptr<KvCache>> makeSimulatedCache(const CacheModel& model,
                                                    const KvOptions& options,
                                                    const SimulatedRows& rows) {
    if (!model.extents.empty())
        return fail(ErrorCode::Unsupported,
                    "the layers of this model differ in KV heads or head size, but simulated "
                    "formats need one size");
    LACUNA_TRY_STATUS(checkRowCoding("keys", rows.keys, model.headDim));
    LACUNA_TRY_STATUS(checkRowCoding("values", rows.values, model.headDim));
    auto coding = std::make_shared<Coding>();
    coding->rows = rows;
    if (options.exactWindow > 0) coding->window = {options.exactWindow, options.nSink};
    if (rows.rotated()) {
        KvOptions rotated;
        rotated.quant = {.bits = 4, .group = 0};
        rotated.rotation = options.rotation;
        rotated.layerCaches = LayerCaches::Uniform;
        LACUNA_TRY(coding->turning, makeCacheFor(model, rotated));
    }
    for (int layer = 0; layer < model.layers; ++layer)
        for (int head = 0; head < model.kvHeads; ++head) {
            const KvHeadView rotated =
                coding->turning != nullptr
                    ? coding->turning->head(LayerIndex(layer), HeadIndex(head))
                    : KvHeadView{};
            const std::uint64_t seed = kSketchSeed + 2 * static_cast<std::uint64_t>(layer);
            coding->heads.push_back(
                {RowCoder(rows.keys, model.headDim, rotated.keyRotation, seed),
                 RowCoder(rows.values, model.headDim, rotated.valueRotation, seed + 1)});
        }
    LACUNA_TRY(auto plain, makeSlotCache({.layers = model.layers,
                                          .kvHeads = model.kvHeads,
                                          .keyDim = model.headDim,
                                          .valueDim = model.headDim,
                                          .type = DType::F32}));
    return std::unique_ptr<KvCache>(
        std::make_unique<SimulatedCache>(std::move(plain), std::move(coding)));
}

}  // namespace lacuna

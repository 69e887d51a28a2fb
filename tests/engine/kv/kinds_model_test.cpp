// Random operations on every kind of cache and on a naive model, lists of tokens.
// A token is its position and a salt that differs on every write, which detects stale rows of
// removed tokens. For rotated codes it also records whether its row is held in 16 bits.
// LACUNA_PROPERTY_SEQUENCES sets the number of sequences (default: a few hundred). A failure prints
// its seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

#include "engine/base/thread_pool.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/cache_list.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/kv/slot/slot_state.h"
#include "engine/kv/window/window_cache.h"
#include "kv_fixture.h"
#include "tests/support/reference_attention.h"

namespace lacuna::test {
namespace {

struct Token {
    std::int32_t position = 0;
    std::uint64_t salt = 0;
    bool exact = false;  ///< the row is also held in 16 bits
};

/// Returns the row of a token. Must be cheap, because millions are computed.
std::vector<float> rowOf(const Token& token, int layer, int head, bool value, int dim) {
    std::vector<float> row;
    const auto stream =
        static_cast<std::uint64_t>((token.position * 8 + layer) * 8 + head * 2 + (value ? 1 : 0));
    for (int i = 0; i < dim; ++i)
        row.push_back(
            static_cast<float>(
                static_cast<int>(randomBits(token.salt, stream, static_cast<std::uint64_t>(i)) %
                                 4001) -
                2000) /
            500.0F);
    return row;
}

/// Expected content of a head: its tokens and their biases.
struct Held {
    Token token;
    float bias = 0;
    std::optional<std::vector<float>> newValue;
};
using NaiveHead = std::vector<Held>;

std::vector<float> layerRows(const KvShape& s, int layer, const std::vector<Token>& tokens,
                             bool value) {
    std::vector<float> rows;
    for (const Token& token : tokens)
        for (int head = 0; head < s.kvHeads; ++head) {
            const auto row = rowOf(token, layer, head, value, value ? s.valueDim : s.keyDim);
            rows.insert(rows.end(), row.begin(), row.end());
        }
    return rows;
}

void write(KvCache& cache, const std::vector<Token>& tokens, int layers) {
    const KvShape& s = cache.shape();
    const auto count = static_cast<std::int64_t>(tokens.size());
    for (int layer = 0; layer < layers; ++layer) {
        const auto keys = layerRows(s, layer, tokens, false);
        const auto values = layerRows(s, layer, tokens, true);
        cache.writeLayer(LayerIndex(layer), {keys.data(), {count, s.kvHeads, s.keyDim}},
                         {values.data(), {count, s.kvHeads, s.valueDim}});
    }
}

/// Returns the 16-bit row: the rotated row as f16.
std::vector<std::byte> turnedHalves(const RowFormat& format, const std::vector<float>& row) {
    if (!format.quant.rotated()) return {};
    std::vector<float> turned(row.size());
    format.rotation->apply(row.data(), turned.data());
    return stored(DType::F16, turned);
}

void expectExact(const KvHeadView& view, int slot, const std::vector<std::byte>& key,
                 const std::vector<std::byte>& value) {
    const auto found = view.exact.within(slot, 1);
    ASSERT_EQ(found.size(), 1U) << "rows in 16 bits of slot " << slot;
    ASSERT_EQ(std::memcmp(view.exact.key(found[0]), key.data(), key.size()), 0);
    ASSERT_EQ(std::memcmp(view.exact.value(found[0]), value.data(), value.size()), 0);
}

void expectSlot(const KvHeadView& view, int slot, const Held& held, const RowFormat& key,
                const RowFormat& value, int layer, int head) {
    const auto at = static_cast<std::size_t>(slot);
    const auto keyBytes = stored(key, rowOf(held.token, layer, head, false, key.dim));
    const auto valueBytes = stored(
        value, held.newValue ? *held.newValue : rowOf(held.token, layer, head, true, value.dim));
    ASSERT_EQ(std::memcmp(view.keys + at * keyBytes.size(), keyBytes.data(), keyBytes.size()), 0)
        << "key of token " << held.token.position;
    ASSERT_EQ(
        std::memcmp(view.values + at * valueBytes.size(), valueBytes.data(), valueBytes.size()), 0)
        << "value of token " << held.token.position;
    ASSERT_EQ(view.bias == nullptr ? 0.0F : view.bias[slot], held.bias);
    if (held.token.exact)
        expectExact(view, slot, turnedHalves(key, rowOf(held.token, layer, head, false, key.dim)),
                    turnedHalves(value, rowOf(held.token, layer, head, true, value.dim)));
    else
        ASSERT_TRUE(view.exact.within(slot, 1).empty())
            << "token " << held.token.position << " has a row in 16 bits";
}

/// Checks that every slot except holes holds a token of the model and that none is missing. Tokens
/// of `optional` may be present (those a window has left behind).
void expectHead(const KvCache& cache, int layer, int head, const NaiveHead& must,
                const NaiveHead& optional = {}) {
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
    const RowFormat key = keyFormat(view, cache.shape().keyDim);
    const RowFormat value = valueFormat(view, cache.shape().valueDim);
    std::map<std::int32_t, const Held*> expected;
    std::map<std::int32_t, const Held*> allowed;
    for (const Held& held : must) expected[held.token.position] = &held;
    for (const Held& held : optional) allowed[held.token.position] = &held;
    for (int slot = 0; slot < view.slots; ++slot) {
        if (view.bias != nullptr && view.bias[slot] == kHole) continue;
        const std::int32_t position = view.positions == nullptr ? slot : view.positions[slot];
        const auto at = expected.find(position);
        const Held* held = at != expected.end() ? at->second : nullptr;
        if (held != nullptr) {
            expected.erase(at);
        } else {
            ASSERT_TRUE(allowed.count(position)) << "token " << position << " should not be held";
            held = allowed[position];
        }
        ASSERT_NO_FATAL_FAILURE(expectSlot(view, slot, *held, key, value, layer, head));
    }
    ASSERT_TRUE(expected.empty()) << "token " << expected.begin()->first << " is missing";
}

/// Runs one sequence on one cache. The subclass keeps the model.
class Player {
  public:
    Player(std::uint64_t seed, std::unique_ptr<KvCache> cache)
        : random_(seed, 0), cache_(std::move(cache)) {}
    virtual ~Player() = default;

    void play(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
            step(static_cast<int>(random_.below(10)));
            cache_->checkInvariants();
            ASSERT_EQ(cache_->offset().value, static_cast<int>(tokens_.size()));
            expectAll();
        }
    }

  protected:
    virtual void expectAll() = 0;
    virtual void appended(int count) = 0;
    virtual void removed(int count) = 0;
    /// Returns how many of the newest tokens trim() can remove outside of an open span.
    [[nodiscard]] virtual int trimLimit() const = 0;
    virtual void special() {}
    /// Drops the 16-bit rows that are out of range for a query at `asking`.
    virtual void age(std::int64_t asking) {
        for (Token& token : tokens_) ageOne(token, asking);
    }
    void ageOne(Token& token, std::int64_t asking) const {
        token.exact = token.exact && cache_->shape().exact.covers(token.position, asking);
    }
    [[nodiscard]] virtual std::unique_ptr<KvCache> loaded(const std::string& bytes) {
        return loadCache(bytes).value();
    }

    [[nodiscard]] std::vector<Token> fresh(int count) {
        std::vector<Token> out;
        for (int i = 0; i < count; ++i)
            out.push_back({static_cast<std::int32_t>(tokens_.size()) + i, ++salt_,
                           cache_->shape().keepsExact()});
        return out;
    }
    void append(int count) {
        const int layers = cache_->shape().layers;
        const auto tokens = fresh(count);
        if (random_.below(6) == 0) {  // an abandoned append first, complete or half written
            ASSERT_TRUE(cache_->beginAppend(count));
            write(*cache_, fresh(count), random_.below(2) == 0 ? layers : layers / 2);
            cache_->abortAppend();
            ASSERT_NO_FATAL_FAILURE(expectAll());
        }
        ASSERT_TRUE(cache_->beginAppend(count));
        write(*cache_, tokens, layers);
        cache_->commitAppend();
        tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
        appended(count);
        const auto all = static_cast<std::int64_t>(tokens_.size());
        // Tokens of an open span may be removed, so its oldest token decides.
        if (count > 0) age(std::min(all, spanStart_) - 1);
        if (spanAppends_ >= 0) ++spanAppends_;
    }
    void remove(int count) {
        tokens_.resize(tokens_.size() - static_cast<std::size_t>(count));
        removed(count);
    }
    void speculate() {
        const int most = 1 + static_cast<int>(random_.below(6));
        ASSERT_TRUE(cache_->speculation().begin(most));
        spanAppends_ = 0;
        spanStart_ = static_cast<std::int64_t>(tokens_.size());
        append(most);
        if (random_.below(2) == 0) append(1);
        const int back = static_cast<int>(random_.below(static_cast<std::uint64_t>(most) + 1));
        ASSERT_TRUE(cache_->speculation().rewind(back));
        ASSERT_FALSE(cache_->speculation().rewind(most + 2));
        remove(back);
        spanAppends_ = -1;
        spanStart_ = kNoSpan;
        ASSERT_TRUE(cache_->speculation().commit());
    }
    void step(int choice) {
        switch (choice) {
            case 0: {
                const int want = static_cast<int>(random_.below(7));
                const int most = trimLimit();
                const int held = cache_->size();
                const int expected = want <= most || held <= most ? std::min(want, most) : 0;
                ASSERT_EQ(cache_->trim(want).value(), expected);
                remove(expected);
                return;
            }
            case 1:
                speculate();
                return;
            case 2: {
                const std::string bytes = cache_->save().value();
                cache_ = loaded(bytes);
                ASSERT_EQ(cache_->save().value(), bytes);
                return;
            }
            case 3: {
                auto twin = cache_->clone().value();
                std::swap(cache_, twin);  // the old cache diverges and is dropped
                ASSERT_TRUE(twin->beginAppend(2));
                write(*twin, fresh(2), twin->shape().layers);
                twin->commitAppend();
                return;
            }
            case 4:
            case 5:
                special();
                return;
            default:
                append(static_cast<int>(random_.below(12) == 0 ? random_.below(300)
                                                               : random_.below(4)));
        }
    }

    RandomStream random_;
    std::unique_ptr<KvCache> cache_;
    std::vector<Token> tokens_;
    std::uint64_t salt_ = 0;
    int spanAppends_ = -1;  ///< appends in the open span; -1 = no open span
    static constexpr std::int64_t kNoSpan = std::numeric_limits<std::int64_t>::max();
    std::int64_t spanStart_ = kNoSpan;
};

KvShape randomShape(std::uint64_t seed, int layers) {
    const DType types[] = {DType::F32, DType::F16, DType::BF16};
    KvShape s{.layers = layers, .kvHeads = 2, .keyDim = 3, .valueDim = 5, .type = types[seed % 3]};
    if (seed % 5 == 0) {
        s.keyDim = 32;
        s.valueDim = 64;
        s.keyQuant = {seed % 2 == 0 ? 4 : 8, 32};
        if (seed % 4 < 2) s.valueQuant = {8, 64};
    }
    if (seed % 5 == 1) {  // rotated codes with and without a power of two as length
        s.keyDim = 32;
        s.valueDim = 36;
        s.keyQuant = {1 + static_cast<int>(seed / 5 % 8), 0};
        if (seed % 4 < 3) s.valueQuant = {8 - static_cast<int>(seed / 5 % 8), 0};
        const int newest[] = {0, 1, 2, 7, 40};
        if (const int rows = newest[seed / 5 % 5]; rows > 0)
            s.exact = {rows, seed / 25 % 2 == 0 ? 3 : 0};
    }
    return s;
}

/// Dense until compacted, then ragged and biased, with holes that later tokens fill.
class EvictingPlayer final : public Player {
  public:
    explicit EvictingPlayer(std::uint64_t seed)
        : Player(seed, makeSlotCache(randomShape(seed, 2)).value()), heads_(4) {
        if (seed % 2 == 0) cache_->compactable()->keepNorms();
    }

  private:
    void appended(int count) override {
        for (NaiveHead& head : heads_)
            for (auto token = tokens_.end() - count; token != tokens_.end(); ++token)
                head.push_back({*token, 0.0F, {}});
    }
    void removed(int count) override {
        const auto tokens = static_cast<std::int32_t>(tokens_.size());
        if (count == 0) return;
        for (NaiveHead& head : heads_)
            std::erase_if(head, [&](const Held& held) { return held.token.position >= tokens; });
    }
    void age(std::int64_t asking) override {
        for (NaiveHead& head : heads_)
            for (Held& held : head) ageOne(held.token, asking);
        Player::age(asking);
    }
    [[nodiscard]] int trimLimit() const override {
        return compacted_ ? 0 : static_cast<int>(tokens_.size());
    }
    void expectAll() override {
        for (int i = 0; i < 4; ++i)
            ASSERT_NO_FATAL_FAILURE(
                expectHead(*cache_, i / 2, i % 2, heads_[static_cast<std::size_t>(i)]));
    }
    void special() override {
        if (random_.below(3) == 0) {
            while (defragmentCache(*cache_, 64, pool_, random_.below(2) == 0)) {
            }
            return;
        }
        compact();
    }
    void compact() {
        CompactionPlan plan;
        const bool onlyDrops = random_.below(3) != 0;
        bool touched = false;
        for (std::size_t h = 0; h < heads_.size(); ++h) {
            HeadCompaction head;
            if (!heads_[h].empty() && random_.below(4) != 0) touchHead(h, onlyDrops, head);
            touched = touched || head.touched();
            plan.heads.push_back(std::move(head));
        }
        if (random_.below(4) == 0) cache_->compactable()->keepNorms();
        ASSERT_TRUE(onlyDrops ? cache_->compactable()->applyInPlace(plan, pool_)
                              : cache_->compactable()->apply(plan));
        compacted_ = compacted_ || touched;
    }
    void touchHead(std::size_t h, bool onlyDrops, HeadCompaction& head) {
        const int heads = cache_->shape().kvHeads;
        const auto dim = static_cast<std::size_t>(cache_->shape().valueDim);
        const KvHeadView view = cache_->head(LayerIndex(static_cast<int>(h) / heads),
                                             HeadIndex(static_cast<int>(h) % heads));
        head.keep = SlotMarks(view.slots);
        NaiveHead kept;
        const bool newBias = !onlyDrops && random_.below(2) == 0;
        const bool newValues = !onlyDrops && random_.below(2) == 0;
        for (std::int32_t slot = 0; slot < view.slots; ++slot) {
            if (view.bias != nullptr && view.bias[slot] == kHole) continue;
            const std::int32_t position = view.positions == nullptr ? slot : view.positions[slot];
            const auto held =
                std::find_if(heads_[h].begin(), heads_[h].end(),
                             [&](const Held& entry) { return entry.token.position == position; });
            if (kept.empty() || random_.below(3) != 0) {
                head.keep.add(slot);
                kept.push_back(*held);
                if (newBias) {
                    head.bias.push_back(static_cast<float>(random_.below(9)) - 4.0F);
                    kept.back().bias = head.bias.back();
                }
                if (newValues) {
                    auto row = rowOf({position, ++salt_}, 0, 0, true, static_cast<int>(dim));
                    // A fit leaves some rows unchanged, which keep their codes and 16-bit rows.
                    const bool same = kept.back().token.exact && random_.below(2) == 0;
                    if (same) readValues(view, static_cast<int>(dim), slot, 1, row.data());
                    head.values.insert(head.values.end(), row.begin(), row.end());
                    const bool coded = cache_->shape().valueQuant.rotated();
                    if (same && coded) continue;
                    kept.back().newValue = row;
                    if (coded) kept.back().token.exact = false;
                }
            }
        }
        heads_[h] = std::move(kept);
    }

    ThreadPool pool_{1};
    std::vector<NaiveHead> heads_;
    bool compacted_ = false;
};

/// Tokens of a window: those that the next query must see, and those that may remain.
class WindowPlayer : public Player {
  public:
    WindowPlayer(std::uint64_t seed, WindowRule rule)
        : Player(seed, makeWindowCache(randomShape(seed, 2), rule).value()), rule_(rule) {}

  protected:
    WindowPlayer(std::uint64_t seed, std::unique_ptr<KvCache> cache, WindowRule rule)
        : Player(seed, std::move(cache)), rule_(rule) {}
    void appended(int /*count*/) override {}
    void removed(int /*count*/) override {}
    [[nodiscard]] int trimLimit() const override {
        const int tokens = static_cast<int>(tokens_.size());
        return tokens < rule_.size ? tokens : 0;
    }
    [[nodiscard]] bool mustHold(const Token& token) const {
        const auto next = static_cast<std::int64_t>(tokens_.size());
        return sees(next, token.position, rule_.size - rule_.keep, rule_.keep);
    }
    void expectLayers(int first, int end) {
        NaiveHead must;
        NaiveHead rest;
        for (const Token& token : tokens_)
            (mustHold(token) ? must : rest).push_back({token, 0, {}});
        for (int layer = first; layer < end; ++layer)
            for (int head = 0; head < 2; ++head)
                ASSERT_NO_FATAL_FAILURE(expectHead(*cache_, layer, head, must, rest));
    }
    void expectAll() override { expectLayers(0, 2); }

    WindowRule rule_;
};

/// Layers 0 and 2 have a window, layer 1 is full.
class ListPlayer final : public WindowPlayer {
  public:
    ListPlayer(std::uint64_t seed, WindowRule rule)
        : WindowPlayer(seed, makeCacheList(randomShape(seed, 3), plansOf(seed, rule)).value(),
                       rule),
          plans_(plansOf(seed, rule)) {}

  private:
    static std::vector<LayerPlan> plansOf(std::uint64_t seed, WindowRule rule) {
        const KvShape s = randomShape(seed, 3);
        LayerPlan full{.window = {}, .keyQuant = s.keyQuant, .valueQuant = s.valueQuant};
        LayerPlan window = full;
        window.window = rule;
        return {window, full, window};
    }
    std::unique_ptr<KvCache> loaded(const std::string& bytes) override {
        return loadCacheList(bytes, plans_).value();
    }
    void special() override {}
    void expectAll() override {
        NaiveHead all;
        for (const Token& token : tokens_) all.push_back({token, 0, {}});
        ASSERT_NO_FATAL_FAILURE(expectLayers(0, 1));
        ASSERT_NO_FATAL_FAILURE(expectLayers(2, 3));
        for (int head = 0; head < 2; ++head)
            ASSERT_NO_FATAL_FAILURE(expectHead(*cache_, 1, head, all));
    }
    std::vector<LayerPlan> plans_;
};

void playSeed(std::uint64_t seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    constexpr int kSteps = 30;
    const int size = 2 + static_cast<int>(seed / 5 % 19);
    const int keep = static_cast<int>(seed / 7 % static_cast<std::uint64_t>(size));
    switch (seed % 3) {
        case 0:
            WindowPlayer(seed / 3, {size, keep}).play(kSteps);
            return;
        case 1:
            ListPlayer(seed / 3, {size, 0}).play(kSteps);
            return;
        default:
            EvictingPlayer(seed / 3).play(kSteps);
    }
}

TEST(KindsModel, randomOperations_matchTheNaiveLists) {
    const char* wanted = std::getenv("LACUNA_PROPERTY_SEQUENCES");
    const std::uint64_t count = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 300;
    for (std::uint64_t seed = 1; seed <= count && !HasFatalFailure(); ++seed) playSeed(seed);
    RecordProperty("sequences", static_cast<int>(count));
}

}  // namespace
}  // namespace lacuna::test

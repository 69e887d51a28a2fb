#pragma once
/// \file
/// Wraps a cache and counts the calls to it. One thread.

#include <memory>
#include <string>

#include "engine/kv/kv_cache.h"

namespace lacuna::test {

/// Number of calls that iterate over heads or rows.
struct CacheVisits {
    int stats = 0;  ///< statistics of all heads
    int slots = 0;  ///< slots of one head
    int heads = 0;  ///< views of one head, with its rows
    int norms = 0;  ///< key norms of one head
    int tidies = 0;
    friend bool operator==(const CacheVisits&, const CacheVisits&) = default;
};

class CountingCache final : public KvCache, private Compactable {
  public:
    explicit CountingCache(KvCache& cache) : cache_(cache) {}
    [[nodiscard]] const CacheVisits& visits() const { return visits_; }

    [[nodiscard]] const KvShape& shape() const override { return cache_.shape(); }
    [[nodiscard]] KvCapabilities capabilities() const override { return cache_.capabilities(); }
    [[nodiscard]] KvStats stats() const override {
        ++visits_.stats;
        return cache_.stats();
    }
    [[nodiscard]] Position offset() const override { return cache_.offset(); }
    [[nodiscard]] int slots(LayerIndex layer, HeadIndex head) const override {
        ++visits_.slots;
        return cache_.slots(layer, head);
    }
    [[nodiscard]] Status beginAppend(int tokens) override { return cache_.beginAppend(tokens); }
    void writeLayer(LayerIndex layer, View<const float, 3> keys, View<const float, 3> values,
                    ThreadPool* pool) override {
        cache_.writeLayer(layer, keys, values, pool);
    }
    [[nodiscard]] KvHeadView head(LayerIndex layer, HeadIndex head) const override {
        ++visits_.heads;
        return cache_.head(layer, head);
    }
    void commitAppend() override { cache_.commitAppend(); }
    void abortAppend() override { cache_.abortAppend(); }
    [[nodiscard]] Status rollback(int tokens) override { return cache_.rollback(tokens); }
    [[nodiscard]] Result<std::unique_ptr<KvCache>> clone() const override { return cache_.clone(); }
    [[nodiscard]] Result<std::unique_ptr<KvCache>> share() override { return cache_.share(); }
    void visitBlocks(const BlockVisitor& visit) const override { cache_.visitBlocks(visit); }
    [[nodiscard]] Result<std::string> save() const override { return cache_.save(); }
    [[nodiscard]] std::span<const float> keyNorms(LayerIndex layer, HeadIndex head) override {
        ++visits_.norms;
        return cache_.keyNorms(layer, head);
    }
    void checkInvariants() const override { cache_.checkInvariants(); }
    [[nodiscard]] Speculation& speculation() override { return cache_.speculation(); }
    [[nodiscard]] Compactable* compactable() override {
        return cache_.compactable() != nullptr ? this : nullptr;
    }
    [[nodiscard]] Snapshots* snapshots() override { return cache_.snapshots(); }
    [[nodiscard]] const std::vector<LayerPlan>* layerPlans() const override {
        return cache_.layerPlans();
    }

  private:
    [[nodiscard]] Status apply(const CompactionPlan& plan) override {
        return cache_.compactable()->apply(plan);
    }
    [[nodiscard]] Status applyInPlace(const CompactionPlan& plan, ThreadPool& pool) override {
        return cache_.compactable()->applyInPlace(plan, pool);
    }
    [[nodiscard]] bool defragment(std::int64_t bytes, ThreadPool& pool, bool all) override {
        ++visits_.tidies;
        return cache_.compactable()->defragment(bytes, pool, all);
    }
    void keepNorms() override { cache_.compactable()->keepNorms(); }

    KvCache& cache_;
    mutable CacheVisits visits_;
};

}  // namespace lacuna::test

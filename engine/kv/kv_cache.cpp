#include "engine/kv/kv_cache.h"

#include <algorithm>

#include "engine/base/string_format.h"

namespace lacuna {

Result<int> KvCache::trim(int tokens) {
    if (tokens < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("trim of {} tokens, expected 0 or more", tokens));
    const int most = capabilities().trimLimit;
    const bool holdsNoMore = most > 0 && most >= size();
    const int removed = tokens <= most || holdsNoMore ? std::min(tokens, most) : 0;
    LACUNA_TRY_STATUS(rollback(removed));
    return removed;
}

Status KvCache::applyInPlace(const CompactionPlan& plan, ThreadPool& /*pool*/) {
    return apply(plan);
}

Status KvCache::evict(const EvictionMarks& marks, ThreadPool& pool) {
    CompactionPlan plan{.heads = {}, .verbatim = marks.verbatim};
    plan.heads.resize(marks.heads.size());
    for (std::size_t i = 0; i < marks.heads.size(); ++i) {
        plan.heads[i].touched = marks.heads[i].slots() > 0;
        plan.heads[i].keep = marks.heads[i].list();
    }
    return applyInPlace(plan, pool);
}

bool KvCache::tidy(std::int64_t /*bytes*/, ThreadPool& /*pool*/, bool /*all*/) {
    return false;
}

Result<std::unique_ptr<KvCache>> KvCache::snapshot() {
    return fail(ErrorCode::Unsupported, "this kind of cache has no snapshots");
}

Status KvCache::follow(KvCache& /*longer*/) {
    return fail(ErrorCode::Unsupported, "this kind of cache has no snapshots");
}

Status KvCache::adopt(KvCache& /*successor*/) {
    return fail(ErrorCode::Unsupported, "this kind of cache has no snapshots");
}

bool canResumeAt(const KvCache& cache, int tokens) {
    const int back = cache.offset().value - tokens;
    return tokens >= 0 && back >= 0 && back <= cache.capabilities().rollbackLimit;
}

}  // namespace lacuna

#include "engine/compress/late_compaction.h"

#include <algorithm>
#include <cmath>

#include "engine/base/number_text.h"
#include "engine/base/string_format.h"
#include "engine/compress/compaction_policy.h"

namespace lacuna {

KvOptions lateOptions(const KvOptions& options, std::int64_t tokens, std::int64_t before) {
    KvOptions late = options;
    late.compactWhen = CompactWhen::AtBudget;
    const std::int64_t turn = std::max<std::int64_t>(tokens - before, 0);
    late.keepRecent = static_cast<int>(std::max<std::int64_t>(options.keepRecent, turn));
    if (options.method == CompactionMethod::L2 && options.budget)
        late.budget = std::max(*options.budget, late.nSink + late.keepRecent + 1);
    if (options.method != CompactionMethod::AttentionMatching || !(options.amRatio > 1.0))
        return late;
    const auto earlier =
        static_cast<std::int64_t>(std::ceil(static_cast<double>(before) / options.amRatio));
    const std::int64_t target = earlier + turn;
    late.amRatio = 1.0;
    late.budget =
        static_cast<int>(options.budget ? std::min<std::int64_t>(target, *options.budget) : target);
    return late;
}

CompactionState describeLate(const KvCache& cache, const KvOptions& options,
                             const TurnPlace& place) {
    const std::int64_t tokens = cache.offset().value;
    CompactionState state = describeState(cache, lateOptions(options, tokens, place.before));
    state.due = false;
    // It never compacts, and the explanation says why.
    if (state.trigger == 0 || skipsEveryLayer(cache, options)) return state;
    const std::string slots = grouped(state.slots);
    if (place.over || tokens == 0)
        state.explanation =
            format("idle: {} slots, the end of the next turn decides on a compaction", slots);
    else if (place.before == 0)
        state.explanation = format(
            "idle: {} slots, the first turn stays whole until the next one has ended", slots);
    else
        state.explanation = format(
            "idle: {} slots, waits for the end of this turn to compact the {} tokens before it",
            slots, grouped(place.before));
    return state;
}

}  // namespace lacuna

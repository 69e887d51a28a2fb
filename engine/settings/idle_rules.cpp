#include "engine/settings/idle_rules.h"

#include "engine/kv/cache_plan.h"
#include "engine/settings/facts.h"

namespace lacuna::idle {
namespace {

using Config = EngineConfig;

bool methodIs(const Config& config, CompactionMethod method) {
    return config.kv.method == method;
}
bool matches(const Config& config) {
    return methodIs(config, CompactionMethod::AttentionMatching);
}

/// Neither budget nor ratio makes a compaction due.
bool neverDue(const Config& config) {
    if (methodIs(config, CompactionMethod::None) || config.kv.budget) return false;
    return !matches(config) || !(config.kv.amRatio > 1.0);
}
bool limited(const Config& config) {
    return config.cacheLimitMiB > 0;
}

constexpr IdleWhen kNone{
    [](const Config& c, const ModelFacts*) { return methodIs(c, CompactionMethod::None); },
    "method is none"};
constexpr IdleWhen kEvicting{
    [](const Config& c, const ModelFacts*) { return methodIs(c, CompactionMethod::L2); },
    "method is l2"};
constexpr IdleWhen kMatching{[](const Config& c, const ModelFacts*) { return matches(c); },
                             "method is am"};
constexpr IdleWhen kNothingDue{
    [](const Config& c, const ModelFacts*) { return neverDue(c) && !limited(c); },
    "the AM ratio is 1 and there is no budget"};
constexpr IdleWhen kLimitAlone{
    [](const Config& c, const ModelFacts*) { return neverDue(c) && limited(c); },
    "only the cache limit compacts"};
constexpr IdleWhen kEvictingForLimit{
    [](const Config& c, const ModelFacts*) { return neverDue(c) && limited(c) && !matches(c); },
    "only the cache limit compacts"};

}  // namespace

std::vector<IdleWhen> unlessCompacting() {
    return {kNone, kNothingDue};
}

std::vector<IdleWhen> unlessDueByItself() {
    return {kNone, kNothingDue, kLimitAlone};
}

std::vector<IdleWhen> unlessDueOrJudged() {
    return {kNone, kNothingDue, kEvictingForLimit};
}

std::vector<IdleWhen> unlessMatching() {
    return {kNone, kEvicting, kNothingDue};
}

std::vector<IdleWhen> unlessMatchingByItself() {
    return {kNone, kEvicting, kNothingDue, kLimitAlone};
}

std::vector<IdleWhen> unlessMethodIsMatching() {
    return {kNone, kEvicting};
}

std::vector<IdleWhen> unlessEvicting() {
    return {kNone, kMatching};
}

std::vector<IdleWhen> whileMethodIsNone() {
    return {kNone};
}

std::vector<IdleWhen> unlessCompactingOrWindow() {
    return {{[](const Config& c, const ModelFacts*) {
                 return methodIs(c, CompactionMethod::None) && !c.kv.window;
             },
             "method is none and there is no window"},
            kNothingDue};
}

std::vector<IdleWhen> whileNoLayerSlides() {
    return {{[](const Config&, const ModelFacts* model) {
                 return model != nullptr && !hasSlidingLayers(cacheModelOf(*model));
             },
             "no layer of the model has a window of its own"}};
}

std::vector<IdleWhen> whileAnswersComeAlone() {
    return {{[](const Config& c, const ModelFacts*) { return c.parallel == 1; },
             "answers are written one at a time"}};
}

std::vector<IdleWhen> whileNothingIsDrawn() {
    return {{[](const Config& c, const ModelFacts*) { return c.sampling.temperature == 0; },
             "temperature is 0"}};
}

std::vector<IdleWhen> whilePenaltyIsOne() {
    return {{[](const Config& c, const ModelFacts*) { return c.sampling.repeatPenalty == 1; },
             "the repetition penalty is 1"}};
}

std::vector<IdleWhen> whilePenaltySeesNothing() {
    return {{[](const Config& c, const ModelFacts*) { return c.sampling.repeatLastN == 0; },
             "the penalty window is 0"}};
}

}  // namespace lacuna::idle

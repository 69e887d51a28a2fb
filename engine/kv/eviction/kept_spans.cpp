#include "engine/kv/eviction/kept_spans.h"

#include <algorithm>

namespace lacuna {

bool keeps(const KeptSpans& spans, std::int64_t position) {
    return std::ranges::any_of(spans, [=](const TokenSpan& one) { return one.has(position); });
}

std::int64_t tokensOf(const KeptSpans& spans) {
    std::int64_t tokens = 0;
    for (const TokenSpan& one : spans) tokens += one.tokens();
    return tokens;
}

KeptSpans withSpan(const KeptSpans& spans, TokenSpan added) {
    KeptSpans out;
    for (const TokenSpan& one : spans) {
        if (one.last < added.first || one.first > added.last) {
            out.push_back(one);
            continue;
        }
        added.first = std::min(added.first, one.first);
        added.last = std::max(added.last, one.last);
    }
    out.push_back(added);
    return out;
}

KeptSpans cutTo(const KeptSpans& spans, std::int64_t tokens) {
    KeptSpans out;
    for (TokenSpan one : spans) {
        one.last = std::min(one.last, tokens);
        if (one.tokens() > 0) out.push_back(one);
    }
    return out;
}

KeptSpans newestWithin(const KeptSpans& spans, std::int64_t most) {
    KeptSpans out;
    for (auto one = spans.rbegin(); one != spans.rend(); ++one) {
        if (tokensOf(out) + one->tokens() > most) break;
        out.push_back(*one);
    }
    std::ranges::reverse(out);
    return out;
}

std::int64_t roomForSpans(std::int64_t target, std::int64_t guarded) {
    return std::max<std::int64_t>(0, (target - guarded) * 3 / 4);
}

}  // namespace lacuna

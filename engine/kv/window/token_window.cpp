#include "engine/kv/window/token_window.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

/// The kept first tokens and the newest others, `most` slots in all, oldest first.
std::vector<std::int32_t> newestInOrder(const TokenWindow& window, int most) {
    std::vector<std::int32_t> order = temporalOrder(window);
    const int surplus = window.slots() - most;
    if (surplus > 0) {
        const auto from = order.begin() + std::min(window.rule.keep, most);
        order.erase(from, from + surplus);
    }
    return order;
}

void appendPositions(TokenWindow& window, int tokens) {
    for (int i = 0; i < tokens; ++i)
        window.positions.push_back(static_cast<std::int32_t>(window.offset + i));
    window.offset += tokens;
    window.next = window.slots();
}

bool isIdentity(const std::vector<std::int32_t>& order, int slots) {
    return static_cast<int>(order.size()) == slots && std::is_sorted(order.begin(), order.end());
}

/// Moves what stays to the front, when anything goes or moves.
void gather(WindowStep& step, const TokenWindow& window, std::vector<std::int32_t> order) {
    if (isIdentity(order, window.slots())) return;
    step.gathers = true;
    step.after.positions.clear();
    for (const std::int32_t slot : order)
        step.after.positions.push_back(window.positions[static_cast<std::size_t>(slot)]);
    step.after.next = step.after.slots();
    step.order = std::move(order);
}

void overwriteOldest(WindowStep& step) {
    TokenWindow& after = step.after;
    if (after.next >= after.rule.size) after.next = after.rule.keep;
    step.firstSlot = after.next;
    step.overwrites = true;
    after.positions[static_cast<std::size_t>(after.next)] = static_cast<std::int32_t>(after.offset);
    ++after.next;
    ++after.offset;
}

}  // namespace

Status checkRule(const WindowRule& rule) {
    if (rule.size < 2)
        return fail(ErrorCode::InvalidArgument,
                    format("window of {} tokens, expected 2 or more", rule.size));
    const int most = rule.size - 1;
    if (rule.keep < 0 || rule.keep > most)
        return fail(ErrorCode::InvalidArgument,
                    format("keep is {} in a window of {} tokens, expected 0 to {}", rule.keep,
                           rule.size, most));
    return {};
}

WindowStep planAppend(const TokenWindow& window, int tokens, AppendMode mode) {
    LACUNA_REQUIRE(tokens >= 1, "an append of at least one token");
    const int size = window.rule.size;
    const bool fresh = mode == AppendMode::SpeculativeFirst;
    WindowStep step;
    step.after = window;
    if (mode == AppendMode::Plain && tokens == 1 && window.slots() >= size) {
        if (window.slots() > size) {
            gather(step, window, newestInOrder(window, size));
            step.after.next = window.rule.keep;
        }
        overwriteOldest(step);
        return step;
    }
    if (mode == AppendMode::Plain) gather(step, window, newestInOrder(window, size - 1));
    if (fresh && (!window.inOrder() || window.slots() > 2 * size))
        gather(step, window, newestInOrder(window, size));
    step.firstSlot = step.after.slots();
    appendPositions(step.after, tokens);
    return step;
}

std::vector<std::int32_t> temporalOrder(const TokenWindow& window) {
    std::vector<std::int32_t> order(window.positions.size());
    std::iota(order.begin(), order.end(), 0);
    if (window.inOrder()) return order;
    std::rotate(order.begin() + window.rule.keep, order.begin() + window.next, order.end());
    return order;
}

int trimmable(const TokenWindow& window) {
    return window.offset < window.rule.size ? window.slots() : 0;
}

void removeNewest(TokenWindow& window, int tokens) {
    LACUNA_REQUIRE(tokens >= 0 && tokens <= window.slots(), "no more tokens than there are");
    LACUNA_REQUIRE(tokens == 0 || window.inOrder(), "the newest tokens stand at the end");
    window.positions.resize(window.positions.size() - static_cast<std::size_t>(tokens));
    window.offset -= tokens;
    if (tokens > 0) window.next = window.slots();
}

}  // namespace lacuna

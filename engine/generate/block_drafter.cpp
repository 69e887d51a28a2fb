#include "engine/generate/block_drafter.h"

#include <algorithm>

#include "engine/generate/sampler.h"
#include "engine/model/context_shift.h"
#include "engine/model/model_cache.h"

namespace lacuna {

Result<std::unique_ptr<BlockDrafter>> BlockDrafter::create(const DraftModel& block, DType type,
                                                           std::int64_t most) {
    LACUNA_TRY(auto cache, makeFullCache(block.loaded->weights.draft->spec, type));
    return std::unique_ptr<BlockDrafter>(new BlockDrafter(block, type, most, std::move(cache)));
}

std::vector<float>* BlockDrafter::hiddenFrom(std::int64_t first) {
    if (abandoned()) return nullptr;
    hidden_.clear();
    passed_ = first;
    return &hidden_;
}

std::int64_t BlockDrafter::waitingRows() const {
    return std::ssize(waiting_) / spec().hidden;
}

/// Drops the rows and waiting states of all tokens from `position` on.
void BlockDrafter::dropFrom(std::int64_t position) {
    const auto kept = std::ranges::lower_bound(rows_, position);
    const auto dropped = static_cast<int>(rows_.end() - kept);
    if (dropped > 0) {
        if (const Status done = cache_->rollback(dropped); !done) return abandon(done.error());
        rows_.erase(kept, rows_.end());
    }
    const std::int64_t left = std::clamp<std::int64_t>(position - firstWaiting_, 0, waitingRows());
    waiting_.resize(static_cast<std::size_t>(left * spec().hidden));
}

/// Drops what belongs to tokens that `text` no longer has. A row also depends on the token after
/// its own.
void BlockDrafter::follow(std::span<const TokenId> text) {
    const auto [old, now] = std::ranges::mismatch(text_, text);
    const auto common = static_cast<std::int64_t>(old - text_.begin());
    if (common < std::ssize(text_)) {
        const auto after = std::ranges::lower_bound(rows_, common - 1);
        if (after != rows_.end()) dropFrom(*after);
        dropFrom(common);
    }
    text_.resize(static_cast<std::size_t>(common));
    text_.insert(text_.end(), now, text.end());
}

/// Takes over the hidden states of the newest pass, of which the first `covered` tokens of the text
/// are valid.
void BlockDrafter::storeHidden(std::span<const TokenId> text, std::int64_t covered) {
    follow(text);
    if (hidden_.empty()) return;
    dropFrom(passed_);
    const std::int64_t hidden = spec().hidden;
    const std::int64_t taken = std::min(std::ssize(hidden_) / hidden, covered - passed_);
    if (firstWaiting_ + waitingRows() != passed_) {
        waiting_.clear();
        firstWaiting_ = passed_;
    }
    if (taken > 0)
        waiting_.insert(waiting_.end(), hidden_.begin(), hidden_.begin() + taken * hidden);
    hidden_.clear();
}

/// Drops older rows if the cache would exceed its limit.
Status BlockDrafter::makeRoom(std::int64_t rows) {
    const std::int64_t held = std::ssize(rows_);
    if (held == 0 || held + rows <= most_) return {};
    const std::int64_t dropped = std::max(held / 2, std::min(held, held + rows - most_));
    auto shifted = shiftedCache(*cache_, spec(), 0, static_cast<int>(dropped));
    if (!shifted) {
        LACUNA_TRY(cache_, makeFullCache(spec(), type_));
        rows_.clear();
        return {};
    }
    cache_ = std::move(*shifted);
    rows_.erase(rows_.begin(), rows_.begin() + dropped);
    return {};
}

/// Computes the rows of all waiting hidden states but the newest.
Status BlockDrafter::feedWaiting(std::span<const TokenId> text, int chunk,
                                 const std::function<bool()>& cancelled) {
    const std::int64_t hidden = spec().hidden;
    const std::int64_t end = std::min(waitingRows(), std::ssize(text) - firstWaiting_) - 1;
    std::int64_t fed = 0;
    Status done;
    while (fed < end && done) {
        const std::int64_t count = std::min<std::int64_t>(end - fed, std::max(chunk, 1));
        LACUNA_TRY_STATUS(makeRoom(count));
        const BatchRun run{.tokens = text.subspan(static_cast<std::size_t>(firstWaiting_ + fed + 1),
                                                  static_cast<std::size_t>(count)),
                           .cache = cache_.get(),
                           .logits = LogitsFor::None,
                           .before = {waiting_.data() + fed * hidden, {count, hidden}}};
        const auto rows = block_.transformer->forward(std::span(&run, 1), {.cancelled = cancelled});
        if (!rows) {
            done = tl::unexpected<Error>(rows.error());
            break;
        }
        for (std::int64_t i = 0; i < count; ++i) rows_.push_back(firstWaiting_ + fed + i);
        fed += count;
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + fed * hidden);
    firstWaiting_ += fed;
    return done;
}

Result<std::vector<TokenId>> BlockDrafter::proposals(const DraftRequest& request) {
    follow(request.history);
    std::vector<TokenId> text(request.history.begin(), request.history.end());
    const std::size_t known = text.size();
    LACUNA_TRY_STATUS(feedWaiting(text, request.chunk, request.cancelled));
    const std::int64_t hidden = spec().hidden;
    if (waitingRows() != 1 || firstWaiting_ + 2 != std::ssize(text)) return std::vector<TokenId>();
    LACUNA_TRY_STATUS(makeRoom(request.most));
    std::vector<float> state = waiting_;
    std::vector<float> next;
    Sampler sampler(request.seed);
    Status done;
    int fed = 0;
    while (text.size() - known < static_cast<std::size_t>(request.most)) {
        const BatchRun run{.tokens = std::span(text).last(1),
                           .cache = cache_.get(),
                           .hidden = &next,
                           .before = {state.data(), {1, hidden}}};
        const auto rows =
            block_.transformer->forward(std::span(&run, 1), {.cancelled = request.cancelled});
        if (!rows) {
            done = tl::unexpected<Error>(rows.error());
            break;
        }
        ++fed;
        const auto guessed = static_cast<std::int64_t>(text.size() - known);
        const auto drawn =
            sampler.draw(rows->row(0), {.history = text, .answered = request.answered + guessed},
                         request.sampling);
        if (!drawn) {
            done = tl::unexpected<Error>(drawn.error());
            break;
        }
        text.push_back(drawn->token);
        if (block_.loaded->tokenizer.isEndOfTurn(drawn->token)) break;
        std::swap(state, next);
    }
    if (fed > 0) LACUNA_TRY_STATUS(cache_->rollback(fed));
    LACUNA_TRY_STATUS(done);
    return std::vector<TokenId>(text.begin() + static_cast<std::ptrdiff_t>(known), text.end());
}

void BlockDrafter::read(std::span<const TokenId> tokens, int chunk,
                        const std::function<bool()>& cancelled) {
    if (abandoned()) return;
    storeHidden(tokens, std::ssize(tokens));
    if (const Status fed = feedWaiting(tokens, chunk, cancelled); !fed) abandon(fed.error());
}

void BlockDrafter::settle(std::span<const TokenId> history) {
    if (!abandoned()) storeHidden(history, std::ssize(history) - 1);
}

}  // namespace lacuna

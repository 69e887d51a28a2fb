#include "engine/generate/sequence.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/state/state_store.h"
#include "engine/model/context_shift.h"

namespace lacuna {
namespace {

/// Tokens between checkpoints of recurrent states within a long text.
constexpr std::int64_t kRegularCheckpoint = 1024;

std::size_t commonStart(std::span<const TokenId> a, std::span<const TokenId> b) {
    const std::size_t shorter = std::min(a.size(), b.size());
    std::size_t n = 0;
    while (n < shorter && a[n] == b[n]) ++n;
    return n;
}

}  // namespace

Result<std::unique_ptr<Sequence>> Sequence::create(CacheMaker makeCache,
                                                   CompactorMaker makeCompactor) {
    std::unique_ptr<Sequence> sequence(
        new Sequence(std::move(makeCache), std::move(makeCompactor)));
    LACUNA_TRY_STATUS(sequence->startOver());
    return sequence;
}

Status Sequence::startOver() {
    LACUNA_TRY(auto cache, makeCache_());
    cache_ = std::move(cache);
    renewCompactor(CompactionReason::ConversationReread);
    tokens_.clear();
    checkpoints_.clear();
    minTokens_ = 0;
    turns_.clear();
    exactTokens_ = kAllTokens;
    return {};
}

Result<PromptReuse> Sequence::prepare(std::span<const TokenId> prompt, std::int64_t most,
                                      std::optional<std::int64_t> question) {
    LACUNA_REQUIRE(!prompt.empty(), "a prompt has at least one token");
    const std::size_t common = commonWith(prompt, most);
    const bool diverged = common < tokens_.size();
    LACUNA_TRY(PromptReuse reuse, reuseStart(prompt, most));
    requestCheckpoints(std::ssize(prompt), static_cast<std::int64_t>(common), reuse.tokens,
                       diverged);
    turns_.begin(reuse.tokens, static_cast<std::int64_t>(prompt.size()), question);
    publishTurn();
    return reuse;
}

/// Requests checkpoints where the prompt parts from the text before it, where its messages begin,
/// before its last token, from which another answer continues, and at regular distances in between.
/// Without memory for one, more tokens are read again.
void Sequence::requestCheckpoints(std::int64_t prompt, std::int64_t common, std::int64_t held,
                                  bool diverged) {
    StateStore* const states = cache_->states();
    const std::vector<std::int64_t> messages = std::exchange(messages_, {});
    if (states == nullptr) return;
    states->limitCheckpoints(states_);
    states->withdrawRequests();
    const auto request = [&](std::int64_t length, CheckpointReason reason) {
        if (length >= held && length > 0 && length < prompt)
            static_cast<void>(states->requestCheckpoint(length, reason));
    };
    if (diverged) request(common, CheckpointReason::Divergence);
    for (const std::int64_t message : messages) request(message, CheckpointReason::Message);
    request(prompt - 1, CheckpointReason::Message);
    for (std::int64_t at = kRegularCheckpoint; at < prompt; at += kRegularCheckpoint)
        if (at > held) request(at, CheckpointReason::Regular);
}

void Sequence::limitCheckpointsTo(const StateCheckpoints& states,
                                  std::vector<std::int64_t> messages) {
    states_ = states;
    messages_ = std::move(messages);
}

std::int64_t Sequence::checkpointGrowth(std::int64_t tokens) const {
    const StateStore* const states = cache_->states();
    return states == nullptr ? 0 : states->checkpointGrowth(tokens);
}

void Sequence::dropCheckpoints() {
    checkpoints_.clear();
    if (StateStore* const states = cache_->states()) states->dropCheckpoints();
}

std::size_t Sequence::commonWith(std::span<const TokenId> prompt, std::int64_t most) const {
    return std::min({commonStart(tokens_, prompt), prompt.size() - 1, exactTokens_,
                     static_cast<std::size_t>(std::max<std::int64_t>(most, 0))});
}

std::int64_t Sequence::reusable(std::span<const TokenId> prompt, std::int64_t most) const {
    const std::size_t common = commonWith(prompt, most);
    const std::size_t surplus = tokens_.size() - common;
    const int limit = surplus == 0 ? 0 : std::max(cache_->capabilities().rollbackLimit, 0);
    if (surplus <= static_cast<std::size_t>(limit)) return static_cast<std::int64_t>(common);
    if (const std::int64_t reached = reachedWithin(common); reached > 0) return reached;
    const KvCache* const checkpoint = checkpointWithin(common);
    return checkpoint != nullptr ? checkpoint->offset().value : 0;
}

/// Returns the largest length up to `tokens` that the cache itself can go back to.
std::int64_t Sequence::reachedWithin(std::size_t tokens) const {
    const auto length = static_cast<std::int64_t>(tokens);
    return length - cache_->tokensAgain(Position(static_cast<std::int32_t>(length)));
}

/// Returns the longest checkpoint of at most `tokens` tokens, or null.
KvCache* Sequence::checkpointWithin(std::size_t tokens) const {
    const auto found = std::ranges::find_if(checkpoints_, [tokens](const auto& one) {
        return static_cast<std::size_t>(one->offset().value) <= tokens;
    });
    return found == checkpoints_.end() ? nullptr : found->get();
}

std::int64_t Sequence::checkpointBytes() const {
    std::int64_t bytes = 0;
    for (const auto& one : checkpoints_) bytes += one->stats().contentBytes();
    return bytes;
}

std::int64_t Sequence::shortest() const {
    const auto length = static_cast<std::int64_t>(tokens_.size());
    return std::max<std::int64_t>(length - std::max(cache_->capabilities().rollbackLimit, 0), 0);
}

Result<PromptReuse> Sequence::reuseStart(std::span<const TokenId> prompt, std::int64_t most) {
    const std::size_t common = commonWith(prompt, most);
    const std::size_t surplus = tokens_.size() - common;
    truncateTo(common);
    if (surplus == 0) return PromptReuse{static_cast<std::int64_t>(common), ""};
    if (common == 0) {
        LACUNA_TRY_STATUS(startOver());
        return PromptReuse{0, "the prompt and the cache share no prefix"};
    }
    const KvCapabilities can = cache_->capabilities();
    if (surplus > static_cast<std::size_t>(std::max(can.rollbackLimit, 0))) {
        if (const std::int64_t reached = reachedWithin(common); reached > 0) {
            LACUNA_TRY_STATUS(dropNewest(static_cast<int>(std::ssize(tokens_) - reached)));
            return PromptReuse{reached, ""};
        }
        if (KvCache* const checkpoint = checkpointWithin(common)) {
            LACUNA_TRY(auto twin, checkpoint->share());
            const auto covered = static_cast<std::size_t>(twin->offset().value);
            resumeFrom(
                std::move(twin),
                std::vector<TokenId>(tokens_.begin(),
                                     tokens_.begin() + static_cast<std::ptrdiff_t>(covered)));
            return PromptReuse{static_cast<std::int64_t>(covered), ""};
        }
        const char* reason = cache_->stats().compactions > 0 ? "compacted"
                             : cache_->states() != nullptr   ? "recurrent states"
                                                             : "window exceeded";
        LACUNA_TRY_STATUS(startOver());
        return PromptReuse{0, format("{}: the cache can go back {} tokens but {} are needed ({}), "
                                     "so the prompt is read again",
                                     reason, can.rollbackLimit, surplus, can.rollbackBlocker)};
    }
    LACUNA_TRY_STATUS(dropNewest(static_cast<int>(surplus)));
    return PromptReuse{static_cast<std::int64_t>(common), ""};
}

void Sequence::appended(std::span<const TokenId> tokens) {
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
    LACUNA_REQUIRE(static_cast<std::int64_t>(tokens_.size()) == cache_->offset().value,
                   "the noted tokens are those the cache covers");
}

/// Passes the newest turn to the compactor.
void Sequence::publishTurn() {
    std::optional<Position> question;
    if (const auto tokens = turns_.newestQuestionStart())
        question = Position(static_cast<std::int32_t>(*tokens));
    compactor_->beginTurn(Position(static_cast<std::int32_t>(turns_.beforeNewest())),
                          Position(static_cast<std::int32_t>(turns_.newestAnswerStart())),
                          question);
}

Status Sequence::dropNewest(int count) {
    if (count == 0) return {};
    LACUNA_TRY_STATUS(cache_->rollback(count));
    tokens_.resize(tokens_.size() - static_cast<std::size_t>(count));
    truncateTo(tokens_.size());
    minTokens_ = std::min(minTokens_, tokens_.size());
    if (!shifted()) exactTokens_ = kAllTokens;
    compactor_->dropFrom(cache_->offset());
    return {};
}

Result<int> Sequence::shift(int keep, const ModelSpec& spec) {
    const int dropped = tokensToShift(cache_->offset().value, keep);
    LACUNA_TRY(auto shifted, shiftedCache(*cache_, spec, keep, dropped));
    cache_ = std::move(shifted);
    const auto first = tokens_.begin() + keep;
    tokens_.erase(first, first + dropped);
    exactTokens_ = std::min(exactTokens_, static_cast<std::size_t>(keep));
    minTokens_ = 0;
    turns_.clear();
    truncateTo(static_cast<std::size_t>(keep));
    compactor_->dropFrom(Position(keep));
    return dropped;
}

void Sequence::adopt(std::unique_ptr<KvCache> cache, std::vector<TokenId> tokens,
                     Checkpoints checkpoints) {
    LACUNA_REQUIRE(static_cast<std::int64_t>(tokens.size()) == cache->offset().value,
                   "the tokens are those the cache covers");
    cache_ = std::move(cache);
    checkpoints_ = std::move(checkpoints);
    kept_.clear();
    pinned_.clear();
    newCompactor();
    tokens_ = std::move(tokens);
    minTokens_ = 0;
    turns_.clear();
    exactTokens_ = kAllTokens;
}

void Sequence::resumeFrom(std::unique_ptr<KvCache> cache, std::span<const TokenId> tokens) {
    LACUNA_REQUIRE(static_cast<std::int64_t>(tokens.size()) == cache->offset().value,
                   "the tokens are those the cache covers");
    cache_ = std::move(cache);
    const auto common = static_cast<std::int64_t>(commonStart(tokens_, tokens));
    kept_ = cutTo(kept_, common);
    pinned_ = cutTo(pinned_, common);
    dropCheckpointsAfter(static_cast<std::size_t>(common));
    tokens_.assign(tokens.begin(), tokens.end());
    minTokens_ = 0;
    // Turns are reset, because compactions must not depend on how long caches are kept.
    turns_.clear();
    renewCompactor(CompactionReason::AnswerFromStorage);
    exactTokens_ = kAllTokens;
}

void Sequence::exchangeCache(std::unique_ptr<KvCache> cache) {
    LACUNA_REQUIRE(cache->offset() == cache_->offset(), "the same tokens in another format");
    LACUNA_REQUIRE(!compactor_->busy(), "nothing refers to the rows of the cache before");
    cache_ = std::move(cache);
    checkpoints_.clear();  // their rows have the old format
    compactor_->dropFrom(cache_->offset());
}

std::int64_t Sequence::takeMinTokens() {
    return static_cast<std::int64_t>(std::exchange(minTokens_, tokens_.size()));
}

void Sequence::replaceCompactor(CompactorMaker makeCompactor) {
    makeCompactor_ = std::move(makeCompactor);
    renewCompactor(CompactionReason::ThreadsReplaced);
}

void Sequence::keepSpans(KeptSpans spans) {
    kept_ = std::move(spans);
    updateKeptSpans();
}

void Sequence::pinSpans(KeptSpans spans) {
    pinned_ = std::move(spans);
    updateKeptSpans();
}

KeptSpans Sequence::allKeptSpans() const {
    KeptSpans all = kept_;
    for (const TokenSpan& one : pinned_) all = withSpan(all, one);
    return all;
}

void Sequence::updateKeptSpans() {
    compactor_->keep(allKeptSpans());
}

void Sequence::dropCheckpointsAfter(std::size_t tokens) {
    std::erase_if(checkpoints_, [tokens](const auto& one) {
        return static_cast<std::size_t>(one->offset().value) > tokens;
    });
}

/// Handles the truncation to `tokens` tokens; later ones will be replaced.
void Sequence::truncateTo(std::size_t tokens) {
    dropCheckpointsAfter(tokens);
    if (kept_.empty() && pinned_.empty()) return;
    kept_ = cutTo(kept_, static_cast<std::int64_t>(tokens));
    pinned_ = cutTo(pinned_, static_cast<std::int64_t>(tokens));
    updateKeptSpans();
}

void Sequence::beforeEviction(std::function<void(Sequence&)> call) {
    beforeEviction_ = std::move(call);
}

/// Makes a compactor without observations.
void Sequence::newCompactor() {
    compactor_ = makeCompactor_(cache_->shape());
    compactor_->reads(tokens_);
    updateKeptSpans();
    compactor_->beforeEviction([this] {
        if (beforeEviction_) beforeEviction_(*this);
    });
}

void Sequence::renewCompactor(CompactionReason reason) {
    const std::unique_ptr<Compactor> before = std::move(compactor_);
    newCompactor();
    publishTurn();
    if (before != nullptr) compactor_->takeOver(*before, reason);
}

}  // namespace lacuna

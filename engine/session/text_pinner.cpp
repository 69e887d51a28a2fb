#include "engine/session/text_pinner.h"

#include <algorithm>
#include <utility>

#include "engine/generate/bring_back.h"
#include "engine/generate/prompt.h"
#include "engine/generate/text_pins.h"

namespace lacuna {
namespace {

std::int64_t commonStart(std::span<const TokenId> a, std::span<const TokenId> b) {
    return std::ranges::mismatch(a, b).in1 - a.begin();
}

/// `cache` has the first `common` tokens of the text; it may be null.
PinnedTokens countsOf(const TokenSpan& pin, const KvCache* cache, std::int64_t common) {
    PinnedTokens counts{.first = pin.first, .count = pin.tokens()};
    const TokenSpan cached{pin.first, std::min(pin.last, common)};
    if (cache != nullptr && cached.tokens() > 0)
        counts.evicted = cached.tokens() - tokensHeld(*cache, cached);
    return counts;
}

}  // namespace

void TextPinner::pin(const PinText& command) {
    TextPinned event{
        .at = dependencies_.io.at(), .conversation = command.conversation, .asked = true};
    auto spans = placed(command, event);
    if (!spans) {
        event.error = std::move(spans).error();
        return dependencies_.io.post(std::move(event));
    }
    event.spans = *spans;
    take(command.conversation, std::move(*spans));
    dependencies_.io.post(std::move(event));
}

/// Returns the pinned spans of the text that the cache shares. The others are located when the next
/// prompt is read.
Result<KeptSpans> TextPinner::placed(const PinText& command, TextPinned& event) {
    if (command.spans) return *command.spans;
    if (command.pins.empty()) return KeptSpans();
    RunningModel* const model = dependencies_.models.model();
    if (model == nullptr) return fail(ErrorCode::InvalidArgument, "no model is loaded");
    LACUNA_TRY(const auto prompt, promptTokens(model->loaded(), command.messages));
    LACUNA_TRY(const auto pins,
               pinnedTokens(model->loaded(), command.messages, prompt, command.pins));
    Sequence* const sequence = dependencies_.conversations.find(command.conversation);
    std::int64_t common = 0;
    if (sequence != nullptr && !sequence->shifted())
        common = commonStart(sequence->tokens(), prompt);
    const KvCache* const cache = sequence == nullptr ? nullptr : &sequence->cache();
    for (const TokenSpan& one : pins) event.pins.push_back(countsOf(one, cache, common));
    const KeptSpans spans = joinedSpans(pins);
    event.tokens = tokensOf(spans);
    LACUNA_TRY_STATUS(checkRoom(command, event, static_cast<std::int64_t>(prompt.size())));
    return cutTo(spans, common);
}

Status TextPinner::checkRoom(const PinText& command, const TextPinned& event,
                             std::int64_t tokens) const {
    Sequence* const sequence = dependencies_.conversations.find(command.conversation);
    std::int64_t all = event.tokens;
    if (sequence != nullptr) {
        all += tokensOf(sequence->keptSpans());
        tokens = std::max(tokens, static_cast<std::int64_t>(sequence->tokens().size()));
    }
    const std::int64_t room =
        maxKeptTokens(dependencies_.settings.of(command.conversation).kv, tokens);
    if (all <= room) return {};
    return keptTokensExceeded(all, room);
}

/// Aborts a background compaction because it was planned without these pins.
void TextPinner::take(ConversationId id, KeptSpans spans) {
    Sequence* const sequence = dependencies_.conversations.find(id);
    if (sequence == nullptr || sequence->pinnedSpans() == spans) return;
    sequence->pinSpans(std::move(spans));
    dependencies_.compactions.abort(id, CompactionReason::OtherWordsPinned);
}

void TextPinner::turnBegins(const Submit& asked, std::span<const TokenId> prompt,
                            Sequence& sequence) {
    RunningModel* const model = dependencies_.models.model();
    if (asked.pins.empty() || !asked.prompt.empty() || model == nullptr)
        return take(asked.conversation, {});
    TextPinned event{.at = dependencies_.io.at(), .conversation = asked.conversation};
    const auto pins = pinnedTokens(model->loaded(), asked.messages, prompt, asked.pins);
    if (!pins) {
        take(asked.conversation, {});
        event.error = pins.error();
        return dependencies_.io.post(std::move(event));
    }
    const auto held = static_cast<std::int64_t>(sequence.tokens().size());
    for (const TokenSpan& one : *pins) event.pins.push_back(countsOf(one, &sequence.cache(), held));
    event.spans = joinedSpans(*pins);
    event.tokens = tokensOf(event.spans);
    take(asked.conversation, event.spans);
    dependencies_.io.post(std::move(event));
}

}  // namespace lacuna

#include "engine/session/preview_desk.h"

#include <algorithm>
#include <new>

#include "engine/quality/compaction_preview.h"

namespace lacuna {
namespace {

bool sameReading(const QueryWish& a, const QueryWish& b) {
    return a.source == b.source && a.shape == b.shape && a.seed == b.seed && a.end == b.end &&
           a.turn == b.turn && a.scoredOn == b.scoredOn && a.foretoldBy == b.foretoldBy;
}

}  // namespace

void PreviewDesk::advance(std::int64_t /*room*/) {
    const RequestPreview request = asked_.front();
    Sequence* sequence = means_.conversations.find(request.conversation);
    RunningModel* model = means_.models.model();
    if (sequence == nullptr || model == nullptr)
        return answer(
            fail(ErrorCode::InvalidArgument, "this conversation has no cache to estimate with"));
    try {
        QueryPass pass = means_.compactions.passFor(request.conversation, *sequence, *model);
        pass.cancelled = [this] { return means_.doors.commandWaits(); };
        keepReadingOf(request.conversation, pass);
        if (reading_ && reading_->wish) return readOn(std::move(pass));
        tryOn(request, *sequence);
    } catch (const std::bad_alloc&) {
        giveBack();
        answer(fail(ErrorCode::NoMemory, "there is not enough memory for it"));
    }
}

/// Of another text, or read otherwise, it says nothing of this one.
void PreviewDesk::keepReadingOf(ConversationId id, const QueryPass& pass) {
    if (reading_ && reading_->conversation == id && reading_->type == pass.type &&
        reading_->chunk == pass.chunk && std::ranges::equal(reading_->tokens, pass.tokens))
        return;
    reading_ = Reading{.conversation = id,
                       .tokens = {pass.tokens.begin(), pass.tokens.end()},
                       .type = pass.type,
                       .chunk = pass.chunk};
}

void PreviewDesk::readOn(QueryPass pass) {
    const auto feed = [&]() -> Result<bool> {
        if (reading_->text == nullptr) {
            LACUNA_TRY(reading_->text, TextPass::begin(*reading_->wish, pass));
        }
        if (!reading_->text->done()) LACUNA_TRY_STATUS(reading_->text->step(pass));
        return reading_->text->done();
    };
    const Result<bool> done = feed();
    if (!done && done.error().code == ErrorCode::Cancelled) return;  // a command comes first
    if (done && !*done) return;
    Result<TextReading> result =
        done ? Result<TextReading>(reading_->text->take()) : tl::unexpected<Error>(done.error());
    reading_->done.emplace_back(std::move(*reading_->wish), std::move(result));
    reading_->wish.reset();
    reading_->text.reset();
}

void PreviewDesk::tryOn(const RequestPreview& request, Sequence& sequence) {
    const QueryReader reader = [this](const QueryWish& wish) -> Result<TextReading> {
        for (const auto& [read, result] : reading_->done)
            if (sameReading(read, wish)) return result;
        reading_->wish = wish;
        return fail(ErrorCode::Cancelled, "it is still to be read");
    };
    auto found = previewCompaction(
        sequence.cache(), sequence.compactor(), request.kv,
        {.reader = reader, .brokenOff = [this] { return means_.doors.commandWaits(); }});
    if (!found && found.error().code == ErrorCode::Cancelled) return;  // goes on, or comes again
    answer(std::move(found));
}

void PreviewDesk::answer(Result<CompactionPreview> found) {
    const RequestPreview request = std::move(asked_.front());
    asked_.pop_front();
    CompactionPreviewed said;
    said.conversation = request.conversation;
    said.kv = request.kv;
    if (found) {
        said.preview = *found;
        means_.compactions.estimated(request.conversation, request.kv, *found);
    } else {
        said.error = found.error();
    }
    means_.doors.post(std::move(said));
}

void PreviewDesk::reset() {
    giveBack();
    while (wanted()) answer(fail(ErrorCode::Cancelled, "the model was given back"));
}

}  // namespace lacuna

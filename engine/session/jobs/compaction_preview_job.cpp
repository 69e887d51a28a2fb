#include "engine/session/jobs/compaction_preview_job.h"

#include <algorithm>
#include <new>

#include "engine/quality/compaction_preview.h"

namespace lacuna {
namespace {

bool sameReading(const QueryRequest& a, const QueryRequest& b) {
    return a.source == b.source && a.shape == b.shape && a.seed == b.seed && a.end == b.end &&
           a.turn == b.turn && a.scoredOn == b.scoredOn && a.predictedBy == b.predictedBy;
}

}  // namespace

void CompactionPreviewJob::advance(std::int64_t room) {
    if (asked_.empty()) return advanceLoss(room);
    if (loss_) endLoss(std::nullopt);
    const RequestPreview request = asked_.front();
    Sequence* sequence = dependencies_.conversations.find(request.conversation);
    RunningModel* model = dependencies_.models.model();
    if (sequence == nullptr || model == nullptr)
        return answer(
            fail(ErrorCode::InvalidArgument, "this conversation has no cache to estimate from"));
    try {
        QueryPass pass = dependencies_.compactions.passFor(request.conversation, *sequence, *model);
        pass.cancelled = [this] { return dependencies_.io.commandWaits(); };
        pass.full = &sequence->cache();
        keepReadingOf(request.conversation, pass);
        if (reading_ && reading_->query) return readNextChunk(std::move(pass));
        startTrial(request, *sequence);
    } catch (const std::bad_alloc&) {
        release();
        answer(fail(ErrorCode::NoMemory, "there is not enough memory for it"));
    }
}

/// Drops the reading if it belongs to another text, format or chunk size.
void CompactionPreviewJob::keepReadingOf(ConversationId id, const QueryPass& pass) {
    if (reading_ && reading_->conversation == id && reading_->type == pass.type &&
        reading_->chunk == pass.chunk && std::ranges::equal(reading_->tokens, pass.tokens))
        return;
    reading_ = Reading{.conversation = id,
                       .tokens = {pass.tokens.begin(), pass.tokens.end()},
                       .type = pass.type,
                       .chunk = pass.chunk};
}

void CompactionPreviewJob::readNextChunk(QueryPass pass) {
    const auto feed = [&]() -> Result<bool> {
        if (reading_->text == nullptr) {
            LACUNA_TRY(reading_->text, TextPass::begin(*reading_->query, pass));
        }
        if (!reading_->text->done()) LACUNA_TRY_STATUS(reading_->text->step(pass));
        return reading_->text->done();
    };
    const Result<bool> done = feed();
    if (!done && done.error().code == ErrorCode::Cancelled) return;  // a command is waiting
    if (done && !*done) return;
    Result<TextReading> result =
        done ? Result<TextReading>(reading_->text->take()) : tl::unexpected<Error>(done.error());
    reading_->done.emplace_back(std::move(*reading_->query), std::move(result));
    reading_->query.reset();
    reading_->text.reset();
}

void CompactionPreviewJob::startTrial(const RequestPreview& request, Sequence& sequence) {
    const QueryReader reader = [this](const QueryRequest& query) -> Result<TextReading> {
        for (const auto& [read, result] : reading_->done)
            if (sameReading(read, query)) return result;
        reading_->query = query;
        return fail(ErrorCode::Cancelled, "the text must be read first");
    };
    std::unique_ptr<KvCache> compacted;
    auto found = previewCompaction(sequence.cache(), sequence.compactor(), request.kv,
                                   {.reader = reader,
                                    .cancelled = [this] { return dependencies_.io.commandWaits(); },
                                    .compacted = request.measuresLoss ? &compacted : nullptr});
    if (!found && found.error().code == ErrorCode::Cancelled) return;  // read first, or repeated
    if (compacted != nullptr && asked_.size() == 1) {
        found->keptFollows = true;
        loss_ = Loss{request, *found, std::move(compacted)};
    }
    answer(std::move(found));
}

Result<std::optional<KeptInformation>> CompactionPreviewJob::continueMeasuring(std::int64_t room) {
    Sequence* sequence = dependencies_.conversations.find(loss_->request.conversation);
    RunningModel* model = dependencies_.models.model();
    if (sequence == nullptr || model == nullptr || !reading_)
        return fail(ErrorCode::InvalidArgument, "the text is no longer in the cache");
    QueryPass pass =
        dependencies_.compactions.passFor(loss_->request.conversation, *sequence, *model);
    keepReadingOf(loss_->request.conversation, pass);
    Reading& reading = *reading_;
    if (reading.gauge == nullptr) {
        LACUNA_TRY(reading.full, sequence->cache().share());
        LACUNA_TRY(reading.gauge,
                   RepetitionGauge::begin(
                       measuredText(sequence->tokens(), loss_->request.kv), *reading.full,
                       {.model = &model->transformer(),
                        .pool = &model->pool(),
                        .chunk = pass.chunk,
                        .maxBytes = room,
                        .cancelled = [this] { return dependencies_.io.commandWaits(); }}));
    }
    if (!reading.gauge->ready()) {
        LACUNA_TRY_STATUS(reading.gauge->step());
        return std::nullopt;
    }
    reading.full.reset();
    if (loss_->compacted != nullptr) {
        LACUNA_TRY_STATUS(reading.gauge->begin(*loss_->compacted, {}));
        loss_->compacted.reset();
        return std::nullopt;
    }
    LACUNA_TRY_STATUS(reading.gauge->step());
    if (!reading.gauge->done()) return std::nullopt;
    return reading.gauge->kept();
}

void CompactionPreviewJob::advanceLoss(std::int64_t room) {
    try {
        const auto kept = continueMeasuring(room);
        if (kept && !*kept) return;
        if (!kept && kept.error().code == ErrorCode::Cancelled) return;  // a command is waiting
        endLoss(kept ? *kept : std::nullopt);
    } catch (const std::bad_alloc&) {
        release();
        endLoss(std::nullopt);
    }
}

void CompactionPreviewJob::endLoss(std::optional<KeptInformation> kept) {
    Loss loss = std::move(*loss_);
    loss_.reset();
    loss.preview.keptFollows = false;
    loss.preview.kept = kept;
    if (kept) dependencies_.compactions.measured(loss.request.conversation, loss.request.kv, *kept);
    CompactionPreviewed said;
    said.conversation = loss.request.conversation;
    said.kv = loss.request.kv;
    said.preview = loss.preview;
    dependencies_.io.post(std::move(said));
}

void CompactionPreviewJob::answer(Result<CompactionPreview> found) {
    const RequestPreview request = std::move(asked_.front());
    asked_.pop_front();
    CompactionPreviewed said;
    said.conversation = request.conversation;
    said.kv = request.kv;
    if (found) {
        said.preview = *found;
        dependencies_.compactions.estimated(request.conversation, request.kv, *found);
    } else {
        said.error = found.error();
    }
    dependencies_.io.post(std::move(said));
}

void CompactionPreviewJob::reset() {
    release();
    if (loss_) endLoss(std::nullopt);
    while (isPending()) answer(fail(ErrorCode::Cancelled, "the model was unloaded"));
}

}  // namespace lacuna

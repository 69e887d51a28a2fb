#include "engine/session/compaction_supervisor.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engine/compress/driver/compaction_trigger.h"
#include "engine/generate/text_pass.h"

namespace lacuna {

void CompactionSupervisor::compactNow(ConversationId id, RunningModel* model) {
    if (Sequence* sequence = conversations_.find(id)) {
        compact(id, *sequence, CompactionCause::Manual, *model);
        return;
    }
    CompactionReport report;
    report.cause = CompactionCause::Manual;
    report.method = settings_.of(id).kv.method;
    report.notes = {{model != nullptr ? CompactionReason::NoCache : CompactionReason::NoModel}};
    happened(id, std::move(report));
}

void CompactionSupervisor::compact(ConversationId id, Sequence& sequence, CompactionCause cause,
                                   RunningModel& model) {
    const KvOptions& kv = settings_.of(id).kv;
    QueryPass pass = passFor(id, sequence, model);
    pass.cancelled = [this] { return io_.cancelRequested(); };
    pass.full = &sequence.cache();
    const QueryReader reader = queryReader(std::move(pass));
    happened(id, sequence.compactor().compact(sequence.cache(), kv,
                                              {.cause = cause,
                                               .mode = CompactionCall::Mode::Background,
                                               .policy = io_.backgroundPolicy(io_.at(), id),
                                               .reader = reader}));
    telemetry_.publish(id, sequence);
}

RetentionSnapshot CompactionSupervisor::retentionOf(ConversationId id) {
    RetentionSnapshot snapshot;
    snapshot.conversation = id;
    const KvOptions& kv = settings_.of(id).kv;
    snapshot.sinks = kv.nSink;
    snapshot.recent = kv.keepRecent;
    Sequence* sequence = conversations_.find(id);
    const RunningModel* const model = models_.model();
    if (sequence != nullptr && model != nullptr) {
        if (const auto limits = compactionLimits(kv, sequence->cache().offset().value)) {
            snapshot.sinks = limits->nSink;
            snapshot.recent = limits->keepRecent;
        }
        snapshot.row = retention(sequence->cache());
        for (const TokenId token : sequence->tokens())
            snapshot.pieces.push_back(model->loaded()
                                          .tokenizer.pieceBytes(token, SpecialOutput::Show)
                                          .value_or(std::string()));
    }
    return snapshot;
}

void CompactionSupervisor::settingsChanged(const ConversationFilter& which,
                                           std::span<Turn* const> answering, RunningModel* model) {
    conversations_.forEachNamed([&](ConversationId id, Sequence&) {
        if (which(id)) abort(id, CompactionReason::SettingsChanged);
    });
    for (const Turn* turn : answering) {
        const ConversationId id = turn->conversation();
        const EngineConfig& config = settings_.of(id);
        if (!which(id)) continue;
        if (turn->inPrefill() && config.prefillPolicy == PrefillPolicy::AfterPrefill) continue;
        Sequence* sequence = conversations_.find(id);
        if (sequence == nullptr) continue;
        const Compactor& compactor = sequence->compactor();
        if (compactor.state(sequence->cache(), config.kv).due &&
            !compactor.waitsForPause(sequence->cache(), config.kv))
            compact(id, *sequence, CompactionCause::ConfigChange, *model);
    }
}

void CompactionSupervisor::happened(ConversationId id, CompactionReport report) {
    if (report.id == 0) report.id = io_.nextCompaction();
    if (compacted(outcomeOf(report))) count_(id);
    if (report.result == CompactionResult::Started)
        chunks_[id] = settings_.shared().prefillChunk;
    else if (report.background)
        chunks_.erase(id);
    CompactionHappened happened{.timeNs = io_.clock().nowNs(),
                                .at = io_.at(),
                                .conversation = id,
                                .revision = io_.revision(),
                                .report = std::move(report)};
    if (compacted(outcomeOf(happened.report)) && io_.events().retentionRequested(id)) {
        try {
            happened.retention = std::make_shared<const RetentionSnapshot>(retentionOf(id));
        } catch (const std::bad_alloc&) {
            happened.retention.reset();  // the compaction is reported without the snapshot
        }
    }
    io_.post(happened);
    previews_.compacted(happened, settings_.of(id).kv, io_.poster());
}

/// Publishes a compaction that ends between two steps.
void CompactionSupervisor::ended(ConversationId id, CompactionReport report) {
    happened(id, std::move(report));
    if (Sequence* sequence = conversations_.find(id)) telemetry_.publish(id, *sequence);
}

Status CompactionSupervisor::makeRoom(std::span<Turn* const> answering, RunningModel& model) {
    const ConfigOf configOf = [this](ConversationId id) -> const EngineConfig& {
        return settings_.of(id);
    };
    const auto growth = growthOf(answering, configOf);
    // Passes over other texts take memory that a running turn needs; they are repeated later.
    if (settings_.shared().cacheLimitMiB > 0) {
        pass_.reset();
        measurement_.reset();
    }
    return enforceCacheLimit(
        {.conversations = conversations_,
         .limitMiB = settings_.shared().cacheLimitMiB,
         .configOf = configOf,
         .model = cacheModelOf(model.facts()),
         .growth = growth,
         .onCompacted = [this](ConversationId id,
                               CompactionReport report) { ended(id, std::move(report)); },
         .notice = io_.poster(),
         .pool = model.pool(),
         .prefixBytes = [this] { return prefixes_.bytesAlone() + pausedBytes(); },
         .releasePrefix = [this] { return cancelPaused() || prefixes_.releaseOne(); }});
}

std::int64_t CompactionSupervisor::passBytes() const {
    std::int64_t left = lacuna::passBytes(settings_.shared().cacheLimitMiB, conversations_);
    if (settings_.shared().cacheLimitMiB > 0) left -= prefixes_.bytesAlone() + pausedBytes();
    return pass_ && pass_->text != nullptr ? left - pass_->text->bytes() : left;
}

bool CompactionSupervisor::anyInBackground() const {
    bool any = false;
    conversations_.forEach([&any](Sequence& one) { any = any || one.compactor().busy(); });
    return any;
}

void CompactionSupervisor::settle(RunningModel* model, bool answering) {
    // The early-out must not allocate: this also runs after bad_alloc.
    if (!anyInBackground()) return;
    conversations_.forEachNamed([&](ConversationId id, Sequence& sequence) {
        if (!sequence.compactor().busy()) return;
        const BackgroundPolicy policy = io_.backgroundPolicy(io_.at(), id);
        if (policy == BackgroundPolicy::Cancel)
            return abort(id, CompactionReason::StoppedInRecording);
        if (answering) return;
        if (policy == BackgroundPolicy::Wait) readAtOnce(id, sequence, *model);
        if (auto report = sequence.compactor().settle(sequence.cache(), policy))
            ended(id, std::move(*report));
    });
}

QueryPass CompactionSupervisor::passFor(ConversationId id, const Sequence& sequence,
                                        RunningModel& model) const {
    const auto chunk = chunks_.find(id);
    const int most = chunk != chunks_.end() ? chunk->second : settings_.shared().prefillChunk;
    return {.model = &model.transformer(),
            .tokens = sequence.tokens(),
            .type = settings_.of(id).kv.type,
            .chunk = std::min(most, model.stepRoom()),
            .maxBytes = passBytes()};
}

/// The pass for what the compactor of the sequence requests. Its repetition also serves the
/// measurement that waits for it.
QueryPass CompactionSupervisor::requestedPass(ConversationId id, Sequence& sequence,
                                              RunningModel& model) const {
    QueryPass pass = passFor(id, sequence, model);
    pass.full = &sequence.compactor().measuredCache(sequence.cache());
    pass.tokens = sequence.compactor().measuredTokens();
    if (measurement_ && measurement_->conversation == id && measurement_->loss != nullptr)
        pass.rows = &measurement_->loss->rows();
    return pass;
}

bool CompactionSupervisor::needsReading() {
    if (pass_) {
        Sequence* sequence = conversations_.find(pass_->conversation);
        if (sequence == nullptr || sequence->compactor().request() != pass_->request) pass_.reset();
    }
    if (pass_) return true;
    conversations_.forEachNamed([this](ConversationId id, Sequence& sequence) {
        if (auto request = sequence.compactor().request();
            request != nullptr && !pass_ &&
            io_.backgroundPolicy(io_.at(), id) == BackgroundPolicy::WhenReady)
            pass_ = Pass{.conversation = id, .request = std::move(request), .text = nullptr};
    });
    if (pass_) return true;
    if (measurement_) {
        const Sequence* sequence = conversations_.find(measurement_->conversation);
        const LossMeasuring* loss = measurement_->loss.get();
        if (sequence == nullptr || (loss != nullptr && !loss->serves(*sequence)) ||
            io_.backgroundPolicy(io_.at(), measurement_->conversation) !=
                BackgroundPolicy::WhenReady)
            measurement_.reset();
    }
    if (measurement_) return true;
    conversations_.forEachNamed([this](ConversationId id, Sequence& sequence) {
        if (sequence.compactor().measures() != 0 && !measurement_ &&
            io_.backgroundPolicy(io_.at(), id) == BackgroundPolicy::WhenReady)
            measurement_ = Measurement{.conversation = id};
    });
    return measurement_.has_value();
}

void CompactionSupervisor::readNextChunk(RunningModel& model) {
    if (pass_)
        continueFeeding(model);
    else
        continueMeasuring(model);
}

Result<std::optional<KeptInformation>> CompactionSupervisor::measureSlice(ConversationId id,
                                                                          Sequence& sequence,
                                                                          RunningModel& model) {
    const std::int64_t begin = io_.clock().nowNs();
    const auto slice = [&]() -> Result<std::optional<KeptInformation>> {
        const QueryPass pass = passFor(id, sequence, model);
        // A turn may have replaced the model.
        if (measurement_->model != pass.model || measurement_->chunk != pass.chunk) {
            measurement_->loss.reset();
            measurement_->model = pass.model;
            measurement_->chunk = pass.chunk;
        }
        if (measurement_->loss == nullptr) {
            LACUNA_TRY(measurement_->loss,
                       LossMeasuring::begin(
                           sequence, settings_.of(id).kv,
                           {.model = pass.model,
                            .pool = &model.pool(),
                            .chunk = pass.chunk,
                            .maxBytes = pass.maxBytes,
                            .cancelled = [this] { return !atOnce_ && io_.commandWaits(); }}));
        }
        return measurement_->loss->step();
    };
    Result<std::optional<KeptInformation>> found;
    try {
        found = slice();
    } catch (const std::bad_alloc&) {
        found = fail(ErrorCode::NoMemory, "there is not enough memory for it");
    }
    sequence.compactor().measuredSoFar(
        measurement_->loss != nullptr ? measurement_->loss->share() : 0,
        static_cast<double>(io_.clock().nowNs() - begin) / 1e6);
    return found;
}

/// Publishes a sample, unless one was published a short time ago.
void CompactionSupervisor::sampleProgress(std::int64_t& publishedNs, std::int64_t now,
                                          ConversationId id, Sequence& sequence) {
    constexpr std::int64_t kBetweenNs = 500'000'000;
    if (publishedNs != 0 && now - publishedNs < kBetweenNs) return;
    publishedNs = now;
    telemetry_.publish(id, sequence);
}

void CompactionSupervisor::continueMeasuring(RunningModel& model) {
    const ConversationId id = measurement_->conversation;
    Sequence& sequence = *conversations_.find(id);
    auto found = measureSlice(id, sequence, model);
    if (!found && found.error().code == ErrorCode::Cancelled) return;
    if (found && !*found)
        return sampleProgress(measurement_->publishedNs, io_.clock().nowNs(), id, sequence);
    Result<KeptInformation> kept =
        found ? Result<KeptInformation>(**found) : tl::unexpected<Error>(std::move(found).error());
    auto report = sequence.compactor().measured(sequence.cache(), std::move(kept));
    if (sequence.compactor().measures() == 0) measurement_.reset();
    if (report)
        ended(id, std::move(*report));
    else
        telemetry_.publish(id, sequence);
}

void CompactionSupervisor::continueFeeding(RunningModel& model) {
    const ConversationId id = pass_->conversation;
    Sequence& sequence = *conversations_.find(id);
    const std::int64_t begin = io_.clock().nowNs();
    QueryPass dependencies = requestedPass(id, sequence, model);
    dependencies.cancelled = [this] { return io_.commandWaits(); };
    const auto feed = [&]() -> Status {
        if (pass_->text == nullptr) {
            LACUNA_TRY(pass_->text, TextPass::begin(*pass_->request, dependencies));
        }
        return pass_->text->done() ? Status() : pass_->text->step(dependencies);
    };
    Status fed;
    try {
        fed = feed();
    } catch (const std::bad_alloc&) {
        fed = fail(ErrorCode::NoMemory, "there is not enough memory for it");
    }
    const std::int64_t now = io_.clock().nowNs();
    sequence.compactor().reportReading(pass_->text != nullptr ? pass_->text->share() : 0,
                                       static_cast<double>(now - begin) / 1e6);
    if (!fed && fed.error().code == ErrorCode::Cancelled) return;
    if (!fed) return readFor(id, sequence, tl::unexpected<Error>(std::move(fed).error()));
    if (pass_->text->done()) return readFor(id, sequence, pass_->text->take());
    sampleProgress(pass_->publishedNs, now, id, sequence);
}

/// Publishes the next reading request or the final report.
void CompactionSupervisor::readFor(ConversationId id, Sequence& sequence,
                                   Result<TextReading> result) {
    pass_.reset();
    if (auto report = sequence.compactor().read(sequence.cache(), std::move(result)))
        ended(id, std::move(*report));
    else
        telemetry_.publish(id, sequence);
}

void CompactionSupervisor::readAtOnce(ConversationId id, Sequence& sequence, RunningModel& model) {
    atOnce_ = true;
    while (true) {
        if (const auto request = sequence.compactor().request()) {
            readFor(id, sequence, readText(*request, requestedPass(id, sequence, model)));
        } else if (sequence.compactor().measures() != 0) {
            if (!measurement_ || measurement_->conversation != id)
                measurement_ = Measurement{.conversation = id};
            continueMeasuring(model);
        } else {
            break;
        }
    }
    atOnce_ = false;
}

void CompactionSupervisor::answerBegins(ConversationId id, RunningModel& model) {
    Sequence* sequence = conversations_.find(id);
    if (sequence == nullptr ||
        (sequence->compactor().request() == nullptr && sequence->compactor().measures() == 0))
        return;
    const BackgroundPolicy policy = io_.backgroundPolicy(io_.at(), id);
    const bool mayPause = policy == BackgroundPolicy::WhenReady || policy == BackgroundPolicy::Hold;
    if (mayPause && pause(*sequence)) return;
    if (policy == BackgroundPolicy::WhenReady || policy == BackgroundPolicy::Cancel)
        return abort(id, sequence->compactor().measures() != 0
                             ? CompactionReason::LossAfterAnswer
                             : CompactionReason::ReadingAfterAnswer);
    readAtOnce(id, *sequence, model);
}

/// Returns false if nothing is measured or the measurement cannot resume later.
bool CompactionSupervisor::pause(Sequence& sequence) {
    if (sequence.compactor().measures() == 0) return false;
    try {
        return sequence.compactor().pauseMeasuring(sequence.cache()).has_value();
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void CompactionSupervisor::stepBegins(ConversationId id, SafePoint after, RunningModel& model) {
    Sequence* sequence = conversations_.find(id);
    if (sequence == nullptr || sequence->compactor().measures() == 0) return;
    if (io_.backgroundPolicy(after, id) == BackgroundPolicy::Wait) readAtOnce(id, *sequence, model);
}

std::int64_t CompactionSupervisor::pausedBytes() const {
    std::int64_t bytes = 0;
    conversations_.forEach(
        [&bytes](Sequence& one) { bytes += one.compactor().pausedBytes(one.cache()); });
    return bytes;
}

/// Returns false if no measurement is paused with memory of its own.
bool CompactionSupervisor::cancelPaused() {
    if (pausedBytes() == 0) return false;
    conversations_.forEachNamed([this](ConversationId id, Sequence& one) {
        if (one.compactor().pausedBytes(one.cache()) > 0) abort(id, CompactionReason::MemoryRanOut);
    });
    return true;
}

void CompactionSupervisor::abort(ConversationId id, CompactionReason reason) {
    Sequence* sequence = conversations_.find(id);
    if (sequence == nullptr) return;
    if (pass_ && pass_->conversation == id) pass_.reset();
    if (measurement_ && measurement_->conversation == id) measurement_.reset();
    if (auto report = sequence->compactor().abort(reason)) ended(id, std::move(*report));
}

void CompactionSupervisor::stop(const ConversationFilter& which) {
    conversations_.forEachNamed([&](ConversationId id, Sequence&) {
        if (which(id)) abort(id, CompactionReason::Stopped);
    });
}

void CompactionSupervisor::release() {
    conversations_.forEachNamed(
        [this](ConversationId id, Sequence&) { abort(id, CompactionReason::ModelReleased); });
    previews_.clear();
}

}  // namespace lacuna

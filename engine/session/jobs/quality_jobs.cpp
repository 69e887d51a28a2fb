#include "engine/session/jobs/quality_jobs.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>
#include <vector>

#include "engine/generate/generation.h"
#include "engine/generate/prompt.h"
#include "engine/quality/comparison.h"
#include "engine/quality/grid_items.h"
#include "engine/quality/grid_table.h"
#include "engine/session/own_transformer.h"
#include "engine/session/shortage.h"

namespace lacuna {
namespace {

Error stopped(const char* sentence) {
    return Error{ErrorCode::Cancelled, sentence, {}};
}

Result<RunningModel*> modelOf(const MeasuringTools& tools) {
    if (RunningModel* const model = tools.models.model()) return model;
    return fail(ErrorCode::InvalidArgument, "no model is loaded; load one before measuring");
}

/// Creates the transformer with the arithmetic used for answers. Errors: as OwnTransformer::make.
Status makeAsInForce(OwnTransformer& own, const MeasuringTools& tools) {
    return own.make(tools.models, tools.settings.shared().prefillChunk,
                    tools.models.model()->precision());
}

/// Turns memory exhaustion into an error of the measurement.
template <class Slice>
Status withinMemory(Slice slice) {
    try {
        return slice();
    } catch (const std::bad_alloc&) {
        return tl::unexpected<Error>(shortage());
    }
}

}  // namespace

struct ComparisonJob::Work {
    CompareSettings request;
    OwnTransformer own = {};
    std::unique_ptr<ComparisonRun> run = nullptr;  ///< null before its first slice
};

ComparisonJob::ComparisonJob(MeasuringTools tools) : tools_(tools) {}
ComparisonJob::~ComparisonJob() = default;

void ComparisonJob::begin(CompareSettings request) {
    if (work_ != nullptr) end(stopped("another comparison was started"));
    work_ = std::make_unique<Work>(Work{std::move(request)});
    if (const auto model = modelOf(tools_); !model) end(model.error());
}

Status ComparisonJob::prepare() {
    LACUNA_TRY(RunningModel* const model, modelOf(tools_));
    const EngineConfig& inEffect = tools_.settings.shared();
    std::array<GenerationSettings, 2> sides;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const EngineConfig& side = work_->request.sides[i];
        if (const auto valid = check(side, &model->facts(), tools_.machine); !valid)
            return tl::unexpected<Error>(violationsError(valid.error()));
        if (side.precision != inEffect.precision)
            return fail(
                ErrorCode::Conflict,
                "both sides use the current precision; change it for the whole program instead");
        sides[i] = {.kv = side.kv,
                    .sampling = side.sampling,
                    .prefillPolicy = side.prefillPolicy,
                    // Activations are sized for the current settings.
                    .prefillChunk = std::min(side.prefillChunk, inEffect.prefillChunk),
                    .maxTokens = side.maxTokens,
                    .context = effectiveContext(side, model->facts(), tools_.machine),
                    .draftTokens = side.draftTokens};
    }
    ComparisonOptions options;
    options.cancelled = [this] { return tools_.io.cancelRequested(); };
    LACUNA_TRY(auto prompt,
               promptTokens(model->loaded(), work_->request.messages, options.cancelled));
    options.question = questionStart(model->loaded(), work_->request.messages,
                                     static_cast<std::int64_t>(prompt.size()), options.cancelled);
    options.seed = work_->request.seed.value_or(work_->request.sides[0].sampling.seed.value_or(0));
    options.profiles = model->headProfiles();
    options.progress = [this](int run, std::int64_t done, std::int64_t total) {
        tools_.io.post(QualityJobProgress{.done = run * total + done, .total = 2 * total});
    };
    options.wrote = [this](int run, std::string_view piece) {
        tools_.io.post(ComparedText{.side = run, .text = std::string(piece)});
    };
    LACUNA_TRY_STATUS(makeAsInForce(work_->own, tools_));
    work_->run = std::make_unique<ComparisonRun>(*work_->own, model->pool(), std::move(prompt),
                                                 sides, std::move(options));
    return {};
}

void ComparisonJob::advance(std::int64_t /*room*/) {
    const Status stepped = withinMemory([this]() -> Status {
        if (work_->run == nullptr) return prepare();
        if (!work_->own.current(tools_.models))
            return fail(ErrorCode::Conflict,
                        "the number of threads changed, so the two sides could not be compared; "
                        "compare again");
        return work_->run->step();
    });
    if (!stepped) return end(stepped.error());
    if (!work_->run->done()) return;
    SettingsCompared answer;
    answer.sides = work_->request.sides;
    answer.comparison = work_->run->take();
    work_.reset();
    tools_.io.post(std::move(answer));
}

void ComparisonJob::end(const Error& error) {
    SettingsCompared answer;
    answer.sides = work_->request.sides;
    answer.error = error;
    work_.reset();
    tools_.io.post(std::move(answer));
}

void ComparisonJob::stop() {
    if (work_ != nullptr) end(stopped("the comparison was stopped"));
}

void ComparisonJob::reset() {
    if (work_ != nullptr) end(stopped("the model was unloaded"));
}

struct SweepJob::Work {
    SweepSettings request;
    OwnTransformer own = {};
    ConversationItems texts = {};
    GridOptions options = {};
    std::unique_ptr<GridRun> run = nullptr;  ///< null before its first slice

    [[nodiscard]] std::vector<GridRow> rows() const {
        return gridRows(texts.items, request.settings, run->cells());
    }
};

SweepJob::SweepJob(MeasuringTools tools) : tools_(tools) {}
SweepJob::~SweepJob() = default;

void SweepJob::begin(SweepSettings request) {
    if (work_ != nullptr) end(stopped("another sweep was started"));
    work_ = std::make_unique<Work>(Work{std::move(request)});
    if (const auto model = modelOf(tools_); !model) end(model.error());
}

Status SweepJob::prepare() {
    LACUNA_TRY(RunningModel* const model, modelOf(tools_));
    const EngineConfig& config = tools_.settings.shared();
    LACUNA_TRY(work_->texts, conversationItems(model->loaded(), work_->request.messages, {}));
    if (work_->request.settings.empty())
        return fail(ErrorCode::InvalidArgument, "there are no settings to try");
    work_->options.shadow = {.type = config.kv.type,
                             .chunk = config.prefillChunk,
                             .headTokens = 0,
                             .seed = config.sampling.seed.value_or(0),
                             .profiles = model->headProfiles(),
                             .cancelled = [this] { return tools_.io.commandWaits(); }};
    work_->run = std::make_unique<GridRun>(work_->texts.items, work_->request.settings, GridCells{},
                                           work_->options);
    return {};
}

void SweepJob::advance(std::int64_t /*room*/) {
    const Status stepped = withinMemory([this]() -> Status {
        if (work_->run == nullptr) return prepare();
        if (!work_->own.current(tools_.models)) {
            work_->run->release();
            LACUNA_TRY_STATUS(makeAsInForce(work_->own, tools_));
        }
        return work_->run->step(*work_->own, tools_.models.model()->pool());
    });
    if (!stepped) {
        // A command interrupted the slice, which is repeated later.
        if (stepped.error().code != ErrorCode::Cancelled) end(stepped.error());
        return;
    }
    const GridRun& run = *work_->run;
    if (!run.cells().empty())
        tools_.io.post(QualityJobProgress{.done = static_cast<std::int64_t>(run.cells().size()),
                                          .total = run.total(),
                                          .rows = work_->rows()});
    if (!run.done()) return;
    SettingsSwept answer;
    answer.rows = work_->rows();
    work_.reset();
    tools_.io.post(std::move(answer));
}

void SweepJob::end(const Error& error) {
    SettingsSwept answer;
    answer.error = error;
    work_.reset();
    tools_.io.post(std::move(answer));
}

void SweepJob::stop() {
    if (work_ != nullptr) end(stopped("the sweep was stopped"));
}

void SweepJob::reset() {
    if (work_ != nullptr) end(stopped("the model was unloaded"));
}

void SweepJob::pause() {
    if (work_ != nullptr && work_->run != nullptr) work_->run->release();
}

}  // namespace lacuna

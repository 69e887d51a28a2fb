#include "engine/session/jobs/head_profile_job.h"
#include "engine/session/own_transformer.h"

#include <algorithm>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/generate/cache_shape.h"

namespace lacuna {
namespace {

/// Returns the bytes of the temporary cache of a measurement.
std::int64_t cacheBytes(const ModelSpec& spec, const AblationOptions& options) {
    return elementsPerToken(plainShapeOf(spec)) * 2 * options.tokens *
           static_cast<std::int64_t>(sizeof(std::uint16_t));
}

Status keep(const std::filesystem::path& path, const HeadProfile& profile) {
    return writeFileInFolder(path, dumpJson(headProfileJson(profile), 1) + "\n");
}

}  // namespace

struct HeadProfileJob::Work {
    RunningModel& model;
    AblationOptions options;
    OwnTransformer transformer;
    std::optional<HeadAblation> ablation;
    double seconds = 0;  ///< working time so far
};

HeadProfileJob::HeadProfileJob(Dependencies dependencies)
    : dependencies_(std::move(dependencies)) {}
HeadProfileJob::~HeadProfileJob() = default;

bool HeadProfileJob::isPending() {
    const RunningModel* model = dependencies_.models.model();
    return !dependencies_.folder.empty() && model != nullptr &&
           model->headProfiles().taskFree == nullptr && model->facts().fingerprint != failedFor_;
}

void HeadProfileJob::advance(std::int64_t room) {
    const std::int64_t started = dependencies_.io.clock().nowNs();
    const Status status = work_ == nullptr ? begin(room) : runSlice();
    if (!status) {
        if (status.error().code != ErrorCode::Cancelled) abandon(status.error());
        return;
    }
    work_->seconds += secondsSince(dependencies_.io.clock(), started);
    const HeadAblation& ablation = *work_->ablation;
    dependencies_.io.post(HeadsMeasured{
        .done = ablation.measured(), .total = ablation.heads(), .share = ablation.share()});
    if (ablation.done()) finish();
}

/// Reads the sequence; `work_` stays null if a command interrupts it.
Status HeadProfileJob::begin(std::int64_t room) {
    RunningModel& model = *dependencies_.models.model();
    auto work = std::make_unique<Work>(
        Work{.model = model, .options = {}, .transformer = {}, .ablation = std::nullopt});
    if (cacheBytes(model.loaded().spec, work->options) > room)
        return fail(
            ErrorCode::NoMemory,
            format("its cache needs {:.1f} MiB, but cache_limit leaves {:.1f}",
                   static_cast<double>(cacheBytes(model.loaded().spec, work->options)) / kMiB,
                   static_cast<double>(std::max<std::int64_t>(room, 0)) / kMiB));
    LACUNA_TRY_STATUS(work->transformer.make(dependencies_.models, work->options.rows()));
    LACUNA_TRY(auto ablation,
               HeadAblation::create(*work->transformer, model.pool(), work->options,
                                    [this] { return dependencies_.io.commandWaits(); }));
    work->ablation = std::move(ablation);
    work_ = std::move(work);
    HeadProfiles profiles = model.headProfiles();
    profiles.add(work_->ablation->copyScores());
    inEffect(profiles, 0);
    return {};
}

Status HeadProfileJob::runSlice() {
    RunningModel& model = work_->model;
    if (!work_->transformer.current(dependencies_.models)) {
        LACUNA_TRY_STATUS(work_->transformer.make(dependencies_.models, work_->options.rows()));
        work_->ablation->moveTo(*work_->transformer, model.pool());
    }
    return work_->ablation->step([this] { return dependencies_.io.commandWaits(); });
}

void HeadProfileJob::finish() {
    const std::unique_ptr<Work> done = std::move(work_);
    const HeadProfile profile = done->ablation->profile();
    const auto path = storedProfilePath(dependencies_.folder, profile.fingerprint);
    if (const Status kept = keep(path, profile); !kept)
        dependencies_.io.post(
            Notice{format("The measurement of the model's heads could not be saved: {}. It is used "
                          "until the program ends.",
                          kept.error().what)});
    dependencies_.log.info("session", format("heads measured model={} seconds={:.2f} path={}",
                                             profile.model, done->seconds, path.string()));
    HeadProfiles profiles = done->model.headProfiles();
    profiles.add(profile);
    inEffect(profiles, done->seconds);
}

void HeadProfileJob::abandon(const Error& error) {
    work_.reset();
    failedFor_ = dependencies_.models.model()->facts().fingerprint;
    dependencies_.io.post(HeadsMeasured{});
    dependencies_.log.warn("session", format("heads not measured error={}", describe(error)));
    dependencies_.io.post(Notice{format(
        "The heads of this model were not measured: {}. Attention "
        "matching divides slots by {}.",
        error.what,
        dependencies_.models.model()->headProfiles().copyScores != nullptr ? "their copy scores"
                                                                           : "coverage")});
}

void HeadProfileJob::use(UseHeadProfiles command) {
    const RunningModel* model = dependencies_.models.model();
    const bool now = model != nullptr && model->facts().fingerprint == command.fingerprint;
    const HeadProfiles profiles = command.profiles;
    dependencies_.models.give(std::move(command));
    if (now) inEffect(profiles, 0);
}

void HeadProfileJob::inEffect(const HeadProfiles& profiles, double seconds) {
    dependencies_.models.use(profiles, dependencies_.conversations, {.seconds = seconds});
}

void HeadProfileJob::reset() {
    work_.reset();
}

}  // namespace lacuna

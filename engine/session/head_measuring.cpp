#include "engine/session/head_measuring.h"
#include "engine/session/own_transformer.h"

#include <algorithm>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/base/units.h"

namespace lacuna {
namespace {

/// Returns the bytes of the temporary cache of a measurement.
std::int64_t cacheBytes(const ModelSpec& spec, const AblationOptions& options) {
    return std::int64_t{2} * spec.layers * spec.kvHeads * spec.headDim * 2 * options.tokens *
           static_cast<std::int64_t>(sizeof(std::uint16_t));
}

Status keep(const std::filesystem::path& path, const HeadProfile& profile) {
    return writeFileInFolder(path, dumpJson(headProfileJson(profile), 1) + "\n");
}

}  // namespace

struct HeadMeasuring::Work {
    RunningModel& model;
    AblationOptions options;
    OwnTransformer transformer;
    std::optional<HeadAblation> ablation;
    double seconds = 0;  ///< working time so far
};

HeadMeasuring::HeadMeasuring(Means means) : means_(std::move(means)) {}
HeadMeasuring::~HeadMeasuring() = default;

bool HeadMeasuring::wanted() {
    const RunningModel* model = means_.models.model();
    return !means_.folder.empty() && model != nullptr &&
           model->headProfiles().taskFree == nullptr && model->facts().fingerprint != failedFor_;
}

void HeadMeasuring::advance(std::int64_t room) {
    const std::int64_t started = means_.doors.clock().nowNs();
    const Status status = work_ == nullptr ? begin(room) : goOn();
    if (!status) {
        if (status.error().code != ErrorCode::Cancelled) giveUp(status.error());
        return;
    }
    work_->seconds += secondsSince(means_.doors.clock(), started);
    const HeadAblation& ablation = *work_->ablation;
    means_.doors.post(HeadsMeasured{
        .done = ablation.measured(), .total = ablation.heads(), .share = ablation.share()});
    if (ablation.done()) finish();
}

/// Reads the sequence; `work_` stays null if a command interrupts it.
Status HeadMeasuring::begin(std::int64_t room) {
    RunningModel& model = *means_.models.model();
    auto work = std::make_unique<Work>(
        Work{.model = model, .options = {}, .transformer = {}, .ablation = std::nullopt});
    if (cacheBytes(model.loaded().spec, work->options) > room)
        return fail(
            ErrorCode::NoMemory,
            format("its cache needs {:.1f} MiB, but cache_limit leaves {:.1f}",
                   static_cast<double>(cacheBytes(model.loaded().spec, work->options)) / kMiB,
                   static_cast<double>(std::max<std::int64_t>(room, 0)) / kMiB));
    LACUNA_TRY_STATUS(work->transformer.make(means_.models, work->options.rows()));
    LACUNA_TRY(auto ablation, HeadAblation::create(*work->transformer, model.pool(), work->options,
                                                   [this] { return means_.doors.commandWaits(); }));
    work->ablation = std::move(ablation);
    work_ = std::move(work);
    HeadProfiles profiles = model.headProfiles();
    profiles.add(work_->ablation->copyScores());
    inForce(profiles, 0);
    return {};
}

Status HeadMeasuring::goOn() {
    RunningModel& model = work_->model;
    if (!work_->transformer.current(means_.models)) {
        LACUNA_TRY_STATUS(work_->transformer.make(means_.models, work_->options.rows()));
        work_->ablation->moveTo(*work_->transformer, model.pool());
    }
    return work_->ablation->step([this] { return means_.doors.commandWaits(); });
}

void HeadMeasuring::finish() {
    const std::unique_ptr<Work> done = std::move(work_);
    const HeadProfile profile = done->ablation->profile();
    const auto path = keptProfilePath(means_.folder, profile.fingerprint);
    if (const Status kept = keep(path, profile); !kept)
        means_.doors.post(
            Notice{format("The measurement of the model's heads could not be saved: {}. It is used "
                          "until the program ends.",
                          kept.error().what)});
    means_.log.info("session", format("heads measured model={} seconds={:.2f} path={}",
                                      profile.model, done->seconds, path.string()));
    HeadProfiles profiles = done->model.headProfiles();
    profiles.add(profile);
    inForce(profiles, done->seconds);
}

void HeadMeasuring::giveUp(const Error& error) {
    work_.reset();
    failedFor_ = means_.models.model()->facts().fingerprint;
    means_.doors.post(HeadsMeasured{});
    means_.log.warn("session", format("heads not measured error={}", describe(error)));
    means_.doors.post(Notice{
        format("The heads of this model were not measured: {}. Attention "
               "matching divides slots by {}.",
               error.what,
               means_.models.model()->headProfiles().copyScores != nullptr ? "their copy scores"
                                                                           : "coverage")});
}

void HeadMeasuring::use(UseHeadProfiles command) {
    const RunningModel* model = means_.models.model();
    const bool now = model != nullptr && model->facts().fingerprint == command.fingerprint;
    const HeadProfiles profiles = command.profiles;
    means_.models.give(std::move(command));
    if (now) inForce(profiles, 0);
}

void HeadMeasuring::inForce(const HeadProfiles& profiles, double seconds) {
    means_.models.use(profiles, means_.conversations, {.seconds = seconds});
}

void HeadMeasuring::reset() {
    work_.reset();
}

}  // namespace lacuna

#include "engine/session/jobs/precision_job.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/quality/precision_measurement.h"

namespace lacuna {

struct PrecisionJob::Work {
    int threadsMade;  ///< RunningModel::threadsMade() when the run was created
    PrecisionRun run;
    double seconds = 0;  ///< working time so far
};

PrecisionJob::PrecisionJob(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}
PrecisionJob::~PrecisionJob() = default;

bool PrecisionJob::isPending() {
    const RunningModel* model = dependencies_.models.model();
    if (model == nullptr) return false;
    if (requested_) return true;
    return dependencies_.automatic && !model->precisionKnown() &&
           dependencies_.settings.shared().precision == PrecisionChoice::Auto &&
           model->facts().fingerprint != endedFor_;
}

void PrecisionJob::advance(std::int64_t room) {
    const std::int64_t started = dependencies_.io.clock().nowNs();
    if (work_ != nullptr && work_->threadsMade != dependencies_.models.model()->threadsMade())
        work_.reset();
    const Status status = work_ == nullptr ? begin(room) : work_->run.step();
    if (!status) {
        if (status.error().code != ErrorCode::Cancelled) end(status.error());
        return;
    }
    work_->seconds += secondsSince(dependencies_.io.clock(), started);
    if (work_->run.done()) return finish();
    dependencies_.io.post(PrecisionMeasured{.share = work_->run.share()});
}

Status PrecisionJob::begin(std::int64_t room) {
    ModelHolder& models = dependencies_.models;
    const RunningModel& model = *models.model();
    const std::int64_t bytes = precisionCacheBytes(model.loaded().spec);
    if (bytes > room)
        return fail(ErrorCode::NoMemory,
                    format("its caches need {:.1f} MiB, but cache_limit leaves {:.1f}",
                           static_cast<double>(bytes) / kMiB,
                           static_cast<double>(std::max<std::int64_t>(room, 0)) / kMiB));
    LACUNA_TRY(
        auto run,
        PrecisionRun::create(
            {.model = model.loaded(),
             .transformer = [&models](Precision precision,
                                      int rows) { return models.makeTransformer(rows, precision); },
             .cancelled = [this] { return dependencies_.io.commandWaits(); }}));
    work_ = std::make_unique<Work>(
        Work{.threadsMade = model.threadsMade(), .run = std::move(run), .seconds = 0});
    return {};
}

void PrecisionJob::finish() {
    const std::unique_ptr<Work> done = std::move(work_);
    requested_ = false;
    const PrecisionMeasurement measurement = done->run.measurement();
    if (!dependencies_.folder.empty())
        if (const Status kept = storePrecision(dependencies_.folder, measurement); !kept)
            dependencies_.io.post(
                Notice{format("The measured precision of {} could not be saved: {}.",
                              measurement.model, kept.error().what)});
    dependencies_.log.info(
        "session", format("precision measured model={} seconds={:.2f} chosen={}", measurement.model,
                          done->seconds, keyOf(choosePrecision(measurement.measured))));
    dependencies_.io.post(PrecisionMeasured{.share = 1, .ended = true});
    dependencies_.models.use(chosenBy(measurement));
}

void PrecisionJob::end(const Error& error) {
    work_.reset();
    requested_ = false;
    const ModelFacts& facts = dependencies_.models.model()->facts();
    endedFor_ = facts.fingerprint;
    dependencies_.io.post(PrecisionMeasured{.ended = true, .error = error});
    if (error.code == ErrorCode::Cancelled) return;
    dependencies_.log.warn("session", format("precision not measured error={}", describe(error)));
    dependencies_.io.post(Notice{format(
        "The precision of {} was not measured: {}; auto is unchanged.", facts.name, error.what)});
}

void PrecisionJob::request() {
    if (dependencies_.models.model() == nullptr) {
        dependencies_.io.post(PrecisionMeasured{
            .ended = true,
            .error =
                fail(ErrorCode::InvalidArgument, "no model is loaded; load one before measuring")
                    .value()});
        return;
    }
    requested_ = true;
    endedFor_.clear();
    dependencies_.io.post(PrecisionMeasured{.share = work_ ? work_->run.share() : 0});
}

void PrecisionJob::skip() {
    if (isPending()) end(Error{ErrorCode::Cancelled, "the measurement was skipped", {}});
}

void PrecisionJob::reset() {
    if (work_ != nullptr || requested_) dependencies_.io.post(PrecisionMeasured{.ended = true});
    work_.reset();
    requested_ = false;
    endedFor_.clear();
}

}  // namespace lacuna

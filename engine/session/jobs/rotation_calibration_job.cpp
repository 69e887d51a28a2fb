#include "engine/session/jobs/rotation_calibration_job.h"

#include <algorithm>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/model/rotation_file.h"
#include "engine/quality/surrogate_fit.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kInventedSeed = 1;

Error stopped(const char* sentence) {
    return Error{ErrorCode::Cancelled, sentence, {}};
}

}  // namespace

void RotationCalibrationJob::begin(CalibrateRotations request) {
    if (asked_) fail(stopped("another calibration was started"));
    asked_ = std::move(request);
    seconds_ = 0;
    if (dependencies_.models.model() == nullptr)
        return fail(Error{
            ErrorCode::InvalidArgument, "no model is loaded; load one before calibrating", {}});
    dependencies_.io.post(RotationsCalibrated{});
}

Status RotationCalibrationJob::prepare() {
    const LoadedModel& model = dependencies_.models.model()->loaded();
    const std::string prose = textToFit(asked_->book, rotationTextLength(), kInventedSeed);
    LACUNA_TRY(auto text, model.tokenizer.encode(prose));
    text.resize(std::min(text.size(), std::size_t{kRotationTokens}));
    RotationCalibration options;
    options.cancelled = [this] { return dependencies_.io.commandWaits(); };
    LACUNA_TRY(run_, RotationRun::create(model.spec, std::move(text), options));
    return {};
}

Status RotationCalibrationJob::readNextChunk(std::int64_t room) {
    if (run_ == nullptr) LACUNA_TRY_STATUS(prepare());
    if (run_->cacheBytes() > room)
        return lacuna::fail(
            ErrorCode::NoMemory,
            format("the cache of one passage needs {:.1f} MiB, but cache_limit leaves {:.1f}",
                   static_cast<double>(run_->cacheBytes()) / kMiB,
                   static_cast<double>(std::max<std::int64_t>(room, 0)) / kMiB));
    RunningModel& model = *dependencies_.models.model();
    if (!transformer_.current(dependencies_.models))
        LACUNA_TRY_STATUS(transformer_.make(dependencies_.models, RotationCalibration{}.chunk));
    return run_->step(*transformer_, model.pool());
}

void RotationCalibrationJob::advance(std::int64_t room) {
    const std::int64_t started = dependencies_.io.clock().nowNs();
    const Status status = readNextChunk(room);
    seconds_ += secondsSince(dependencies_.io.clock(), started);
    if (!status) {
        // A command interrupted the window, which is repeated later.
        if (status.error().code != ErrorCode::Cancelled) fail(status.error());
        return;
    }
    if (!run_->done()) return dependencies_.io.post(state());
    auto kept = keep();
    if (!kept) return fail(kept.error());
    end(std::move(*kept));
}

/// Writes the result to where the next load finds it.
Result<RotationsCalibrated> RotationCalibrationJob::keep() {
    RunningModel& model = *dependencies_.models.model();
    LACUNA_TRY(const RotationMatrices found, run_->rotations(model.pool()));
    LACUNA_TRY(const auto path, storeRotations(model.loaded().path, found, dependencies_.folder));
    RotationsCalibrated event = state();
    event.path = path.string();
    event.hash = found.hash();
    dependencies_.log.info("session", format("rotations calibrated seconds={:.1f} hash={} path={}",
                                             seconds_, event.hash, event.path));
    return event;
}

RotationsCalibrated RotationCalibrationJob::state() const {
    RotationsCalibrated event;
    event.seconds = seconds_;
    if (run_ == nullptr) return event;
    event.done = run_->read();
    event.total = run_->tokens();
    return event;
}

void RotationCalibrationJob::end(RotationsCalibrated event) {
    event.ended = true;
    run_.reset();
    transformer_.reset();
    asked_.reset();
    dependencies_.io.post(std::move(event));
}

void RotationCalibrationJob::fail(const Error& error) {
    RotationsCalibrated event = state();
    event.error = error;
    if (error.code != ErrorCode::Cancelled)
        dependencies_.log.warn("session",
                               format("rotations not calibrated error={}", describe(error)));
    end(std::move(event));
}

void RotationCalibrationJob::stop() {
    if (asked_) fail(stopped("the calibration was stopped"));
}

void RotationCalibrationJob::reset() {
    if (asked_) fail(stopped("the model was unloaded"));
}

}  // namespace lacuna

#include "engine/session/jobs/surrogate_job.h"
#include "engine/session/own_transformer.h"

#include <algorithm>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/generate/surrogate_file.h"
#include "engine/generate/text_pass.h"
#include "engine/quality/surrogate_fit.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kInventedSeed = 1;
constexpr std::size_t kCharactersPerToken = 3;  // estimate for the length of text to generate
constexpr double kSecondsBetweenKeeping = 20;   // at most this much work, plus one slice, is lost
constexpr std::size_t kSumsLimit = std::size_t{4} << 30;

}  // namespace

struct SurrogateJob::Work {
    std::unique_ptr<SurrogateRun> run;
    OwnTransformer transformer;
    int chunk;                    ///< tokens per forward pass
    double seconds = 0;           ///< working time so far
    double keptSeconds = 0;       ///< working time when the sums were last saved
    std::int64_t keptTokens = 0;  ///< tokens covered by the saved sums
};

SurrogateJob::SurrogateJob(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}
SurrogateJob::~SurrogateJob() = default;

bool SurrogateJob::isPending() {
    const RunningModel* model = dependencies_.models.model();
    if (model == nullptr || dependencies_.folder.empty() || !dependencies_.text) return false;
    return requested_ ||
           (model->headProfiles().surrogate == nullptr && model->facts().fingerprint != endedFor_);
}

void SurrogateJob::advance(std::int64_t room) {
    const std::int64_t started = dependencies_.io.clock().nowNs();
    Status status;
    try {
        status = work_ == nullptr ? begin(room) : runSlice();
    } catch (const std::bad_alloc&) {
        status = fail(ErrorCode::NoMemory, "there is not enough memory for it");
    }
    if (work_ != nullptr) work_->seconds += secondsSince(dependencies_.io.clock(), started);
    if (!status) {
        if (status.error().code != ErrorCode::Cancelled) end(status.error());
        return;
    }
    if (work_->run->done()) return finish();
    storeSums();
    dependencies_.io.post(SurrogateFitted{.share = work_->run->share()});
}

Status SurrogateJob::begin(std::int64_t room) {
    const RunningModel& model = *dependencies_.models.model();
    const LoadedModel& loaded = model.loaded();
    LACUNA_TRY(auto instruction, repeatInstruction(loaded));
    LACUNA_TRY(const std::string book, dependencies_.text());
    const auto most = static_cast<std::size_t>(defaultFitTokens(loaded.spec));
    const std::string prose = textToFit(book, 2 * kCharactersPerToken * most, kInventedSeed);
    LACUNA_TRY(auto tokens, loaded.tokenizer.encode(prose));
    tokens.resize(std::min(tokens.size(), most));
    SurrogateFitOptions options;
    options.piece = defaultFitPiece(loaded.spec, instruction.size());
    options.cancelled = [this] { return dependencies_.io.commandWaits(); };
    LACUNA_TRY(auto run,
               SurrogateRun::create(loaded, std::move(tokens), std::move(instruction), options));
    if (run->bytes() > room)
        return fail(ErrorCode::NoMemory,
                    format("it needs {:.1f} MiB, but cache_limit leaves {:.1f}",
                           static_cast<double>(run->bytes()) / kMiB,
                           static_cast<double>(std::max<std::int64_t>(room, 0)) / kMiB));
    OwnTransformer transformer;
    LACUNA_TRY_STATUS(transformer.make(dependencies_.models, options.chunk));
    work_ = std::make_unique<Work>(
        Work{.run = std::move(run), .transformer = std::move(transformer), .chunk = options.chunk});
    resumeFromStored();
    return {};
}

std::filesystem::path SurrogateJob::sumsPath() const {
    return storedSurrogatePath(dependencies_.folder,
                               dependencies_.models.model()->facts().fingerprint)
        .replace_extension(".sums");
}

/// Resumes from saved sums; sums that cannot be used are deleted and the fit starts over.
void SurrogateJob::resumeFromStored() {
    const std::filesystem::path path = sumsPath();
    const auto bytes = readFile(path, kSumsLimit);
    if (!bytes && bytes.error().code == ErrorCode::NotFound) return;
    const Status used =
        bytes ? work_->run->resumeFrom(*bytes) : tl::unexpected<Error>(bytes.error());
    if (used) {
        work_->keptTokens = work_->run->read();
        dependencies_.log.info("session", format("surrogate fit resumed path={} tokens={}",
                                                 path.string(), work_->keptTokens));
        return;
    }
    dependencies_.log.warn("session", format("saved surrogate sums not used path={} error={}",
                                             path.string(), describe(used.error())));
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

/// Losing the sums only costs time, so a full disk does not stop the fit.
void SurrogateJob::storeSums() {
    const bool more = work_->run->read() > work_->keptTokens;
    if (!more || work_->seconds - work_->keptSeconds < kSecondsBetweenKeeping) return;
    work_->keptSeconds = work_->seconds;
    work_->keptTokens = work_->run->read();
    if (const Status kept = writeFileInFolder(sumsPath(), work_->run->kept()); !kept)
        dependencies_.log.warn("session",
                               format("surrogate sums not saved error={}", describe(kept.error())));
}

Status SurrogateJob::runSlice() {
    RunningModel& model = *dependencies_.models.model();
    if (!work_->transformer.current(dependencies_.models))
        LACUNA_TRY_STATUS(work_->transformer.make(dependencies_.models, work_->chunk));
    return work_->run->step(*work_->transformer, model.pool());
}

void SurrogateJob::finish() {
    const std::unique_ptr<Work> done = std::move(work_);
    requested_ = false;
    auto made = std::make_shared<const ReconstructionSurrogate>(done->run->surrogate());
    const auto path = storedSurrogatePath(dependencies_.folder, made->fingerprint);
    if (const Status kept = writeFileInFolder(path, surrogateBytes(*made)); !kept)
        dependencies_.io.post(Notice{format(
            "The surrogate fitted to {} could not be saved: {}. It is used until the program ends.",
            made->model, kept.error().what)});
    std::error_code ignored;
    std::filesystem::remove(sumsPath(), ignored);
    dependencies_.log.info("session", format("surrogate fitted model={} seconds={:.2f} path={}",
                                             made->model, done->seconds, path.string()));
    dependencies_.io.post(SurrogateFitted{.share = 1, .ended = true});
    HeadProfiles profiles = dependencies_.models.model()->headProfiles();
    profiles.surrogateHash = made->hash();
    profiles.surrogate = std::move(made);
    dependencies_.models.use(profiles, dependencies_.conversations,
                             {.fitSeconds = std::max(done->seconds, 1e-3)});
}

void SurrogateJob::end(const Error& error) {
    work_.reset();
    requested_ = false;
    const ModelFacts& facts = dependencies_.models.model()->facts();
    endedFor_ = facts.fingerprint;
    dependencies_.io.post(SurrogateFitted{.ended = true, .error = error});
    if (error.code == ErrorCode::Cancelled) return;
    dependencies_.log.warn("session", format("surrogate not fitted error={}", describe(error)));
    dependencies_.io.post(Notice{
        format("No surrogate was fitted to {}: {}. Texts are repeated to score them instead.",
               facts.name, error.what)});
}

void SurrogateJob::request() {
    if (dependencies_.models.model() == nullptr) {
        dependencies_.io.post(SurrogateFitted{
            .ended = true,
            .error = fail(ErrorCode::InvalidArgument, "no model is loaded; load one before fitting")
                         .value()});
        return;
    }
    requested_ = true;
    endedFor_.clear();
    dependencies_.io.post(SurrogateFitted{.share = work_ ? work_->run->share() : 0});
}

void SurrogateJob::skip() {
    if (isPending()) end(Error{ErrorCode::Cancelled, "the fit was skipped", {}});
}

void SurrogateJob::reset() {
    if (work_ != nullptr || requested_) dependencies_.io.post(SurrogateFitted{.ended = true});
    work_.reset();
    requested_ = false;
    endedFor_.clear();
}

}  // namespace lacuna

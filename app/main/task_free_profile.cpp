#include "app/main/task_free_profile.h"

#include <chrono>
#include <cstdlib>

#include "app/main/cli_support.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/generate/surrogate_file.h"
#include "engine/model/tensor_bundle.h"
#include "engine/model/transformer.h"
#include "engine/quality/head_ablation.h"

namespace lacuna::cli {

std::filesystem::path personalFolder() {
    // Set by a window that uses a data folder of its own.
    const char* const given = std::getenv("LACUNA_DATA_DIR");
    if (given != nullptr && *given == '/') return given;
    const char* const data = std::getenv("XDG_DATA_HOME");
    const char* const home = std::getenv("HOME");
    std::filesystem::path root;
    if (data != nullptr && *data == '/')
        root = data;
    else if (home != nullptr && *home == '/')
        root = std::filesystem::path(home) / ".local/share";
    // Qt appends the organisation and application name of the window.
    return root.empty() ? root : root / "lacuna" / "lacuna";
}

namespace {

/// Reads the text once, about one second.
Result<HeadProfile> copyScoresOf(const std::shared_ptr<const LoadedModel>& model, ThreadPool& pool,
                                 Precision precision, const std::stop_token& stop) {
    AblationOptions options;
    options.type = precision == Precision::Exact ? DType::F32 : DType::F16;
    LACUNA_TRY(
        auto transformer,
        Transformer::create(model, pool, {.precision = precision, .maxTokens = options.rows()}));
    LACUNA_TRY(const auto ablation, HeadAblation::create(*transformer, pool, options, [&stop] {
                   return stop.stop_requested();
               }));
    return ablation.copyScores();
}

}  // namespace

Result<MeasuredHeads> measureHeads(const std::shared_ptr<const LoadedModel>& model,
                                   ThreadPool& pool, Precision precision,
                                   const std::stop_token& stop) {
    AblationOptions options;
    options.type = precision == Precision::Exact ? DType::F32 : DType::F16;
    LACUNA_TRY(
        auto transformer,
        Transformer::create(model, pool, {.precision = precision, .maxTokens = options.rows()}));
    const auto cancelled = [&stop] { return stop.stop_requested(); };
    ProgressLine line;
    line.show("measuring heads");
    const auto begin = std::chrono::steady_clock::now();
    LACUNA_TRY(auto ablation, HeadAblation::create(*transformer, pool, options, cancelled));
    while (!ablation.done()) {
        line.show(format("measuring heads: {} of {} ({:.0f} %)", ablation.measured(),
                         ablation.heads(), 100 * ablation.share()));
        LACUNA_TRY_STATUS(ablation.step(cancelled));
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return MeasuredHeads{ablation.profile(), took.count()};
}

Result<std::filesystem::path> storeProfile(const std::filesystem::path& model,
                                           const HeadProfile& profile) {
    const std::filesystem::path own =
        profile.kind == ProfileKind::TaskFree ? personalFolder() : std::filesystem::path();
    return writeNextTo(headProfilePath(model, profile.kind),
                       own.empty() ? own : storedProfilePath(own, profile.fingerprint),
                       dumpJson(headProfileJson(profile), 1) + "\n");
}

Result<HeadProfiles> profilesFor(const std::shared_ptr<const LoadedModel>& model, ThreadPool& pool,
                                 const EngineConfig& config, Precision precision,
                                 const std::stop_token& stop) {
    const ModelSpec& spec = model->spec;
    LACUNA_TRY(auto profiles, loadMeasuredOf(model->path, spec, personalFolder()));
    if (config.kv.method != CompactionMethod::AttentionMatching || profiles.taskFree != nullptr)
        return profiles;
    if (config.kv.headBudgets == HeadBudgets::Auto) {
        auto scores = copyScoresOf(model, pool, precision, stop);
        if (!scores && scores.error().code == ErrorCode::Cancelled)
            return tl::unexpected<Error>(scores.error());
        note(format(
            "the heads of {} are not measured (run lacuna calibrate-kv): am divides slots by {}, "
            "otherwise by {}",
            spec.name,
            profiles.surrogate != nullptr ? "scores of its surrogate"
                                          : "scores of a repetition of the text",
            scores ? std::string("copy scores")
                   : format("coverage, because copy scores failed: {}", scores.error().what)));
        if (scores) profiles.add(std::move(*scores));
        return profiles;
    }
    if (config.kv.headBudgets != HeadBudgets::TaskFree) return profiles;
    LACUNA_TRY(auto measured, measureHeads(model, pool, precision, stop));
    LACUNA_TRY(const auto path, storeProfile(model->path, measured.profile));
    note(format("measured the heads in {:.1f} s: {}", measured.seconds, path.string()));
    profiles.add(std::move(measured.profile));
    return profiles;
}

}  // namespace lacuna::cli

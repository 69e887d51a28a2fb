// kvtc: size and loss of caches stored by transform coding.

#include <algorithm>

#include "app/bench/bench_commands.h"
#include "app/bench/recall.h"
#include "app/bench/stored_cache_run.h"
#include "app/main/cli_support.h"
#include "app/main/measuring_input.h"
#include "app/main/task_free_profile.h"
#include "engine/base/string_format.h"
#include "engine/generate/transform_file.h"
#include "engine/prefix/row_codecs.h"
#include "engine/prefix/transform_page_codec.h"
#include "engine/quality/recall_cases.h"

namespace lacuna::cli {
namespace {

/// Returns the bundle of a model. Errors: NotFound, with the command that creates one; those of
/// transformFrom.
Result<std::shared_ptr<const TransformCodec>> transformOf(const MeasuredModel& model,
                                                          const std::string& given) {
    if (!given.empty()) return transformFrom(given, model.loaded->spec);
    LACUNA_TRY(auto codec, loadTransform(model.path, model.loaded->spec, personalFolder()));
    if (codec == nullptr)
        return fail(ErrorCode::NotFound, format("this model has no calibrated transform; make one "
                                                "with lacuna calibrate-kv {} --transform",
                                                model.path.string()));
    return codec;
}

/// Codec of the stored cache, and its description in the output.
struct StoredWith {
    std::unique_ptr<PageCodec> pages;
    int sinks = 0;
    int window = 0;
    OrderedJson said = OrderedJson::object();
};

Result<StoredWith> storedWith(const KvtcArguments& a, const MeasuredModel& model) {
    StoredWith out;
    if (a.code == "q8" || a.code == "rows") {
        out.pages = a.code == "q8" ? makeEightBitCodec() : makeRowsCodec();
        out.said["code"] = a.code;
        return out;
    }
    LACUNA_TRY(const auto codec, transformOf(model, a.bundle));
    const TransformBundle& bundle = codec->bundle();
    const StoredCode code = a.code == "plan"   ? StoredCode::Plan
                            : a.code == "step" ? StoredCode::Step
                                               : bundle.better;
    LACUNA_TRY(const ComponentCoding coding, codec->codingFor(code, a.ratio));
    out.sinks = bundle.sinks;
    out.window = a.window >= 0 ? a.window : bundle.window;
    out.said = {{"code", code == StoredCode::Plan ? "plan" : "step"},
                {"ratio", a.ratio},
                {"window", out.window},
                {"calibrated", bundle.how}};
    TransformPageOptions options{.coding = coding, .sinks = out.sinks, .window = out.window};
    if (a.windowRatio > 0) {
        const double closer = std::min(a.windowRatio, a.ratio);
        LACUNA_TRY(options.windowCoding, codec->codingFor(code, closer));
        out.said["window_ratio"] = closer;
    }
    out.pages = std::make_unique<TransformPageCodec>(codec, options);
    return out;
}

/// Measures recall on generated dialogues, with the original cache and with the stored and reloaded
/// one.
Result<OrderedJson> recallOf(const KvtcArguments& a, const EngineConfig& config,
                             const MeasuredModel& model, const PageCodec& pages,
                             std::stop_token stop) {
    constexpr std::uint64_t kSeed = 2207;
    LACUNA_TRY(const std::string filler, bundledText());
    const auto cases = makeRecallCases(a.recall, {500, 1500}, filler, kSeed);
    RecallOptions options;
    options.kv = config.kv;
    options.kv.method = CompactionMethod::None;
    options.kv.type = a.exact ? DType::F32 : DType::F16;
    options.prefillChunk = config.prefillChunk;
    options.stop = stop;
    ProgressLine line;
    options.progress = [&](std::int64_t done, std::int64_t total) {
        line.show(format("dialogue {} of {}", done, total));
    };
    OrderedJson json{{"dialogues", cases.size()}, {"seed", kSeed}};
    for (const bool storing : {false, true}) {
        options.stored = storing ? &pages : nullptr;
        LACUNA_TRY(const RecallOutcome outcome,
                   runRecall(*model.transformer, *model.pool, cases, options));
        json[storing ? "stored" : "whole"] = outcome.total.hits;
    }
    return json;
}

Result<OrderedJson> kvtcOrError(const KvtcArguments& a, std::stop_token stop) {
    LACUNA_TRY(const auto given, withExact({}, a.exact));
    LACUNA_TRY(EngineConfig config, greedySettings(given));
    config.threads = a.threads;
    LACUNA_TRY(const std::string text, readText(a.text));
    LACUNA_TRY(const MeasuredModel model, loadForMeasuring(a.model, config, stop));
    LACUNA_TRY(const StoredWith stored, storedWith(a, model));
    LACUNA_TRY(const auto ids,
               model.loaded->tokenizer.encode(text, {.special = SpecialText::Plain, .stop = [stop] {
                                                         return stop.stop_requested();
                                                     }}));
    if (static_cast<std::int64_t>(ids.size()) < std::int64_t{a.context} + a.after)
        return fail(ErrorCode::InvalidArgument,
                    format("{} has {} tokens, but {} to store (--context) and {} to measure "
                           "(--after) are needed; give a longer text or smaller numbers",
                           a.text, ids.size(), a.context, a.after));
    ProgressLine line;
    StoredCacheMeasure measure{.context = a.context,
                               .after = a.after,
                               .windows = a.windows,
                               .chunk = config.prefillChunk,
                               .firstCompared = stored.sinks,
                               .lastCompared = stored.window};
    measure.type = a.exact ? DType::F32 : DType::F16;
    measure.cancelled = [stop] { return stop.stop_requested(); };
    measure.progress = [&](std::int64_t done, std::int64_t total) {
        line.show(format("window {} of {}", done + 1, total));
    };
    LACUNA_TRY(const auto figures,
               measureStoredCache(*model.transformer, *stored.pages, ids, measure));
    OrderedJson json = storedCacheJson(figures);
    json.update(stored.said);
    if (a.recall > 0) {
        LACUNA_TRY(json["recall"], recallOf(a, config, model, *stored.pages, stop));
    }
    return json;
}

}  // namespace

int kvtc(const KvtcArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = kvtcOrError(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli

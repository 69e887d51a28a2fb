// kvtc: what storing a cache by transform coding costs a model, and how small it becomes.

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/measuring_input.h"
#include "app/main/task_free_profile.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/generate/transform_file.h"
#include "engine/prefix/transform_page_codec.h"
#include "engine/quality/stored_cache_run.h"

namespace lacuna::cli {
namespace {

constexpr std::size_t kTextLimit = std::size_t{1} << 30;

/// The bundle of a model. Errors: NotFound, saying what makes one; those of loadTransform.
Result<std::shared_ptr<const TransformCodec>> transformOf(const MeasuredModel& model,
                                                          const std::string& given) {
    if (!given.empty()) {
        LACUNA_TRY(const std::string bytes, readFile(given, kTextLimit));
        LACUNA_TRY(TransformBundle bundle, transformFromBytes(bytes));
        LACUNA_TRY_STATUS(checkTransformFor(bundle, transformIdentityOf(model.loaded->spec)));
        return TransformCodec::make(std::move(bundle));
    }
    LACUNA_TRY(auto codec, loadTransform(model.path, model.loaded->spec, personalFolder()));
    if (codec == nullptr)
        return fail(ErrorCode::NotFound,
                    format("no transform was calibrated on this model; lacuna calibrate-kv {} "
                           "--transform does that",
                           model.path.string()));
    return codec;
}

Result<OrderedJson> kvtcOrError(const KvtcArguments& a, std::stop_token stop) {
    LACUNA_TRY(const auto given, withExact({}, a.exact));
    LACUNA_TRY(EngineConfig config, greedySettings(given));
    config.threads = a.threads;
    LACUNA_TRY(const std::string text, readFile(a.text, kTextLimit));
    LACUNA_TRY(const MeasuredModel model, loadForMeasuring(a.model, config, stop));
    LACUNA_TRY(const auto codec, transformOf(model, a.bundle));
    const StoredCode code = a.code == "plan"   ? StoredCode::Plan
                            : a.code == "step" ? StoredCode::Step
                                               : codec->bundle().better;
    LACUNA_TRY(const ComponentCoding coding, codec->codingFor(code, a.ratio));
    const int window = a.window >= 0 ? a.window : codec->bundle().window;
    const TransformPageCodec pages(
        codec, {.coding = coding, .sinks = codec->bundle().sinks, .window = window});
    LACUNA_TRY(const auto ids,
               model.loaded->tokenizer.encode(text, {.special = SpecialText::Plain, .stop = [stop] {
                                                         return stop.stop_requested();
                                                     }}));
    ProgressLine line;
    StoredCacheMeasure measure{.context = a.context,
                               .after = a.after,
                               .windows = a.windows,
                               .chunk = config.prefillChunk,
                               .firstCompared = codec->bundle().sinks,
                               .lastCompared = window};
    measure.type = a.exact ? DType::F32 : DType::F16;
    measure.cancelled = [stop] { return stop.stop_requested(); };
    measure.progress = [&](std::int64_t done, std::int64_t total) {
        line.show(format("window {} of {}", done + 1, total));
    };
    LACUNA_TRY(const auto figures, measureStoredCache(*model.transformer, pages, ids, measure));
    OrderedJson json = storedCacheJson(figures);
    json["code"] = code == StoredCode::Plan ? "plan" : "step";
    json["ratio"] = a.ratio;
    json["window"] = window;
    json["calibrated"] = codec->bundle().how;
    return json;
}

}  // namespace

int kvtc(const KvtcArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = kvtcOrError(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli

// calibrate-kv: measures and fits the model-specific data that compression needs.

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/measuring_input.h"
#include "app/main/task_free_profile.h"
#include "app/state/files/bundled_texts.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/query_centres_file.h"
#include "engine/generate/surrogate_file.h"
#include "engine/generate/text_pass.h"
#include "engine/generate/transform_file.h"
#include "engine/kv/eviction/layer_heads.h"
#include "engine/model/layer_loss_file.h"
#include "engine/model/rotation_file.h"
#include "engine/model/transformer.h"
#include "engine/model/weight_placement.h"
#include "engine/quality/head_calibration.h"
#include "engine/quality/layer_loss_run.h"
#include "engine/quality/query_centres_run.h"
#include "engine/quality/recall_cases.h"
#include "engine/quality/rotation_calibration.h"
#include "engine/quality/surrogate_fit.h"
#include "engine/quality/transform_calibration.h"
#include "engine/session/read_facts.h"
#include "engine/settings/facts.h"

namespace lacuna::cli {
namespace {

constexpr int kChunk = 256;
constexpr double kMaxLength = 0.75;  // share of the model's context; leaves room for question and
                                     // answer

/// Returns a short, a medium and a long length, limited by the context.
std::vector<int> textLengths(int asked, int context) {
    const auto most = static_cast<int>(kMaxLength * context);
    const int longest = std::max(64, std::min(asked, most));
    return {longest / 6, longest / 2, longest};
}

/// [layers][KV heads of the layer] of a profile.
OrderedJson headsJson(const HeadProfile& profile) {
    OrderedJson layers = OrderedJson::array();
    auto at = profile.loss.begin();
    for (int layer = 0; layer < profile.layers; ++layer) {
        const auto end = at + headsOfLayer(profile.kvHeads, profile.layerHeads, layer);
        layers.push_back(std::vector<float>(at, end));
        at = end;
    }
    return layers;
}

/// Human-readable summary: duration, most important heads, output path.
std::string summaryOf(const OrderedJson& json) {
    std::vector<std::pair<double, std::string>> heads;
    int layer = 0;
    for (const OrderedJson& row : json["heads"]) {
        int head = 0;
        for (const OrderedJson& loss : row)
            heads.emplace_back(loss.get<double>(), format("layer {} head {}", layer, head++));
        ++layer;
    }
    std::ranges::stable_sort(heads, std::greater<>(), &std::pair<double, std::string>::first);
    std::string text = format("{} heads measured in {:.1f} s ({})\n", heads.size(),
                              json["seconds"].get<double>(), json["kind"].get<std::string>());
    for (std::size_t i = 0; i < std::min<std::size_t>(heads.size(), 8); ++i)
        if (heads[i].first > 0)
            text += format("  {}: {:.3f} nats per token\n", heads[i].second, heads[i].first);
    return text + json["file"].get<std::string>() + "\n";
}

/// Measures with questions about texts, which shows what the task-free profile misses.
Result<HeadProfile> askQuestions(const CalibrateArguments& a,
                                 const std::shared_ptr<const LoadedModel>& model, ThreadPool& pool,
                                 const std::stop_token& stop) {
    std::string filler;
    if (!a.text.empty()) {
        LACUNA_TRY(filler, readText(a.text));
    } else {
        LACUNA_TRY(filler, bundledCalibrationText());
    }
    LACUNA_TRY(auto transformer, Transformer::create(model, pool, {.maxTokens = kChunk}));
    const auto cases = makeRecallCases(a.rounds, textLengths(a.tokens, model->spec.context), filler,
                                       static_cast<std::uint64_t>(a.seed));
    ProgressLine line;
    CalibrationOptions options;
    options.chunk = kChunk;
    options.stop = stop;
    options.progress = [&](std::int64_t done, std::int64_t total) {
        line.show(format("step {} of {}", done, total));
    };
    return calibrateHeads(*transformer, cases, options);
}

constexpr std::size_t kCharactersPerToken = 3;  // upper bound, so that the text is long enough
constexpr std::size_t kComparedTokens = 2800;   // tokens of a text that was not fitted on

constexpr int kSurrogateTokens = 40000;

struct FittedText {
    std::vector<TokenId> ids;
    std::string name;  ///< name of its file
};

/// Returns the text to fit on: the given text, or the calibration book with generated text from its
/// words. It has at most fitTokens tokens, or `usual` if the command leaves that open.
Result<FittedText> fittedText(const CalibrateArguments& a, const LoadedModel& model, int usual) {
    const auto tokens = static_cast<std::size_t>(a.fitTokens > 0 ? a.fitTokens : usual);
    std::string prose;
    if (!a.text.empty()) {
        LACUNA_TRY(prose, readText(a.text));
    } else {
        LACUNA_TRY(prose, bundledCalibrationText());
        prose =
            textToFit(prose, 2 * kCharactersPerToken * tokens, static_cast<std::uint64_t>(a.seed));
    }
    FittedText text;
    LACUNA_TRY(text.ids, model.tokenizer.encode(prose));
    text.ids.resize(std::min(text.ids.size(), tokens));
    text.name =
        a.text.empty() ? app::kCalibrationText : std::filesystem::path(a.text).filename().string();
    return text;
}

/// Environment of a fit.
struct Fitting {
    std::shared_ptr<const LoadedModel> model;
    std::unique_ptr<ThreadPool> pool;
    std::unique_ptr<Transformer> transformer;
};
/// `out` is the output path. Errors: those of checkOutputs, loadToRun, Transformer.
Result<Fitting> fittingFor(const CalibrateArguments& a, const std::filesystem::path& path,
                           const std::filesystem::path& out, const std::stop_token& stop) {
    LACUNA_TRY_STATUS(checkOutputs({.outputs = {out.string()},
                                    .models = {path.string()},
                                    .inputs = {a.text},
                                    .profiles = false}));
    Fitting made;
    LACUNA_TRY(made.model, loadToRun(path, {.progress = {}, .stop = stop}));
    made.pool = std::make_unique<ThreadPool>(a.threads > 0 ? a.threads : machineFacts().cores);
    const Precision precision = a.exact ? Precision::Exact : Precision::Fast;
    LACUNA_TRY(
        made.transformer,
        Transformer::create(made.model, *made.pool, {.precision = precision, .maxTokens = kChunk}));
    return made;
}

Result<OrderedJson> fitSurrogateOf(const CalibrateArguments& a, const std::filesystem::path& path,
                                   const std::stop_token& stop) {
    const std::filesystem::path out =
        a.out.empty() ? surrogatePath(path) : std::filesystem::path(a.out);
    LACUNA_TRY(const Fitting fitting, fittingFor(a, path, out, stop));
    LACUNA_TRY(const auto instruction, repeatInstruction(*fitting.model));
    LACUNA_TRY(const auto text, fittedText(a, *fitting.model, kSurrogateTokens));
    LACUNA_TRY(const std::string other, bundledText());
    LACUNA_TRY(auto unseen, fitting.model->tokenizer.encode(other));
    unseen.resize(std::min(unseen.size(), kComparedTokens));
    ProgressLine line;
    SurrogateFitOptions options{.instruction = instruction, .chunk = kChunk};
    options.type = a.exact ? DType::F32 : DType::F16;
    options.cancelled = [&stop] { return stop.stop_requested(); };
    options.progress = [&](std::int64_t done, std::int64_t total) {
        line.show(format("fitting: {} of {} tokens", done, total));
    };
    const auto begin = std::chrono::steady_clock::now();
    LACUNA_TRY(auto fitted, fitSurrogate(*fitting.transformer, *fitting.pool, text.ids, options));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    LACUNA_TRY_STATUS(writeFileAtomically(out, surrogateBytes(fitted)));
    line.show("comparing with a repetition of another text");
    LACUNA_TRY(const auto agreement,
               compareSurrogate(std::make_shared<const ReconstructionSurrogate>(std::move(fitted)),
                                *fitting.transformer, *fitting.pool, unseen, options));
    return OrderedJson{{"seconds", took.count()},
                       {"kind", "surrogate"},
                       {"file", out.string()},
                       {"text", text.name},
                       {"tokens", text.ids.size()},
                       {"overlap", agreement.overlap},
                       {"correlation", agreement.correlation},
                       {"compared_tokens", agreement.tokens}};
}

Result<OrderedJson> calibrateRotationsOf(const CalibrateArguments& a,
                                         const std::filesystem::path& path,
                                         const std::stop_token& stop) {
    const std::filesystem::path out =
        a.out.empty() ? rotationPath(path) : std::filesystem::path(a.out);
    LACUNA_TRY(const Fitting fitting, fittingFor(a, path, out, stop));
    LACUNA_TRY(const auto text, fittedText(a, *fitting.model, kRotationTokens));
    ProgressLine line;
    RotationCalibration options{.chunk = kChunk};
    options.type = a.exact ? DType::F32 : DType::F16;
    options.cancelled = [&stop] { return stop.stop_requested(); };
    options.progress = [&](std::int64_t done, std::int64_t total) {
        line.show(format("calibrating: {} of {} tokens", done, total));
    };
    const auto begin = std::chrono::steady_clock::now();
    LACUNA_TRY(const RotationMatrices found,
               calibrateRotations(*fitting.transformer, *fitting.pool, text.ids, options));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::filesystem::path written = out;
    if (a.out.empty()) {
        LACUNA_TRY(written, storeRotations(path, found, personalFolder()));
    } else {
        LACUNA_TRY_STATUS(writeFileAtomically(out, rotationBytes(found)));
    }
    return OrderedJson{{"seconds", took.count()},   {"kind", "rotations"},
                       {"file", written.string()},  {"text", text.name},
                       {"tokens", text.ids.size()}, {"hash", found.hash()},
                       {"how", found.how}};
}

Result<OrderedJson> calibrateCentresOf(const CalibrateArguments& a,
                                       const std::filesystem::path& path,
                                       const std::stop_token& stop) {
    const std::filesystem::path out =
        a.out.empty() ? queryCentresPath(path) : std::filesystem::path(a.out);
    LACUNA_TRY(const Fitting fitting, fittingFor(a, path, out, stop));
    LACUNA_TRY(const auto text, fittedText(a, *fitting.model, kCentreTokens));
    ProgressLine line;
    QueryCentresRun run{.chunk = kChunk};
    run.type = a.exact ? DType::F32 : DType::F16;
    run.cancelled = [&stop] { return stop.stop_requested(); };
    run.progress = [&](std::int64_t done, std::int64_t total) {
        line.show(format("calibrating: {} of {} tokens", done, total));
    };
    const auto begin = std::chrono::steady_clock::now();
    LACUNA_TRY(const QueryCentres found,
               calibrateQueryCentres(*fitting.transformer, text.ids, run));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::filesystem::path written = out;
    if (a.out.empty()) {
        LACUNA_TRY(written, storeQueryCentres(path, found, personalFolder()));
    } else {
        LACUNA_TRY_STATUS(writeFileAtomically(out, queryCentresBytes(found)));
    }
    return OrderedJson{{"seconds", took.count()},
                       {"kind", "query_centres"},
                       {"file", written.string()},
                       {"text", text.name},
                       {"tokens", found.tokens},
                       {"hash", found.hash()},
                       {"concentration",
                        concentration(found, compactorModel(fitting.model->spec, 0, {}).rotation)},
                       {"how", found.how}};
}

constexpr int kLayerTokens = 512;

Result<OrderedJson> measureLayersOf(const CalibrateArguments& a, const std::filesystem::path& path,
                                    const std::stop_token& stop) {
    const std::filesystem::path out =
        a.out.empty() ? layerLossPath(path) : std::filesystem::path(a.out);
    LACUNA_TRY(const Fitting fitting, fittingFor(a, path, out, stop));
    LACUNA_TRY(auto text, fittedText(a, *fitting.model, kLayerTokens));
    text.ids.resize(
        std::min(text.ids.size(), static_cast<std::size_t>(fitting.model->spec.context)));
    ProgressLine line;
    LayerLossMeasure measure{.bits = a.bits};
    measure.type = a.exact ? DType::F32 : DType::F16;
    measure.cancelled = [&stop] { return stop.stop_requested(); };
    measure.progress = [&](std::int64_t done, std::int64_t total) {
        line.show(format("reading {} of {}", done, total));
    };
    const auto begin = std::chrono::steady_clock::now();
    LACUNA_TRY(const LayerLoss found, measureLayerLoss(*fitting.transformer, text.ids, measure));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::filesystem::path written = out;
    if (a.out.empty()) {
        LACUNA_TRY(written, saveLayerLoss(path, found, personalFolder()));
    } else {
        LACUNA_TRY_STATUS(writeFileAtomically(out, dumpJson(layerLossJson(found), 1) + "\n"));
    }
    return OrderedJson{
        {"seconds", took.count()}, {"kind", "layers"},          {"file", written.string()},
        {"text", text.name},       {"tokens", text.ids.size()}, {"bits", found.bits},
        {"keys", found.keys},      {"values", found.values},    {"how", found.how}};
}

Result<OrderedJson> calibrateTransformOf(const CalibrateArguments& a,
                                         const std::filesystem::path& path,
                                         const std::stop_token& stop) {
    const std::filesystem::path out =
        a.out.empty() ? transformPath(path) : std::filesystem::path(a.out);
    LACUNA_TRY(const Fitting fitting, fittingFor(a, path, out, stop));
    LACUNA_TRY(const auto text, fittedText(a, *fitting.model, kTransformTokens));
    ProgressLine line;
    TransformCalibration options{.chunk = kChunk, .layerGroup = a.layerGroup};
    options.seed = static_cast<std::uint64_t>(a.seed);
    options.type = a.exact ? DType::F32 : DType::F16;
    options.cancelled = [&stop] { return stop.stop_requested(); };
    options.progress = [&](std::string_view stage, std::int64_t done, std::int64_t total) {
        line.show(format("{}: {} of {}", stage, done, total));
    };
    const auto begin = std::chrono::steady_clock::now();
    LACUNA_TRY(const TransformBundle found,
               calibrateTransform(*fitting.transformer, *fitting.pool, text.ids, options));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::filesystem::path written = out;
    if (a.out.empty()) {
        LACUNA_TRY(written, storeTransform(path, found, personalFolder()));
    } else {
        LACUNA_TRY_STATUS(writeFileAtomically(out, transformBytes(found)));
    }
    return OrderedJson{{"seconds", took.count()},
                       {"kind", "transform"},
                       {"file", written.string()},
                       {"bytes", transformBytes(found).size()},
                       {"text", text.name},
                       {"tokens", found.tokens},
                       {"held_out_tokens", found.heldOutTokens},
                       {"how", found.how},
                       {"better", found.better == StoredCode::Plan ? "plan" : "step"},
                       {"ratios", found.ratios},
                       {"plan_errors", found.planErrors},
                       {"step_errors", found.stepErrors}};
}

std::string transformSummary(const OrderedJson& json) {
    std::string text = format(
        "transform calibrated in {:.1f} s on {} ({})\n"
        "share of the weighted energy lost on {} other tokens of the text:\n",
        json["seconds"].get<double>(), json["how"].get<std::string>(),
        json["text"].get<std::string>(), json["held_out_tokens"].get<std::int64_t>());
    for (std::size_t i = 0; i < json["ratios"].size(); ++i)
        text += format("  ratio {:g}: {:.4f} with one step size, {:.4f} with the plan\n",
                       json["ratios"][i].get<double>(), json["step_errors"][i].get<double>(),
                       json["plan_errors"][i].get<double>());
    return text + format("better at equal bytes: {}\n{} ({} bytes)\n",
                         json["better"].get<std::string>(), json["file"].get<std::string>(),
                         json["bytes"].get<std::int64_t>());
}

/// Human-readable summary: most expensive layers, output path.
std::string layerSummary(const OrderedJson& json) {
    constexpr std::size_t kShown = 8;
    std::vector<std::pair<double, std::string>> sides;
    double sum = 0;
    for (const char* side : {"keys", "values"}) {
        int layer = 0;
        for (const OrderedJson& nats : json[side]) {
            sides.emplace_back(nats.get<double>(), format("{} of layer {}", side, layer++));
            sum += nats.get<double>();
        }
    }
    std::ranges::stable_sort(sides, std::greater<>(), &std::pair<double, std::string>::first);
    std::string text = format(
        "codes of {} bits measured layer by layer in {:.1f} s on {} ({}): {:.4f} nats in all\n",
        json["bits"].get<int>(), json["seconds"].get<double>(), json["text"].get<std::string>(),
        json["how"].get<std::string>(), sum);
    for (std::size_t i = 0; i < std::min(kShown, sides.size()); ++i)
        text += format("  {}: {:.4f}\n", sides[i].second, sides[i].first);
    return text + json["file"].get<std::string>() + "\n";
}

std::string rotationSummary(const OrderedJson& json) {
    return format("rotations calibrated in {:.1f} s on {}: {} ({})\n{}\n",
                  json["seconds"].get<double>(), json["text"].get<std::string>(),
                  json["how"].get<std::string>(), json["hash"].get<std::string>(),
                  json["file"].get<std::string>());
}

std::string centresSummary(const OrderedJson& json) {
    return format(
        "query centres calibrated in {:.1f} s on {}: {} (mean concentration {:.2f})\n{}\n",
        json["seconds"].get<double>(), json["text"].get<std::string>(),
        json["how"].get<std::string>(), json["concentration"].get<double>(),
        json["file"].get<std::string>());
}

std::string surrogateSummary(const OrderedJson& json) {
    return format(
        "surrogate fitted to {} tokens of {} in {:.1f} s\non unseen text it finds {:.0f} % of the "
        "best quarter (correlation {:.2f})\n{}\n",
        json["tokens"].get<std::int64_t>(), json["text"].get<std::string>(),
        json["seconds"].get<double>(), 100 * json["overlap"].get<double>(),
        json["correlation"].get<double>(), json["file"].get<std::string>());
}

Result<OrderedJson> calibrateOrError(const CalibrateArguments& a, std::stop_token stop) {
    LACUNA_TRY(const auto path, modelPath(a.model));
    const bool reads = a.surrogate || a.rotations || a.layers || a.transform || a.centres;
    if (!a.text.empty() && !a.questions && !reads)
        return fail(ErrorCode::InvalidArgument,
                    "--text needs --questions, --surrogate, --rotations, --layers, --transform or "
                    "--query-centres; measuring heads uses no text");
    if (a.fitTokens > 0 && !reads)
        return fail(ErrorCode::InvalidArgument,
                    "--fit-tokens needs --surrogate, --rotations, --layers, --transform or "
                    "--query-centres; measuring heads uses no text");
    if (a.transform) return calibrateTransformOf(a, path, stop);
    if (a.layers) return measureLayersOf(a, path, stop);
    if (a.rotations) return calibrateRotationsOf(a, path, stop);
    if (a.surrogate) return fitSurrogateOf(a, path, stop);
    if (a.centres) return calibrateCentresOf(a, path, stop);
    const ProfileKind kind = a.questions ? ProfileKind::Questions : ProfileKind::TaskFree;
    const std::filesystem::path out =
        a.out.empty() ? headProfilePath(path, kind) : std::filesystem::path(a.out);
    LACUNA_TRY_STATUS(checkOutputs({.outputs = {out.string()},
                                    .models = {path.string()},
                                    .inputs = {a.text},
                                    .profiles = false}));
    LACUNA_TRY(const auto model, loadToRun(path, {.progress = {}, .stop = stop}));
    ThreadPool pool(a.threads > 0 ? a.threads : machineFacts().cores);
    const auto begin = std::chrono::steady_clock::now();
    MeasuredHeads measured;
    if (a.questions) {
        LACUNA_TRY(measured.profile, askQuestions(a, model, pool, stop));
        measured.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    } else {
        const Precision precision = a.exact ? Precision::Exact : Precision::Fast;
        LACUNA_TRY(measured, measureHeads(model, pool, precision, stop));
    }
    std::filesystem::path written = out;
    if (a.out.empty()) {
        LACUNA_TRY(written, storeProfile(path, measured.profile));
    } else {
        LACUNA_TRY_STATUS(
            writeFileAtomically(out, dumpJson(headProfileJson(measured.profile), 1) + "\n"));
    }
    OrderedJson json{{"seconds", measured.seconds},
                     {"kind", profileKindName(measured.profile.kind)},
                     {"file", written.string()}};
    json["heads"] = headsJson(measured.profile);
    return json;
}

}  // namespace

int calibrate(const CalibrateArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = calibrateOrError(arguments, interrupts.token());
    if (!outcome) return report(outcome.error());
    if (arguments.json) return printJson(*outcome);
    if (arguments.rotations) return printPage(rotationSummary(*outcome));
    if (arguments.layers) return printPage(layerSummary(*outcome));
    if (arguments.transform) return printPage(transformSummary(*outcome));
    if (arguments.centres) return printPage(centresSummary(*outcome));
    return printPage(arguments.surrogate ? surrogateSummary(*outcome) : summaryOf(*outcome));
}

}  // namespace lacuna::cli

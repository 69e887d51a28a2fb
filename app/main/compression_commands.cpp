// calibrate-kv: what compression needs to know of a model.

#include <algorithm>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/model/transformer.h"
#include "engine/model/weight_placement.h"
#include "engine/quality/head_calibration.h"
#include "engine/quality/recall_tasks.h"
#include "engine/session/read_facts.h"
#include "engine/settings/facts.h"

namespace lacuna::cli {
namespace {

constexpr std::size_t kTextLimit = std::size_t{64} << 20;
constexpr int kChunk = 256;
constexpr double kMaxLength = 0.75;  // of the model's context: room for question and answer

/// Short, middle and long texts, as far as the context reaches.
std::vector<int> textLengths(int asked, int context) {
    const auto most = static_cast<int>(kMaxLength * context);
    const int longest = std::max(64, std::min(asked, most));
    return {longest / 6, longest / 2, longest};
}

Result<OrderedJson> calibrateOrError(const CalibrateArguments& a, std::stop_token stop) {
    LACUNA_TRY(const auto path, modelPath(a.model));
    const std::filesystem::path out =
        a.out.empty() ? headProfilePath(path) : std::filesystem::path(a.out);
    LACUNA_TRY_STATUS(checkOutputs({.outputs = {out.string()},
                                    .models = {path.string()},
                                    .inputs = {a.text},
                                    .profile = false}));
    std::string filler;
    if (!a.text.empty()) {
        LACUNA_TRY(filler, readFile(a.text, kTextLimit));
    } else {
        LACUNA_TRY(filler, bundledText());
    }
    LACUNA_TRY(const auto model, loadToRun(path, {.progress = {}, .stop = stop}));
    ThreadPool pool(a.threads > 0 ? a.threads : machineFacts().cores);
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
    LACUNA_TRY(const HeadProfile profile, calibrateHeads(*transformer, cases, options));
    OrderedJson json = headProfileJson(profile);
    LACUNA_TRY_STATUS(writeFileAtomically(out, dumpJson(json, 1) + "\n"));
    json["file"] = out.string();
    return json;
}

}  // namespace

int calibrate(const CalibrateArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = calibrateOrError(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli

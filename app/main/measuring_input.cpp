#include "app/main/measuring_input.h"

#include <algorithm>

#include "app/main/cli_support.h"
#include "app/main/task_free_profile.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/format/printable.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/weight_placement.h"
#include "engine/quality/grid_items.h"
#include "engine/report/report.h"
#include "engine/session/jobs/automatic_precision.h"
#include "engine/session/read_facts.h"

namespace lacuna::cli {

Precision precisionFor(const EngineConfig& config, const LoadedModel& model) {
    return precisionOf(config.precision, [&model] {
        const AutomaticPrecision found =
            automaticPrecision({.folder = measurementsFolder()}, model);
        for (const std::string& sentence : found.messages) note(sentence);
        return found.precision;
    });
}

void noteRotation(const KvOptions& options, const ModelFacts& facts, OrderedJson& json) {
    const std::string_view rotation = rotationInUse(cacheModelOf(facts), options);
    if (rotation.empty()) return;
    json["kv_rotation"] = rotation;
    if (options.extraBits > 0) json["extra_bits"] = options.extraBits;
    if (!facts.rotationsNote.empty() && options.rotation == KvRotation::Auto)
        note(format("the calibrated rotations of the model cannot be used: {}",
                    facts.rotationsNote));
}

Result<MeasuredModel> loadForMeasuring(const std::string& given, const EngineConfig& config,
                                       std::stop_token stop) {
    MeasuredModel made;
    LACUNA_TRY(made.path, modelPath(given));
    LACUNA_TRY(made.loaded,
               loadToRun(made.path, {.progress = {}, .stop = stop, .measured = personalFolder()}));
    made.facts = factsOf(*made.loaded, personalFolder());
    if (const auto valid = check(config, &made.facts, machineFacts()); !valid)
        return tl::unexpected<Error>(violationsError(valid.error()));
    made.pool = std::make_unique<ThreadPool>(computeThreads(config));
    made.facts.precision = precisionFor(config, *made.loaded);
    LACUNA_TRY(made.transformer, Transformer::create(made.loaded, *made.pool,
                                                     {.precision = made.facts.precision,
                                                      .maxTokens = config.prefillChunk}));
    LACUNA_TRY(made.profiles,
               profilesFor(made.loaded, *made.pool, config, made.facts.precision, stop));
    return made;
}

namespace {

constexpr std::size_t kPromptLimit = std::size_t{64} << 20;

}  // namespace

Result<std::string> readText(const std::string& path) {
    LACUNA_TRY(std::string text, readFile(path, kTextLimit));
    constexpr std::size_t kLongestPart = 3;  // incomplete part of a four-byte character
    for (std::size_t cut = 0; cut <= std::min(kLongestPart, text.size()); ++cut)
        if (isUtf8(std::string_view(text).substr(0, text.size() - cut))) return text;
    return fail(ErrorCode::Corrupt,
                format("{} is not a text file: it contains bytes that are not UTF-8", path));
}

Result<std::vector<ChatMessage>> messagesFromFile(const std::string& path) {
    LACUNA_TRY(const std::string text, readFile(path, kTextLimit));
    LACUNA_TRY(const Json json, parseJson(text));
    return messagesFromJson(json);
}

Result<std::vector<ChatMessage>> messagesFromReport(const std::string& path) {
    LACUNA_TRY(const std::string text, readFile(path, kTextLimit));
    LACUNA_TRY(const Json json, parseJson(text, kDenseJson));
    LACUNA_TRY(const Recording recording, recordingFromJson(json));
    for (auto turn = recording.turns.rbegin(); turn != recording.turns.rend(); ++turn) {
        if (!turn->finished || turn->finished->text.empty()) continue;
        std::vector<ChatMessage> messages = turn->started.messages;
        messages.push_back({"assistant", turn->finished->text});
        return messages;
    }
    return fail(ErrorCode::InvalidArgument, format("{} contains no finished answer", path));
}

Result<std::vector<ChatMessage>> messagesOfArguments(const QuestionArguments& a) {
    const int given = (a.prompt.empty() && a.file.empty() ? 0 : 1) + (a.messages.empty() ? 0 : 1) +
                      (a.report.empty() ? 0 : 1);
    if (given != 1)
        return fail(ErrorCode::InvalidArgument,
                    "use one of --prompt, --file, --messages or --report");
    if (!a.report.empty() || !a.messages.empty()) {
        LACUNA_TRY(auto messages,
                   a.report.empty() ? messagesFromFile(a.messages) : messagesFromReport(a.report));
        while (!messages.empty() && messages.back().role == "assistant") messages.pop_back();
        return messages;
    }
    std::string text = a.prompt;
    if (!a.file.empty()) {
        LACUNA_TRY(const std::string content, readFile(a.file, kPromptLimit));
        text = text.empty() ? content : content + "\n\n" + text;
    }
    std::vector<ChatMessage> messages;
    if (!a.system.empty()) messages.push_back({"system", a.system});
    messages.push_back({"user", text});
    return messages;
}

}  // namespace lacuna::cli

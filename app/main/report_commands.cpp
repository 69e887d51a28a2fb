// replay and settings.

#include <cstdio>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/task_free_profile.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "engine/settings/setting_spec.h"

namespace lacuna::cli {
namespace {

constexpr std::size_t kReportLimit = std::size_t{1} << 30;

Result<ReplayOutcome> replayOrError(const ReplayArguments& arguments, std::stop_token stop) {
    LACUNA_TRY(const std::string text, readFile(arguments.report, kReportLimit));
    LACUNA_TRY(const Json json, parseJson(text, kDenseJson));
    LACUNA_TRY(const Recording recording, recordingFromJson(json));
    ReplayOptions options;
    if (!arguments.model.empty()) options.model = arguments.model;
    if (!arguments.draft.empty()) options.draft = arguments.draft;
    if (arguments.threads > 0) options.threads = arguments.threads;
    options.kept = personalFolder();
    ProgressLine line;
    options.progress = [&](std::int64_t turn, std::int64_t turns) {
        line.show(format("replaying turn {} of {}", turn, turns));
    };
    options.stop = stop;
    return replay(recording, options);
}

std::string_view whenText(SettingTiming when) {
    switch (when) {
        case SettingTiming::Live:
            return "live";
        case SettingTiming::NextTurn:
            return "next answer";
        case SettingTiming::NewCache:
            return "new cache";
    }
    return "";
}

}  // namespace

int replayReport(const ReplayArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = replayOrError(arguments, interrupts.token());
    if (!outcome) return report(outcome.error());
    if (const int status = printPage(outcome->sentence + "\n"); status != 0) return status;
    return outcome->identical ? 0 : 1;
}

int settingsTable(bool json) {
    const EngineConfig defaults;
    if (json) {
        OrderedJson rows = OrderedJson::array();
        for (const SettingSpec& k : settingSpecs()) {
            rows.push_back({{"key", k.key},
                            {"label", k.label},
                            {"unit", k.unit},
                            {"range", settingRange(k)},
                            {"default", settingValueText(defaults, k.key)},
                            {"when", whenText(k.when)},
                            {"rule", k.ruleId},
                            {"help", k.help},
                            {"idle_while", idleText(k)}});
        }
        return printJson(rows);
    }
    std::string text = format("{:<16} {:<34} {:<8} {:<10} {:<12} {}\n", "key", "range", "unit",
                              "default", "applies", "what it does");
    for (const SettingSpec& k : settingSpecs())
        text += format("{:<16} {:<34} {:<8} {:<10} {:<12} {}{}\n", k.key, settingRange(k), k.unit,
                       settingValueText(defaults, k.key), whenText(k.when), k.help,
                       k.idleWhen.empty() ? "" : format(" No effect while {}.", idleText(k)));
    return print(text);
}

}  // namespace lacuna::cli

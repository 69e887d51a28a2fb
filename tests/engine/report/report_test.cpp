#include "engine/report/report.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>

#include "engine/base/file.h"
#include "engine/report/report_folder.h"
#include "engine/settings/config_check.h"
#include "engine/settings/setting_spec.h"
#include "engine/values/compaction_sentences.h"
#include "tests/support/sample_recording.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::sampleRecording;

Json json(const Recording& recording) {
    return *parseJson(reportJsonText(recording));
}

/// Compares with a golden file. LACUNA_REGENERATE_REPORTS=1 rewrites the file instead.
void expectGolden(const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(LACUNA_GOLDEN_DIR) / "reports" / name;
    if (std::getenv("LACUNA_REGENERATE_REPORTS") != nullptr) {
        ASSERT_TRUE(writeFileAtomically(path, text));
        return;
    }
    const auto golden = readFile(path, 1 << 20);
    ASSERT_TRUE(golden) << golden.error().what;
    EXPECT_EQ(text, *golden) << name;
}

TEST(Report, documents_areByteStableForAFixedRecording) {
    const Recording recording = sampleRecording();
    expectGolden("sample.json", reportJsonText(recording));
    expectGolden("sample.md", reportMarkdown(recording, {}));
    expectGolden(
        "sample.html",
        reportHtml(recording, std::vector<ReportImage>{{"kv", "Cache <bytes>", "\x89PNG"}}));
    for (const auto& [name, text] : reportCsv(recording)) expectGolden(name, text);
}

TEST(Report, longPastedText_isShortenedOnPaperOnly) {
    Recording recording = sampleRecording();
    ASSERT_FALSE(recording.turns.empty());
    ASSERT_FALSE(recording.turns.front().started.messages.empty());
    recording.turns.front().started.messages.back().content =
        "begin" + std::string(20'000, 'x') + "end";
    const std::string screen = reportHtml(recording, {}, kAllReportSections, ReportMedium::Screen);
    const std::string paper = reportHtml(recording, {}, kAllReportSections, ReportMedium::Paper);
    EXPECT_NE(screen.find(std::string(20'000, 'x')), std::string::npos);
    EXPECT_EQ(paper.find(std::string(1'000, 'x')), std::string::npos);
    EXPECT_NE(paper.find("beginxxx"), std::string::npos);
    EXPECT_NE(paper.find("xxxend"), std::string::npos);
    EXPECT_NE(paper.find("19,108 characters are in report.html"), std::string::npos);
}

TEST(Report, jsonText_equalsTheJsonValue) {
    const Recording recording = sampleRecording();
    EXPECT_EQ(json(recording), *parseJson(dumpJson(reportJson(recording))));
    EXPECT_EQ(json(Recording{}), *parseJson(dumpJson(reportJson(Recording{}))));
}

TEST(Report, rowsMarkerInAMessage_staysText) {
    Recording recording = sampleRecording();
    recording.notices = {"@rows", "\"@rows\""};
    EXPECT_EQ(json(recording).at("notices"), (Json::array({"@rows", "\"@rows\""})));
    EXPECT_EQ(json(recording).at("samples").at("rows").size(), 4U);
}

TEST(RecordingFromJson, everyMember_roundTrips) {
    const Json first = json(sampleRecording());
    const auto recording = recordingFromJson(first);
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_EQ(json(*recording), first);
    EXPECT_EQ(recording->turns[0].started.seed, 18'446'744'073'709'551'615ULL);
    EXPECT_EQ(std::get<SetConfig>(recording->commands[0].command).config.kv.amRatio, 2.5);
    const auto& own = std::get<SetCacheSettings>(recording->commands[2].command);
    EXPECT_EQ(own.conversation, ConversationId(4));
    EXPECT_EQ(own.own.value().kv.amRatio, 5);
    EXPECT_EQ(std::get<SetCacheSettings>(recording->commands[3].command).own, std::nullopt);
    ASSERT_TRUE(recordingFromJson(json(Recording{})));
}

TEST(RecordingFromJson, layersThatDiffer_roundTrip_andStandOnlyThen) {
    Recording recording = sampleRecording();
    EXPECT_FALSE(json(recording).at("model").contains("kv_extents"));
    recording.model->extents.assign(static_cast<std::size_t>(recording.model->layers), {});
    recording.model->extents[0] = {1, 256, 256};
    recording.model->extents[1] = {2, 512, 512};
    recording.model->cacheLayers.assign(static_cast<std::size_t>(recording.model->layers), 1);
    const auto read = recordingFromJson(json(recording));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->model->extents, recording.model->extents);
    EXPECT_EQ(read->model->cacheLayers, recording.model->cacheLayers);
    recording.model->extents.pop_back();
    EXPECT_FALSE(recordingFromJson(json(recording)));
}

TEST(RecordingFromJson, headProfiles_roundTrip) {
    Recorder recorder({}, {}, 0);
    HeadProfile measured{.fingerprint = "abc", .layers = 1, .kvHeads = 2, .loss = {0, 1.5F}};
    HeadProfilesInEffect event{.fingerprint = "abc", .profiles = {}, .at = {3, 5}};
    HeadProfile copied = measured;
    copied.kind = ProfileKind::CopyScores;
    event.profiles.add(measured);
    event.profiles.add(copied);
    recorder.add(HeadProfilesInEffect{.fingerprint = "abc", .profiles = {}, .at = {}});
    recorder.add(event);
    const auto recording = recordingFromJson(json(recorder.recording()));
    ASSERT_TRUE(recording) << describe(recording.error());
    ASSERT_EQ(recording->commands.size(), 2U);
    const auto& none = std::get<UseHeadProfiles>(recording->commands[0].command);
    EXPECT_EQ(none.profiles.taskFree, nullptr);
    const auto& heads = std::get<UseHeadProfiles>(recording->commands[1].command);
    EXPECT_EQ(recording->commands[1].at, (SafePoint{3, 5}));
    EXPECT_EQ(heads.fingerprint, "abc");
    EXPECT_EQ(*heads.profiles.taskFree, measured);
    EXPECT_EQ(*heads.profiles.copyScores, copied) << "what stood in comes back to a replay";
    EXPECT_EQ(heads.profiles.questions, nullptr);
    Json damaged = json(recorder.recording());
    damaged["commands"][1]["profiles"][0]["loss"] = {1};
    EXPECT_FALSE(recordingFromJson(damaged));
}

TEST(RecordingFromJson, settingChanges_haveOldAndNewValues) {
    const Recording sample = sampleRecording();
    Json report = json(sample);
    const auto recording = recordingFromJson(report);
    ASSERT_TRUE(recording) << describe(recording.error());
    ASSERT_EQ(recording->generations.size(), sample.generations.size());
    for (std::size_t i = 0; i < sample.generations.size(); ++i) {
        EXPECT_FALSE(sample.generations[i].changes.empty());
        EXPECT_EQ(recording->generations[i].changes, sample.generations[i].changes);
        EXPECT_EQ(recording->generations[i].ownBefore, sample.generations[i].ownBefore);
    }
    std::swap(report["generations"][0]["live"], report["generations"][0]["deferred"]);
    const auto waited = recordingFromJson(report);
    ASSERT_TRUE(waited) << describe(waited.error());
    EXPECT_TRUE(changedKeys(waited->generations[0].changes, false).empty())
        << "what waited is what the report says";
}

// Older reports call the head budgets by a profile from questions `profile`.
TEST(RecordingFromJson, formerHeadBudgetName_isReadAsTheCurrentOne) {
    std::string text = json(sampleRecording()).dump();
    const std::string key = "\"head_budgets\":\"";
    int renamed = 0;
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
        at += key.size();
        text.replace(at, text.find('"', at) - at, "profile");
        ++renamed;
    }
    ASSERT_GT(renamed, 1) << "of the generations and of the turns";
    const auto recording = recordingFromJson(*parseJson(text));
    ASSERT_TRUE(recording) << describe(recording.error());
    for (const RecordedTurn& turn : recording->turns)
        EXPECT_EQ(turn.started.config.kv.headBudgets, HeadBudgets::Questions);
    for (const ConfigApplied& generation : recording->generations)
        EXPECT_EQ(generation.config.kv.headBudgets, HeadBudgets::Questions);
    text.replace(text.find("\"profile\""), 9, "\"profiles\"");
    const auto refused = recordingFromJson(*parseJson(text));
    ASSERT_FALSE(refused) << "a name that never was one";
    EXPECT_NE(refused.error().what.find("head_budgets"), std::string::npos) << refused.error().what;
    EXPECT_NE(refused.error().what.find("task_free"), std::string::npos) << "what may stand there";
}

TEST(RecordingFromJson, sixthVersion_isReadWithoutLiveByteSplit) {
    Recording sample = sampleRecording();
    ASSERT_FALSE(sample.samples.empty());
    sample.samples[0].kv.scaleBytes = 12;
    sample.samples[0].kv.exactBytes = 34;
    Json report = json(sample);
    const auto whole = recordingFromJson(report).value();
    EXPECT_EQ(whole.samples[0].kv.scaleBytes, 12);
    EXPECT_EQ(whole.samples[0].kv.exactBytes, 34);
    report["version"] = 6;
    EXPECT_FALSE(recordingFromJson(report)) << "it did not know of them";
    test::dropSplit(report);
    for (const char* later : {"score_source", "exact_window", "kv_rotation", "extra_bits"})
        report["initial_config"].erase(later);
    const auto recording = recordingFromJson(report);
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_EQ(recording->initialConfig.kv.exactWindow, KvOptions{}.exactWindow);
    EXPECT_EQ(recording->samples[0].kv.scaleBytes, 0);
    EXPECT_EQ(recording->samples[0].kv.liveBytes, sample.samples[0].kv.liveBytes);
    EXPECT_EQ(recording->samples[0].kv.allocatedBytes, sample.samples[0].kv.allocatedBytes);
}

TEST(RecordingFromJson, settingsAddedWithoutANewVersion_mayBeMissingAndChangeNothing) {
    Json report = json(sampleRecording());
    ASSERT_EQ(report["version"], 7);
    for (const char* added : {"loss_limit", "compaction_floor"})
        ASSERT_EQ(report["initial_config"].erase(added), 1U) << added;
    const auto recording = recordingFromJson(report);
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_FALSE(recording->initialConfig.kv.lossLimit.on());
    EXPECT_EQ(recording->initialConfig.kv.compactionFloor, 0);
}

/// The settings that every report of version 7 has. This list never changes: a setting that is not
/// in it was added later, is missing in existing reports and needs a row in kLaterSettings of
/// engine/report/report_fields.cpp.
constexpr auto kSettingsOfVersion7 = std::to_array<std::string_view>({"method",
                                                                      "am_ratio",
                                                                      "budget",
                                                                      "keep_recent",
                                                                      "n_sink",
                                                                      "margin",
                                                                      "norm_policy",
                                                                      "coherence",
                                                                      "eviction_budgets",
                                                                      "head_budgets",
                                                                      "score_source",
                                                                      "demote_structure",
                                                                      "query_source",
                                                                      "compact_when",
                                                                      "pin_percent",
                                                                      "background",
                                                                      "skip_layers",
                                                                      "prefill_policy",
                                                                      "bring_back",
                                                                      "kv_type",
                                                                      "v_type",
                                                                      "exact_window",
                                                                      "kv_rotation",
                                                                      "extra_bits",
                                                                      "window",
                                                                      "layer_caches",
                                                                      "cache_limit",
                                                                      "prefix_cache",
                                                                      "prefix_disk",
                                                                      "context",
                                                                      "context_shift",
                                                                      "prefill_chunk",
                                                                      "parallel",
                                                                      "passes",
                                                                      "draft_tokens",
                                                                      "quality_every",
                                                                      "precision",
                                                                      "threads",
                                                                      "max_tokens",
                                                                      "temperature",
                                                                      "top_k",
                                                                      "top_p",
                                                                      "min_p",
                                                                      "repeat_penalty",
                                                                      "repeat_last_n",
                                                                      "presence_penalty",
                                                                      "frequency_penalty",
                                                                      "seed"});

TEST(RecordingFromJson, settingsLaterThanVersion7_mayBeMissingInItsReports) {
    Json report = json(sampleRecording());
    report["version"] = 7;
    for (const SettingSpec& spec : settingSpecs()) {
        if (std::ranges::find(kSettingsOfVersion7, spec.key) == kSettingsOfVersion7.end())
            report["initial_config"].erase(std::string(spec.key));
    }
    const auto recording = recordingFromJson(report);
    ASSERT_TRUE(recording) << recording.error().what << "; see kSettingsOfVersion7";
    for (const std::string_view key : kSettingsOfVersion7)
        EXPECT_EQ(report["initial_config"].count(key), 1U)
            << "the setting " << key << " was removed or renamed; its reports are still read";
}

TEST(RecordingFromJson, otherSchemasAndNewerVersions_areRefused) {
    Json report = json(sampleRecording());
    report["version"] = 8;
    EXPECT_EQ(recordingFromJson(report).error().code, ErrorCode::Incompatible);
    report["version"] = 7;
    report["schema"] = "other";
    EXPECT_EQ(recordingFromJson(report).error().code, ErrorCode::Incompatible);
    EXPECT_EQ(recordingFromJson(Json::array()).error().code, ErrorCode::Incompatible);
    EXPECT_EQ(recordingFromJson(Json::object()).error().code, ErrorCode::Incompatible);
}

/// Older sessions have no precision setting and ran with the precision recorded with their model.
TEST(RecordingFromJson, fifthVersion_isReadWithThePrecisionOfTheModel) {
    Json report = json(sampleRecording());
    report["version"] = 5;
    test::dropSplit(report);
    report["model"].erase("precision_kl");
    report["model"].erase("precision_note");
    report["initial_config"].erase("precision");
    const auto recording = recordingFromJson(report);
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_EQ(recording->initialConfig.precision, PrecisionChoice::Auto);
    EXPECT_EQ(recording->model->precision, Precision::Exact);
    report["initial_config"].erase("threads");
    EXPECT_FALSE(recordingFromJson(report)) << "it knew all other settings";
}

TEST(RecordingFromJson, fourthVersion_isReadWithAllMessagesOfEachTurn) {
    const Recording sample = sampleRecording();
    Json report = json(sample);
    report["version"] = 4;
    test::dropSplit(report);
    EXPECT_FALSE(recordingFromJson(report)) << "it did not know of turns that continue others";
    test::listAllMessages(report);
    const auto recording = recordingFromJson(report);
    ASSERT_TRUE(recording) << recording.error().what;
    for (std::size_t i = 0; i < sample.turns.size(); ++i) {
        EXPECT_EQ(recording->turns[i].kept, 0U);
        EXPECT_EQ(messagesOf(*recording, recording->turns[i]), messagesOf(sample, sample.turns[i]));
    }
}

/// Removes conversation settings, which reports before version 4 do not have.
void releaseOf(Json& report) {
    for (Json& generation : report["generations"]) {
        generation.erase("conversation");
        generation.erase("own");
    }
}

TEST(RecordingFromJson, thirdVersion_isReadWithLaterSettingsAtTheirDefaults) {
    Json report = json(sampleRecording());
    test::listAllMessages(report);
    report["version"] = 3;
    test::dropSplit(report);
    EXPECT_FALSE(recordingFromJson(report)) << "it did not know whose settings are whose";
    releaseOf(report);
    report["initial_config"].erase("quality_every");
    const auto recording = recordingFromJson(report);
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_EQ(recording->quality.size(), 2U);
    for (const ConfigApplied& applied : recording->generations)
        EXPECT_EQ(applied.conversation, std::nullopt);
}

/// Reports of version 2 have no samples of quality and no later settings.
TEST(RecordingFromJson, secondVersion_isReadWithLaterSettingsAtTheirDefaults) {
    Json report = json(sampleRecording());
    test::listAllMessages(report);
    report["version"] = 2;
    test::dropSplit(report);
    EXPECT_FALSE(recordingFromJson(report)) << "it did not know of quality";
    report.erase("quality");
    releaseOf(report);
    report["initial_config"].erase("quality_every");
    const auto recording = recordingFromJson(report);
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_TRUE(recording->quality.empty());
    EXPECT_EQ(recording->turns.size(), 3U);
    report["version"] = 4;
    EXPECT_FALSE(recordingFromJson(report)) << "of its own version nothing may be missing";
}

/// Members added within a version are optional, but all or none of a kind must be present.
TEST(RecordingFromJson, membersAddedWithinAVersion_areOptional) {
    Recording sample = sampleRecording();
    sample.model->draftPath = "models/draft.gguf";
    sample.model->draftFingerprint = "fedcba9876543210";
    sample.turns[0].finished->stats.shiftedTokens = 12;
    sample.compactions[0].report.id = 7;
    sample.compactions[0].report.notes = {
        noteOf(CompactionReason::LimitedByLoss, 3.5, 8.0, "balanced"),
        {.reason = CompactionReason::NoRepetitionScores,
         .values = {"no memory"},
         .error = ErrorCode::NoMemory}};
    sample.compactions[0].report.background = true;
    sample.compactions[0].report.stallMs = 0.75;
    sample.compactions[0].report.backgroundMs = 1.25;
    const Json whole = json(sample);
    EXPECT_EQ(json(recordingFromJson(whole).value()), whole);
    EXPECT_EQ(recordingFromJson(whole)->compactions[0].report.notes,
              sample.compactions[0].report.notes);
    EXPECT_EQ(recordingFromJson(whole)->compactions[0].report.id, 7);

    Json older = whole;
    for (Json& compaction : older["compactions"])
        for (const char* name :
             {"queries_ms", "background", "stall_ms", "background_ms", "id", "notes"})
            compaction.erase(name);
    for (const char* name : {"draft_path", "draft_fingerprint"}) older["model"].erase(name);
    older["turns"][0]["finished"].erase("shifted_tokens");
    const auto recording = recordingFromJson(older);
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_EQ(recording->model->draftPath, "");
    EXPECT_EQ(recording->turns[0].finished->stats.shiftedTokens, 0);
    EXPECT_EQ(recording->compactions[0].report.stallMs, sample.compactions[0].report.totalMs);
    EXPECT_FALSE(recording->compactions[0].report.background);
    EXPECT_EQ(recording->compactions[0].report.id, 0);
    EXPECT_EQ(recording->compactions[0].report.notes,
              CompactionNotes{noteOf(CompactionReason::Recorded,
                                     exclusionText(sample.compactions[0].report.notes))});

    for (const auto& [object, name] : {std::pair{"/compactions/0", "stall_ms"},
                                       {"/compactions/0", "background"},
                                       {"/compactions/0", "background_ms"},
                                       {"/model", "draft_path"},
                                       {"/model", "draft_fingerprint"}}) {
        Json half = whole;
        half[Json::json_pointer(object)].erase(name);
        EXPECT_FALSE(recordingFromJson(half)) << name;
    }
}

TEST(Recorder, sessionQuality_isInTheReport) {
    Recorder recorder({}, {}, 0, 4);
    EXPECT_NE(reportMarkdown(recorder.recording(), {}).find("Not measured"), std::string::npos);
    for (int i = 0; i < 6; ++i) {
        QualitySampled sampled;
        sampled.at = {.turn = 1, .index = i};
        sampled.sample.kl = 0.5;
        recorder.add(sampled);
    }
    const Recording& recording = recorder.recording();
    EXPECT_EQ(recording.qualitySeen, 6);
    EXPECT_LE(recording.quality.size(), 4U);
    EXPECT_EQ(recording.quality.front().at.index, 0);
    EXPECT_NE(reportMarkdown(recording, {}).find("KL 0.5000 nats"), std::string::npos);
}

struct Damage {
    const char* pointer;
    Json value;
    const char* named;
    friend std::ostream& operator<<(std::ostream& out, const Damage& d) { return out << d.pointer; }
};
class DamagedReports : public testing::TestWithParam<Damage> {};

TEST_P(DamagedReports, invalidField_isRefusedByName) {
    Json report = json(sampleRecording());
    report[Json::json_pointer(GetParam().pointer)] = GetParam().value;
    const auto recording = recordingFromJson(report);
    ASSERT_FALSE(recording);
    EXPECT_TRUE(recording.error().code == ErrorCode::Config ||
                recording.error().code == ErrorCode::Incompatible);
    EXPECT_NE(recording.error().what.find(GetParam().named), std::string::npos)
        << recording.error().what;
}

INSTANTIATE_TEST_SUITE_P(
    Table, DamagedReports,
    testing::Values(
        Damage{"/machine/memory_bytes", -5, "machine.memory_bytes"},
        Damage{"/model/layers", 3'000'000'000U, "model.layers"},
        Damage{"/model/path", 7, "model.path"}, Damage{"/model/colour", "red", "model.colour"},
        Damage{"/extra", 1, "extra"}, Damage{"/turns/0/seed", -1, "turns[0].seed"},
        Damage{"/turns/0/seed", 1.5, "turns[0].seed"},
        Damage{"/turns/0/config/am_ratio", nullptr, "turns[0].config.am_ratio"},
        Damage{"/turns/0/config/colour", 1, "turns[0].config.colour"},
        Damage{"/turns/0/config/version", 9, "turns[0].config.version"},
        Damage{"/turns/0/messages/1/content", Json::array(), "turns[0].messages[1].content"},
        Damage{"/turns/0/finished/reason", "bored", "turns[0].finished.reason"},
        Damage{"/turns/0/finished/tokens/1", -4, "turns[0].finished.tokens"},
        Damage{"/turns/0/finished/decode_seconds", -0.5, "turns[0].finished.decode_seconds"},
        Damage{"/turns/1/finished/error/code", "WHAT", "turns[1].finished.error.code"},
        Damage{"/turns/1/continues/turn", 3U, "turns[1].continues.turn"},
        Damage{"/turns/1/continues/messages", 3U, "turns[1].continues.messages"},
        Damage{"/turns/1/conversation", 4U, "turns[1].continues.turn"},
        Damage{"/generations/1/own", 1, "generations[1].own"},
        Damage{"/generations/1/conversation", "x", "generations[1].conversation"},
        Damage{"/commands/0/revision", 77, "commands[0].revision"},
        Damage{"/commands/1/kind", "explode", "commands[1].kind"},
        Damage{"/compactions/0/total_ms", nullptr, "compactions[0].total_ms"},
        Damage{"/compactions/0/slots_before", "many", "compactions[0].slots_before"},
        Damage{"/samples/columns/0", "weight", "samples.columns"},
        Damage{"/samples/rows/2", Json::array({1}), "samples.rows[2]"},
        Damage{"/samples/rows/1/7", nullptr, "samples.rows[1].step_ms"},
        Damage{"/samples/rows/1/6", 5'000'000'000U, "samples.rows[1].tokens"},
        Damage{"/samples/rows/1/5", "asleep", "samples.rows[1].phase"},
        Damage{"/samples/kept", 99, "samples.kept"}, Damage{"/notices", "none", "notices"}));

/// Every member is required, except those added within a version.
TEST(RecordingFromJson, everyOtherMember_isRequired) {
    const Json whole = json(sampleRecording());
    for (const auto& [key, value] : whole.items()) {
        Json report = whole;
        report.erase(key);
        const bool later = key == "restores" || key == "kept_texts" || key == "retention" ||
                           key == "earlier_models" || key == "started_ns" || key == "kept_bytes";
        EXPECT_EQ(recordingFromJson(report).has_value(), later) << key;
    }
}

TEST(Report, html_escapesForeignMarkup_andFetchesNothing) {
    Recording recording = sampleRecording();
    recording.turns[0].finished->text = "<img src=http://example.org/x.png onerror=alert(1)>";
    const std::string html = reportHtml(
        recording,
        std::vector<ReportImage>{{"kv", "\"><script>", std::string("\x89PNG\r\n\x1a\n", 8)}});
    EXPECT_EQ(html.find("<script"), std::string::npos);
    EXPECT_EQ(html.find("<img src=http"), std::string::npos);
    EXPECT_EQ(html.find("<b>model"), std::string::npos);
    EXPECT_EQ(html.find("href="), std::string::npos);
    EXPECT_NE(html.find("data:image/png;base64,iVBORw0KGgo="), std::string::npos);
    EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
}

TEST(Report, paperMedium_omitsIdentifyingColumns_andMarksHeaders) {
    const Recording recording = sampleRecording();
    const std::string screen = reportHtml(recording, {});
    const std::string paper = reportHtml(recording, {}, kAllReportSections, ReportMedium::Paper);
    EXPECT_NE(screen.find(">Seed</th>"), std::string::npos);
    EXPECT_EQ(paper.find(">Seed</th>"), std::string::npos);
    EXPECT_EQ(screen.find("<thead>"), std::string::npos);
    EXPECT_NE(paper.find("<thead>"), std::string::npos);
    const std::string id = std::to_string(recording.turns[0].started.conversation.value);
    EXPECT_NE(screen.find("(conversation " + id + ")"), std::string::npos);
    EXPECT_NE(paper.find("(conversation 1)"), std::string::npos);
    EXPECT_NE(paper.find("<th>Key</th><th>At the start</th><th>At the end</th><th>Key</th>"),
              std::string::npos)
        << "settings stand in two columns";
}

TEST(Report, markdown_keepsMessagesInsideTheirFences) {
    const std::string text =
        reportMarkdown(sampleRecording(), std::vector<ReportImage>{{"kv-bytes", "Bytes", ""}});
    EXPECT_NE(text.find("````text\n<script>"),
              std::string::npos);  // the message holds three backticks
    EXPECT_NE(text.find("small \\<b\\>model"), std::string::npos);
    EXPECT_NE(text.find("![Bytes](kv-bytes.png)"), std::string::npos);
    EXPECT_NE(text.find("4 of 9 samples are kept"), std::string::npos);
}

std::filesystem::path blocked(const std::filesystem::path& folder, const std::string& name) {
    std::filesystem::remove(folder / name);
    std::filesystem::create_directory(folder / name);
    return folder / name;
}

TEST(ReportFolder, files_areReadableByTheOwnerOnly_evenIfReplaced) {
    const test::TemporaryFolder folder;
    static_cast<void>(folder.write("report.md", "an older one that everybody may read"));
    const std::vector<ReportImage> images{{"window", "What was on the screen", "PNG"}};
    const auto names = writeReportFolder(folder.path(), sampleRecording(), images);
    ASSERT_TRUE(names) << names.error().what;
    EXPECT_EQ(names->size(), folder.fileCount());
    for (const std::string& name : reportFileNames())
        EXPECT_EQ(std::ranges::count(*names, name), 1) << name;
    for (const auto& item : std::filesystem::directory_iterator(folder.path())) {
        struct stat info {};
        ASSERT_EQ(::stat(item.path().c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 0777U, 0600U) << item.path();
    }
}

// A report written over an older one, with each of its files blocked in turn.
TEST(ReportFolder, failureAtAnyFile_keepsTheOldReport) {
    Recording old = sampleRecording();
    old.notices = {"the old report"};
    const std::vector<ReportImage> images{{"a", "", "old picture"}};
    const std::vector<ReportImage> newImages{{"a", "", "new picture"}, {"b", "", "another"}};
    std::vector<std::string> names = reportFileNames();
    names.insert(names.end(), {"a.png", "b.png"});
    for (const std::string& failing : names) {
        const test::TemporaryFolder folder;
        ASSERT_TRUE(writeReportFolder(folder.path(), old, images));
        std::map<std::string, std::string> before;
        for (const auto& item : std::filesystem::directory_iterator(folder.path()))
            before[item.path().filename().string()] = readFile(item.path(), 1 << 20).value();
        before.erase(failing);
        const auto obstacle = blocked(folder.path(), failing);
        const auto written = writeReportFolder(folder.path(), sampleRecording(), newImages);
        ASSERT_FALSE(written) << failing;
        EXPECT_EQ(written.error().code, ErrorCode::Write);
        std::filesystem::remove(obstacle);
        std::map<std::string, std::string> after;
        for (const auto& item : std::filesystem::directory_iterator(folder.path()))
            after[item.path().filename().string()] = readFile(item.path(), 1 << 20).value();
        EXPECT_EQ(after, before) << failing;
    }
}

TEST(ReportFolder, reportPathOfItsModel_isRefused) {
    const test::TemporaryFolder folder;
    Recording recording = sampleRecording();
    recording.model->path = folder.write("model.gguf", "weights").string();
    std::filesystem::create_hard_link(recording.model->path, folder.path() / "report.json");
    const auto written = writeReportFolder(folder.path(), recording, {});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(readFile(recording.model->path, 100).value(), "weights");
    EXPECT_EQ(folder.fileCount(), 2U);
}

TEST(Report, csv_quotesText_andEscapesFormulas) {
    for (const auto& [name, text] : reportCsv(sampleRecording())) {
        if (name == "turns.csv") {
            EXPECT_NE(text.find(",\"'=SUM(A1), said \"\"she\"\"\nand left\"\r\n"),
                      std::string::npos)
                << text;
        }
        if (name == "compactions.csv") {
            EXPECT_NE(text.find("\"'=2+3 keys, \"\"not finite\"\"\""), std::string::npos);
        }
        EXPECT_EQ(text.find("nan"), std::string::npos);
    }
}

/// Records a turn that adds a question to a conversation, and then the answer.
void ask(Recorder& recorder, std::vector<ChatMessage>& messages, std::int64_t number) {
    messages.push_back({"user", "question " + std::to_string(number) + std::string(200, '?')});
    TurnStarted started;
    started.conversation = ConversationId(1);
    started.turn = number;
    started.messages = messages;
    recorder.add(started);
    messages.push_back({"assistant", "answer " + std::to_string(number)});
}

TEST(Recorder, manyTurns_storeEachMessageOnce) {
    constexpr std::int64_t kTurns = 1000;
    Recorder recorder({}, {}, 0);
    std::vector<ChatMessage> messages;
    std::size_t halfBytes = 0;
    for (std::int64_t number = 1; number <= kTurns; ++number) {
        ask(recorder, messages, number);
        if (number == kTurns / 2) halfBytes = reportJsonText(recorder.recording()).size();
    }
    const Recording& recording = recorder.recording();
    std::size_t held = 0;
    for (const RecordedTurn& turn : recording.turns) held += turn.started.messages.capacity();
    EXPECT_LE(held, messages.size());
    const std::string text = reportJsonText(recording);
    EXPECT_LT(text.size(), 2.1 * static_cast<double>(halfBytes));
    messages.pop_back();  // the last answer is not part of any question
    const auto read = recordingFromJson(*parseJson(text));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(messagesOf(*read, read->turns.back()), messages);
    messages.resize(2 * 500 - 1);
    EXPECT_EQ(messagesOf(*read, read->turns[499]), messages);
}

TEST(Recorder, editedAndRepeatedQuestions_keepTheMessagesOfEachTurn) {
    const std::vector<std::vector<ChatMessage>> asked = {
        {{"system", "s"}, {"user", "a"}},
        {{"system", "s"}, {"user", "a"}, {"assistant", "1"}, {"user", "b"}},
        {{"system", "s"}, {"user", "a"}, {"assistant", "1"}, {"user", "b"}},  // a repeated question
        {{"system", "s"}, {"user", "edited"}, {"assistant", "1"}, {"user", "b"}},
        {{"system", "s"}, {"user", "other"}},
        {{"user", "alone"}},
        {}};
    Recorder recorder({}, {}, 0);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        for (const std::int64_t conversation : {1, 2}) {  // two alternating conversations
            TurnStarted started;
            started.conversation = ConversationId(conversation);
            started.turn = static_cast<std::int64_t>(2 * i) + conversation;
            started.messages = asked[i];
            recorder.add(started);
        }
    }
    const auto read = recordingFromJson(json(recorder.recording()));
    ASSERT_TRUE(read) << read.error().what;
    for (const Recording* recording : {&recorder.recording(), &*read})
        for (std::size_t i = 0; i < recording->turns.size(); ++i)
            EXPECT_EQ(messagesOf(*recording, recording->turns[i]), asked[i / 2]) << i;
    EXPECT_EQ(recorder.recording().turns[4].kept, 3U);
}

TEST(Recorder, manySamples_areThinnedEvenly) {
    Recorder recorder({}, {}, 0, 100);
    for (std::int64_t i = 0; i < 1000; ++i) {
        StepSample sample;
        sample.at.index = i;
        recorder.add(sample);
    }
    const auto& samples = recorder.recording().samples;
    EXPECT_EQ(recorder.recording().samplesSeen, 1000);
    EXPECT_LE(samples.size(), 100U);
    EXPECT_GE(samples.size(), 50U);
    EXPECT_EQ(samples.front().at.index, 0);
    EXPECT_GT(samples.back().at.index, 980);
}

}  // namespace
}  // namespace lacuna

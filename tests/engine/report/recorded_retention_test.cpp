// Cache contents after compactions, as recordings store them: compressed and lossless.

#include <gtest/gtest.h>

#include <random>

#include "engine/base/string_format.h"
#include "engine/report/recorder.h"
#include "engine/report/report.h"
#include "tests/support/sample_recording.h"

namespace lacuna {
namespace {

constexpr int kLayers = 3, kHeads = 2;

/// Returns a snapshot of a cache of `tokens` tokens that lost some of them at random.
RetentionSnapshot someSnapshot(std::mt19937& random, ConversationId conversation, int tokens) {
    RetentionSnapshot snapshot;
    snapshot.conversation = conversation;
    snapshot.sinks = 2;
    snapshot.recent = 4;
    RetentionRow& row = snapshot.row;
    row.tokens = tokens;
    row.layers = kLayers;
    row.kvHeads = kHeads;
    row.holders.resize(static_cast<std::size_t>(kLayers) * static_cast<std::size_t>(tokens));
    std::uint16_t heads = kHeads;
    for (std::uint16_t& holder : row.holders) {
        if (random() % 4 == 0) heads = static_cast<std::uint16_t>(random() % (kHeads + 1));
        holder = heads;
    }
    for (int token = 0; token < tokens; ++token) {
        int all = 0;
        for (int layer = 0; layer < kLayers; ++layer)
            all += row.holders[static_cast<std::size_t>(layer * tokens + token)];
        row.share.push_back(static_cast<float>(double{1} * all / (kLayers * kHeads)));
        row.weight.push_back(static_cast<float>(random() % 400) / 100);
        snapshot.pieces.push_back(token % 7 == 3 ? "\xc3\xa4" : format(" w{}", token));
    }
    row.slots.assign(kLayers * kHeads, tokens / 2);
    row.liveBytes = 1000 + tokens;
    return snapshot;
}

void expectSame(const RetentionSnapshot& found, const RetentionSnapshot& expected) {
    EXPECT_EQ(found.conversation, expected.conversation);
    EXPECT_EQ(found.pieces, expected.pieces);
    EXPECT_EQ(found.row.holders, expected.row.holders);
    EXPECT_EQ(found.row.slots, expected.row.slots);
    EXPECT_EQ(found.row.liveBytes, expected.row.liveBytes);
    ASSERT_EQ(found.row.share.size(), expected.row.share.size());
    for (std::size_t i = 0; i < found.row.share.size(); ++i)
        EXPECT_NEAR(found.row.share[i], expected.row.share[i], 1e-6) << i;
    ASSERT_EQ(found.row.weight.size(), expected.row.weight.size());
    for (std::size_t i = 0; i < found.row.weight.size(); ++i)
        EXPECT_NEAR(found.row.weight[i], expected.row.weight[i], 0.0051) << i;
}

/// Returns alternating snapshots of two conversations with growing texts.
std::vector<RetentionSnapshot> someSnapshots(std::mt19937& random, int count) {
    std::vector<RetentionSnapshot> all;
    for (int i = 0; i < count; ++i)
        all.push_back(someSnapshot(random, ConversationId(1 + i % 2), 5 + 6 * i));
    return all;
}

TEST(RecordedRetention, snapshots_roundTrip) {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        const auto all = someSnapshots(random, 6);
        std::vector<RecordedRetention> list;
        for (std::size_t i = 0; i < all.size(); ++i)
            addRetention(list, all[i], static_cast<std::int64_t>(i) * 10);
        for (std::size_t i = 0; i < all.size(); ++i) {
            ASSERT_TRUE(wellFormed(list, i)) << i;
            EXPECT_EQ(list[i].timeNs, static_cast<std::int64_t>(i) * 10);
            expectSame(snapshotOf(list, i), all[i]);
        }
        EXPECT_GT(list[4].kept, 0) << "its beginning stands in an earlier one";
        EXPECT_LT(list[4].text.size(), all[4].pieces.size() * 3);
    }
}

TEST(RecordedRetention, layersThatDiffer_roundTrip) {
    RetentionSnapshot snapshot;
    snapshot.pieces = {"a", "b"};
    snapshot.row.tokens = 2;
    snapshot.row.layers = 3;
    snapshot.row.layerHeads = {2, 0, 1};
    snapshot.row.holders = {2, 1, 0, 0, 1, 1};
    snapshot.row.slots = {2, 1, 2};
    snapshot.row.share = {1.0F, 2.0F / 3.0F};
    std::vector<RecordedRetention> list;
    addRetention(list, snapshot, 0);
    ASSERT_TRUE(wellFormed(list, 0));
    expectSame(snapshotOf(list, 0), snapshot);
    EXPECT_EQ(snapshotOf(list, 0).row.layerHeads, snapshot.row.layerHeads);
    EXPECT_EQ(snapshotOf(list, 0).row.kvHeads, 0);
    const auto broken = [&list](std::vector<int> heads) {
        std::vector<RecordedRetention> other = list;
        other[0].layerHeads = std::move(heads);
        return wellFormed(other, 0);
    };
    EXPECT_FALSE(broken({2, 1}));
    EXPECT_FALSE(broken({2, 1, 1})) << "a slot count is missing";
    EXPECT_FALSE(broken({1, 1, 1})) << "two heads hold a token of a layer with one";
}

TEST(RecordedRetention, changedText_isKeptUpToTheChange) {
    std::mt19937 random(3);
    RetentionSnapshot first = someSnapshot(random, ConversationId(1), 20);
    RetentionSnapshot second = first;
    second.pieces[12] = " other";
    std::vector<RecordedRetention> list;
    addRetention(list, first, 1);
    addRetention(list, second, 2);
    EXPECT_EQ(list[1].kept, 12);
    expectSame(snapshotOf(list, 1), second);
}

TEST(RecordedRetention, thinning_keepsTheNewestSnapshotInFull) {
    std::mt19937 random(5);
    const auto all = someSnapshots(random, 7);
    std::vector<RecordedRetention> list;
    for (const RetentionSnapshot& one : all) addRetention(list, one, 0);
    thinRetention(list);
    ASSERT_EQ(list.size(), 4U);
    expectSame(snapshotOf(list, 3), all[6]);
    expectSame(snapshotOf(list, 0), all[0]);
    for (std::size_t i = 0; i < list.size(); ++i) EXPECT_TRUE(wellFormed(list, i));
}

TEST(RecordedRetention, invalidUtf8Bytes_keepTheirPositions) {
    std::mt19937 random(1);
    RetentionSnapshot snapshot = someSnapshot(random, ConversationId(1), 4);
    snapshot.pieces = {"a", "\xff", "\xc3", "b"};
    std::vector<RecordedRetention> list;
    addRetention(list, snapshot, 0);
    EXPECT_EQ(list[0].text, "a??b");
    EXPECT_EQ(snapshotOf(list, 0).pieces[3], "b");
}

TEST(RecordedRetention, contradictoryLists_areNotWellFormed) {
    std::mt19937 random(2);
    std::vector<RecordedRetention> good;
    addRetention(good, someSnapshot(random, ConversationId(1), 9), 0);
    addRetention(good, someSnapshot(random, ConversationId(1), 15), 0);
    ASSERT_TRUE(wellFormed(good, 1));
    const auto broken = [&good](auto change) {
        std::vector<RecordedRetention> list = good;
        change(list[1]);
        return wellFormed(list, 1);
    };
    EXPECT_FALSE(broken([](RecordedRetention& one) { one.holderRuns[0] += 1; }));
    EXPECT_FALSE(broken([](RecordedRetention& one) { one.holderRuns[1] = kHeads + 1; }));
    EXPECT_FALSE(broken([](RecordedRetention& one) { one.holderRuns.pop_back(); }));
    EXPECT_FALSE(broken([](RecordedRetention& one) { one.lengths[0] = 1000; }));
    EXPECT_FALSE(broken([](RecordedRetention& one) { one.continues = 1; }));
    EXPECT_FALSE(broken([](RecordedRetention& one) { one.kept += 1; }));
    EXPECT_FALSE(broken([](RecordedRetention& one) { one.slots.pop_back(); }));
    EXPECT_FALSE(broken([](RecordedRetention& one) {
        one.tokens = std::int64_t{1} << 40;
        one.holderRuns = {2147483647, 0};
    }));
}

/// Returns a recording with each of the new event kinds.
Recording recordingWithMoments() {
    std::mt19937 random(11);
    Recording recording = test::sampleRecording();
    recording.startedNs = 12345;
    for (const RetentionSnapshot& one : someSnapshots(random, 4))
        addRetention(recording.retention, one, 77);
    recording.retentionSeen = 9;
    for (RecordedTurn& turn : recording.turns) turn.marks = {{100, 3}, {200, 9}};
    ModelFacts earlier = *recording.model;
    earlier.name = "the one before";
    earlier.fingerprint = "another";
    recording.earlierModels = {earlier};
    return recording;
}

TEST(Report, momentsAndEarlierModels_roundTrip) {
    const Recording recording = recordingWithMoments();
    const Json written = Json::parse(reportJsonText(recording));
    const auto read = recordingFromJson(written);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->startedNs, 12345);
    ASSERT_EQ(read->retention.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i)
        expectSame(snapshotOf(read->retention, i), snapshotOf(recording.retention, i));
    EXPECT_EQ(read->retentionSeen, 9);
    ASSERT_FALSE(read->turns.empty());
    ASSERT_EQ(read->turns.front().marks.size(), 2U);
    EXPECT_EQ(read->turns.front().marks[1].bytes, 9);
    ASSERT_EQ(read->earlierModels.size(), 1U);
    EXPECT_EQ(read->earlierModels.front().name, "the one before");
    EXPECT_EQ(reportJsonText(*read), reportJsonText(recording)) << "lossless";
    const std::string page = reportMarkdown(recording, {});
    EXPECT_NE(page.find("the one before"), std::string::npos) << "a report names both models";
}

TEST(Report, contradictoryMoments_areRefused) {
    Json report = Json::parse(reportJsonText(recordingWithMoments()));
    Json wrong = report;
    wrong["retention"]["rows"][1]["holder_runs"][0] = 99'999;
    const auto first = recordingFromJson(wrong);
    ASSERT_FALSE(first);
    EXPECT_NE(first.error().what.find("retention.rows[1]"), std::string::npos)
        << first.error().what;
    wrong = report;
    wrong["turns"][0]["marks"] = Json::array({Json::array({5, 9}), Json::array({4, 10})});
    const auto second = recordingFromJson(wrong);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().what.find("marks"), std::string::npos) << second.error().what;
}

TEST(Report, reportWithoutMoments_isRead) {
    Json report = Json::parse(reportJsonText(test::sampleRecording()));
    for (const char* newer : {"retention", "earlier_models", "started_ns"}) report.erase(newer);
    for (Json& turn : report["turns"]) turn.erase("marks");
    const auto read = recordingFromJson(report);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_TRUE(read->retention.empty());
    EXPECT_TRUE(read->turns.front().marks.empty());
}

TEST(Report, deselectedSections_areOmitted) {
    const Recording recording = test::sampleRecording();
    const std::string whole = reportMarkdown(recording, {});
    for (const char* heading : {"## Cache", "## Turns", "## Settings", "## Messages"})
        ASSERT_NE(whole.find(heading), std::string::npos) << heading;
    ReportSections some = kAllReportSections;
    some.reset(static_cast<std::size_t>(ReportSection::Settings));
    some.reset(static_cast<std::size_t>(ReportSection::Conversation));
    const std::string part = reportMarkdown(recording, {}, some);
    EXPECT_NE(part.find("## Turns"), std::string::npos);
    EXPECT_EQ(part.find("## Settings"), std::string::npos);
    EXPECT_EQ(part.find("## Messages"), std::string::npos);
    const std::string html = reportHtml(recording, {}, some);
    EXPECT_EQ(html.find("<h2>Messages</h2>"), std::string::npos);
    EXPECT_NE(html.find("<h2>Turns</h2>"), std::string::npos);
}

TEST(Recorder, answerWords_areMarkedAtTheirSteps) {
    Recorder recorder({}, {}, 0);
    TurnStarted started;
    started.conversation = ConversationId(1);
    started.turn = 1;
    started.messages = {{"user", "hello"}};
    recorder.add(started);
    const auto step = [&](std::int64_t timeNs, const char* text) {
        if (*text != '\0') {
            TokenText said;
            said.conversation = ConversationId(1);
            said.turn = 1;
            said.text = text;
            recorder.add(said);
        }
        StepSample sample;
        sample.timeNs = timeNs;
        sample.conversation = ConversationId(1);
        sample.phase = EngineState::Decode;
        recorder.add(sample);
    };
    step(10, "");
    step(20, "Good");
    step(30, "");
    step(40, " day");
    const std::vector<AnswerMark>& marks = recorder.recording().turns.front().marks;
    ASSERT_EQ(marks.size(), 2U) << "a step without words has none";
    EXPECT_EQ(marks[0].timeNs, 20);
    EXPECT_EQ(marks[0].bytes, 4);
    EXPECT_EQ(marks[1].timeNs, 40);
    EXPECT_EQ(marks[1].bytes, 8);
}

TEST(Recorder, allModelsThatAnswered_areRecorded) {
    Recorder recorder({}, {}, 0);
    const auto load = [&](const char* fingerprint) {
        ModelLoaded loaded;
        loaded.facts.fingerprint = loaded.facts.name = fingerprint;
        recorder.add(loaded);
    };
    std::int64_t turn = 0;
    const auto ask = [&] {
        TurnStarted started;
        started.conversation = ConversationId(1);
        started.turn = ++turn;
        recorder.add(started);
    };
    load("a");
    ask();
    load("unused");
    load("b");
    ask();
    const Recording& recording = recorder.recording();
    ASSERT_EQ(modelsOf(recording).size(), 2U) << "one that answered nothing is none of them";
    EXPECT_EQ(modelOf(recording, recording.turns[0])->name, "a");
    EXPECT_EQ(modelOf(recording, recording.turns[1])->name, "b");
    load("a");
    EXPECT_EQ(modelsOf(recorder.recording()).size(), 2U) << "each once";
    EXPECT_EQ(modelOf(recorder.recording(), recorder.recording().turns[1])->name, "b");
}

}  // namespace
}  // namespace lacuna

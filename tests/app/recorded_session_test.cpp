// A recorded session at any moment: messages so far, cache content, and what is derived if an older
// report lacks it.

#include "app/state/report/recorded_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "engine/report/recorder.h"
#include "tests/app/core_application.h"

namespace lacuna::app {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// Feeds a session into a recorder, one step every ten milliseconds.
class Session {
  public:
    Session() : m_recorder({}, {}, 1'700'000'000'000) { coreApplication(); }

    void ask(std::int64_t conversation, const char* question) {
        ++m_turn;
        m_index = 0;
        TurnStarted started;
        started.conversation = ConversationId(conversation);
        started.turn = m_turn;
        started.at = {.turn = m_turn, .index = 0};
        started.messages = m_messages[conversation];
        started.messages.push_back({"user", question});
        m_messages[conversation] = started.messages;
        m_recorder.add(started);
        m_answer.clear();
        step(conversation, EngineState::Prefill, 20, "");
    }
    void step(std::int64_t conversation, EngineState phase, int tokens, const char* text) {
        if (*text != '\0') {
            TokenText said;
            said.conversation = ConversationId(conversation);
            said.turn = m_turn;
            said.text = text;
            m_recorder.add(said);
            m_answer += text;
        }
        now += 10 * kMs;
        StepSample sample;
        sample.timeNs = now;
        sample.at = {.turn = m_turn, .index = m_index++};
        sample.conversation = ConversationId(conversation);
        sample.phase = phase;
        sample.tokens = tokens;
        sample.stepMs = 8;
        m_tokens[conversation] += tokens;
        sample.kv.tokens = m_tokens[conversation];
        sample.kv.liveBytes = m_tokens[conversation] * 100;
        if (slots) sample.kv.slotsTotal = slots(sample.kv.tokens);
        m_recorder.add(sample);
    }
    void end(std::int64_t conversation) {
        TurnFinished finished;
        finished.conversation = ConversationId(conversation);
        finished.turn = m_turn;
        finished.at = {.turn = m_turn, .index = m_index};
        finished.text = m_answer;
        finished.stats.generatedTokens = 3;
        finished.stats.decodeSeconds = 0.5;
        m_recorder.add(finished);
        m_messages[conversation].push_back({"assistant", m_answer});
        now += 400 * kMs;  // reading time of the user
    }
    /// Records a retention in which the first `lost` tokens are evicted in one of two layers.
    void look(std::int64_t conversation, int lost) {
        RetentionSnapshot snapshot;
        snapshot.conversation = ConversationId(conversation);
        const auto tokens = static_cast<int>(m_tokens[conversation]);
        snapshot.row.tokens = tokens;
        snapshot.row.layers = 2;
        snapshot.row.kvHeads = 1;
        snapshot.row.slots = {tokens, tokens - lost};
        for (int layer = 0; layer < 2; ++layer)
            for (int token = 0; token < tokens; ++token)
                snapshot.row.holders.push_back(layer == 1 && token < lost ? 0 : 1);
        for (int token = 0; token < tokens; ++token)
            snapshot.pieces.push_back("t" + std::to_string(token) + " ");
        m_recorder.add(snapshot);
    }
    void add(const Event& event) { m_recorder.add(event); }
    [[nodiscard]] Recording recording() const { return m_recorder.recording(); }
    [[nodiscard]] static RecordedSession of(Recording recording) {
        return {std::make_shared<const Recording>(std::move(recording)), QStringLiteral("report")};
    }

    std::int64_t now = 5'000 * kMs;
    std::function<std::int64_t(std::int64_t tokens)> slots;  ///< slots in all heads; null: not
                                                             ///< reported

  private:
    Recorder m_recorder;
    std::int64_t m_turn = 0, m_index = 0;
    std::map<std::int64_t, std::vector<ChatMessage>> m_messages;
    std::map<std::int64_t, std::int64_t> m_tokens;
    std::string m_answer;
};

struct Times {
    std::int64_t asked = 0, oneWord = 0, twoWords = 0, end = 0, other = 0;
};

/// A question with an answer of two words, and a question in another conversation.
Recording twoConversations(Times& times) {
    Session session;
    times.asked = session.now;
    session.ask(1, "Where is it?");
    session.step(1, EngineState::Decode, 1, "Over");
    times.oneWord = session.now;
    session.look(1, 0);
    session.step(1, EngineState::Decode, 1, " there");
    times.twoWords = session.now;
    session.step(1, EngineState::Decode, 1, "");
    session.look(1, 5);
    times.end = session.now;
    session.end(1);
    session.ask(2, "And you?");
    session.step(2, EngineState::Decode, 1, "Here");
    times.other = session.now;
    session.end(2);
    return session.recording();
}

TEST(RecordedSession, words_appearFromTheStepThatProducedThem) {
    Times times;
    const RecordedSession session = Session::of(twoConversations(times));
    EXPECT_TRUE(session.missingNote().isEmpty());
    ASSERT_EQ(session.conversations().size(), 2);
    EXPECT_EQ(session.conversations()[0].title, QLatin1String("Where is it?"));
    EXPECT_TRUE(session.linesAt(1, times.asked - kMs).isEmpty()) << "before it was asked";
    const auto text = [&](std::int64_t time) {
        const auto lines = session.linesAt(1, time);
        return lines.size() == 2 ? lines[1].text : QStringLiteral("?");
    };
    EXPECT_EQ(text(times.oneWord - kMs), QString());
    EXPECT_EQ(text(times.oneWord), QLatin1String("Over"));
    EXPECT_EQ(text(times.twoWords), QLatin1String("Over there"));
    EXPECT_EQ(session.linesAt(1, times.oneWord)[1].state, LineState::Streaming);
    EXPECT_EQ(session.linesAt(1, times.end)[1].state, LineState::Done);
    EXPECT_TRUE(session.linesAt(1, times.end)[1].figures.has_value());
    EXPECT_EQ(session.conversationAt(times.end), 1);
    EXPECT_EQ(session.conversationAt(times.other), 2);
    EXPECT_EQ(session.linesAt(2, times.other).size(), 2);
}

TEST(RecordedSession, earlierReportFormat_spreadsTheAnswersAndReportsIt) {
    Times times;
    Recording recording = twoConversations(times);
    for (RecordedTurn& turn : recording.turns) turn.marks.clear();
    const RecordedSession session = Session::of(std::move(recording));
    EXPECT_FALSE(session.missingNote().isEmpty());
    const QString part = session.linesAt(1, times.oneWord)[1].text;
    EXPECT_FALSE(part.isEmpty());
    EXPECT_TRUE(QStringLiteral("Over there").startsWith(part));
    EXPECT_LT(part.size(), 10);
    EXPECT_EQ(session.linesAt(1, times.end)[1].text, QLatin1String("Over there"));
}

TEST(RecordedSession, cacheState_isThatOfTheMoment_growsBetweenRecords) {
    Times times;
    const RecordedSession session = Session::of(twoConversations(times));
    const RetentionView before = session.retentionAt(1, times.oneWord);
    ASSERT_EQ(before.tokens(), 21);
    EXPECT_TRUE(std::all_of(before.share.begin(), before.share.end(),
                            [](float share) { return share == 1.0F; }));
    const RetentionView between = session.retentionAt(1, times.twoWords);
    ASSERT_EQ(between.tokens(), 22) << "a token came since it was looked at";
    EXPECT_EQ(between.piece(21), QLatin1String("t21 "));
    EXPECT_EQ(between.holders.size(), 2 * 22);
    EXPECT_EQ(between.share[21], 1.0F);
    const RetentionView after = session.retentionAt(1, times.end);
    ASSERT_EQ(after.tokens(), 23);
    EXPECT_EQ(after.share[0], 0.5F);
    EXPECT_EQ(after.share[10], 1.0F);
    EXPECT_EQ(after.slots, (QVector<int>{23, 18}));
    EXPECT_EQ(session.retentionAt(2, times.other).tokens(), 0) << "nobody looked at that one";
    EXPECT_DOUBLE_EQ(session.engineAt(1, times.oneWord).decodeTokensPerSecond, 125)
        << "while it is written, the speed of the step: 8 ms";
    EXPECT_DOUBLE_EQ(session.engineAt(1, times.end).decodeTokensPerSecond, 6)
        << "and then that of the whole answer, as under it: 3 tokens in half a second";
    EXPECT_EQ(session.engineAt(1, times.end).contextTokens, 23);
    EXPECT_EQ(session.engineAt(1, times.oneWord).contextTokens, 21);
}

TEST(RecordedSession, moments_areAscending_chartsHaveEverySample) {
    Times times;
    const RecordedSession session = Session::of(twoConversations(times));
    const auto& moments = session.moments();
    EXPECT_TRUE(std::is_sorted(moments.begin(), moments.end()));
    EXPECT_EQ(std::adjacent_find(moments.begin(), moments.end()), moments.end());
    EXPECT_EQ(session.metrics().series(Metric::LiveBytes).size(), 6U);
    EXPECT_EQ(session.marks().size(), 2) << "two questions";
    EXPECT_FALSE(session.timeline().isEmpty());
    const auto& events = session.timeline();
    EXPECT_TRUE(std::is_sorted(events.begin(), events.end(),
                               [](const auto& a, const auto& b) { return a.timeNs < b.timeNs; }));
}

ModelFacts modelOf(const char* name, int layers, int kvHeads) {
    ModelFacts facts;
    facts.name = facts.fingerprint = name;
    facts.layers = layers;
    facts.kvHeads = kvHeads;
    return facts;
}

TEST(RecordedSession, alternatingModels_useTheirOwnHeadCount) {
    const ModelFacts small = modelOf("small", 30, 3), large = modelOf("large", 28, 2);
    Session session;
    std::vector<std::int64_t> times;
    for (const ModelFacts& model : {small, large, small}) {
        session.add(ModelLoaded{model, 0.1});
        session.ask(1, "And?");
        // Each head holds a quarter of the tokens.
        session.slots = [&model](std::int64_t tokens) {
            return tokens * model.layers * model.kvHeads / 4;
        };
        session.step(1, EngineState::Decode, 20, "Yes");
        times.push_back(session.now);
        session.end(1);
        session.slots = nullptr;
    }
    const RecordedSession recorded = Session::of(session.recording());
    for (const std::int64_t time : times) {
        const auto ratio = recorded.metrics()
                               .series(Metric::TokenRatio)
                               .lastBefore(XAxis::Time, static_cast<double>(time));
        ASSERT_TRUE(ratio);
        EXPECT_NEAR(ratio->value, 4, 0.2);
    }
}

TEST(RecordedSession, modelChange_clearsThePreviousCache) {
    Session session;
    session.add(ModelLoaded{modelOf("small", 30, 3), 0.1});
    session.ask(1, "And?");
    session.end(1);
    session.add(ModelLoaded{modelOf("large", 28, 2), 0.1});
    session.ask(2, "And?");
    session.end(2);
    const RecordedSession recorded = Session::of(session.recording());
    EXPECT_GE(recorded.metrics().cacheStarts().size(), 1U);
}

TEST(RecordedSession, prefixSizes_areShownByTime_inOlderReportsAtTheEnd) {
    Session session;
    const auto keep = [&session](std::int64_t bytes) {
        PrefixCacheChanged changed;
        changed.stats.bytes = bytes;
        changed.disk.bytes = bytes / 2;
        session.add(changed);
    };
    session.ask(1, "And?");
    keep(1000);
    const std::int64_t early = session.now;
    session.step(1, EngineState::Decode, 1, "Yes");
    session.end(1);
    session.ask(1, "And?");
    keep(3000);
    session.end(1);
    Recording recording = session.recording();
    const auto stored = [](const RecordedSession& recorded, std::int64_t time) {
        const auto found = recorded.metrics()
                               .series(Metric::StoredBytes)
                               .lastBefore(XAxis::Time, static_cast<double>(time));
        return found ? found->value : -1;
    };
    const RecordedSession recorded = Session::of(recording);
    EXPECT_EQ(stored(recorded, early), 1000);
    EXPECT_EQ(stored(recorded, session.now), 3000);
    recording.keptBytes.clear();
    EXPECT_EQ(stored(Session::of(recording), session.now), 3000);
}

TEST(RecordedSession, sessionWithoutTurns_hasOneMoment) {
    const RecordedSession session = Session::of(Recording());
    EXPECT_EQ(session.moments().size(), 1);
    EXPECT_TRUE(session.conversations().isEmpty());
    EXPECT_TRUE(session.linesAt(1, 0).isEmpty());
    EXPECT_EQ(session.retentionAt(1, 0).tokens(), 0);
}

}  // namespace
}  // namespace lacuna::app

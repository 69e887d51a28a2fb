// From the engine's figures to the displayed words: positions of tokens in the text, the compaction
// that evicted each, and the message part it belongs to.

#include "app/state/telemetry/retention_rows.h"

#include <gtest/gtest.h>

#include "engine/session/event.h"
#include "engine/settings/facts.h"

namespace lacuna::app {
namespace {

RetentionSnapshot snapshotOf(std::vector<std::string> pieces) {
    RetentionSnapshot snapshot;
    snapshot.conversation = ConversationId(3);
    snapshot.row.tokens = static_cast<std::int64_t>(pieces.size());
    snapshot.row.layers = 1;
    snapshot.row.kvHeads = 2;
    snapshot.row.share.assign(pieces.size(), 1.0F);
    snapshot.row.holders.assign(pieces.size(), 2);
    snapshot.pieces = std::move(pieces);
    return snapshot;
}

ChatLine said(MessageRole speaker, const char* text, const char* attachment = "") {
    ChatLine line;
    line.speaker = speaker;
    line.text = QString::fromUtf8(text);
    line.attachmentText = QString::fromUtf8(attachment);
    return line;
}

TEST(RetentionRows, tokensThatShareACharacter_keepTheirPositions) {
    // The key emoji has four bytes, split between two tokens, and two UTF-16 units.
    const RetentionView view = viewOf(snapshotOf({"a", "\xF0\x9F", "\x94\x91", "\xC3\xA9", "b"}));
    EXPECT_EQ(view.text, QStringLiteral("a\U0001F511\u00e9b"));
    EXPECT_EQ(view.starts, (QVector<qsizetype>{0, 1, 3, 3, 4, 5}));
    EXPECT_EQ(view.piece(4), QStringLiteral("b"));
    EXPECT_TRUE(view.piece(2).isEmpty());
}

TEST(RetentionRows, invalidUtf8_givesStartsWithinTheText) {
    const RetentionView view = viewOf(snapshotOf({"\xFF\xFE", "a"}));
    for (const qsizetype start : view.starts) EXPECT_LE(start, view.text.size());
}

TEST(RetentionRows, layersThatDiffer_keepTheirHeads_andTheModelNamesTheirCaches) {
    RetentionSnapshot snapshot = snapshotOf({"a", "b"});
    snapshot.row.layers = 2;
    snapshot.row.kvHeads = 0;
    snapshot.row.layerHeads = {3, 0};
    snapshot.row.holders = {3, 3, 0, 0};
    ModelFacts model;
    model.layers = 2;
    model.extents = {{3, 8, 8}, {}};
    model.cacheLayers = {0, 0};
    const RetentionView view = viewOf(snapshot, &model);
    EXPECT_EQ(view.heads, 3);
    EXPECT_EQ(view.headsOf(1), 0);
    EXPECT_EQ(view.headsBefore(2), 3);
    EXPECT_EQ(view.cacheLayers, (QVector<int>{0, 0}));
    EXPECT_EQ(view.elementsOf(0), 16);
    EXPECT_TRUE(viewOf(snapshot).cacheLayers.isEmpty());
}

TEST(RetentionHistory, observedEviction_namesItsCompaction) {
    RetentionHistory history;
    RetentionView view = viewOf(snapshotOf({"a", "b", "c"}));
    EXPECT_EQ(history.noted(view).lostBy, (QVector<qint64>{0, 0, 0}));
    history.compacted(3, 11);
    view.share[1] = 0;
    EXPECT_EQ(history.noted(view).lostBy, (QVector<qint64>{0, 11, 0}));
    // Two compactions without a query in between: either may have evicted the token.
    history.compacted(3, 14);
    history.compacted(3, 17);
    view.share[2] = 0;
    EXPECT_EQ(history.noted(view).lostBy, (QVector<qint64>{0, 11, -17}));
    view.share[1] = 1;
    EXPECT_EQ(history.noted(view).lostBy[1], 0) << "the conversation was read anew";
}

TEST(RetentionHistory, firstRecordAfterACompaction_hasAnUnknownCompaction) {
    RetentionHistory history;
    history.compacted(3, 5);
    RetentionView view = viewOf(snapshotOf({"a", "b"}));
    view.share[0] = 0;
    EXPECT_EQ(history.noted(view).lostBy, (QVector<qint64>{-5, 0}));
}

TEST(RetentionHistory, weakestPassage_belongsToTheNewestMeasuredCompaction) {
    RetentionHistory history;
    const RetentionView view = viewOf(snapshotOf({"a", "b", "c", "d"}));
    EXPECT_FALSE(history.noted(view).inWeakestPassage(0)) << "nothing was measured";
    history.compacted(3, 1);
    history.measured(3, {.all = 0.97, .worst = 0.81, .worstFirst = 1, .worstEnd = 3});
    const RetentionView marked = history.noted(view);
    EXPECT_FALSE(marked.inWeakestPassage(0));
    EXPECT_TRUE(marked.inWeakestPassage(1));
    EXPECT_TRUE(marked.inWeakestPassage(2));
    EXPECT_FALSE(marked.inWeakestPassage(3));
    EXPECT_EQ(marked.weakestKept, 0.81);
    history.compacted(3, 2);
    EXPECT_FALSE(history.noted(view).inWeakestPassage(1)) << "the newest was not measured";
}

TEST(TokenSpans, messages_areFoundBetweenControlTokens) {
    const RetentionView view =
        viewOf(snapshotOf({"<|im_start|>", "user\n", "A long", " text.", "\n\n", "What?",
                           "<|im_end|>", "<|im_start|>", "assistant\n", "What", "?", " Yes."}));
    const QVector<ChatLine> lines{said(MessageRole::Person, "What?", "A long text."),
                                  said(MessageRole::Model, "What? Yes.")};
    const auto spans = tokenSpans(view, lines);
    ASSERT_EQ(spans.size(), 2);
    ASSERT_EQ(spans[0].size(), 4);
    EXPECT_EQ(spans[0][0].token, 2);
    EXPECT_EQ(spans[0][0].start, 0);
    EXPECT_EQ(spans[0][3].token, 5);
    EXPECT_EQ(spans[0][3].start, 14);
    ASSERT_EQ(spans[1].size(), 3) << "the answer begins after the question, not inside it";
    EXPECT_EQ(spans[1][0].token, 9);
    EXPECT_EQ(spans[1][2].start + spans[1][2].length, 10);
}

TEST(TokenSpans, messageTrimmedByTheTemplate_isFound) {
    const RetentionView view = viewOf(snapshotOf({"<s>", "hello", " you", "</s>"}));
    const auto spans = tokenSpans(view, {said(MessageRole::Person, "  hello you \n")});
    ASSERT_EQ(spans[0].size(), 2);
    EXPECT_EQ(spans[0][0].start, 2);
    EXPECT_EQ(spans[0][1].token, 2);
}

TEST(TokenSpans, tokenAcrossTheMessageEdge_belongsToItsWords) {
    const RetentionView view = viewOf(snapshotOf({"user: he", "llo", "!</s>"}));
    const auto spans = tokenSpans(view, {said(MessageRole::Person, "hello!")});
    ASSERT_EQ(spans[0].size(), 3);
    EXPECT_EQ(spans[0][0].start, 0);
    EXPECT_EQ(spans[0][0].length, 2);
    EXPECT_EQ(spans[0][2].length, 1);
}

TEST(TokenSpans, messageOutsideTheCache_hasNoSpan) {
    const RetentionView view = viewOf(snapshotOf({"hello"}));
    EXPECT_TRUE(tokenSpans(view, {said(MessageRole::Person, "other")})[0].isEmpty());
    EXPECT_TRUE(tokenSpans({}, {said(MessageRole::Person, "other")})[0].isEmpty());
    EXPECT_TRUE(tokenSpans(view, {said(MessageRole::Model, "")})[0].isEmpty());
}

}  // namespace
}  // namespace lacuna::app

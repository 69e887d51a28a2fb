#include "app/state/chat/conversation_pins.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "app/state/storage/conversation_database.h"
#include "tests/app/conversation_stage.h"

namespace lacuna::app {
namespace {

using ConversationPinsTest = ConversationStage;

TEST_F(ConversationPinsTest, pinnedSpans_areSentWithEveryTurn_removedWhenRejected) {
    ask("K\u00e4se und Brot");
    answer("Gut.");
    const qint64 question = list.currentModel().line(0).id;
    pins.pin({question, 9, 13});
    auto told = engine.sent<PinText>();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].pins, (std::vector<TextPin>{{0, 10, 14}})) << "bytes, not letters";
    EXPECT_EQ(told[0].messages.size(), 2U);
    TextPinned said{.conversation = ConversationId(list.current()), .asked = true};
    said.pins = {{.first = 4, .count = 3, .evicted = 0}};
    pins.onPinned(said);
    ASSERT_EQ(pins.rows().size(), 1);
    EXPECT_EQ(pins.rows()[0].text, QStringLiteral("Brot"));
    EXPECT_EQ(pins.rows()[0].tokens, 3);
    QSignalSpy refused(&pins, &ConversationPins::refused);
    pins.pin({question, 0, 13});
    EXPECT_EQ(pins.rows()[0].text.size(), 13) << "taken in by the larger one";
    TextPinned no{.conversation = ConversationId(list.current()), .asked = true};
    no.error = Error{ErrorCode::Range, "too many", {}};
    pins.onPinned(no);
    EXPECT_EQ(refused.count(), 1);
    ASSERT_EQ(pins.rows().size(), 1);
    EXPECT_EQ(pins.rows()[0].text, QStringLiteral("Brot")) << "as before";
    ask("more");
    EXPECT_EQ(engine.sent<Submit>().back().pins, (std::vector<TextPin>{{0, 10, 14}}));
    answer("Ja.");
    pins.unpin({question, 10, 12});
    EXPECT_EQ(pins.rows().size(), 2) << "its ends";
    pins.unpinAll();
    EXPECT_TRUE(engine.sent<PinText>().back().pins.empty());
    EXPECT_TRUE(list.record(list.current()).pins.isEmpty());
}

TEST_F(ConversationPinsTest, pinsOfAHiddenBranch_areNotSent) {
    ask("one two");
    answer("first");
    pins.pin({list.currentModel().line(0).id, 4, 7});
    PromptDraft changed = turns.draftOf(0);
    changed.text = QStringLiteral("uno");
    turns.edit(0, changed);
    EXPECT_TRUE(engine.sent<Submit>().back().pins.empty());
    answer("primo");
    EXPECT_TRUE(pins.rows().isEmpty());
    list.showBranch(0, 1);
    ASSERT_EQ(pins.rows().size(), 1);
    EXPECT_EQ(pins.rows()[0].text, QStringLiteral("two"));
}

}  // namespace
}  // namespace lacuna::app

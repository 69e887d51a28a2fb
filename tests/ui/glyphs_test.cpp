// Checks that the characters of messages can be drawn: a model answers in the language of the
// question.

#include <QFontMetrics>

#include "app/state/chat/conversation_turns.h"
#include "tests/ui/window_stage.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/message_view.h"

namespace lacuna::ui {
namespace {

class FontCoverageTest : public WindowStage {
  protected:
    /// Number of characters of this answer that no font contains; they would be drawn as boxes.
    [[nodiscard]] int missingIn(const char* answer) {
        load();
        answerWith(answer);
        const QList<MessageText*> messages = window->chatView().findChildren<MessageText*>();
        EXPECT_FALSE(messages.isEmpty());
        if (messages.isEmpty()) return -1;
        EXPECT_EQ(messages.back()->toPlainText(), QString::fromUtf8(answer));
        const QFontMetrics font(messages.back()->font());
        int missing = 0;
        for (const uint letter : messages.back()->toPlainText().toUcs4())
            missing += font.inFontUcs4(letter) ? 0 : 1;
        return missing;
    }

  private:
    void answerWith(const char* answer) {
        app::PromptDraft draft;
        draft.text = QStringLiteral("?");
        state->turns().submit(draft);
        TurnFinished finished;
        finished.conversation = here();
        finished.text = answer;
        hear(finished);
    }
};

TEST_F(FontCoverageTest, chinese_hasNoMissingGlyph) {
    EXPECT_EQ(
        missingIn(
            "\u4f60\u597d\uff0c\u94a5\u5319\u5728\u7b2c\u4e09\u5757\u6728\u677f\u4e0b\u9762\u3002"),
        0);
}

TEST_F(FontCoverageTest, japanese_hasNoMissingGlyph) {
    EXPECT_EQ(missingIn("\u3053\u3093\u306b\u3061\u306f\u3001\u9375\u306f\u30dc\u30fc\u30c8\u5c0f"
                        "\u5c4b\u306b\u3042\u308a\u307e\u3059\u3002"),
              0);
}

TEST_F(FontCoverageTest, korean_hasNoMissingGlyph) {
    EXPECT_EQ(missingIn("\uc548\ub155\ud558\uc138\uc694, \uc5f4\uc1e0\ub294 \uc138 \ubc88\uc9f8 "
                        "\ud310\uc790 \ubc11\uc5d0 \uc788\uc2b5\ub2c8\ub2e4."),
              0);
}

TEST_F(FontCoverageTest, unsupportedCharacter_isCountedAsMissing) {
    EXPECT_GT(missingIn("private: \U0010fffd"), 0) << "the test can tell a box from a letter";
}

}  // namespace
}  // namespace lacuna::ui

// User workflow for branches: edit any message in place, regenerate, switch branches by mouse and
// keyboard, delete one and undo.

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTest>
#include <QTextCursor>
#include <QToolButton>

#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_turns.h"
#include "app/state/chat/found_conversation.h"
#include "tests/ui/window_stage.h"
#include "ui/chat/branch_switch.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/message_editor.h"
#include "ui/chat/message_view.h"
#include "ui/chat/prompt_box.h"
#include "ui/chat/session_list.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {
namespace {

class BranchJourney : public WindowStage {
  protected:
    BranchJourney() {
        load();
        say("one", "first");
        say("two", "second");
    }
    void finish(const char* text) {
        TurnFinished finished;
        finished.conversation = here();
        finished.text = text;
        finished.stats.decodeSeconds = 0.25;
        hear(finished);
    }
    void say(const char* question, const char* answer) {
        state->turns().submit({QString::fromUtf8(question), {}, {}});
        finish(answer);
    }
    [[nodiscard]] MessageView* message(int row) const {
        QCoreApplication::processEvents();
        return window->chatView().messageAt(row);
    }
    [[nodiscard]] static QToolButton* tool(const QWidget& in, const char* name) {
        for (QToolButton* found : in.findChildren<QToolButton*>())
            if (found->accessibleName() == QString::fromUtf8(name)) return found;
        return nullptr;
    }
    [[nodiscard]] MessageEditor* editor(int row) const {
        for (MessageEditor* one : message(row)->findChildren<MessageEditor*>())
            if (one->isVisible()) return one;
        return nullptr;
    }
    /// Opens the editor of a message and sets its text.
    QPlainTextEdit* editAt(int row, const char* text) {
        tool(*message(row), "Edit this message")->click();
        MessageEditor* open = editor(row);
        EXPECT_NE(open, nullptr);
        auto* field = open->findChild<QPlainTextEdit*>();
        EXPECT_TRUE(field->hasFocus());
        field->selectAll();
        QTest::keyClicks(field, QString::fromUtf8(text));
        return field;
    }
    [[nodiscard]] QString text(int row) const {
        return state->conversations().currentModel().line(row).text;
    }
    [[nodiscard]] QString switchText(int row) const {
        const auto* shown = message(row)->findChild<BranchSwitch*>();
        return shown->isVisible() ? shown->findChild<QLabel*>()->text() : QString();
    }
    [[nodiscard]] QAction* action(const char* id) const {
        return window->actions().find(QString::fromLatin1(id));
    }
};

TEST_F(BranchJourney, earlierMessage_isEditedInPlaceAndBothBranchesAreKept) {
    EXPECT_EQ(switchText(0), QString()) << "one branch needs no switch";
    QPlainTextEdit* field = editAt(0, "uno");
    const auto asked = engine->sent<EstimateReading>();
    ASSERT_EQ(asked.size(), 1U);
    hear(ReadingEstimated{here(), asked[0].request, 1300, 1234});
    EXPECT_TRUE(shows(*editor(0), "1,234 tokens are read"));
    QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
    EXPECT_EQ(engine->sent<Submit>().back().messages, (std::vector<ChatMessage>{{"user", "uno"}}));
    finish("primo");
    EXPECT_EQ(state->conversations().currentModel().rowCount(), 2);
    EXPECT_EQ(switchText(0), QStringLiteral("2/2"));
    QTest::mouseClick(tool(*message(0), "Show the previous branch (Alt+Left)"), Qt::LeftButton);
    EXPECT_EQ(state->conversations().currentModel().rowCount(), 4);
    EXPECT_EQ(text(3), QStringLiteral("second"));
    EXPECT_EQ(switchText(0), QStringLiteral("1/2"));
    trigger("branch.next");
    EXPECT_EQ(text(1), QStringLiteral("primo"));
    EXPECT_FALSE(action("branch.next")->isEnabled()) << "the last one";
    EXPECT_TRUE(action("branch.before")->isEnabled());
}

TEST_F(BranchJourney, enterInTheEditor_submits_shiftEnterInsertsALineBreak) {
    QPlainTextEdit* field = editAt(0, "uno");
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClicks(field, QStringLiteral("due"));
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(engine->sent<Submit>().back().messages,
              (std::vector<ChatMessage>{{"user", "uno\ndue"}}));
    finish("primo");
    const std::size_t asked = engine->sent<Submit>().size();
    field = editAt(1, "My own");
    QTest::keyClick(field, Qt::Key_Return);  // replies can have several lines
    EXPECT_NE(editor(1), nullptr);
    EXPECT_EQ(field->toPlainText(), QStringLiteral("My own\n"));
    QTest::keyClick(field, Qt::Key_Escape);
    EXPECT_EQ(engine->sent<Submit>().size(), asked);
}

TEST_F(BranchJourney, escapeInTheEditor_keepsTheMessageAndStopsNoTurn) {
    QPlainTextEdit* field = editAt(2, "changed");
    QTest::keyClick(field, Qt::Key_Escape);
    QCoreApplication::processEvents();
    EXPECT_EQ(editor(2), nullptr);
    EXPECT_EQ(text(2), QStringLiteral("two"));
    EXPECT_TRUE(message(2)->findChild<MessageText*>()->isVisible());
    EXPECT_EQ(engine->sent<Submit>().size(), 2U);
    EXPECT_TRUE(engine->sent<CancelTurn>().empty());
    trigger("chat.edit");
    EXPECT_NE(editor(2), nullptr) << "the message that has the keyboard";
}

TEST_F(BranchJourney, earlierAnswer_canBeRegeneratedAndEdited) {
    tool(*message(1), "Answer the last question again")->click();
    EXPECT_EQ(engine->sent<Submit>().back().messages, (std::vector<ChatMessage>{{"user", "one"}}));
    finish("first again");
    EXPECT_EQ(switchText(1), QStringLiteral("2/2"));
    EXPECT_EQ(state->conversations().currentModel().rowCount(), 2);
    QPlainTextEdit* field = editAt(1, "My own words");
    QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
    EXPECT_EQ(text(1), QStringLiteral("My own words"));
    EXPECT_EQ(switchText(1), QStringLiteral("3/3"));
    EXPECT_EQ(engine->sent<Submit>().size(), 3U) << "nothing is asked by that";
    EXPECT_TRUE(action("chat.continue")->isEnabled());
    EXPECT_TRUE(shows(*message(1), "Edited by you"));
}

TEST_F(BranchJourney, deletedBranch_isRestoredFromTheNotice) {
    trigger("chat.regenerate");
    finish("second again");
    EXPECT_TRUE(action("branch.delete")->isEnabled());
    trigger("branch.delete");
    EXPECT_EQ(text(3), QStringLiteral("second"));
    EXPECT_EQ(switchText(3), QString());
    EXPECT_TRUE(shows("Deleted branch 2 of 2"));
    EXPECT_FALSE(action("branch.delete")->isEnabled());
    EXPECT_TRUE(
        ActionRegistry::reasonOf(action("branch.delete")).contains(QStringLiteral("one branch")));
    button(*window, "Undo")->click();
    EXPECT_EQ(text(3), QStringLiteral("second again"));
    EXPECT_EQ(switchText(3), QStringLiteral("2/2"));
}

TEST_F(BranchJourney, branchActions_duringATurn_areDisabledWithAReason) {
    trigger("chat.regenerate");
    EXPECT_FALSE(action("branch.before")->isEnabled());
    EXPECT_TRUE(ActionRegistry::reasonOf(action("branch.before"))
                    .contains(QStringLiteral("being written")));
    QTest::mouseClick(tool(*message(3), "Show the previous branch (Alt+Left)"), Qt::LeftButton);
    EXPECT_TRUE(state->conversations().answering());
    EXPECT_EQ(text(3), QString());
    finish("second again");
    EXPECT_TRUE(action("branch.before")->isEnabled());
}

TEST_F(BranchJourney, searchHitInAHiddenBranch_isShownWhenItsConversationIsSelected) {
    const qint64 line = state->conversations().currentModel().line(3).id;
    const qint64 talk = state->conversations().current();
    trigger("chat.regenerate");
    finish("another");
    trigger("chat.new");
    say("elsewhere", "there");
    auto* sessions = window->findChild<SessionList*>();
    auto* words = sessions->findChild<QLineEdit*>();
    words->setText(QStringLiteral("second"));
    sessions->showFound(QStringLiteral("second"), {{talk, QStringLiteral("second"), line}});
    QTest::keyClick(words, Qt::Key_Down);
    QCoreApplication::processEvents();
    EXPECT_EQ(state->conversations().current(), talk);
    EXPECT_EQ(text(3), QStringLiteral("second"));
}

TEST_F(BranchJourney, findInConversation_includesHiddenBranches) {
    trigger("chat.regenerate");
    finish("another");
    trigger("chat.find");
    auto* words = window->find().findChild<QLineEdit*>();
    QTest::keyClicks(words, QStringLiteral("second"));
    QTest::keyClick(words, Qt::Key_Return);
    EXPECT_TRUE(shows(window->find(), "1 of 1"));
    EXPECT_EQ(text(3), QStringLiteral("second")) << "its branch is shown";
    EXPECT_EQ(message(3)->findChild<MessageText*>()->textCursor().selectedText(),
              QStringLiteral("second"));
}

TEST_F(BranchJourney, turnInAnotherConversation_isNamedAndThisOneStaysReadable) {
    state->conversations().rename(state->conversations().current(), QStringLiteral("The long one"));
    const qint64 asked = state->conversations().current();
    state->turns().submit({QStringLiteral("Tell me everything."), {}, {}});
    trigger("chat.new");
    EXPECT_TRUE(shows("The long one\u201d is being answered; a question here"));
    say("something else", "answered");
    EXPECT_EQ(text(1), QStringLiteral("answered")) << "beside it";
    state->conversations().select(asked);
    EXPECT_FALSE(shows("is being answered; a question here")) << "here it is seen";
    TokenText token;
    token.conversation = ConversationId(asked);
    token.text = "Once";
    hear(token);
    EXPECT_EQ(text(5), QStringLiteral("Once"));
    finish("Once upon a time.");
    state->turns().hold(QStringLiteral("A comparison runs. Wait for its end or stop it."));
    EXPECT_TRUE(shows("A comparison runs. Wait"));
    EXPECT_EQ(text(3), QStringLiteral("second")) << "reading is free";
}

TEST_F(BranchJourney, longConversation_editedNearItsStart_staysResponsive) {
    QVector<app::ChatLine> lines;
    for (int i = 0; i < 10'000; ++i) {
        app::ChatLine line;
        line.speaker = i % 2 == 0 ? app::MessageRole::Person : app::MessageRole::Model;
        line.text = QStringLiteral("Message %1.").arg(i);
        lines << line;
    }
    state->conversations().currentModel().setLines(lines);
    Q_EMIT state->conversations().stateChanged();
    window->chatView().showMessage(20);
    QTest::keyClick(editAt(20, "another"), Qt::Key_Return, Qt::ControlModifier);
    finish("answer");
    EXPECT_EQ(state->conversations().currentModel().rowCount(), 22);
    trigger("branch.before");
    EXPECT_EQ(state->conversations().currentModel().rowCount(), 10'000);
    EXPECT_EQ(text(9999), QStringLiteral("Message 9999."));
}

}  // namespace
}  // namespace lacuna::ui

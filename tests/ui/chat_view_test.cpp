// The message view: which messages have widgets, what keeps its position, and the cost of a long
// message.

#include "ui/chat/chat_view.h"

#include <QApplication>
#include <QClipboard>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTest>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QToolButton>
#include <algorithm>

#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "tests/ui/window_stage.h"
#include "ui/chat/message_view.h"
#include "ui/chat/prompt_box.h"
#include "ui/style/long_lines.h"

namespace lacuna::ui {
namespace {

/// Exceeds the number of views that a page of short messages needs, including its margins.
constexpr int kFewViews = 60;

class ChatViewTest : public WindowStage {
  protected:
    ChatView& page() { return window->chatView(); }
    QScrollBar& bar() { return *page().verticalScrollBar(); }
    app::ChatModel& model() { return state->chat().currentModel(); }

    static app::ChatLine line(int number, const QString& text) {
        app::ChatLine one;
        one.speaker = number % 2 == 0 ? app::MessageRole::Person : app::MessageRole::Model;
        one.text = text;
        return one;
    }
    /// Messages of one to nine lines.
    void talk(int messages) {
        QVector<app::ChatLine> lines;
        for (int i = 0; i < messages; ++i)
            lines << line(i, QStringLiteral("Message %1.").arg(i) +
                                 QStringLiteral("\n\nMore of it.").repeated(i * 7 % 5));
        model().setLines(lines);
        QCoreApplication::processEvents();
    }
    void say(int number, const QString& text) {
        model().setLines({line(number, text)});
        QCoreApplication::processEvents();
    }
    [[nodiscard]] qsizetype views() {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        return page().findChildren<MessageView*>().size();
    }
    [[nodiscard]] MessageText* textOf(int row) {
        MessageView* view = page().messageAt(row);
        return view == nullptr ? nullptr : view->findChild<MessageText*>();
    }
    /// px; upper edge of a message on the page
    [[nodiscard]] int yOf(int row) { return page().messageAt(row)->y(); }
    /// Expects every pixel row of the page to belong to a message or to the gap between two.
    void expectPageIsCovered() {
        QCoreApplication::processEvents();
        int row = page().firstVisible();
        ASSERT_NE(page().messageAt(row), nullptr);
        EXPECT_LE(yOf(row), 16);
        for (; row + 1 < page().messageCount(); ++row) {
            const MessageView* view = page().messageAt(row);
            ASSERT_NE(view, nullptr) << row;
            if (view->y() + view->height() > page().viewport()->height()) return;
            ASSERT_NE(page().messageAt(row + 1), nullptr) << row + 1;
            ASSERT_EQ(yOf(row + 1), view->y() + view->height() + 8) << row;
        }
    }
    [[nodiscard]] QToolButton* foldOf(int row) {
        for (QToolButton* found : page().messageAt(row)->findChildren<QToolButton*>())
            if (found->text().startsWith(QStringLiteral("Show"))) return found;
        return nullptr;
    }
};

TEST_F(ChatViewTest, tenThousandMessages_haveViewsNearTheViewportOnly) {
    talk(10'000);
    EXPECT_EQ(page().messageCount(), 10'000);
    EXPECT_LT(views(), kFewViews);
    EXPECT_EQ(bar().value(), bar().maximum()) << "a conversation opens at its end";
    ASSERT_NE(textOf(9'999), nullptr);
    EXPECT_TRUE(textOf(9'999)->toPlainText().startsWith(QStringLiteral("Message 9999.")));
    for (int step = 0; step <= 20; ++step) {
        bar().setValue(bar().maximum() / 20 * step);
        expectPageIsCovered();
        EXPECT_LT(views(), kFewViews) << "at step " << step;
    }
}

TEST_F(ChatViewTest, messageInTheMiddle_isShownByIndex) {
    talk(2'000);
    for (const int row : {1000, 3, 1999, 0, 777}) {
        page().showMessage(row);
        expectPageIsCovered();
        ASSERT_NE(textOf(row), nullptr) << row;
        EXPECT_TRUE(textOf(row)->toPlainText().startsWith(QStringLiteral("Message %1.").arg(row)));
        EXPECT_GE(yOf(row), 0) << row;
        EXPECT_LT(yOf(row), page().viewport()->height()) << row;
    }
    page().showMessage(1000);
    EXPECT_EQ(page().firstVisible(), 1000);
}

TEST_F(ChatViewTest, scrollingBack_movesTheTextByTheScrolledDistance) {
    talk(400);
    for (int step = 0; step < 300 && bar().value() > 0; ++step) {
        const int row = page().firstVisible();
        const int before = yOf(row), value = bar().value();
        bar().setValue(value - std::min(60, value));
        QCoreApplication::processEvents();
        ASSERT_NE(page().messageAt(row), nullptr);
        ASSERT_EQ(yOf(row), before + std::min(60, value)) << "message " << row;
    }
    expectPageIsCovered();
}

TEST_F(ChatViewTest, streaming_followsTheEndUntilTheUserScrolls) {
    load();
    talk(300);
    app::PromptDraft draft;
    draft.text = QStringLiteral("Go on.");
    state->chat().submit(draft);
    const auto say = [this] {
        TokenText token;
        token.conversation = here();
        token.text = "A sentence that takes its room on the page.\n\n";
        hear(token);
    };
    for (int i = 0; i < 50; ++i) {
        say();
        ASSERT_EQ(bar().value(), bar().maximum());
        const MessageView* last = page().messageAt(page().messageCount() - 1);
        ASSERT_NE(last, nullptr);
        ASSERT_LE(last->y() + last->height(), page().viewport()->height());
    }
    bar().setValue(bar().maximum() / 2);
    QCoreApplication::processEvents();
    const int row = page().firstVisible(), y = yOf(row);
    for (int i = 0; i < 20; ++i) say();
    EXPECT_EQ(page().firstVisible(), row);
    EXPECT_EQ(yOf(row), y);
    bar().setValue(bar().maximum());
    QCoreApplication::processEvents();
    EXPECT_EQ(textOf(page().messageCount() - 1)
                  ->document()
                  ->toPlainText()
                  .count(QStringLiteral("A sentence")),
              70);
    say();
    EXPECT_EQ(bar().value(), bar().maximum()) << "back at the end, it is followed again";
}

TEST_F(ChatViewTest, narrowerWindow_keepsTheTopMessage) {
    talk(500);
    page().showMessage(250);
    window->resize(1000, 700);
    expectPageIsCovered();
    EXPECT_EQ(page().firstVisible(), 250);
    EXPECT_LT(views(), kFewViews);
}

TEST_F(ChatViewTest, renamedConversation_keepsItsView) {
    talk(100);
    page().showMessage(40);
    const MessageView* before = page().messageAt(40);
    state->chat().rename(state->chat().current(), QStringLiteral("Another name"));
    QCoreApplication::processEvents();
    EXPECT_EQ(page().messageAt(40), before);
    EXPECT_EQ(page().firstVisible(), 40);
}

TEST_F(ChatViewTest, selection_isKeptOutsideTheViewport) {
    talk(500);
    page().showMessage(100);
    textOf(100)->selectAll();
    bar().setValue(bar().maximum());
    QCoreApplication::processEvents();
    page().showMessage(100);
    ASSERT_NE(textOf(100), nullptr);
    EXPECT_TRUE(textOf(100)->textCursor().hasSelection());
}

TEST_F(ChatViewTest, pageKeys_inAMessage_scrollTheView) {
    talk(200);
    const int end = bar().value();
    textOf(199)->setFocus();
    QTest::keyClick(textOf(199), Qt::Key_PageUp);
    EXPECT_LT(bar().value(), end);
    QTest::keyClick(textOf(199), Qt::Key_PageDown);
    EXPECT_EQ(bar().value(), bar().maximum());
}

TEST_F(ChatViewTest, tabKey_visitsTheMessagesInOrder) {
    talk(200);
    // Scrolls upwards, so upper views are created after lower ones.
    for (int row = 120; row >= 100; --row) page().showMessage(row);
    window->activateWindow();
    textOf(100)->setFocus();
    for (int row = 100; row < 120; ++row) {
        ASSERT_TRUE(textOf(row)->hasFocus()) << row;
        for (int i = 0; i < 4 && !(textOf(row + 1) != nullptr && textOf(row + 1)->hasFocus()); ++i)
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        const MessageView* next = page().messageAt(row + 1);
        ASSERT_NE(next, nullptr);
        EXPECT_LT(next->y(), page().viewport()->height()) << "what has the keyboard is in sight";
    }
}

TEST_F(ChatViewTest, retentionTint_isAppliedWhenAMessageBecomesVisible) {
    talk(300);
    app::RetentionView view;
    view.conversation = state->chat().current();
    view.layers = view.heads = 1;
    for (const app::ChatLine& one : model().lines()) {
        view.starts << view.text.size();
        view.text += one.text;
        view.share << 0;
        view.holders << 0;
    }
    view.starts << view.text.size();
    view.lostBy = QVector<qint64>(view.share.size(), 1);
    page().showRetention(view);
    for (const int row : {299, 4, 150}) {
        page().showMessage(row);
        QTextCursor cursor(textOf(row)->document());
        cursor.setPosition(3);
        EXPECT_TRUE(cursor.charFormat().fontStrikeOut()) << row;
        EXPECT_TRUE(textOf(row)->tipAt) << row;
    }
    page().showPlain();
    page().showMessage(20);
    EXPECT_FALSE(textOf(20)->tipAt);
}

TEST_F(ChatViewTest, tintedAnswer_staysFormattedAndMapsWordsToTokens) {
    const QString text =
        QStringLiteral("# Head\n\nThe **grey** harbour:\n| a | b |\n|---|---|\n| 1 | 2 |");
    say(1, text);
    app::RetentionView view;
    view.conversation = state->chat().current();
    view.layers = view.heads = 1;
    view.text = text;
    const qsizetype grey = text.indexOf(QStringLiteral("grey"));
    view.starts = {0, grey, grey + 4, text.size()};
    view.share = {1, 0, 1};
    view.holders = {1, 0, 1};
    view.lostBy = {0, 1, 0};
    page().showRetention(view);
    QCoreApplication::processEvents();
    const QString shown = textOf(0)->toPlainText();
    EXPECT_FALSE(shown.contains(QRegularExpression(QStringLiteral("[*#|]"))))
        << shown.toStdString();
    QTextCursor word = textOf(0)->document()->find(QStringLiteral("grey"));
    ASSERT_FALSE(word.isNull());
    EXPECT_TRUE(word.charFormat().fontStrikeOut());
    EXPECT_GE(word.charFormat().fontWeight(), static_cast<int>(QFont::DemiBold));
    ASSERT_TRUE(textOf(0)->tipAt);
    EXPECT_TRUE(textOf(0)->tipAt(word.selectionStart()).contains(QStringLiteral("evicted")));
    EXPECT_TRUE(textOf(0)->tipAt(word.selectionEnd() + 1).contains(QStringLiteral("kept")));
    textOf(0)->setTextCursor(word);
    const ChatView::MarkedTokens marked = page().markedTokens();
    EXPECT_EQ(marked.first, 1);
    EXPECT_EQ(marked.count, 1);
    EXPECT_EQ(marked.evicted, 1);
    page().showPlain();
    word = textOf(0)->document()->find(QStringLiteral("grey"));
    EXPECT_FALSE(word.charFormat().fontStrikeOut());
}

TEST_F(ChatViewTest, lineWithoutSpaces_isSplitForLayoutAndCopiedComplete) {
    for (const int speaker : {0, 1}) {
        const QString text = QString(20'000, QLatin1Char('x')) + QStringLiteral("\nend");
        say(speaker, text);
        MessageText* shown = textOf(0);
        const MessageView* view = page().messageAt(0);
        ASSERT_TRUE(QTest::qWaitFor([view] { return !view->writing(); }, 60'000));
        for (QTextBlock block = shown->document()->begin(); block.isValid(); block = block.next())
            ASSERT_LE(block.text().size(), kMaxBlockLength);
        shown->selectAll();
        shown->copy();
        const QString copied = QApplication::clipboard()->text();
        EXPECT_EQ(copied, text) << speaker << ": " << copied.size();
        EXPECT_FALSE(copied.contains(QChar(0x200B)));
    }
}

TEST_F(ChatViewTest, longMessage_isFoldedAndUnfoldsWithoutBlocking) {
    const QString lines = QStringLiteral("line\n").repeated(30'000);
    for (const QString& text : {QString(1'000'000, QLatin1Char('x')), lines}) {
        for (const int speaker : {0, 1}) {
            say(speaker, text);
            QTextDocument& shown = *textOf(0)->document();
            EXPECT_LT(shown.characterCount(), 20'000) << "folded";
            EXPECT_LE(shown.blockCount(), 500);
            QToolButton* fold = foldOf(0);
            ASSERT_NE(fold, nullptr);
            EXPECT_TRUE(fold->isVisible());
            const int low = bar().maximum();
            fold->click();
            EXPECT_LT(shown.characterCount(), 50'000) << "a slice at a time";
            const MessageView* view = page().messageAt(0);
            ASSERT_TRUE(QTest::qWaitFor([view] { return !view->writing(); }, 300'000));
            QCoreApplication::processEvents();
            EXPECT_GE(shown.characterCount(), text.size() * 9 / 10);
            EXPECT_GT(bar().maximum(), 10 * low);
            foldOf(0)->click();
            QCoreApplication::processEvents();
            EXPECT_LT(shown.characterCount(), 20'000) << "folded again";
        }
    }
}

TEST_F(ChatViewTest, growingAnswer_isNotFoldedWhileVisible) {
    load();
    app::PromptDraft draft;
    draft.text = QStringLiteral("Go on.");
    state->chat().submit(draft);
    for (int i = 0; i < 40; ++i) {
        TokenText token;
        token.conversation = here();
        token.text = std::string(1'000, 'y');
        hear(token);
    }
    const MessageView* view = page().messageAt(1);
    ASSERT_TRUE(QTest::qWaitFor([view] { return !view->writing(); }, 60'000));
    EXPECT_GE(textOf(1)->document()->characterCount(), 40'000);
    EXPECT_EQ(bar().value(), bar().maximum());
}

TEST_F(ChatViewTest, destroyedItemModel_leavesAnEmptyView) {
    auto other = std::make_unique<app::ChatModel>();
    other->setLines({line(0, QStringLiteral("Here for a while."))});
    page().setModel(other.get());
    EXPECT_EQ(page().messageCount(), 1);
    other.reset();
    window->resize(1100, 700);
    QCoreApplication::processEvents();
    EXPECT_EQ(page().messageCount(), 0);
}

TEST_F(ChatViewTest, attachedText_isNotLaidOut) {
    load();
    window->prompt().edit()->setFocus();
    QApplication::clipboard()->setText(QString(2'800'000, QLatin1Char('z')));
    window->prompt().edit()->paste();
    trigger("chat.send");
    QCoreApplication::processEvents();
    EXPECT_EQ(window->prompt().edit()->document()->characterCount(), 1);
    ASSERT_NE(textOf(0), nullptr);
    EXPECT_LE(textOf(0)->document()->characterCount(), 1);
    // Nor is it written beyond its beginning when it is tinted.
    app::RetentionView view;
    view.conversation = state->chat().current();
    page().showRetention(view);
    QCoreApplication::processEvents();
    EXPECT_LT(textOf(0)->document()->characterCount(), 20'000);
}

}  // namespace
}  // namespace lacuna::ui

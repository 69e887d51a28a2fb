// User workflows of the chat: find, continue, system prompt, attachments, copying code, full
// context.

#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QCommandLinkButton>
#include <QDialog>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextLayout>
#include <QToolButton>
#include <QUrl>

#include "app/state/chat/chat_model.h"
#include "app/state/chat/system_prompts.h"
#include "app/state/files/program_files.h"
#include "tests/ui/window_stage.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/context_full_dialog.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/message_view.h"
#include "ui/chat/prompt_box.h"
#include "ui/chat/session_list.h"
#include "ui/chat/system_prompt_dialog.h"
#include "ui/chat/thought_view.h"
#include "ui/window/answer_alert.h"
#include "ui/window/status_line.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {
namespace {

class ChatJourney : public WindowStage {
  protected:
    void ask(const char* text) {
        window->prompt().edit()->setFocus();
        QTest::keyClicks(window->prompt().edit(), QString::fromUtf8(text));
        trigger("chat.send");
    }
    void finish(const char* text, FinishReason reason = FinishReason::Stop, double seconds = 0.25) {
        TurnFinished finished;
        finished.conversation = here();
        finished.text = text;
        finished.reason = reason;
        finished.stats.decodeSeconds = seconds;
        hear(finished);
    }
    /// The engine refuses the question before reading any of it.
    void refuse() {
        TurnFinished finished;
        finished.conversation = here();
        finished.reason = FinishReason::Error;
        finished.error = Error{ErrorCode::ContextFull, "The prompt has 5,000 tokens.", {}};
        hear(finished);
    }
    void finishDialogs() {
        for (QDialog* open : window->findChildren<QDialog*>()) open->close();
    }
    void talkOf(const char* question, const char* answer) {
        ask(question);
        finish(answer);
    }
    /// Messages of one line, with a word in every hundredth.
    void longTalk() {
        QVector<app::ChatLine> lines;
        for (int i = 0; i < 1000; ++i) {
            app::ChatLine line;
            line.speaker = i % 2 == 0 ? app::MessageRole::Person : app::MessageRole::Model;
            line.text = i % 100 == 50 ? QStringLiteral("Here stands a **Lighthouse** of stone.")
                                      : QStringLiteral("Message %1.").arg(i);
            lines << line;
        }
        state->chat().currentModel().setLines(lines);
        state->chat().rename(state->chat().current(), QStringLiteral("Long"));
        Q_EMIT state->chat().stateChanged();
        QCoreApplication::processEvents();
    }
    [[nodiscard]] QString selected(int row) {
        const MessageView* view = window->chatView().messageAt(row);
        return view == nullptr ? QString()
                               : view->findChild<MessageText*>()->textCursor().selectedText();
    }
    [[nodiscard]] QString context() {
        for (const QLabel* label : window->findChild<ContextStrip*>()->findChildren<QLabel*>())
            if (label->text().startsWith(QStringLiteral("Context"))) return label->text();
        return {};
    }
    template <class T>
    [[nodiscard]] T* dialog() {
        QCoreApplication::processEvents();
        for (T* found : window->findChildren<T*>())
            if (found->isVisible()) return found;
        return nullptr;
    }
    /// Loads a model whose tokenizer is on disk.
    void loadPilot() {
        ModelFacts facts = app::smallFacts();
        facts.path = app::findResource(QStringLiteral("models/pilot-29m-q8_0.gguf")).toStdString();
        ASSERT_FALSE(facts.path.empty());
        hear(ModelLoaded{facts, 0.2});
        hear(StateChanged{EngineState::Idle});
    }
};

TEST_F(ChatJourney, findKeys_moveToTheNextAndPreviousMatch) {
    load();
    longTalk();
    trigger("chat.find");
    auto* words = window->find().findChild<QLineEdit*>();
    ASSERT_TRUE(words->hasFocus());
    QTest::keyClicks(words, QStringLiteral("lighthouse"));
    QTest::keyClick(words, Qt::Key_Return);
    EXPECT_TRUE(shows(window->find(), "1 of 10"));
    EXPECT_EQ(selected(50), QStringLiteral("Lighthouse"));
    EXPECT_EQ(window->find().findChild<QListWidget*>()->item(0)->text(),
              QStringLiteral("Here stands a **Lighthouse** of stone."));
    QTest::keyClick(words, Qt::Key_Return);
    EXPECT_EQ(selected(150), QStringLiteral("Lighthouse"));
    EXPECT_EQ(selected(50), QString()) << "only one place is selected";
    QTest::keyClick(words, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClick(words, Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_TRUE(shows(window->find(), "10 of 10")) << "round the end";
    const MessageView* last = window->chatView().messageAt(950);
    ASSERT_NE(last, nullptr);
    EXPECT_GE(last->y(), 0);
    EXPECT_LT(last->y(), window->chatView().viewport()->height());
    QTest::keyClick(words, Qt::Key_Escape);
    EXPECT_FALSE(window->find().isVisible());
    EXPECT_TRUE(window->prompt().edit()->hasFocus());
    EXPECT_EQ(selected(950), QString());
}

TEST_F(ChatJourney, findInAFoldedMessage_unfoldsItAndShowsTheMatch) {
    load();
    app::ChatLine line;
    line.text = QStringLiteral("One of many lines.\n").repeated(3000) +
                QStringLiteral("The needle.\n") + QStringLiteral("And more.\n").repeated(200);
    state->chat().currentModel().setLines({line});
    Q_EMIT state->chat().stateChanged();
    trigger("chat.find");
    auto* words = window->find().findChild<QLineEdit*>();
    QTest::keyClicks(words, QStringLiteral("NEEDLE"));
    QTest::keyClick(words, Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return selected(0) == QStringLiteral("needle"); }, 20'000));
    const MessageView* view = window->chatView().messageAt(0);
    const int y = view->y() + *view->selectionTop();
    EXPECT_GE(y, 0);
    EXPECT_LT(y, window->chatView().viewport()->height());
}

TEST_F(ChatJourney, findWithoutAMatch_reportsNotFound) {
    load();
    longTalk();
    trigger("chat.find");
    auto* words = window->find().findChild<QLineEdit*>();
    QTest::keyClicks(words, QStringLiteral("zebra"));
    QTest::keyClick(words, Qt::Key_Return);
    EXPECT_TRUE(shows(window->find(), "Not found"));
}

TEST_F(ChatJourney, answerThatEndedEarly_isContinued) {
    load();
    ask("Count.");
    EXPECT_FALSE(window->actions().find(QStringLiteral("chat.continue"))->isEnabled());
    finish("One, two,", FinishReason::Length);
    trigger("chat.continue");
    const auto asked = engine->sent<Submit>();
    ASSERT_EQ(asked.size(), 2U);
    const std::vector<ChatMessage> expected{{"user", "Count."}, {"assistant", "One, two,"}};
    EXPECT_EQ(asked[1].messages, expected);
    TokenText token;
    token.conversation = here();
    token.text = " three";
    hear(token);
    EXPECT_EQ(state->chat().currentModel().line(1).text, QStringLiteral("One, two, three"));
    finish(" three, four.");
    EXPECT_EQ(state->chat().currentModel().line(1).text, QStringLiteral("One, two, three, four."));
    EXPECT_EQ(state->chat().currentModel().rowCount(), 2);
    EXPECT_FALSE(window->actions().find(QStringLiteral("chat.continue"))->isEnabled())
        << "it came to its end";
}

TEST_F(ChatJourney, continueOverTheContext_keepsMessageAndAnswer) {
    load();
    ask("Count.");
    finish("One,", FinishReason::Length);
    trigger("chat.continue");
    refuse();
    ASSERT_EQ(state->chat().currentModel().rowCount(), 2);
    EXPECT_EQ(state->chat().currentModel().line(1).text, QStringLiteral("One,"));
    EXPECT_NE(dialog<ContextFullDialog>(), nullptr);
}

TEST_F(ChatJourney, systemPrompt_belongsToItsConversation_presetIsStoredByName) {
    load();
    trigger("chat.system");
    auto* open = dialog<SystemPromptDialog>();
    ASSERT_NE(open, nullptr);
    auto* text = open->findChild<QPlainTextEdit*>();
    EXPECT_TRUE(text->hasFocus());
    QTest::keyClicks(text, QStringLiteral("Answer in one word."));
    button(*open, "Save as...")->click();
    auto* name = open->findChild<QInputDialog*>();
    ASSERT_NE(name, nullptr);
    name->setTextValue(QStringLiteral("Short"));
    name->accept();
    button(*open, "Use")->click();
    EXPECT_EQ(state->chat().systemPrompt(), QStringLiteral("Answer in one word."));
    ask("Which colour?");
    const std::vector<ChatMessage> expected{{"system", "Answer in one word."},
                                            {"user", "Which colour?"}};
    EXPECT_EQ(engine->sent<Submit>().back().messages, expected);
    EXPECT_FALSE(window->actions().find(QStringLiteral("chat.system"))->isEnabled());
    finish("Blue.");
    EXPECT_EQ(state->chat().title(state->chat().current()), QStringLiteral("Which colour?"));
    trigger("chat.new");
    EXPECT_EQ(state->chat().systemPrompt(), QString());
    trigger("chat.system");
    auto* names = dialog<SystemPromptDialog>()->findChild<QComboBox*>();
    ASSERT_EQ(names->findText(QStringLiteral("Short")), 1);
    names->setCurrentIndex(1);
    Q_EMIT names->activated(1);
    button(*dialog<SystemPromptDialog>(), "Use")->click();
    EXPECT_EQ(state->chat().systemPrompt(), QStringLiteral("Answer in one word."));
}

TEST_F(ChatJourney, defaultPreset_isUsedByNewConversations) {
    load();
    trigger("chat.system");
    auto* open = dialog<SystemPromptDialog>();
    ASSERT_NE(open, nullptr);
    auto* always = open->findChild<QCheckBox*>();
    EXPECT_FALSE(always->isEnabled()) << "nothing is kept";
    QTest::keyClicks(open->findChild<QPlainTextEdit*>(), QStringLiteral("Be brief."));
    button(*open, "Save as...")->click();
    auto* name = open->findChild<QInputDialog*>();
    name->setTextValue(QStringLiteral("Short"));
    name->accept();
    always->click();
    open->reject();
    ask("Which colour?");
    EXPECT_EQ(engine->sent<Submit>().back().messages.front().content, "Be brief.");
    finish("Blue.");
    trigger("chat.new");
    EXPECT_EQ(state->chat().systemPrompt(), QStringLiteral("Be brief."));
    EXPECT_TRUE(state->chat().isEmpty()) << "nothing is said yet";
    trigger("chat.system");
    auto* second = dialog<SystemPromptDialog>();
    EXPECT_TRUE(second->findChild<QCheckBox*>()->isChecked());
    second->findChild<QPlainTextEdit*>()->clear();
    button(*second, "Use")->click();
    ask("And now?");
    EXPECT_EQ(engine->sent<Submit>().back().messages.size(), 1U) << "not in this one";
}

TEST(SystemPrompts, presets_areRestoredInTheNextRun) {
    offscreenApplication();
    const QTemporaryDir folder;
    {
        app::SystemPrompts prompts(folder.path());
        EXPECT_EQ(prompts.keep(QStringLiteral("Short"), QStringLiteral("Be brief.")), QString());
        EXPECT_EQ(prompts.keep(QStringLiteral("Long"), QStringLiteral("Be wordy.")), QString());
        EXPECT_EQ(prompts.remove(QStringLiteral("Long")), QString());
        EXPECT_EQ(prompts.setDefault(QStringLiteral("Short")), QString());
    }
    app::SystemPrompts again(folder.path());
    EXPECT_EQ(again.defaultText(), QStringLiteral("Be brief."));
    EXPECT_EQ(again.all(),
              (QMap<QString, QString>{{QStringLiteral("Short"), QStringLiteral("Be brief.")}}));
}

TEST_F(ChatJourney, droppedFiles_becomeChips_areSentWithTheirNames) {
    load();
    const QTemporaryDir folder;
    const auto write = [&folder](const char* name, const QByteArray& bytes) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        return QUrl::fromLocalFile(file.fileName());
    };
    QMimeData dropped;
    dropped.setUrls({write("a.cpp", "int a;"), write("b.txt", "second"),
                     write("c.bin", QByteArray("\x00\x01\xff", 3)),
                     write("d.pdf", "%PDF-1.7\xff")});
    QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &dropped, Qt::LeftButton,
                          Qt::NoModifier);
    QApplication::sendEvent(window.get(), &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop(QPointF(400, 300), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window.get(), &drop);
    ASSERT_TRUE(QTest::qWaitFor([&] { return window->prompt().texts().size() == 3; }));
    ASSERT_TRUE(QTest::qWaitFor([&] {
        return window->notice().sentence().contains(QStringLiteral("d.pdf cannot be read"));
    }));
    EXPECT_TRUE(shows("a.cpp"));
    const app::PromptDraft draft = window->prompt().draft();
    EXPECT_EQ(draft.attachmentName, QStringLiteral("a.cpp, b.txt"));
    EXPECT_EQ(draft.attachmentText, QStringLiteral("a.cpp:\n\nint a;\n\nb.txt:\n\nsecond"));
    for (QToolButton* remove : window->prompt().findChildren<QToolButton*>())
        if (remove->accessibleName().endsWith(QStringLiteral("b.txt"))) remove->click();
    EXPECT_EQ(window->prompt().draft().attachmentName, QStringLiteral("a.cpp"));
    EXPECT_EQ(window->prompt().draft().attachmentText, QStringLiteral("int a;"));
}

TEST_F(ChatJourney, rejectedTurn_restoresTheChipsInOrder) {
    load();
    window->prompt().attach(QStringLiteral("code, or more.py"), QStringLiteral("int a;"));
    window->prompt().attach(QStringLiteral("report.pdf"), QStringLiteral("words ").repeated(50));
    ask("What is it?");
    EXPECT_EQ(window->prompt().texts().size(), 1) << "sent";
    window->prompt().attach(QStringLiteral("later.txt"), QStringLiteral("later"));
    refuse();
    EXPECT_EQ(window->prompt().texts(),
              (QStringList{QStringLiteral("What is it?"), QStringLiteral("int a;"),
                           QStringLiteral("words ").repeated(50), QStringLiteral("later")}));
    EXPECT_EQ(window->prompt().draft().attachmentName,
              QStringLiteral("code, or more.py, report.pdf, later.txt"));
    EXPECT_TRUE(window->notice().sentence().contains(QStringLiteral("report.pdf")))
        << window->notice().sentence().toStdString();
    // The same again after editing a question that was sent with both.
    finishDialogs();
    trigger("chat.send");
    finish("An answer.");
    app::PromptDraft changed = state->chat().draftOf(0);
    changed.text = QStringLiteral("And now?");
    state->chat().edit(0, changed);
    refuse();
    EXPECT_EQ(window->prompt().texts().size(), 4);
}

TEST_F(ChatJourney, attachmentChips_ofASentMessage_openTheirText) {
    load();
    window->prompt().attach(QStringLiteral("a & b.txt"), QStringLiteral("first\nline"));
    window->prompt().attach(QStringLiteral("c.txt"), QStringLiteral("second"));
    ask("What is it?");
    QCoreApplication::processEvents();
    const MessageView* view = window->chatView().messageAt(0);
    ASSERT_NE(view, nullptr);
    const auto chip = [view](const char* name) -> QToolButton* {
        for (QToolButton* found : view->findChildren<QToolButton*>())
            if (found->accessibleName().endsWith(QString::fromUtf8(name))) return found;
        return nullptr;
    };
    ASSERT_NE(chip("a & b.txt"), nullptr);
    ASSERT_NE(chip("c.txt"), nullptr);
    EXPECT_TRUE(view->tabChain().contains(chip("c.txt"))) << "by keyboard as well";
    chip("a & b.txt")->click();
    QPlainTextEdit* shown = nullptr;
    for (QDialog* page : window->findChildren<QDialog*>())
        if (page->windowTitle() == QStringLiteral("a & b.txt"))
            shown = page->findChild<QPlainTextEdit*>();
    ASSERT_NE(shown, nullptr);
    EXPECT_EQ(shown->toPlainText(), QStringLiteral("first\nline"));
    EXPECT_TRUE(shown->isReadOnly());
}

TEST_F(ChatJourney, newConversation_clearsTheSearchThatWouldHideIt) {
    load();
    talkOf("Of harbours.", "Yes.");
    auto* sessions = window->findChild<SessionList*>();
    auto* search = sessions->findChild<QLineEdit*>();
    auto* list = sessions->findChild<QListView*>();
    search->setText(QStringLiteral("harbours"));
    EXPECT_EQ(list->model()->rowCount(), 1);
    trigger("chat.new");
    EXPECT_TRUE(search->text().isEmpty());
    EXPECT_EQ(list->model()->rowCount(), 2);
    EXPECT_TRUE(list->currentIndex().isValid());
    search->setText(QStringLiteral("harbours"));
    trigger("chat.new");  // an empty one exists already
    EXPECT_TRUE(search->text().isEmpty());
    EXPECT_TRUE(list->currentIndex().isValid());
    // A restored conversation is not hidden either.
    const qint64 id = state->chat().current();
    talkOf("Of mountains.", "No.");
    trigger("chat.delete");
    search->setText(QStringLiteral("harbours"));
    trigger("chat.undelete");
    EXPECT_EQ(state->chat().current(), id);
    EXPECT_TRUE(search->text().isEmpty());
}

TEST(SessionTitles, longTitles_areElidedOnceBetweenTwoWords) {
    offscreenApplication();
    const QFontMetrics letters(Theme::font(FontRole::Base));
    for (const char* title : {"Tell me a long story about a dragon and a\u2026",
                              "What is the name of Cyclops's uncle, who lives in the\u2026",
                              "What do you know about the history of the harbour?"}) {
        const QString whole = QString::fromUtf8(title);
        const QStringList words =
            QString(whole).remove(QChar(0x2026)).split(QLatin1Char(' '), Qt::SkipEmptyParts);
        for (int width = 60; width < 400; width += 10) {
            const QString shown = shortTitle(whole, letters, width);
            EXPECT_LE(letters.horizontalAdvance(shown), width);
            EXPECT_LE(shown.count(QChar(0x2026)), 1) << shown.toStdString();
            for (const QString& word : QString(shown)
                                           .replace(QChar(0x2026), QLatin1Char(' '))
                                           .split(QLatin1Char(' '), Qt::SkipEmptyParts))
                EXPECT_TRUE(words.contains(word) || !shown.contains(QLatin1Char(' ')))
                    << shown.toStdString();
        }
    }
    EXPECT_NE(shortTitle(QStringLiteral("What do you know about the history of the harbour?"),
                         letters, 180),
              shortTitle(QStringLiteral("What do you know about the history of the lighthouse?"),
                         letters, 180));
}

TEST_F(ChatJourney, searchHits_showRenderedText) {
    load();
    talkOf("Show me.",
           "## The *grey* **harbour**\n\nA [harbour](http://harbour.example/x) of "
           "`stone`.\n\n| harbour | b |\n|---|---|\n| 1 | 2 |");
    trigger("chat.find");
    auto* words = window->find().findChild<QLineEdit*>();
    words->setText(QStringLiteral("harbour"));
    QTest::keyClick(words, Qt::Key_Return);
    const auto* list = window->find().findChild<QListWidget*>();
    ASSERT_EQ(list->count(), 3) << "an address is not shown";
    for (int i = 0; i < list->count(); ++i)
        EXPECT_FALSE(list->item(i)->text().contains(QRegularExpression(QStringLiteral("[*#`|(]"))))
            << list->item(i)->text().toStdString();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(selected(1), QStringLiteral("harbour"));
        QTest::keyClick(words, Qt::Key_Return);
    }
    words->setText(QStringLiteral("grey harbour"));
    QTest::keyClick(words, Qt::Key_Return);
    EXPECT_EQ(selected(1), QStringLiteral("grey harbour")) << "across marks";
}

TEST_F(ChatJourney, undoNotice_isClearedWithTheUndo) {
    load();
    talkOf("Keep this.", "Kept.");
    trigger("chat.delete");
    ASSERT_TRUE(window->notice().sentence().contains(QStringLiteral("Keep this.")));
    state->chat().undoRemove();
    EXPECT_EQ(window->notice().sentence(), QString());
    trigger("chat.delete");
    ASSERT_FALSE(window->notice().sentence().isEmpty());
    trigger("page.chat");
    EXPECT_EQ(window->notice().sentence(), QString()) << "something else is done";
    // No deletion happened that could be undone.
    trigger("chat.new");
    hear(ModelUnloaded{});
    trigger("chat.delete");
    EXPECT_EQ(window->notice().sentence(), QString());
}

TEST_F(ChatJourney, successNotices_expire_problemNoticesStay) {
    NoticeBar& bar = window->notice();
    bool possible = true;
    bar.showMessage(
        NoticeKind::Info, QStringLiteral("Offer"), QStringLiteral("Do"), [] {},
        [&possible] { return possible; });
    bar.nextAction();
    bar.review();
    EXPECT_FALSE(bar.sentence().isEmpty()) << "it can be done still";
    possible = false;
    bar.review();
    EXPECT_TRUE(bar.sentence().isEmpty());
    bar.showMessage(NoticeKind::Problem, QStringLiteral("Broken"));
    bar.nextAction();
    EXPECT_FALSE(bar.sentence().isEmpty());
    bar.showMessage(NoticeKind::Success, QStringLiteral("Written"));
    EXPECT_FALSE(bar.sentence().isEmpty());
    ASSERT_TRUE(QTest::qWaitFor([&bar] { return bar.sentence().isEmpty(); }, 30'000));
    bar.showMessage(NoticeKind::Success, QStringLiteral("Written"));
    bar.nextAction();
    EXPECT_TRUE(bar.sentence().isEmpty());
}

TEST_F(ChatJourney, answers_showTheirModel_decodeRateIsOfTheConversation) {
    load();
    ask("First.");
    TurnFinished finished;
    finished.conversation = here();
    finished.text = "Yes.";
    finished.turn = 1;
    finished.stats.generatedTokens = 40;
    finished.stats.decodeSeconds = 10;
    hear(finished);
    EXPECT_TRUE(shows(window->chatView(), app::smallFacts().name.c_str()));
    const auto* strip = window->findChild<ContextStrip*>();
    EXPECT_TRUE(shows(*strip, "last answer 4.0 tok/s"));
    trigger("chat.new");
    EXPECT_FALSE(shows(*strip, "last answer"));
}

TEST_F(ChatJourney, editMenu_actsOnTheFocusedText) {
    load();
    QPlainTextEdit& edit = *window->prompt().edit();
    edit.setFocus();
    QTest::keyClicks(&edit, QStringLiteral("words"));
    trigger("text.selectAll");
    trigger("text.copy");
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("words"));
    trigger("text.cut");
    EXPECT_TRUE(edit.toPlainText().isEmpty());
    trigger("text.paste");
    EXPECT_EQ(edit.toPlainText(), QStringLiteral("words"));
    trigger("text.undo");
    EXPECT_TRUE(edit.toPlainText().isEmpty());
}

TEST_F(ChatJourney, messageOverTheContext_isNotSentAndReportsTheReason) {
    loadPilot();
    ask("hello");
    finish("Hello.");
    const auto sent = engine->sent<Submit>().size();
    window->prompt().attach(QStringLiteral("long.txt"), QStringLiteral("word ").repeated(6000));
    QPushButton* send = button(window->prompt(), "Send");
    ASSERT_NE(send, nullptr);
    ASSERT_TRUE(QTest::qWaitFor([send] { return !send->isEnabled(); }, 20'000));
    EXPECT_TRUE(send->toolTip().contains(QStringLiteral("long.txt")))
        << send->toolTip().toStdString();
    QTest::keyClick(window->prompt().edit(), Qt::Key_Return);
    trigger("chat.send");
    EXPECT_EQ(engine->sent<Submit>().size(), sent);
    for (QToolButton* remove : window->prompt().findChildren<QToolButton*>())
        if (remove->accessibleName().endsWith(QStringLiteral("long.txt"))) remove->click();
    QTest::keyClicks(window->prompt().edit(), QStringLiteral("short"));
    EXPECT_TRUE(send->isEnabled());
}

TEST_F(ChatJourney, promptTexts_areCountedInModelTokens) {
    loadPilot();
    window->prompt().edit()->setFocus();
    QTest::keyClicks(window->prompt().edit(), QStringLiteral("hello"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return window->prompt().tokens().has_value(); }, 20'000));
    EXPECT_EQ(window->prompt().tokens(), 2);
    EXPECT_TRUE(context().endsWith(QStringLiteral("and about 2 in the prompt")));
    window->prompt().attach(QStringLiteral("long"), QStringLiteral("word ").repeated(6000));
    EXPECT_FALSE(window->prompt().tokens().has_value()) << "not known yet";
    ASSERT_TRUE(QTest::qWaitFor([&] { return window->prompt().tokens().has_value(); }, 20'000));
    EXPECT_GT(window->prompt().tokens(), 4096);
    EXPECT_TRUE(context().endsWith(QStringLiteral("room for 4,096")));
    EXPECT_TRUE(shows(window->prompt(), "tokens"));
    window->prompt().clear();
    EXPECT_FALSE(context().contains(QStringLiteral("in the prompt")));
}

TEST_F(ChatJourney, fullContext_opensOneDialogWithAllOptions) {
    load();
    talkOf("First.", "Yes.");
    talkOf("Second.", "No.");
    ask("A long question.");
    refuse();
    EXPECT_EQ(window->prompt().draft().text, QStringLiteral("A long question."));
    auto* full = dialog<ContextFullDialog>();
    ASSERT_NE(full, nullptr);
    EXPECT_TRUE(shows(*full, "The prompt has 5,000 tokens."));
    const auto way = [&full](const char* title) -> QCommandLinkButton* {
        for (auto* found : full->findChildren<QCommandLinkButton*>())
            if (found->text() == QString::fromUtf8(title)) return found;
        return nullptr;
    };
    ASSERT_NE(way("Continue without the older half"), nullptr);
    EXPECT_EQ(way("Raise the context to 4,096 tokens"), nullptr) << "it has them already";
    QCommandLinkButton* half = way("New conversation with the newer half");
    ASSERT_NE(half, nullptr);
    const qint64 before = state->chat().current();
    half->click();
    EXPECT_NE(state->chat().current(), before);
    ASSERT_EQ(state->chat().currentModel().rowCount(), 2);
    EXPECT_EQ(state->chat().currentModel().line(0).text, QStringLiteral("Second."));
    EXPECT_EQ(window->prompt().draft().text, QStringLiteral("A long question."));
    trigger("chat.send");
    const std::vector<ChatMessage> expected{
        {"user", "Second."}, {"assistant", "No."}, {"user", "A long question."}};
    EXPECT_EQ(engine->sent<Submit>().back().messages, expected);
    state->chat().select(before);
    EXPECT_EQ(state->chat().currentModel().rowCount(), 4) << "the old one is as it was";
}

TEST_F(ChatJourney, fullContext_shiftsWhenSelected) {
    load();
    ask("A long question.");
    refuse();
    auto* full = dialog<ContextFullDialog>();
    ASSERT_NE(full, nullptr);
    full->findChildren<QCommandLinkButton*>().front()->click();
    ASSERT_FALSE(engine->sent<SetConfig>().empty());
    EXPECT_EQ(engine->sent<SetConfig>().back().config.contextShift, 4);
    EXPECT_FALSE(full->isVisible());
}

TEST_F(ChatJourney, codeBlock_namesItsLanguage_copiesTheCodeOnly) {
    load();
    talkOf("Code, please.",
           "Before.\n\n```python\nx = 1\n\nprint(x)\n```\n\nBetween.\n\n```\nlast\n```\n");
    QCoreApplication::processEvents();
    auto* text = window->chatView().messageAt(1)->findChild<MessageText*>();
    QList<QToolButton*> copies = text->findChildren<QToolButton*>();
    ASSERT_EQ(copies.size(), 2);
    EXPECT_TRUE(shows(*text, "python"));
    const int code = text->cursorRect(text->document()->find(QStringLiteral("x = 1"))).top();
    const int before = text->cursorRect(text->document()->find(QStringLiteral("Before"))).bottom();
    const QWidget* bar = copies.front()->parentWidget();
    EXPECT_GE(bar->y(), before) << "the bar covers no text";
    EXPECT_LE(bar->geometry().bottom(), code);
    QTest::mouseClick(copies.front(), Qt::LeftButton);
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("x = 1\n\nprint(x)"));
    trigger("chat.copyCode");
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("last"));
}

TEST_F(ChatJourney, longLineOfCode_scrollsInsteadOfBreaking) {
    load();
    const QString line = QStringLiteral("word ").repeated(100) + QStringLiteral("last");
    talkOf("Code, please.", ("```\nshort\n" + line.toStdString() + "\n```\n").c_str());
    QCoreApplication::processEvents();
    auto* text = window->chatView().messageAt(1)->findChild<MessageText*>();
    EXPECT_EQ(text->document()->find(QStringLiteral("last")).block().layout()->lineCount(), 1);
    EXPECT_EQ(text->horizontalScrollBar()->maximum(), 0) << "the message does not scroll";
    QScrollBar* scroll = nullptr;
    for (auto* one : text->viewport()->findChildren<QScrollBar*>()) scroll = one;
    ASSERT_NE(scroll, nullptr);
    ASSERT_TRUE(scroll->isVisible());
    const QTextCursor last = text->document()->find(QStringLiteral("last"));
    const QRect place = text->cursorRect(last);
    ASSERT_GT(place.x(), text->viewport()->width());
    window->chatView().showWords(1, QStringLiteral("last"), 0);
    QCoreApplication::processEvents();
    EXPECT_GT(scroll->value(), 0) << "a match is scrolled into view";
    scroll->setValue(scroll->maximum());
    const QPoint seen = place.center() - QPoint(scroll->value() + 4, 0);
    ASSERT_LT(seen.x(), text->viewport()->width());
    QTest::mouseDClick(text->viewport(), Qt::LeftButton, {}, seen);
    EXPECT_EQ(text->textCursor().selectedText(), QStringLiteral("last"))
        << "a click finds the word that is under it";
    const QImage shown = text->viewport()->grab().toImage();
    scroll->setValue(0);
    EXPECT_NE(shown, text->viewport()->grab().toImage());
}

TEST_F(ChatJourney, reasoning_isFoldedWithItsTimeAndTokens) {
    load();
    ask("Think.");
    std::int64_t index = 0;
    for (const char* piece : {"<think>", "Let me", " see.", "</think>", "Yes."}) {
        TokenText token;
        token.conversation = here();
        token.index = index++;
        token.text = piece;
        hear(token);
        const MessageView* answer = window->chatView().messageAt(1);
        if (index == 3) {
            const auto* thought = answer->findChild<ThoughtView*>();
            ASSERT_NE(thought, nullptr);
            EXPECT_TRUE(thought->button()->text().startsWith(QStringLiteral("Thinking for")));
        }
    }
    finish("<think>Let me see.</think>Yes.");
    auto* answer = window->chatView().messageAt(1);
    auto* thought = answer->findChild<ThoughtView*>();
    EXPECT_TRUE(thought->button()->text().startsWith(QStringLiteral("Thought for")));
    EXPECT_TRUE(thought->button()->text().endsWith(QStringLiteral("4 tokens")))
        << thought->button()->text().toStdString();
    EXPECT_EQ(thought->findChild<MessageText*>(), nullptr) << "folded";
    const int folded = answer->height();
    thought->button()->click();
    QCoreApplication::processEvents();
    ASSERT_NE(thought->findChild<MessageText*>(), nullptr);
    EXPECT_EQ(thought->findChild<MessageText*>()->toPlainText(), QStringLiteral("Let me see."));
    EXPECT_GT(answer->height(), folded);
    thought->button()->click();
    QCoreApplication::processEvents();
    EXPECT_EQ(answer->height(), folded);
    trigger("chat.copy");
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("Yes."));
}

TEST_F(ChatJourney, exportedConversation_isWrittenInEveryFormat) {
    const QTemporaryDir folder;
    EXPECT_FALSE(window->actions().find(QStringLiteral("chat.exportMarkdown"))->isEnabled());
    load();
    talkOf("Two and two?", "It is **4**.");
    const QString names[] = {QStringLiteral("a.md"), QStringLiteral("a.json"),
                             QStringLiteral("a.html")};
    const char* actions[] = {"chat.exportMarkdown", "chat.exportJson", "chat.exportHtml"};
    const char* words[] = {"\nIt is **4**.\n", "\"content\": \"It is **4**.\"",
                           "<p>It is <strong>4</strong>.</p>"};
    for (int i = 0; i < 3; ++i) {
        trigger(actions[i]);
        auto* files = dialog<QFileDialog>();
        ASSERT_NE(files, nullptr);
        EXPECT_EQ(QFileInfo(files->selectedFiles().value(0)).fileName(),
                  QStringLiteral("Two and two.") + QFileInfo(names[i]).suffix());
        const QString path = folder.filePath(names[i]);
        files->setDirectory(folder.path());
        Q_EMIT files->filesSelected({path});
        files->close();
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        EXPECT_TRUE(bytes.contains(words[i])) << bytes.constData();
    }
}

TEST_F(ChatJourney, figuresOfAnAnswer_areShownInItsConversationOnly) {
    load();
    ask("one");
    const qint64 first = state->chat().current();
    hear(StateChanged{EngineState::Decode});
    StepSample step;
    step.conversation = here();
    step.at = {.turn = 1, .index = 0};
    step.phase = EngineState::Decode;
    step.tokens = 10;
    step.stepMs = 500;
    step.timeNs = 1'000'000'000;
    step.kv.tokens = 77;
    hear(step);
    EXPECT_TRUE(shows("Writing 20.0 tok/s"));
    trigger("chat.new");
    QCoreApplication::processEvents();
    EXPECT_FALSE(shows("tok/s")) << "this conversation has no answer";
    EXPECT_TRUE(context().startsWith(QStringLiteral("Context 0 /")));
    EXPECT_TRUE(shows("is being answered")) << "it says why the engine is busy";
    step.timeNs += 500'000'000;
    step.at.index = 1;
    hear(step);
    EXPECT_FALSE(shows("tok/s"));
    state->chat().select(first);
    QCoreApplication::processEvents();
    EXPECT_TRUE(shows("Writing 20.0 tok/s"));
    EXPECT_TRUE(context().startsWith(QStringLiteral("Context 77 /")));
}

TEST_F(ChatJourney, deleteKeyInTheList_deletesTheConversation) {
    load();
    talkOf("Keep this.", "Yes.");
    const qint64 id = state->chat().current();
    auto* list = window->findChild<SessionList*>()->findChild<QListView*>();
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Delete);
    EXPECT_NE(state->chat().current(), id);
    EXPECT_TRUE(state->chat().canUndoRemove());
}

TEST_F(ChatJourney, longTurnInTheBackground_sendsADesktopNotification) {
    load();
    QStringList told;
    QWidget elsewhere;  // never the active window
    const AnswerAlert alert(
        state->chat(), elsewhere,
        [&told](const QString& title, const QString& text) { told << title << text; });
    ask("Quick?");
    finish("Yes.");
    EXPECT_TRUE(told.isEmpty());
    ask("Slow?");
    finish("In\nthe end.", FinishReason::Stop, AnswerAlert::kLongSeconds + 1);
    EXPECT_EQ(told, (QStringList{QStringLiteral("Quick?"), QStringLiteral("In the end.")}));
    state->chat().setPrivate(state->chat().current(), true);
    ask("Secret?");
    finish("Hush.", FinishReason::Stop, AnswerAlert::kLongSeconds + 1);
    EXPECT_EQ(told.size(), 4);
    EXPECT_FALSE(told.join(QLatin1Char(' ')).contains(QStringLiteral("Hush")));
}

}  // namespace
}  // namespace lacuna::ui

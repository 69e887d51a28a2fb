// User workflows in the window with a scripted engine.

#include "ui/window/main_window.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QScreen>
#include <QSet>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTextCursor>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>

#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/chat/found_conversation.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/ui/window_stage.h"
#include "ui/charts/retention_view.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/message_view.h"
#include "ui/chat/prompt_box.h"
#include "ui/chat/session_list.h"
#include "ui/pages/model_details.h"
#include "ui/panels/setting_row.h"
#include "ui/panels/settings_panel.h"
#include "ui/window/action_registry.h"
#include "ui/window/guided_demo.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {
namespace {

class MainWindowTest : public WindowStage {
  protected:
    void type(const char* text) {
        window->prompt().edit()->setFocus();
        QTest::keyClicks(window->prompt().edit(), QString::fromUtf8(text));
    }
    void say(const char* text) {
        TokenText token;
        token.conversation = here();
        token.text = text;
        hear(token);
    }
    void finish(const char* text, FinishReason reason = FinishReason::Stop) {
        TurnFinished finished;
        finished.conversation = here();
        finished.text = text;
        finished.reason = reason;
        finished.stats.generatedTokens = 5;
        finished.stats.promptTokens = 1234;
        finished.stats.decodeSeconds = 0.25;
        hear(finished);
    }
    void talkOf(const char* question, const char* answer) {
        type(question);
        trigger("chat.send");
        finish(answer);
    }
    /// Creates two conversations; the second one stays on screen.
    void talkOfTwoThings() {
        load();
        talkOf("About the harbour.", "Yes.");
        trigger("chat.new");
        talkOf("About the lighthouse.", "No.");
    }
    template <class T>
    [[nodiscard]] T* inRow(const char* key) const {
        return window->tuning().row(QString::fromLatin1(key))->findChild<T*>();
    }
    /// The engine applies the settings sent last.
    void applyLast() {
        ConfigApplied applied;
        applied.revision = engine->sent<SetConfig>().back().revision;
        applied.config = engine->sent<SetConfig>().back().config;
        hear(applied);
    }
    /// Types a number into the field of a setting.
    void enter(const char* key, const char* number) {
        window->tuning().reveal(QString::fromLatin1(key));
        auto* field = inRow<SettingNumberField>(key);
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, QString::fromLatin1(number));
        QTest::keyClick(field, Qt::Key_Return);
    }
};

TEST_F(MainWindowTest, newWindow_focusesThePrompt) {
    EXPECT_EQ(window->focusWidget(), window->prompt().edit());
}

TEST_F(MainWindowTest, message_isTypedSentStreamedAndFinished) {
    load();
    type("Tell me the pass key.");
    QTest::keyClick(window->prompt().edit(), Qt::Key_Return);
    ASSERT_EQ(engine->sent<Submit>().size(), 1U);
    EXPECT_EQ(engine->sent<Submit>()[0].messages[0].content, "Tell me the pass key.");
    EXPECT_TRUE(window->prompt().draft().isEmpty());
    EXPECT_EQ(window->chatView().messageCount(), 2);
    const auto read = [this] {
        const MessageView* answer = window->chatView().messageAt(1);
        return answer == nullptr ? QString() : answer->findChild<MessageText*>()->toPlainText();
    };
    say("The pass ");
    EXPECT_TRUE(QTest::qWaitFor([&] { return read() == QStringLiteral("The pass "); }, 5000) ||
                read() == QStringLiteral("The pass"))
        << read().toStdString();
    say("key is 5.");
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return read() == QStringLiteral("The pass key is 5."); }, 5000))
        << "each word once, while it is written: " << read().toStdString();
    EXPECT_TRUE(shows("writing"));
    finish("The pass key is 5.");
    EXPECT_TRUE(shows("1,234\u00A0prompt\u00A0tokens"));
    EXPECT_TRUE(shows("20.0\u00A0tok/s"));
}

TEST_F(MainWindowTest, shiftEnter_insertsALineBreak) {
    load();
    type("a");
    QTest::keyClick(window->prompt().edit(), Qt::Key_Return, Qt::ShiftModifier);
    type("b");
    EXPECT_TRUE(engine->sent<Submit>().empty());
    EXPECT_EQ(window->prompt().draft().text, QStringLiteral("a\nb"));
}

TEST_F(MainWindowTest, stopAndRegenerate_reachTheEngine) {
    load();
    type("Go on.");
    trigger("chat.send");
    say("Once");
    ASSERT_TRUE(window->actions().find(QStringLiteral("chat.stop"))->isEnabled());
    trigger("chat.stop");
    EXPECT_EQ(engine->sent<CancelTurn>().size(), 1U);
    finish("Once", FinishReason::Cancelled);
    EXPECT_TRUE(shows("Stopped."));
    trigger("chat.regenerate");
    EXPECT_EQ(engine->sent<Submit>().size(), 2U);
    EXPECT_EQ(window->chatView().messageCount(), 2);
}

TEST_F(MainWindowTest, longPaste_becomesAnAttachment) {
    load();
    QApplication::clipboard()->setText(QString(20'000, QLatin1Char('x')));
    window->prompt().edit()->setFocus();
    window->prompt().edit()->paste();
    EXPECT_TRUE(window->prompt().edit()->toPlainText().isEmpty());
    EXPECT_EQ(window->prompt().draft().attachmentText.size(), 20'000);
    EXPECT_TRUE(shows("20,000 characters"));
}

TEST_F(MainWindowTest, sliderMovedByKeys_sendsOneChangeAndShowsRequestedAndEffective) {
    load();
    auto* slider = inRow<SettingSlider>("am_ratio");
    ASSERT_NE(slider, nullptr);
    slider->setFocus();
    for (int i = 0; i < 5; ++i) QTest::keyClick(slider, Qt::Key_Right);
    EXPECT_TRUE(engine->sent<SetConfig>().empty()) << "keyboard steps are collected";
    ASSERT_TRUE(QTest::qWaitFor([this] { return !engine->sent<SetConfig>().empty(); }, 2000));
    ASSERT_EQ(engine->sent<SetConfig>().size(), 1U);
    EXPECT_NEAR(engine->sent<SetConfig>()[0].config.kv.amRatio, 6, 1e-9);
    EXPECT_TRUE(shows("effective 4"));
    applyLast();
    EXPECT_TRUE(shows("applied"));
    EXPECT_FALSE(shows("effective 4"));
}

TEST_F(MainWindowTest, conversationCacheSettings_areCheckedInThatConversationOnly) {
    load();
    auto* panel = window->findChild<SettingsPanel*>();
    QCheckBox* own = panel->ownBox();
    EXPECT_TRUE(own->isVisible());
    EXPECT_FALSE(own->isChecked());
    const ConversationId before = here();
    app::PromptDraft draft;
    draft.text = QStringLiteral("Where is it?");
    state->chat().submit(draft);
    own->setFocus();
    QTest::keyClick(own, Qt::Key_Space);
    EXPECT_TRUE(own->isChecked());
    const auto sent = engine->sent<SetCacheSettings>();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].conversation, before);
    hear(ConfigApplied{.revision = sent[0].revision,
                       .conversation = before,
                       .own = true,
                       .config = {},
                       .at = {},
                       .timeNs = 0});
    trigger("chat.new");
    ASSERT_NE(here(), before);
    EXPECT_FALSE(own->isChecked());
    state->chat().select(before.value);
    EXPECT_TRUE(own->isChecked());
    EXPECT_EQ(engine->sent<SetCacheSettings>().size(), 1U) << "looking elsewhere changes nothing";
    EXPECT_TRUE(engine->sent<SetConfig>().empty());
}

TEST_F(MainWindowTest, settingsShortcut_focusesASettingAndNotItsReset) {
    load();
    trigger("focus.tuning");
    auto* panel = window->findChild<SettingsPanel*>();
    QWidget* focused = window->focusWidget();
    ASSERT_NE(focused, nullptr);
    EXPECT_TRUE(panel->isAncestorOf(focused));
    EXPECT_EQ(qobject_cast<QAbstractButton*>(focused), nullptr);
}

TEST_F(MainWindowTest, wheelOverAComboBox_changesNothing) {
    load();
    const auto choices = window->findChild<SettingsPanel*>()->findChildren<QComboBox*>();
    ASSERT_GT(choices.size(), 3);
    const std::size_t sent = engine->sent<SetConfig>().size();
    for (QComboBox* choice : choices) {
        choice->setFocus();
        const int before = choice->currentIndex();
        for (const int turn : {120, -120, -120}) {
            const QPointF middle = choice->rect().center();
            QWheelEvent event(middle, choice->mapToGlobal(middle), {}, {0, turn}, Qt::NoButton,
                              Qt::NoModifier, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(choice, &event);
        }
        EXPECT_EQ(choice->currentIndex(), before) << choice->accessibleName().toStdString();
    }
    EXPECT_TRUE(QTest::qWaitFor([] { return true; }, 300));
    EXPECT_EQ(engine->sent<SetConfig>().size(), sent);
}

TEST_F(MainWindowTest, rejectedValue_showsTheReasonWithoutARuleCode_andTheNearestValueButton) {
    load();
    enter("am_ratio", "50.1");
    EXPECT_TRUE(engine->sent<SetConfig>().empty());
    EXPECT_TRUE(shows("allowed is"));
    EXPECT_FALSE(shows("AM-RANGE"));
    QPushButton* nearest = button(*window->tuning().row(QStringLiteral("am_ratio")), "Use 50");
    ASSERT_NE(nearest, nullptr);
    ASSERT_TRUE(nearest->isVisible());
    nearest->click();
    ASSERT_EQ(engine->sent<SetConfig>().size(), 1U);
    EXPECT_DOUBLE_EQ(engine->sent<SetConfig>()[0].config.kv.amRatio, 50);
    EXPECT_FALSE(shows("allowed is"));
}

TEST_F(MainWindowTest, digitOnASlider_startsExactInput) {
    load();
    window->tuning().reveal(QStringLiteral("keep_recent"));
    auto* slider = inRow<SettingSlider>("keep_recent");
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_6);
    auto* field = inRow<SettingNumberField>("keep_recent");
    QTest::keyClicks(field, QStringLiteral("4"));
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([this] { return !engine->sent<SetConfig>().empty(); }, 2000));
    EXPECT_EQ(engine->sent<SetConfig>().back().config.kv.keepRecent, 64);
}

TEST_F(MainWindowTest, cacheLimit_showsItsUnitAndTheEffectiveValue) {
    load();
    const SettingRow& row = *window->tuning().row(QStringLiteral("cache_limit"));
    window->tuning().reveal(QStringLiteral("cache_limit"));
    EXPECT_TRUE(shows(row, "Cache limit"));
    EXPECT_TRUE(shows(row, "no limit")) << "what the 0 of the start stands for";
    enter("cache_limit", "96.5");
    ASSERT_TRUE(QTest::qWaitFor([this] { return !engine->sent<SetConfig>().empty(); }, 60'000));
    EXPECT_DOUBLE_EQ(engine->sent<SetConfig>().back().config.cacheLimitMiB, 96.5);
    EXPECT_TRUE(shows(row, "effective 0\u00a0MiB"));
    applyLast();
    EXPECT_FALSE(shows(row, "effective")) << "printed only while the values differ";
    EXPECT_TRUE(shows(row, "MiB"));
}

TEST_F(MainWindowTest, cacheLimitBelowAChunk_isRejectedWithTheMinimum) {
    load();
    enter("cache_limit", "1");
    EXPECT_TRUE(engine->sent<SetConfig>().empty());
    const app::SettingView view = state->config().spec(QStringLiteral("cache_limit"));
    EXPECT_EQ(view.rule, QStringLiteral("LIMIT-RANGE"));
    QPushButton* nearest = button(*window->tuning().row(QStringLiteral("cache_limit")),
                                  (QStringLiteral("Use ") + view.nearest).toUtf8().constData());
    ASSERT_NE(nearest, nullptr) << view.nearest.toStdString();
    nearest->click();
    ASSERT_EQ(engine->sent<SetConfig>().size(), 1U);
    EXPECT_GT(engine->sent<SetConfig>()[0].config.cacheLimitMiB, 1);
}

TEST_F(MainWindowTest, memoryPanel_showsThreeSettingsFirst_searchFindsTheOthers) {
    load();
    SettingsPanel& panel = window->tuning();
    const auto seen = [&](const char* key) {
        return panel.row(QString::fromLatin1(key))->isVisible();
    };
    for (const char* first : {"am_ratio", "budget", "loss_limit"}) EXPECT_TRUE(seen(first));
    for (const char* other : {"method", "keep_recent", "temperature", "threads"})
        EXPECT_FALSE(seen(other)) << other;
    EXPECT_TRUE(shows(panel, "This cache: empty"));
    panel.search().setText(QStringLiteral("temper"));
    EXPECT_TRUE(seen("temperature"));
    EXPECT_FALSE(seen("top_p"));
    EXPECT_FALSE(seen("keep_recent"));
    panel.search().clear();
    EXPECT_TRUE(seen("top_p"));
    EXPECT_TRUE(seen("am_ratio")) << "the search leaves the first settings alone";
}

TEST_F(MainWindowTest, largeNumbers_areSentToTheLastDigit) {
    load();
    enter("cache_limit", "1048576.5");
    ASSERT_TRUE(QTest::qWaitFor([this] { return !engine->sent<SetConfig>().empty(); }, 60'000));
    EXPECT_DOUBLE_EQ(engine->sent<SetConfig>().back().config.cacheLimitMiB, 1048576.5);
}

TEST_F(MainWindowTest, disabledActions_withoutAModel_haveAReason) {
    for (const char* id : {"chat.send", "chat.regenerate", "cache.compact", "chat.stop"}) {
        const QAction* action = window->actions().find(QString::fromLatin1(id));
        EXPECT_FALSE(action->isEnabled()) << id;
        EXPECT_FALSE(ActionRegistry::reasonOf(action).isEmpty()) << id;
    }
}

TEST_F(MainWindowTest, backgroundCompaction_isStoppedByTheStopAction) {
    load();
    type("Go on.");
    trigger("chat.send");
    finish("Once");
    const QAction* stop = window->actions().find(QStringLiteral("chat.stop"));
    ASSERT_FALSE(stop->isEnabled());
    StepSample sample;
    sample.conversation = engine->sent<Submit>()[0].conversation;
    sample.compaction.background = true;
    sample.compaction.phase = CompactionPhase::Reading;
    hear(sample);
    ASSERT_TRUE(stop->isEnabled());
    trigger("chat.stop");
    ASSERT_EQ(engine->sent<CancelTurn>().size(), 1U);
    EXPECT_EQ(engine->sent<CancelTurn>()[0].conversation, sample.conversation);
    sample.compaction = {};
    hear(sample);
    EXPECT_FALSE(stop->isEnabled());
}

TEST_F(MainWindowTest, failedLoad_isReportedInPlaceWithARemedy) {
    hear(ModelFailed{"x.gguf", Error{ErrorCode::NotFound, "x.gguf: no such file.", {}}, false});
    EXPECT_TRUE(window->notice().isVisible());
    EXPECT_TRUE(window->notice().sentence().contains(QStringLiteral("x.gguf")));
    EXPECT_NE(button(window->notice(), "Load another model"), nullptr);
}

TEST_F(MainWindowTest, everyAction_isInShortcutSheetAndMenu) {
    QSet<QString> ids;
    for (const QAction* action : window->actions().actions()) {
        EXPECT_FALSE(action->objectName().isEmpty());
        EXPECT_FALSE(action->text().isEmpty()) << action->objectName().toStdString();
        EXPECT_FALSE(action->toolTip().isEmpty()) << action->objectName().toStdString();
        ids.insert(action->objectName());
    }
    EXPECT_EQ(ids.size(), window->actions().actions().size()) << "ids are unique";
    const ShortcutSheet sheet(window->actions(), window.get());
    const QStringList inSheet = sheet.listed();
    EXPECT_EQ(QSet<QString>(inSheet.begin(), inSheet.end()), ids);
    QSet<QString> inMenus;
    const auto addAll = [&inMenus](const auto& self, const QMenu& menu) -> void {
        for (const QAction* action : menu.actions()) {
            if (action->menu() != nullptr)
                self(self, *action->menu());
            else if (!action->isSeparator())
                inMenus.insert(action->objectName());
        }
    };
    for (const QAction* top : window->menuBar()->actions()) addAll(addAll, *top->menu());
    EXPECT_EQ(inMenus, ids);
}

TEST_F(MainWindowTest, modelBar_showsAsManyDetailsAsFit) {
    ModelFacts facts = app::smallFacts();
    facts.name = "A model with a name of many words, trained further";
    hear(ModelLoaded{facts, 0.2});
    window->resize(800, 700);
    EXPECT_TRUE(shows("Q8_0"));
    EXPECT_FALSE(shows("context 4,096"));
    window->resize(1900, 1000);
    EXPECT_TRUE(shows("context 4,096")) << "and the same again with more room";
}

TEST_F(MainWindowTest, shortcutSheet_searchesActionMenuAndKeys) {
    ShortcutSheet sheet(window->actions(), window.get());
    sheet.show();
    const auto found = [&](const char* typed) {
        sheet.words().setText(QString::fromUtf8(typed));
        return sheet.listed();
    };
    EXPECT_EQ(found("compact NOW"), QStringList{QStringLiteral("cache.compact")});
    EXPECT_EQ(found("f9"), QStringList{QStringLiteral("cache.compact")});
    EXPECT_TRUE(found("tools").contains(QStringLiteral("measure.sweep")));
    EXPECT_TRUE(shows(sheet, "No action or key") == false);
    EXPECT_TRUE(found("nothing like this").isEmpty());
    EXPECT_TRUE(shows(sheet, "No action or key"));
    QTest::keyClick(&sheet.words(), Qt::Key_Escape);
    EXPECT_TRUE(sheet.isVisible()) << "the first Esc clears the words";
    EXPECT_EQ(sheet.listed().size(), window->actions().actions().size());
    QTest::keyClick(&sheet.words(), Qt::Key_Down);
    EXPECT_TRUE(sheet.focusWidget()->inherits("QTreeWidget"));
}

TEST_F(MainWindowTest, shortcuts_areUnique) {
    QSet<QString> seen;
    for (const QAction* action : window->actions().actions()) {
        for (const QKeySequence& key : action->shortcuts()) {
            EXPECT_FALSE(seen.contains(key.toString())) << key.toString().toStdString();
            seen.insert(key.toString());
        }
    }
}

TEST_F(MainWindowTest, everyFocusableWidget_hasAnAccessibleName) {
    load();
    for (const QWidget* widget : window->findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus ||
            widget->objectName().startsWith(QLatin1String("qt_")))
            continue;
        // Parts of a compound control are described by it.
        if (qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) != nullptr) continue;
        if (qobject_cast<const QComboBox*>(widget->parentWidget()) != nullptr) continue;
        if (widget->parentWidget()->inherits("QComboBoxPrivateContainer")) continue;
        // A label with selectable text is read out as that text.
        if (qobject_cast<const QLabel*>(widget) != nullptr) continue;
        const auto* labelled = qobject_cast<const QAbstractButton*>(widget);
        const bool named = !widget->accessibleName().isEmpty() ||
                           (labelled != nullptr && labelled->text().size() > 1);
        EXPECT_TRUE(named) << widget->metaObject()->className() << " in "
                           << widget->parentWidget()->metaObject()->className();
    }
}

TEST_F(MainWindowTest, tab_movesFocusOutOfTextFields) {
    load();
    window->activateWindow();
    window->prompt().edit()->setFocus();
    ASSERT_TRUE(window->prompt().edit()->hasFocus());
    QTest::keyClick(window->prompt().edit(), Qt::Key_Tab);
    EXPECT_FALSE(window->prompt().edit()->hasFocus());
}

TEST_F(MainWindowTest, bothThemes_paintAtSmallAndLargeSize) {
    load();
    for (const QSize size : {QSize(1280, 800), QSize(1920, 1080)}) {
        window->resize(size);
        for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            themes->setChoice(choice);
            const QImage picture = window->grab().toImage();
            EXPECT_EQ(picture.size(), size);
            const QColor corner = picture.pixelColor(size.width() - 3, 3);
            EXPECT_EQ(corner.lightness() > 128, choice == ThemeChoice::Light);
        }
    }
}

TEST_F(MainWindowTest, deletedConversation_isRestoredByUndo) {
    load();
    type("Keep this.");
    trigger("chat.send");
    finish("Kept.");
    const qint64 id = state->chat().current();
    EXPECT_FALSE(window->actions().find(QStringLiteral("chat.undelete"))->isEnabled());
    trigger("chat.delete");
    EXPECT_NE(state->chat().current(), id);
    EXPECT_TRUE(window->notice().sentence().contains(QStringLiteral("Keep this.")));
    QPushButton* undo = button(window->notice(), "Undo");
    ASSERT_NE(undo, nullptr);
    undo->click();
    EXPECT_EQ(state->chat().current(), id);
    EXPECT_TRUE(shows("Keep this.") || window->chatView().messageCount() == 2);
    EXPECT_FALSE(window->actions().find(QStringLiteral("chat.undelete"))->isEnabled());
}

TEST_F(MainWindowTest, searchThatHidesTheConversation_keepsItShown) {
    talkOfTwoThings();
    const qint64 id = state->chat().current();
    auto* sessions = window->findChild<SessionList*>();
    auto* search = sessions->findChild<QLineEdit*>();
    auto* list = sessions->findChild<QListView*>();
    search->setText(QStringLiteral("harbour"));
    EXPECT_EQ(list->model()->rowCount(), 1);
    EXPECT_EQ(state->chat().current(), id);
    EXPECT_FALSE(list->currentIndex().isValid());
    // Found by its messages, as the store would report it.
    sessions->showFound(QStringLiteral("harbour"), {{id, QStringLiteral("the old harbour")}});
    EXPECT_EQ(list->model()->rowCount(), 2);
    EXPECT_TRUE(list->currentIndex().isValid());
    sessions->showFound(QStringLiteral("older words"), {});
    EXPECT_EQ(list->model()->rowCount(), 2) << "an answer to another question";
    search->clear();
    EXPECT_EQ(list->model()->rowCount(), 2);
}

TEST_F(MainWindowTest, searchKeys_moveToTheList_emptyResultIsReported) {
    talkOfTwoThings();
    const qint64 id = state->chat().current();
    auto* sessions = window->findChild<SessionList*>();
    auto* search = sessions->findChild<QLineEdit*>();
    auto* list = sessions->findChild<QListView*>();
    trigger("chat.search");
    ASSERT_TRUE(search->hasFocus());
    QTest::keyClicks(search, QStringLiteral("zebra"));
    EXPECT_EQ(list->model()->rowCount(), 0);
    EXPECT_TRUE(shows(*sessions, "No title or message contains \u201czebra\u201d."));
    QTest::keyClick(search, Qt::Key_Down);
    EXPECT_TRUE(search->hasFocus()) << "there is nowhere to go";
    search->clear();
    EXPECT_FALSE(shows(*sessions, "zebra"));
    QTest::keyClicks(search, QStringLiteral("harbour"));
    EXPECT_EQ(state->chat().current(), id);
    QTest::keyClick(search, Qt::Key_Down);
    EXPECT_TRUE(list->hasFocus());
    EXPECT_NE(state->chat().current(), id) << "the first that was found is on screen";
    trigger("page.chat");
    trigger("focus.sessions");
    EXPECT_TRUE(list->hasFocus());
}

// A file occupies the path of the folder and is removed later.
TEST_F(MainWindowTest, unsavedConversations_areReportedUntilTheyAreSaved) {
    const QTemporaryDir folder;
    app::ApplicationOptions options;
    options.dataFolder = folder.filePath(QStringLiteral("data"));
    QFile inTheWay(options.dataFolder);
    ASSERT_TRUE(inTheWay.open(QIODevice::WriteOnly));
    inTheWay.close();
    auto owned = std::make_unique<app::FakeEngine>();
    app::FakeEngine* host = owned.get();
    app::ApplicationState other(options, std::move(owned), host->events);
    MainWindow second(other, *themes);
    second.show();
    host->post(ModelLoaded{app::smallFacts(), 0.2});
    other.drain();
    app::PromptDraft draft;
    draft.text = QStringLiteral("Keep this.");
    other.chat().submit(draft);
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return second.notice().sentence().contains(options.dataFolder); }, 30'000));
    ASSERT_TRUE(inTheWay.remove());
    ASSERT_TRUE(QTest::qWaitFor([&] { return second.notice().sentence().isEmpty(); }, 30'000));
    EXPECT_EQ(other.feed().timeline().back().title,
              QStringLiteral("Conversations are saved to disk again."));
    EXPECT_TRUE(
        QFile::exists(QDir(options.dataFolder).filePath(QStringLiteral("conversations.sqlite"))));
}

TEST_F(MainWindowTest, titlesWithACommonStart_differInTheList) {
    auto* list = window->findChild<SessionList*>()->findChild<QListView*>();
    const QFontMetrics letters(list->font());
    const auto seen = [&](const char* title) {
        return letters.elidedText(QString::fromUtf8(title), list->textElideMode(), 150);
    };
    const QString harbour = seen("What do you know about the history of the harbour?");
    EXPECT_LT(harbour.size(), 50) << "too long for the list";
    EXPECT_NE(harbour, seen("What do you know about the history of the lighthouse?"));
}

TEST_F(MainWindowTest, firstStart_fitsTheScreen) {
    const QTemporaryDir folder;
    QSettings none(folder.filePath(QStringLiteral("window.ini")), QSettings::IniFormat);
    window->resize(4000, 3000);
    window->restoreLayout(none);
    const QSize screen = window->screen()->availableSize();
    EXPECT_LT(window->width(), std::max(screen.width(), window->minimumSizeHint().width() + 1));
    EXPECT_LT(window->height(), std::max(screen.height(), window->minimumSizeHint().height() + 1));
}

TEST_F(MainWindowTest, longParagraph_growsThePrompt) {
    load();
    QPlainTextEdit& edit = *window->prompt().edit();
    const int before = edit.height();
    edit.setPlainText(QStringLiteral("A question of many words. ").repeated(30));
    EXPECT_TRUE(QTest::qWaitFor([&] { return edit.height() > before; }, 60'000));
    edit.clear();
    EXPECT_TRUE(QTest::qWaitFor([&] { return edit.height() == before; }, 60'000));
}

TEST_F(MainWindowTest, nameOfALoadingModel_isShownInFull) {
    ModelLoading loading;
    loading.path = "a-rather-long-name-of-a-model-file-q8_0.gguf";
    loading.share = 0.4;
    hear(loading);
    QTest::qWait(0);
    bool found = false;
    for (const QLabel* label : window->findChildren<QLabel*>()) {
        if (!label->text().startsWith(QStringLiteral("Loading"))) continue;
        found = true;
        EXPECT_GE(label->width(), label->sizeHint().width()) << label->text().toStdString();
    }
    EXPECT_TRUE(found);
}

TEST_F(MainWindowTest, ratioMoved_withoutAMethod_setsTheMethodAndReportsIt) {
    load();
    enter("am_ratio", "3");
    ASSERT_TRUE(QTest::qWaitFor([this] { return !engine->sent<SetConfig>().empty(); }, 2000));
    EXPECT_EQ(engine->sent<SetConfig>()[0].config.kv.method, CompactionMethod::AttentionMatching);
    EXPECT_TRUE(
        window->notice().sentence().contains(QStringLiteral("Method is now Attention matching")));
    button(window->notice(), "Method none")->click();
    ASSERT_EQ(engine->sent<SetConfig>().size(), 2U);
    EXPECT_EQ(engine->sent<SetConfig>()[1].config.kv.method, CompactionMethod::None);
}

TEST_F(MainWindowTest, choices_areShownAsWordsAndSentAsKeys) {
    load();
    const SettingRow& row = *window->tuning().row(QStringLiteral("method"));
    auto* choice = row.findChild<QComboBox*>();
    ASSERT_EQ(choice->count(), 3);
    EXPECT_EQ(choice->currentText(), QStringLiteral("None"));
    EXPECT_EQ(choice->itemText(2), QStringLiteral("Attention matching"));
    choice->setCurrentIndex(2);
    Q_EMIT choice->activated(2);
    ASSERT_TRUE(QTest::qWaitFor([this] { return !engine->sent<SetConfig>().empty(); }, 2000));
    EXPECT_EQ(engine->sent<SetConfig>()[0].config.kv.method, CompactionMethod::AttentionMatching);
    EXPECT_EQ(choice->currentText(), QStringLiteral("Attention matching"));
}

TEST_F(MainWindowTest, retentionOverlay_tintsTheWordsOfTheConversation) {
    load();
    type("Find the key.");
    trigger("chat.send");
    finish("Here.");
    const auto asked = engine->sent<RequestRetention>().size();
    trigger("view.retention");
    ASSERT_EQ(engine->sent<RequestRetention>().size(), asked + 1);
    RetentionSnapshot snapshot;
    snapshot.conversation = ConversationId(state->chat().current());
    snapshot.pieces = {"<user>", "Find", " the", " key.", "<model>", "Here."};
    snapshot.row.tokens = 6;
    snapshot.row.layers = 1;
    snapshot.row.kvHeads = 1;
    snapshot.row.share = {1, 1, 0, 1, 1, 1};
    snapshot.row.holders = {1, 1, 0, 1, 1, 1};
    snapshot.row.slots = {5};
    hear(snapshot);
    bool struck = false;
    for (const MessageText* text : window->chatView().findChildren<MessageText*>()) {
        if (text->toPlainText() != QStringLiteral("Find the key.")) continue;
        ASSERT_TRUE(text->tipAt);
        EXPECT_TRUE(text->tipAt(5).contains(QStringLiteral("evicted")));
        EXPECT_TRUE(text->tipAt(0).contains(QStringLiteral("kept")));
        QTextCursor cursor(text->document());
        cursor.setPosition(6);
        struck = cursor.charFormat().fontStrikeOut();
    }
    EXPECT_TRUE(struck);
    trigger("view.retention");
    for (const MessageText* text : window->chatView().findChildren<MessageText*>())
        EXPECT_TRUE(!text->tipAt || text->tipAt(0).isEmpty());
}

TEST_F(MainWindowTest, retentionOfAnotherConversation_isNotShown) {
    load();
    trigger("view.retention");
    RetentionSnapshot snapshot;
    snapshot.conversation = ConversationId(12345);
    snapshot.pieces = {"x"};
    snapshot.row.tokens = 1;
    snapshot.row.share = {1};
    hear(snapshot);
    EXPECT_EQ(window->findChild<RetentionStrip*>()->view().tokens(), 0);
}

TEST_F(MainWindowTest, modelDetails_areRequestedFromTheEngineAndShown) {
    load();
    trigger("model.details");
    const auto asked = engine->sent<InspectModel>();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].path, "small.gguf");
    ModelInspected answer;
    answer.page = {.path = "small.gguf",
                   .heading = "Small",
                   .supported = true,
                   .verdict = "It fits.",
                   .reason = {},
                   .sections = {{"Shape", {{"Layers", "8"}}}}};
    hear(answer);
    auto* details = window->findChild<ModelDetails*>();
    ASSERT_NE(details, nullptr);
    EXPECT_TRUE(details->isVisible());
    EXPECT_TRUE(details->text().startsWith(QStringLiteral("Small\n\nShape\nLayers: 8\n")))
        << details->text().toStdString();
    EXPECT_TRUE(details->text().contains(QStringLiteral("Quality of compaction")))
        << "of the model in use";
    // A file other than the loaded one can be loaded from its page.
    answer.page.path = "other.gguf";
    hear(answer);
    for (QPushButton* button : details->findChildren<QPushButton*>())
        if (button->text().contains(QStringLiteral("Load this model"))) button->click();
    const auto loads = engine->sent<LoadModel>();
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_EQ(loads[0].path, "other.gguf");
}

TEST_F(MainWindowTest, modelDetails_ofAnUnreadableFile_reportTheReason) {
    ModelInspected answer;
    answer.page.path = "broken.gguf";
    answer.error = Error{ErrorCode::NotFound, "broken.gguf: no such file.", {}};
    hear(answer);
    auto* details = window->findChild<ModelDetails*>();
    ASSERT_NE(details, nullptr);
    bool said = false;
    for (const QLabel* label : details->findChildren<QLabel*>())
        said = said || label->text().contains(QStringLiteral("no such file"));
    EXPECT_TRUE(said);
}

TEST(DemoScript, everyAnswer_occursOnceInTheTextAndInNoQuestion) {
    offscreenApplication();
    const DemoScript script = loadDemoScript();
    ASSERT_TRUE(script.problem.isEmpty()) << script.problem.toStdString();
    EXPECT_GE(script.questions.size(), 5);
    EXPECT_FALSE(script.messages.isEmpty());
    for (const auto& question : script.questions) {
        EXPECT_EQ(script.text.count(question.answer), 1) << question.answer.toStdString();
        EXPECT_FALSE(question.what.isEmpty()) << question.ask.toStdString();
        for (const auto& other : script.questions)
            EXPECT_FALSE(other.ask.contains(question.answer));
    }
}

TEST_F(MainWindowTest, demoWithANamedModel_loadsIt) {
    QTemporaryDir folder;
    GuidedDemo* demo = window->startDemo(folder.path(), QStringLiteral("named.gguf"));
    QCoreApplication::processEvents();
    const auto loads = engine->sent<LoadModel>();
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_EQ(loads[0].path, "named.gguf");
    demo->cancel();
    EXPECT_FALSE(demo->running());
}

}  // namespace
}  // namespace lacuna::ui

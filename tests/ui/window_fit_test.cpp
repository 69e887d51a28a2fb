// Layout requirements at any window size: controls do not overlap and are entirely visible, pages
// fit a small screen, and panels keep their position while figures change.

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QFileDialog>
#include <QHeaderView>
#include <QLayout>
#include <QLineEdit>
#include <QListView>
#include <QMainWindow>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QSlider>
#include <QStyleOptionComboBox>
#include <QTabWidget>
#include <QTest>
#include <QTextBlock>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/chat/found_conversation.h"
#include "app/state/settings/config_controller.h"
#include "tests/ui/window_stage.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/message_view.h"
#include "ui/chat/prompt_box.h"
#include "ui/chat/session_list.h"
#include "ui/panels/preview_panel.h"
#include "ui/panels/settings_panel.h"
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"
#include "ui/window/page_stack.h"
#include "ui/window/status_line.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {
namespace {

bool isControl(const QWidget& widget) {
    if (widget.objectName().startsWith(QLatin1String("qt_"))) return false;
    // Parts of a compound control lie inside it.
    for (const QWidget* up = widget.parentWidget(); up != nullptr; up = up->parentWidget())
        if (qobject_cast<const QComboBox*>(up) != nullptr ||
            qobject_cast<const QAbstractSpinBox*>(up) != nullptr ||
            qobject_cast<const QLineEdit*>(up) != nullptr)
            return false;
    return qobject_cast<const QAbstractButton*>(&widget) != nullptr ||
           qobject_cast<const QComboBox*>(&widget) != nullptr ||
           qobject_cast<const QLineEdit*>(&widget) != nullptr ||
           qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
           qobject_cast<const QSlider*>(&widget) != nullptr;
}

std::string nameOf(const QWidget& widget) {
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    const QString text =
        button != nullptr && !button->text().isEmpty() ? button->text() : widget.accessibleName();
    return (QString::fromLatin1(widget.metaObject()->className()) + QLatin1Char(' ') + text)
        .toStdString();
}

/// Content scrolled out of view is fine; content cut off otherwise is not.
bool scrolls(const QWidget& widget) {
    for (const QWidget* up = widget.parentWidget(); up != nullptr; up = up->parentWidget())
        if (qobject_cast<const QAbstractScrollArea*>(up) != nullptr) return true;
    return false;
}

constexpr int kButtonFrame = 6;  ///< px; text closer to the frame is cut

/// Truncated words of labels, buttons, combo boxes and table headers, except text that is elided on
/// purpose (ElidingLabel) and text typed by the user.
QStringList cutWords(const QWidget& page) {
    QStringList cut;
    const auto tooWide = [](const QFontMetrics& letters, QString text, int room) {
        text.remove(QLatin1Char('&'));  // accelerator markers
        return letters.horizontalAdvance(text) > room + 1;
    };
    for (const QWidget* widget : page.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != &page) continue;
        if (const auto* label = qobject_cast<const QLabel*>(widget)) {
            if (dynamic_cast<const ElidingLabel*>(label) != nullptr || label->text().isEmpty())
                continue;
            const bool whole =
                label->wordWrap()
                    ? label->heightForWidth(label->width()) <= label->height() + 1
                    : !tooWide(label->fontMetrics(), label->text(), label->contentsRect().width());
            if (!whole) cut << QStringLiteral("label ") + label->text();
        } else if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
            if (button->text().isEmpty() || button->inherits("QCommandLinkButton")) continue;
            const auto* tool = qobject_cast<const QToolButton*>(button);
            if (tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly &&
                !tool->icon().isNull())
                continue;
            if (tooWide(button->fontMetrics(), button->text(), button->width() - kButtonFrame))
                cut << QStringLiteral("button ") + button->text();
        } else if (const auto* box = qobject_cast<const QComboBox*>(widget)) {
            QStyleOptionComboBox option;
            option.initFrom(box);
            option.editable = box->isEditable();
            const int room = box->style()
                                 ->subControlRect(QStyle::CC_ComboBox, &option,
                                                  QStyle::SC_ComboBoxEditField, box)
                                 .width();
            if (tooWide(box->fontMetrics(), box->currentText(), room))
                cut << QStringLiteral("choice ") + box->currentText();
        } else if (const auto* head = qobject_cast<const QHeaderView*>(widget)) {
            if (head->orientation() == Qt::Vertical) continue;
            for (int i = 0; i < head->count(); ++i) {
                const QString text =
                    head->model()->headerData(i, Qt::Horizontal, Qt::DisplayRole).toString();
                if (!head->isSectionHidden(i) &&
                    tooWide(head->fontMetrics(), text, head->sectionSize(i) - 2))
                    cut << QStringLiteral("head ") + text;
            }
        }
    }
    return cut;
}

/// Expects no two visible controls to overlap and each to be entirely visible.
void expectDefragmented(const QWidget& page, const QString& title) {
    struct Seen {
        const QWidget* widget;
        QRect box;
    };
    QList<Seen> seen;
    for (const QWidget* widget : page.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != &page || !isControl(*widget)) continue;
        const QRect part = widget->visibleRegion().boundingRect();
        if (part.isEmpty()) continue;
        EXPECT_TRUE(scrolls(*widget) || part.size() == widget->size())
            << title.toStdString() << ": cut off: " << nameOf(*widget);
        const QRect box(widget->mapTo(&page, part.topLeft()), part.size());
        for (const Seen& other : seen)
            EXPECT_TRUE(!other.box.intersects(box) || other.widget->isAncestorOf(widget) ||
                        widget->isAncestorOf(other.widget))
                << title.toStdString() << ": " << nameOf(*widget) << " lies on "
                << nameOf(*other.widget);
        seen.push_back({widget, box});
    }
}

/// True for a tool tip, a choice or a path that may exceed any page.
bool mayBeCut(const QString& words) {
    return words.contains(QLatin1Char('/'));  // paths and addresses
}

void expectWordsWhole(const QWidget& page, const QString& title) {
    for (const QString& words : cutWords(page))
        EXPECT_TRUE(mayBeCut(words)) << title.toStdString() << ": cut: " << words.toStdString();
}

/// Minimum width of each part of the window, for failure messages.
std::string leastWidths(const MainWindow& window) {
    std::string least;
    const auto add = [&least](const std::string& name, const QWidget& part) {
        least += name + ' ' + std::to_string(part.minimumSizeHint().width()) + ' ';
    };
    for (const MainWindow::Panel& panel : window.panels())
        add(panel.id.toStdString(), *panel.widget);
    for (const QWidget* child :
         window.centralWidget()->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
        if (child->isVisible()) add(child->metaObject()->className(), *child);
    return least;
}

class WindowFitTest : public WindowStage {
  protected:
    WindowFitTest() {
        load();
        say("Where is the key?", "Under the mat.\n\n```cpp\nint key = 1;\n```\n");
    }
    void say(const char* question, const char* answer) {
        app::PromptDraft draft;
        draft.text = QString::fromUtf8(question);
        state->chat().submit(draft);
        TurnFinished finished;
        finished.conversation = here();
        finished.turn = 1;
        finished.text = answer;
        hear(finished);
    }
    void resizeTo(QSize size) {
        window->resize(size);
        QTest::qWait(0);
        QTest::qWait(0);
        EXPECT_EQ(window->size(), size) << "it has to be that small: " << leastWidths(*window);
    }
    /// Opens every page reachable by an action, limited to an 800x600 screen.
    void lookAtEveryPage() {
        resizeTo({800, 600});
        const QSet<QString> left{QStringLiteral("app.quit"),      QStringLiteral("demo.run"),
                                 QStringLiteral("demo.short"),    QStringLiteral("model.unload"),
                                 QStringLiteral("chat.new"),      QStringLiteral("chat.delete"),
                                 QStringLiteral("chat.stop"),     QStringLiteral("chat.regenerate"),
                                 QStringLiteral("model.bundled"), QStringLiteral("chat.continue"),
                                 QStringLiteral("chat.send")};
        int looked = 0;
        QSet<QString> titles;
        for (QAction* action : window->actions().actions()) {
            if (left.contains(action->objectName()) || !action->isEnabled()) continue;
            action->trigger();
            QTest::qWait(0);
            if (const QString title = window->pages().shown()->windowTitle();
                !title.isEmpty() && !titles.contains(title)) {
                titles.insert(title);
                EXPECT_EQ(window->size(), QSize(800, 600)) << title.toStdString();
                expectDefragmented(*window, title);
                expectWordsWhole(*window, title);
                ++looked;
            }
            for (QWidget* page : QApplication::topLevelWidgets()) {
                if (page == window.get() || !page->isVisible() || !page->inherits("QDialog"))
                    continue;
                if (qobject_cast<QFileDialog*>(page) == nullptr &&
                    !titles.contains(page->windowTitle())) {
                    titles.insert(page->windowTitle());
                    const QString title = page->windowTitle();
                    page->resize(780, 560);
                    QTest::qWait(0);
                    EXPECT_LE(page->width(), 780) << title.toStdString();
                    EXPECT_LE(page->height(), 560) << title.toStdString();
                    expectDefragmented(*page, title);
                    expectWordsWhole(*page, title);
                    ++looked;
                }
                page->close();
                QTest::qWait(0);
            }
        }
        EXPECT_GE(looked, 14);
    }
    /// Shows every tab of every page; `look` is called with a description of each.
    void lookAtEveryPanel(const std::vector<QSize>& sizes,
                          const std::function<void(const QString& where)>& look) {
        for (const QSize size : sizes) {
            resizeTo(size);
            for (const Page page : kPages) {
                window->pages().open(page);
                QTest::qWait(0);
                for (int tab = 0; tab < window->pages().tabs(page).count(); ++tab) {
                    window->pages().tabs(page).setCurrentIndex(tab);
                    QTest::qWait(0);
                    look(QStringLiteral("%1 %2 at %3x%4")
                             .arg(pageKey(page))
                             .arg(tab)
                             .arg(size.width())
                             .arg(size.height()));
                }
            }
            window->pages().open(Page::Chat);
            EXPECT_EQ(window->size(), size);
        }
    }
    /// Uses sizes of small and common screens.
    void lookAtEveryPanel() {
        lookAtEveryPanel({{800, 600}, {1280, 800}}, [this](const QString& where) {
            expectDefragmented(*window, where);
            expectWordsWhole(*window, where);
        });
    }
    [[nodiscard]] QList<QRect> places() const {
        QList<QRect> places{window->chatView().parentWidget()->geometry()};
        for (const MainWindow::Panel& panel : window->panels())
            if (panel.widget->isVisible()) places << panel.widget->geometry();
        return places;
    }
};

class GermanWindowFitTest : private Speaking, public WindowFitTest {
  protected:
    GermanWindowFitTest() : Speaking(Language::German) {}
};
class ChineseWindowFitTest : private Speaking, public WindowFitTest {
  protected:
    ChineseWindowFitTest() : Speaking(Language::Chinese) {}
};

TEST_F(WindowFitTest, texts_areShownInFull) {
    lookAtEveryPanel();
}
TEST_F(GermanWindowFitTest, texts_areShownInFull) {
    lookAtEveryPanel();
}
TEST_F(GermanWindowFitTest, everyPage_fitsASmallScreen) {
    lookAtEveryPage();
}
TEST_F(ChineseWindowFitTest, texts_areShownInFull) {
    lookAtEveryPanel();
}
TEST_F(ChineseWindowFitTest, everyPage_fitsASmallScreen) {
    lookAtEveryPage();
}

TEST_F(WindowFitTest, hiddenConversationList_staysHiddenWhenTheFrameIsResized) {
    resizeTo({1280, 800});
    auto* sessions = window->findChild<SessionList*>();
    EXPECT_TRUE(sessions->isVisible());
    trigger("panel.sessions");
    for (const int width : {900, 1280}) {
        window->resize(width, 800);
        QTest::qWait(0);
        EXPECT_TRUE(sessions->isHidden()) << width;
    }
}

TEST(MessageBar, narrowBar_wrapsItsButtons) {
    offscreenApplication();
    NoticeBar bar(nullptr);
    const QString sentence = QStringLiteral("The model reads four pages. ").repeated(6).trimmed();
    bar.showMessage(NoticeKind::Info, sentence, QStringLiteral("Start the demo"), [] {});
    const auto* words = bar.findChild<QLabel*>();
    for (QLabel* label : bar.findChildren<QLabel*>())
        if (label->text() == sentence) words = label;
    const auto heightAt = [&](int width) {
        bar.resize(width, 40);
        QTest::qWait(0);
        bar.resize(width, bar.layout()->totalHeightForWidth(width));
        QTest::qWait(0);
        EXPECT_LE(words->heightForWidth(words->width()), words->height()) << width;
        return bar.height();
    };
    heightAt(1400);
    auto* button = bar.findChild<QPushButton*>();
    EXPECT_GT(button->mapTo(&bar, QPoint()).x(), words->geometry().right());
    const int narrow = heightAt(420);
    EXPECT_GT(button->mapTo(&bar, QPoint()).y(), words->geometry().bottom());
    EXPECT_LE(narrow, 5 * QFontMetrics(words->font()).lineSpacing() + button->height() + 24);
}

TEST(ElidingLabel, narrowLabel_showsTheLongestFormThatFits) {
    offscreenApplication();
    ElidingLabel* label = shrinkingLabel(nullptr);
    const std::unique_ptr<ElidingLabel> owner(label);
    label->setForms({QStringLiteral("unused by attention matching"), QStringLiteral("unused"), {}});
    EXPECT_EQ(label->text(), QStringLiteral("unused by attention matching"));
    const auto at = [label](int width) {
        label->resize(width, 20);
        return label->shown().toStdString();
    };
    EXPECT_EQ(at(label->widthOf(0)), "unused by attention matching");
    EXPECT_EQ(at(label->widthOf(0) - 1), "unused");
    EXPECT_EQ(at(label->widthOf(1) - 1), "");
    label->beginWith(1);
    EXPECT_EQ(at(label->widthOf(0)), "unused");
    label->setForms({QStringLiteral("a long sentence")});
    EXPECT_EQ(at(label->widthOf(0) / 2).substr(0, 3), "a l");
}

TEST_F(WindowFitTest, controls_neverOverlap_atAnySize) {
    lookAtEveryPanel({{800, 600}, {1280, 800}, {1920, 1080}},
                     [this](const QString& where) { expectDefragmented(*window, where); });
}

TEST_F(WindowFitTest, startOnASmallScreen_fitsIt) {
    MainWindow small(*state, *themes);
    small.resize(800, 600);
    small.show();
    QTest::qWait(0);
    QTest::qWait(0);
    EXPECT_EQ(small.size(), QSize(800, 600));
    EXPECT_LE(small.minimumSizeHint().width(), 800) << leastWidths(small);
    EXPECT_LE(small.minimumSizeHint().height(), 600);
    expectDefragmented(small, QStringLiteral("small window"));
}

TEST_F(WindowFitTest, prefillDisplay_fitsASmallScreen) {
    resizeTo({800, 600});
    app::PromptDraft draft;
    draft.text = QStringLiteral("Where is it now?");
    state->chat().submit(draft);
    TurnStarted turn;
    turn.conversation = here();
    turn.promptTokens = 123'456;
    hear(turn);
    QTest::qWait(5);
    for (const bool prompt : {false, true}) {
        hear(
            PrefillProgress{.conversation = here(), .done = 12'256, .total = 123'456, .reused = 0});
        if (prompt) {  // another question is being typed meanwhile
            window->findChild<ContextStrip*>()->showQuestion(1'234'567);
            QTest::qWait(0);
        }
        const auto labels = window->findChild<ContextStrip*>()->findChildren<QLabel*>();
        EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* label) {
            return label->text().startsWith(QLatin1String("Reading prompt 12,256 / 123,456")) &&
                   label->text().contains(QLatin1String("left"));
        }));
        EXPECT_LE(window->minimumSizeHint().width(), 800);
        EXPECT_EQ(window->size(), QSize(800, 600));
        EXPECT_GE(window->findChild<ContextMeter*>()->width(), 40);
    }
}

TEST_F(WindowFitTest, narrowWindow_keepsTheChatWidth_wideOneRestoresThePanels) {
    resizeTo({1280, 800});
    const QList<QRect> before = places();
    window->resize(800, 600);
    QTest::qWait(0);
    EXPECT_GT(window->chatView().width(), 400);
    EXPECT_EQ(window->size(), QSize(800, 600));
    EXPECT_TRUE(window->tuning().isVisible());
    EXPECT_FALSE(window->findChild<SessionList*>()->isVisible());
    expectDefragmented(*window, QStringLiteral("made narrow"));
    trigger("focus.sessions");
    EXPECT_TRUE(window->findChild<SessionList*>()->isVisible()) << "asked for";
    window->resize(1280, 800);
    EXPECT_TRUE(QTest::qWaitFor([&] { return places() == before; }, 5000));
}

TEST_F(WindowFitTest, everyPage_fitsASmallScreen) {
    lookAtEveryPage();
}

TEST_F(WindowFitTest, wheelOverAnInput_changesNothing) {
    int tried = 0;
    const auto turn = [&tried](QWidget& page) {
        for (QWidget* input : page.findChildren<QWidget*>()) {
            auto* choice = qobject_cast<QComboBox*>(input);
            auto* slider = qobject_cast<QSlider*>(input);
            auto* number = qobject_cast<QAbstractSpinBox*>(input);
            if ((choice == nullptr && slider == nullptr && number == nullptr) || !scrolls(*input) ||
                !input->isVisible())
                continue;
            const auto value = [&] {
                return choice != nullptr   ? choice->currentText()
                       : slider != nullptr ? QString::number(slider->value())
                                           : number->text();
            };
            input->setFocus();
            const QString before = value();
            for (const int way : {120, -120, -120}) {
                const QPointF middle = input->rect().center();
                QWheelEvent event(middle, input->mapToGlobal(middle), {}, {0, way}, Qt::NoButton,
                                  Qt::NoModifier, Qt::NoScrollPhase, false);
                QCoreApplication::sendEvent(input, &event);
            }
            EXPECT_EQ(value(), before)
                << nameOf(*input) << " on " << page.windowTitle().toStdString();
            ++tried;
        }
    };
    window->tuning().reveal(QStringLiteral("method"));
    turn(*window);
    EXPECT_GE(tried, 10) << "settings";
    for (const char* page : {"model.page", "server.open", "memory.open", "measure.sweep",
                             "measure.compare", "measure.formats"}) {
        trigger(page);
        QTest::qWait(0);
        QWidget& shown = *window->pages().shown();
        auto* tabs = shown.findChild<QTabWidget*>();
        for (int tab = 0; tab < (tabs == nullptr ? 1 : tabs->count()); ++tab) {
            if (tabs != nullptr) tabs->setCurrentIndex(tab);
            QTest::qWait(0);
            turn(shown);
        }
    }
}

TEST_F(WindowFitTest, keyboardFocus_isNeverMovedToResetOrCompact) {
    window->activateWindow();
    PreviewPanel& box = window->whatIf();
    const auto focused = [&]() -> QString {
        auto* on = qobject_cast<QAbstractButton*>(window->focusWidget());
        return on == nullptr ? QString() : on->text();
    };
    const auto safe = [&](const char* after) {
        QTest::qWait(0);
        EXPECT_FALSE(focused().startsWith(QLatin1String("Reset"))) << after;
        EXPECT_FALSE(focused().startsWith(QLatin1String("Compact"))) << after;
    };
    window->tuning().reveal(QStringLiteral("method"));
    trigger("focus.tuning");
    safe("Go to memory");
    for (const bool first : {false, true}) {
        for (QCheckBox* tick : box.findChildren<QCheckBox*>()) tick->setChecked(first);
        QPushButton* estimate = button(box, "Estimate");
        ASSERT_NE(estimate, nullptr);
        estimate->setFocus();
        QTest::keyClick(estimate, Qt::Key_Space);
        safe("Estimate");
        CompactionPreviewed event;
        event.conversation = here();
        if (!engine->sent<RequestPreview>().empty())
            event.kv = engine->sent<RequestPreview>().back().kv;
        event.preview.compacts = true;
        event.preview.headsFitted = event.preview.heads = 8;
        hear(event);
        safe("what was estimated");
        state->config().edit(QStringLiteral("am_ratio"),
                             first ? QStringLiteral("6") : QStringLiteral("5"),
                             app::EditPace::Settled);
        for (const char* name : {"Apply", "Apply and compact"}) {
            QPushButton* apply = button(*window, name);
            if (apply == nullptr || !apply->isVisible() || !apply->isEnabled()) continue;
            apply->setFocus();
            QTest::keyClick(apply, Qt::Key_Space);
            safe(name);
            ConfigApplied applied;
            ASSERT_FALSE(engine->sent<SetConfig>().empty());
            applied.revision = engine->sent<SetConfig>().back().revision;
            applied.config = engine->sent<SetConfig>().back().config;
            hear(applied);
            safe("what was applied");
        }
    }
}

TEST_F(WindowFitTest, panels_keepTheirPositionsWhenTheirTextChanges) {
    for (const QSize size : {QSize(1280, 800), QSize(1920, 1080)}) {
        resizeTo(size);
        const QList<QRect> before = places();
        const auto same = [&](const char* after) {
            QTest::qWait(0);
            EXPECT_EQ(places(), before) << after << " at " << size.width();
        };
        state->config().edit(QStringLiteral("method"), QStringLiteral("l2"),
                             app::EditPace::Settled);
        same("a refusal");
        state->config().edit(QStringLiteral("method"), QStringLiteral("none"),
                             app::EditPace::Settled);
        StepSample sample;
        sample.conversation = here();
        sample.phase = EngineState::Decode;
        sample.tokens = 1;
        sample.stepMs = 12'345;
        sample.kv.tokens = 1'234'567;
        sample.kv.slotsTotal = 123'456'789;
        sample.kv.slotsLargestHead = 1'234'567;
        sample.kv.logicalBytes = sample.kv.liveBytes = std::int64_t{1} << 40;
        sample.compaction.enabled = true;
        sample.compaction.phase = CompactionPhase::TurnOpen;
        sample.compaction.slots = std::numeric_limits<int>::max();
        sample.compaction.tokens = std::numeric_limits<std::int64_t>::max();
        hear(sample);
        same("large figures");
        CompactionHappened happened;
        happened.conversation = here();
        happened.report.result = CompactionResult::Failed;
        happened.report.notes = {noteOf(CompactionReason::Recorded, std::string(500, 'y'))};
        hear(happened);
        same("a long reason");
        trigger("telemetry.table");
        same("tables");
        trigger("telemetry.table");
        state->chat().rename(state->chat().current(), QString(300, QLatin1Char('z')));
        same("a long title");
        trigger("telemetry.pause");
        same("charts that are held");
        trigger("telemetry.pause");
        window->prompt().attach(QStringLiteral("contract.pdf"), QString(9'000, QLatin1Char('w')));
        window->findChild<ContextStrip*>()->showQuestion(1'234'567);
        same("a question that is counted");
        window->prompt().clear();
        window->notice().showMessage(NoticeKind::Problem, QString(300, QLatin1Char('p')),
                                     QStringLiteral("Load model..."), [] {});
        same("a notice");
        window->notice().hide();
    }
}

TEST_F(WindowFitTest, chat_hasAtLeastTenLines_at1280x800) {
    resizeTo({1280, 800});
    const auto* text = window->chatView().findChild<MessageText*>();
    ASSERT_NE(text, nullptr);
    // The line spacing of answers exceeds that of the font.
    const double line = QFontMetrics(text->font()).lineSpacing() *
                        text->document()->lastBlock().blockFormat().lineHeight() / 100;
    ASSERT_GT(line, QFontMetrics(text->font()).lineSpacing());
    const auto expectLines = [&](const char* with) {
        QTest::qWait(0);
        EXPECT_GE(window->chatView().viewport()->height(), 10 * line)
            << window->chatView().viewport()->height() << " px of " << line << with;
    };
    expectLines("");
    trigger("view.retention");
    expectLines(" with the strip of kept words");
}

TEST_F(WindowFitTest, largeConversation_isLaidOutInTheViewportOnly) {
    QVector<app::ChatLine> lines;
    qsizetype all = 0;
    for (int i = 0; i < 260; ++i) {
        app::ChatLine line;
        line.speaker = i % 2 == 0 ? app::MessageRole::Person : app::MessageRole::Model;
        line.text = QStringLiteral("A sentence of a long message, and **another**. ").repeated(290);
        all += line.text.size();
        lines << line;
    }
    ASSERT_GT(all, 3'500'000);
    state->chat().currentModel().setLines(lines);
    QTest::qWait(0);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    qsizetype laidOut = 0;
    for (const auto* text : window->chatView().findChildren<MessageText*>())
        laidOut += text->document()->characterCount();
    EXPECT_GT(laidOut, 0);
    EXPECT_LT(laidOut, 200'000) << "of " << all;
}

TEST_F(WindowFitTest, conversationRows_showTheTimeAndTheSearchSnippet) {
    auto* sessions = window->findChild<SessionList*>();
    auto* list = sessions->findChild<QListView*>();
    const qint64 id = state->chat().current();
    const auto second = [&] {
        return list->model()->index(0, 0).data(Qt::UserRole + 100).toString();
    };
    EXPECT_TRUE(second().contains(QLatin1Char(':'))) << "today's time: " << second().toStdString();
    auto* search = sessions->findChild<QLineEdit*>();
    search->setText(QStringLiteral("mat"));
    sessions->showFound(QStringLiteral("mat"), {{id, QStringLiteral("Under the mat.")}});
    EXPECT_EQ(second(), QStringLiteral("Under the mat."));
    search->clear();
    EXPECT_TRUE(second().contains(QLatin1Char(':')));
}

}  // namespace
}  // namespace lacuna::ui

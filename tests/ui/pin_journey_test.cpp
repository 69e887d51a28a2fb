// User workflow for pinned words: select, pin, display, list, unpin; refused pins.

#include <gtest/gtest.h>

#include <QContextMenuEvent>
#include <QListWidget>
#include <QMenu>
#include <QTest>
#include <QTextCursor>

#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_pins.h"
#include "app/state/chat/conversation_turns.h"
#include "tests/ui/window_stage.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/markdown_writer.h"
#include "ui/chat/message_view.h"
#include "ui/chat/pins_dialog.h"
#include "ui/style/text_position_map.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {
namespace {

class PinJourney : public WindowStage {
  protected:
    PinJourney() {
        load();
        state->turns().submit({QStringLiteral("The code is 4711."), {}, {}});
        TurnFinished finished;
        finished.conversation = here();
        finished.text = "I keep **that code** in [mind](http://that.code/mind), `4711` it is.";
        hear(finished);
    }
    [[nodiscard]] MessageText* words(int row) const {
        QCoreApplication::processEvents();
        return window->chatView().messageAt(row)->findChild<MessageText*>();
    }
    void mark(int row, const char* part) {
        MessageText* text = words(row);
        const QTextCursor found = text->document()->find(QString::fromUtf8(part));
        ASSERT_FALSE(found.isNull()) << part;
        text->setTextCursor(found);
        QCoreApplication::processEvents();
    }
    [[nodiscard]] QAction* action(const char* id) const {
        return window->actions().find(QString::fromLatin1(id));
    }
    void counted(std::int64_t tokens, std::int64_t evicted = 0) {
        TextPinned said{.conversation = here(), .asked = true};
        const std::size_t pins = engine->sent<PinText>().back().pins.size();
        for (std::size_t i = 0; i < pins; ++i)
            said.pins.push_back({.first = 3, .count = tokens, .evicted = evicted});
        hear(said);
    }
    [[nodiscard]] static QStringList marks(const MessageText& text) {
        QStringList found;
        for (const QTextEdit::ExtraSelection& one : text.extraSelections())
            found << one.cursor.selectedText();
        return found;
    }
};

TEST_F(PinJourney, selectedWords_arePinnedShownListedAndUnpinned) {
    EXPECT_FALSE(action("pin.add")->isEnabled());
    EXPECT_TRUE(
        ActionRegistry::reasonOf(action("pin.add")).contains(QStringLiteral("Select words")));
    mark(0, "4711");
    ASSERT_TRUE(action("pin.add")->isEnabled());
    trigger("pin.add");
    const auto told = engine->sent<PinText>();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].pins, (std::vector<TextPin>{{0, 12, 16}}));
    counted(2);
    EXPECT_EQ(marks(*words(0)), QStringList{QStringLiteral("4711")});
    EXPECT_TRUE(shows(*window->chatView().messageAt(0), "1 pinned"));
    EXPECT_TRUE(words(0)->tipAt(13).contains(QStringLiteral("2 tokens")));
    EXPECT_TRUE(words(0)->tipAt(3).isEmpty());
    trigger("pin.list");
    auto* list = window->findChild<PinsDialog*>();
    ASSERT_NE(list, nullptr);
    ASSERT_TRUE(list->isVisible());
    auto* rows = list->findChild<QListWidget*>();
    ASSERT_EQ(rows->count(), 1);
    EXPECT_EQ(rows->item(0)->text(), QStringLiteral("4711 (tokens: 2)"));
    EXPECT_TRUE(shows(*list, "Tokens: 2"));
    QTest::keyClick(rows, Qt::Key_Delete);
    EXPECT_TRUE(engine->sent<PinText>().back().pins.empty());
    EXPECT_EQ(rows->count(), 0);
    EXPECT_TRUE(marks(*words(0)).isEmpty());
    EXPECT_FALSE(shows(*window->chatView().messageAt(0), "1 pinned"));
}

TEST_F(PinJourney, wordsOfAFormattedAnswer_arePinnedInTheSourceText) {
    const QString sent = state->conversations().currentModel().line(1).text;
    mark(1, "that code in mind");
    trigger("pin.add");
    const TextPin pin = engine->sent<PinText>().back().pins.at(0);
    EXPECT_EQ(pin.message, 1);
    EXPECT_EQ(sent.mid(pin.first, pin.last - pin.first), QStringLiteral("that code** in [mind"));
    counted(9);
    EXPECT_EQ(marks(*words(1)), QStringList{QStringLiteral("that code in mind")});
    mark(1, "4711");
    trigger("pin.add");
    const auto both = engine->sent<PinText>().back().pins;
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(sent.mid(both[1].first, both[1].last - both[1].first), QStringLiteral("4711"));
}

TEST_F(PinJourney, pinOverTheLimit_isReportedAndNotShown) {
    mark(0, "The code is 4711");
    trigger("pin.add");
    TextPinned no{.conversation = here(), .asked = true};
    no.error = Error{ErrorCode::Range,
                     "400 tokens are restored or pinned, but compactions with these settings "
                     "can keep only 64 unchanged; choose fewer or compact less",
                     {}};
    hear(no);
    EXPECT_TRUE(shows("Not pinned: 400 tokens"));
    EXPECT_TRUE(shows("can keep only 64"));
    EXPECT_TRUE(marks(*words(0)).isEmpty());
    EXPECT_TRUE(state->pins().rows().isEmpty());
}

TEST_F(PinJourney, pinOfEvictedWords_offersToRestoreThem) {
    mark(0, "4711");
    trigger("pin.add");
    counted(3, 2);
    EXPECT_TRUE(shows("already evicted"));
    button(*window, "Restore")->click();
    const auto sent = engine->sent<BringBack>();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].first, 3);
    EXPECT_EQ(sent[0].count, 3);
}

TEST_F(PinJourney, retentionOverlay_marksPinnedWords) {
    mark(0, "4711");
    trigger("pin.add");
    counted(1);
    trigger("view.retention");
    RetentionSnapshot snapshot;
    snapshot.conversation = here();
    snapshot.pieces = {"<user>", "The", " code", " is", " 4711", "."};
    snapshot.row.tokens = 6;
    snapshot.row.layers = 1;
    snapshot.row.kvHeads = 1;
    snapshot.row.share = {1, 0, 0, 0, 1, 1};
    snapshot.row.holders = {1, 0, 0, 0, 1, 1};
    snapshot.row.slots = {3};
    hear(snapshot);
    EXPECT_EQ(marks(*words(0)), QStringList{QStringLiteral("4711")});
    const QString tip = words(0)->tipAt(13);
    EXPECT_TRUE(tip.contains(QStringLiteral("Token 5"))) << tip.toStdString();
    EXPECT_TRUE(tip.contains(QStringLiteral("Pinned"))) << tip.toStdString();
}

TEST_F(PinJourney, contextMenu_offersPinAndRestore) {
    mark(0, "4711");
    MessageText* text = words(0);
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(4, 4),
                            text->mapToGlobal(QPoint(4, 4)));
    QCoreApplication::sendEvent(text->viewport(), &event);
    QCoreApplication::processEvents();
    QMenu* menu = nullptr;
    for (QMenu* one : text->findChildren<QMenu*>())
        if (one->actions().contains(action("pin.add"))) menu = one;
    ASSERT_NE(menu, nullptr);
    EXPECT_TRUE(menu->actions().contains(action("cache.bringBack")));
    menu->close();
}

TEST(TextPositionMap, everyWordOfAFormattedText_mapsToTheSourceAndBack) {
    offscreenApplication();
    const QString source = QStringLiteral(
        "# Heading\n\nSome *words* and a [link](http://a.b/words) behind it.\n\n- one\n- two "
        "words\n");
    QTextDocument document;
    MarkdownWriter writer(document, Theme::light());
    writer.append(source);
    const TextPositionMap places = TextPositionMap::formatted(document, writer.shown(), 0);
    for (const char* word : {"Heading", "link", "behind", "one", "two words"}) {
        const QTextCursor found = document.find(QString::fromUtf8(word));
        const TextRange shown{found.selectionStart(), found.selectionEnd()};
        const TextRange letters = places.inText(shown);
        EXPECT_EQ(source.mid(letters.from, letters.to - letters.from), QString::fromUtf8(word));
        EXPECT_EQ(places.inDocument(letters), shown) << word;
    }
    EXPECT_TRUE(places.inText({4, 4}).isEmpty());
    EXPECT_TRUE(places.inDocument({42, 44}).isEmpty()) << "an address that is not shown";
}

}  // namespace
}  // namespace lacuna::ui

// Names and sentences can come from files: they are displayed verbatim and load nothing.

#include <QAbstractItemView>
#include <QAction>
#include <QImage>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <QTextDocumentFragment>
#include <QTextEdit>
#include <QUrl>

#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_turns.h"
#include "tests/ui/window_stage.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/message_view.h"
#include "ui/chat/prompt_box.h"
#include "ui/pages/model_details.h"
#include "ui/panels/setting_row.h"
#include "ui/style/widget_roles.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {
namespace {

const char* const kEvil = "<img src=\"/dev/zero\"> <b>x</b> &amp;";

/// Text that a tool tip displays, as QToolTip interprets it.
QString shownBy(const QString& tip) {
    return Qt::mightBeRichText(tip) ? QTextDocumentFragment::fromHtml(tip).toPlainText() : tip;
}

/// Removes spaces and line breaks, which a tool tip inserts where necessary.
QString signsOf(const QString& text) {
    QString signs;
    for (const QChar sign : text)
        if (!sign.isSpace()) signs += sign;
    return signs;
}

class PlainTextTest : public WindowStage {
  protected:
    /// Expects every label to display its text verbatim; returns how many show `evil`.
    static int labelsWith(const QWidget& in, const QString& evil) {
        int found = 0;
        for (const QLabel* label : in.findChildren<QLabel*>()) {
            EXPECT_EQ(label->textFormat(), Qt::PlainText)
                << label->text().toStdString() << " in "
                << label->parentWidget()->metaObject()->className();
            found += label->text().contains(evil) ? 1 : 0;
        }
        return found;
    }
    /// Expects no tool tip to be interpreted as a document; returns how many show `evil`.
    static int tipsWith(const QWidget& in, const QString& evil) {
        QStringList tips;
        for (const QWidget* widget : in.findChildren<QWidget*>()) tips << widget->toolTip();
        for (const QAction* action : in.findChildren<QAction*>()) tips << action->toolTip();
        for (const QAbstractItemView* view : in.findChildren<QAbstractItemView*>()) {
            if (view->model() == nullptr) continue;
            const auto addAll = [&tips, model = view->model()](const auto& self,
                                                               const QModelIndex& under) -> void {
                for (int row = 0; row < model->rowCount(under); ++row) {
                    for (int column = 0; column < model->columnCount(under); ++column)
                        tips << model->index(row, column, under).data(Qt::ToolTipRole).toString();
                    self(self, model->index(row, 0, under));
                }
            };
            addAll(addAll, {});
        }
        int found = 0;
        for (const QString& tip : tips) {
            EXPECT_FALSE(Qt::mightBeRichText(tip) && tip.contains(QStringLiteral("<img")))
                << tip.toStdString();
            found += signsOf(shownBy(tip)).contains(signsOf(evil)) ? 1 : 0;
        }
        return found;
    }

    const QString evil = QString::fromUtf8(kEvil);
};

TEST_F(PlainTextTest, fileTexts_areShownVerbatim) {
    ModelFacts facts = app::smallFacts();
    facts.name = facts.licence = facts.fileType = facts.templateNote = kEvil;
    facts.path = std::string("/models/") + kEvil + ".gguf";
    window->resize(3200, 800);  // figures of a model are shown in full or not at all
    hear(ModelLoaded{facts, 0.2});
    hear(StateChanged{EngineState::Idle});
    window->prompt().attach(evil, evil);
    EXPECT_GE(tipsWith(*window, evil), 2) << "path of the model, text attached";
    EXPECT_GE(labelsWith(*window, evil), 3) << "model's name and file type, attachment";
    trigger("chat.send");
    TurnFinished finished;
    finished.conversation = here();
    finished.reason = FinishReason::Error;
    finished.error = Error{ErrorCode::Internal, kEvil, {}};
    hear(finished);
    state->conversations().rename(state->conversations().current(), evil);
    CompactionHappened happened;
    happened.report.result = CompactionResult::Failed;
    happened.report.notes = {noteOf(CompactionReason::Recorded, kEvil)};
    hear(happened);
    hear(Notice{kEvil});
    hear(ModelFailed{kEvil, Error{ErrorCode::NotFound, kEvil, {}}, false});
    EXPECT_GE(labelsWith(*window, evil), 3) << "attachment, problem of the answer, notice";
    EXPECT_GE(tipsWith(*window, evil), 3) << "attachment, title in the list, model's problem";
    EXPECT_TRUE(window->notice().sentence().contains(evil));
    EXPECT_TRUE(window->windowTitle().startsWith(evil));
}

TEST_F(PlainTextTest, modelDetails_areShownVerbatim) {
    load();
    trigger("model.details");
    ModelInspected answer;
    answer.page = {.path = "small.gguf",
                   .heading = kEvil,
                   .supported = false,
                   .verdict = kEvil,
                   .reason = kEvil,
                   .sections = {{kEvil, {{kEvil, kEvil}}}}};
    hear(answer);
    auto* details = window->findChild<ModelDetails*>();
    ASSERT_NE(details, nullptr);
    EXPECT_EQ(labelsWith(*details, evil), 2);
    EXPECT_GE(tipsWith(*details, evil), 1);
}

TEST_F(PlainTextTest, otherWindows_havePlainTextLabelsOnly) {
    load();
    for (const char* action : {"measure.compare", "measure.sweep", "help.shortcuts"})
        if (window->actions().find(QString::fromLatin1(action)) != nullptr) trigger(action);
    QCoreApplication::processEvents();
    labelsWith(*window, evil);
    tipsWith(*window, evil);
}

TEST_F(PlainTextTest, texts_loadNoReferencedResource) {
    load();
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("picture.png"));
    ASSERT_TRUE(QImage(4, 4, QImage::Format_RGB32).save(path));
    app::PromptDraft draft;
    draft.text = QStringLiteral("![x](%1) <img src=\"%1\">").arg(path);
    state->turns().submit(draft);
    TurnFinished finished;
    finished.conversation = here();
    finished.text = draft.text.toStdString();
    hear(finished);
    trigger("measure.compare");
    const auto texts = window->findChildren<QTextEdit*>();
    EXPECT_GE(texts.size(), 4) << "question, answer, both sides of the comparison";
    for (QTextEdit* text : texts) {
        for (const QUrl& url : {QUrl::fromLocalFile(path), QUrl(path)})
            EXPECT_FALSE(text->loadResource(QTextDocument::ImageResource, url).isValid())
                << text->metaObject()->className();
    }
}

TEST(ShownText, longNamesAndControlCharacters_stayOnOneLine) {
    EXPECT_EQ(oneLine(QStringLiteral("a\nb\u202Ec\u0007"), 20),
              QStringLiteral("a\uFFFDb\uFFFDc\uFFFD"));
    EXPECT_EQ(oneLine(QString(50, QLatin1Char('x')), 10),
              QString(9, QLatin1Char('x')) + QChar(0x2026));
    const QString cut = oneLine(QString::fromUtf8("\xf0\x9f\x98\x80").repeated(50), 10);
    EXPECT_FALSE(cut.at(cut.size() - 2).isHighSurrogate()) << "half of a pair";
    EXPECT_LE(tipText(QString(100'000, QLatin1Char('x'))).size(), 2000);
}

TEST(ShownText, toolTips_areNoWiderThanAChart) {
    const QString words = QStringLiteral("Bytes of keys and values, as the cache holds them. ");
    const QString chinese = QString::fromUtf8("\xe7\xbc\x93\xe5\xad\x98").repeated(60);
    for (const QString& text : {words.repeated(12), QString(300, QLatin1Char('/')), chinese,
                                words + QLatin1Char('\n') + words}) {
        const QString tip = tipText(text);
        EXPECT_EQ(QString(tip).remove(QLatin1Char('\n')).remove(QLatin1Char(' ')),
                  QString(text).remove(QLatin1Char('\n')).remove(QLatin1Char(' ')))
            << "nothing is lost";
        for (const QString& line : tip.split(QLatin1Char('\n')))
            EXPECT_LE(line.size(), text == chinese ? 28 : 56) << line.toStdString();
    }
    EXPECT_EQ(tipText(QStringLiteral("Short.")), QStringLiteral("Short."));
}

TEST_F(PlainTextTest, longHint_doesNotWidenTheRow) {
    app::SettingView view;
    view.label = QStringLiteral("Sinks");
    view.maximum = 64;
    SettingRow row(view);
    const int narrow = row.minimumSizeHint().width();
    view.idleReason = QStringLiteral("no effect while ") + QString(300, QLatin1Char('x'));
    row.show(view);
    EXPECT_EQ(row.minimumSizeHint().width(), narrow);
    EXPECT_GT(row.sizeHint().width(), narrow);
}

}  // namespace
}  // namespace lacuna::ui

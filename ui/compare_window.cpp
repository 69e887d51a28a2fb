#include "ui/compare_window.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QTableView>
#include <QTextCursor>
#include <QTextEdit>
#include <QVBoxLayout>

#include "app/state/measurement_controller.h"
#include "ui/chart_table_page.h"
#include "ui/comparison_table.h"
#include "ui/measure_bar.h"
#include "ui/side_settings.h"
#include "ui/theme.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

namespace {

constexpr QSize kSize(1080, 764);
constexpr int kQuestionLines = 2;
constexpr int kAnswersHeight = 270;  ///< with the settings above them
constexpr int kTableHeight = 340;    ///< of all figures, with the sentence above them

/// What a model says is text, and the text names nothing that is loaded.
class AnswerText final : public QTextEdit {
  public:
    using QTextEdit::QTextEdit;
    QVariant loadResource(int, const QUrl&) override { return {}; }
};

QString sideName(int side) {
    return side == 0 ? CompareWindow::tr("A") : CompareWindow::tr("B");
}

}  // namespace

CompareWindow::CompareWindow(app::MeasurementController& measurement, const ThemeSource& themes,
                             QWidget* parent)
    : QDialog(parent), m_measurement(measurement), m_themes(themes) {
    setWindowTitle(tr("Compare two settings"));
    resize(kSize);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(8);
    buildQuestion(layout);
    buildSides(layout);
    m_bar = new MeasureBar(measurement, app::Measuring::Comparison, tr("Compare"), this);
    layout->addWidget(m_bar);
    connect(m_bar, &MeasureBar::beginWanted, this, &CompareWindow::begin);
    connect(&measurement, &app::MeasurementController::wrote, this, &CompareWindow::write);
    connect(&measurement, &app::MeasurementController::compared, this, &CompareWindow::show);
    connect(&themes, &ThemeSource::changed, this, &CompareWindow::showAnswers);
}

void CompareWindow::buildQuestion(QVBoxLayout* layout) {
    m_question = new QPlainTextEdit(this);
    m_question->setPlaceholderText(
        tr("The last question of the conversation. Write another here to ask it instead."));
    m_question->setTabChangesFocus(true);
    setRole(m_question, QStringLiteral("input"));
    setAccessible(m_question, tr("Question for both sides"), m_question->placeholderText());
    const int line = QFontMetrics(m_question->font()).lineSpacing();
    m_question->setFixedHeight(kQuestionLines * line + 16);
    layout->addWidget(m_question);
}

void CompareWindow::buildSides(QVBoxLayout* layout) {
    auto* sides = new QWidget(this);
    auto* row = new QHBoxLayout(sides);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(16);
    for (int side = 0; side < 2; ++side) row->addWidget(buildSide(side), 1);
    auto* below = new QWidget(this);
    auto* column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    m_sentence = plainLabel({}, below);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sentence->setText(
        tr("One question, answered under A and then under B; what it cost and what "
           "was lost stands here at the end."));
    column->addWidget(m_sentence);
    m_table = new ChartTablePage(below);
    m_table->setTitle(tr("What each cost and lost"));
    column->addWidget(m_table, 1);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(sides);
    splitter->addWidget(below);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({kAnswersHeight, kTableHeight});
    layout->addWidget(splitter, 1);
}

QWidget* CompareWindow::buildSide(int side) {
    const auto at = static_cast<std::size_t>(side);
    auto* column = new QWidget(this);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    QLabel* name = plainLabel(sideName(side), column);
    name->setFont(Theme::font(FontRole::Headline));
    layout->addWidget(name);
    m_settings.at(at) = new SideSettings(m_measurement.side(side), column);
    layout->addWidget(m_settings.at(at));
    auto* answer = new AnswerText(column);
    answer->setReadOnly(true);
    answer->setTabChangesFocus(true);
    answer->setPlaceholderText(tr("The answer under %1 appears here.").arg(sideName(side)));
    setAccessible(answer, tr("Answer under %1").arg(sideName(side)));
    m_answers.at(at) = answer;
    layout->addWidget(answer, 1);
    return column;
}

SideSettings& CompareWindow::settings(int side) {
    return *m_settings.at(static_cast<std::size_t>(side));
}

QTextEdit& CompareWindow::answer(int side) {
    return *m_answers.at(static_cast<std::size_t>(side));
}

QString CompareWindow::sentence() const {
    return m_sentence->text();
}

void CompareWindow::open() {
    if (!m_taken && m_measurement.view().what == app::Measuring::Nothing) {
        m_taken = true;
        m_measurement.takeSidesFromSettings();
    }
    QDialog::show();
    raise();
    activateWindow();
}

void CompareWindow::begin() {
    m_measurement.compare(m_question->toPlainText());
    if (m_measurement.view().what != app::Measuring::Comparison) return;  // refused
    m_view = {};
    m_parted = false;
    m_sentence->setText(tr("A answers first, then B. The figures come with the end of both."));
    m_table->setTable({});
    for (QTextEdit* answer : m_answers) answer->setToolTip(QString());
    showAnswers();
}

void CompareWindow::write(int side, const QString& text) {
    QString& own = m_view.sides.at(static_cast<std::size_t>(side)).text;
    own += text;
    if (side == 1 && !m_parted && !m_view.sides[0].text.startsWith(own)) {
        m_parted = true;
        showAnswers();
        return;
    }
    QTextEdit& shown = answer(side);
    QScrollBar& bar = *shown.verticalScrollBar();
    const bool follows = bar.value() == bar.maximum();
    QTextCursor end(shown.document());
    end.movePosition(QTextCursor::End);
    end.insertText(text, m_parted ? partedFormat() : QTextCharFormat());
    if (follows) bar.setValue(bar.maximum());
}

void CompareWindow::show(const app::ComparisonView& view) {
    if (!view.problem.isEmpty()) {
        m_bar->tell(view.cancelled ? tr("Stopped.") : view.problem, !view.cancelled);
        return;
    }
    m_view = view;
    m_parted = view.parted.has_value();
    m_sentence->setText(partingSentence(view));
    m_table->setTable(comparisonTable(view));
    for (int side = 0; side < 2; ++side)
        answer(side).setToolTip(tipText(view.sides.at(static_cast<std::size_t>(side)).settings));
    showAnswers();
}

void CompareWindow::showAnswers() {
    const QString& a = m_view.sides[0].text;
    const QString& b = m_view.sides[1].text;
    const qsizetype apart = commonLength(a, b);
    fill(answer(0), a, apart);
    fill(answer(1), b, apart);
}

/// What follows the first difference is underlined on a tinted ground, after a sign.
void CompareWindow::fill(QTextEdit& answer, const QString& text, qsizetype apart) {
    if (!m_parted) {
        answer.setPlainText(text);
        return;
    }
    answer.setPlainText(text.left(apart));
    QTextCursor end(answer.document());
    end.movePosition(QTextCursor::End);
    QTextCharFormat sign;
    sign.setForeground(m_themes.theme().pending);
    end.insertText(QString(QChar(0x25C6)), sign);
    end.insertText(text.mid(apart), partedFormat());
}

QTextCharFormat CompareWindow::partedFormat() const {
    QTextCharFormat parted;
    parted.setBackground(m_themes.theme().pendingSurface);
    parted.setFontUnderline(true);
    return parted;
}

}  // namespace lacuna::ui

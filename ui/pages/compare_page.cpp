#include "ui/pages/compare_page.h"

#include <QCoreApplication>
#include <QGridLayout>
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
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "app/state/experiments/measurement_controller.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "ui/charts/plot_cell.h"
#include "ui/pages/progress_footer.h"
#include "ui/panels/setting_row.h"
#include "ui/style/page_kit.h"
#include "ui/style/row_table.h"

namespace lacuna::ui {

namespace {

using app::ComparedSide;
using Figure = std::optional<double>;

struct ComparisonTexts {
    Q_DECLARE_TR_FUNCTIONS(ComparisonTable)
};

struct Row {
    QString name;
    std::function<Figure(const ComparedSide&)> value;
    std::function<QString(double)> text;
    QString note = {};
};

QString signedText(double delta, const std::function<QString(double)>& text) {
    if (delta == 0) return text(0);
    const QString sign = delta > 0 ? QStringLiteral("+") : QString(QChar(0x2212));
    return sign + text(std::abs(delta));
}

QStringList cellsOf(const Row& row, const app::ComparisonView& view) {
    const Figure a = row.value(view.sides[0]), b = row.value(view.sides[1]);
    return {row.name, a ? row.text(*a) : dash(), b ? row.text(*b) : dash(),
            a && b ? signedText(*b - *a, row.text) : dash(), row.note};
}

std::function<QString(double)> decimals(int count) {
    return [count](double value) { return app::realText(value, count); };
}

QString bytes(double value) {
    return app::bytesText(std::llround(value));
}

QString counts(double value) {
    return app::countText(std::llround(value));
}

QString duration(double seconds) {
    return app::durationText(seconds);
}

/// States why there is no divergence for a side, for both sides at once.
QString divergenceNote(const app::ComparisonView& view) {
    QStringList notes;
    for (std::size_t i = 0; i < view.sides.size(); ++i) {
        const ComparedSide& side = view.sides[i];
        const QString name = i == 0 ? ComparisonTexts::tr("A") : ComparisonTexts::tr("B");
        if (!side.klMean)
            notes << app::titled(name, side.divergenceBlocker);
        else
            notes << ComparisonTexts::tr("%1: %2 tokens").arg(name, app::countText(side.positions));
    }
    return app::clauses(notes);
}

std::vector<Row> rowsOf(const app::ComparisonView& view) {
    const auto count = [](qint64 ComparedSide::*field) {
        return [field](const ComparedSide& side) -> Figure {
            return static_cast<double>(side.*field);
        };
    };
    const auto real = [](double ComparedSide::*field) {
        return [field](const ComparedSide& side) -> Figure { return side.*field; };
    };
    const auto maybe = [](Figure ComparedSide::*field) {
        return [field](const ComparedSide& side) -> Figure { return side.*field; };
    };
    return {
        {ComparisonTexts::tr("Answer tokens"), count(&ComparedSide::tokens), counts,
         ComparisonTexts::tr("ended: A %1, B %2").arg(view.sides[0].finish, view.sides[1].finish)},
        {ComparisonTexts::tr("Live bytes"), count(&ComparedSide::liveBytes), bytes},
        {ComparisonTexts::tr("Allocated bytes"), count(&ComparedSide::allocatedBytes), bytes},
        {ComparisonTexts::tr("Logical / live bytes"), real(&ComparedSide::ratio),
         [](double value) { return app::ratioText(value); }},
        {ComparisonTexts::tr("Compactions"), count(&ComparedSide::compactions), counts},
        {ComparisonTexts::tr("Time in compactions"),
         [](const ComparedSide& side) -> Figure { return side.compactionMs / 1e3; }, duration},
        {ComparisonTexts::tr("Time to read the prompt"), real(&ComparedSide::prefillSeconds),
         duration, ComparisonTexts::tr("%1 tokens").arg(app::countText(view.promptTokens))},
        {ComparisonTexts::tr("Answer tokens per second"), real(&ComparedSide::decodeRate),
         decimals(1), ComparisonTexts::tr("measuring excluded")},
        {ComparisonTexts::tr("KL to the full cache, mean"), maybe(&ComparedSide::klMean),
         decimals(4), divergenceNote(view)},
        {ComparisonTexts::tr("KL, 99th percentile"), maybe(&ComparedSide::klP99), decimals(4),
         ComparisonTexts::tr("nats")},
        {ComparisonTexts::tr("Same top token"), maybe(&ComparedSide::top1),
         [](double value) -> QString {
             return app::realText(value * 100, 1) + QStringLiteral(" %");
         }}};
}

QString pieceText(const QString& piece) {
    return piece.isEmpty() ? ComparisonTexts::tr("end of the answer")
                           : ComparisonTexts::tr("\u201c%1\u201d").arg(piece);
}

}  // namespace

ChartTable comparisonTable(const app::ComparisonView& view) {
    ChartTable table;
    table.header = {ComparisonTexts::tr("Metric"), ComparisonTexts::tr("A"),
                    ComparisonTexts::tr("B"), ComparisonTexts::tr("B \u2212 A"),
                    ComparisonTexts::tr("Note")};
    table.textColumns = {0, 4};
    for (const Row& row : rowsOf(view)) table.rows << cellsOf(row, view);
    return table;
}

QString divergenceSentence(const app::ComparisonView& view) {
    if (!view.divergence) {
        const QString same = ComparisonTexts::tr("Both answers have the same %1 tokens.")
                                 .arg(app::countText(view.sides[0].tokens));
        const auto whole = [](const ComparedSide& side) {
            return side.evictions == 0 && side.liveBytes == side.logicalBytes;
        };
        if (!whole(view.sides[0]) || !whole(view.sides[1])) return same;
        return same +
               ComparisonTexts::tr(
                   " Neither cache was compacted: ask about a longer text or raise the ratio.");
    }
    return ComparisonTexts::tr("First difference at token %1 of the answer. A: %2. B: %3.")
        .arg(app::countText(view.divergence->token + 1), pieceText(view.divergence->pieces[0]),
             pieceText(view.divergence->pieces[1]));
}

qsizetype commonLength(const QString& a, const QString& b) {
    const auto apart = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return apart.first - a.begin();
}

namespace {

/// Keys for two columns, row by row.
const QStringList& sideKeys() {
    static const QStringList keys{QStringLiteral("method"), QStringLiteral("kv_type"),
                                  QStringLiteral("am_ratio"), QStringLiteral("budget")};
    return keys;
}

}  // namespace

SideSettings::SideSettings(app::ConfigController& config, QWidget* parent) : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(Spacing::wide);
    grid->setVerticalSpacing(0);
    for (int i = 0; i < sideKeys().size(); ++i) {
        const QString& key = sideKeys()[i];
        SettingRow* row = settingRow(config, key, this);
        m_rows.insert(key, row);
        grid->addWidget(row, i / 2, i % 2, Qt::AlignTop);
        grid->setColumnStretch(i % 2, 1);
    }
}

namespace {

constexpr int kQuestionLines = 2;
constexpr int kAnswersHeight = 330;  ///< px, including the settings above them
constexpr int kTableHeight = 326;    ///< px of all figures, including the sentence above them

/// Shows model output as plain text and never loads resources it refers to.
class AnswerText final : public QTextEdit {
  public:
    using QTextEdit::QTextEdit;
    QVariant loadResource(int, const QUrl&) override { return {}; }
};

QString sideName(int side) {
    return side == 0 ? ComparePage::tr("A") : ComparePage::tr("B");
}

}  // namespace

ComparePage::ComparePage(app::MeasurementController& measurement, const ThemeSource& themes,
                         QWidget* parent)
    : QWidget(parent), m_measurement(measurement), m_themes(themes) {
    setWindowTitle(tr("Compare two settings"));
    QVBoxLayout* layout = pageLayout(this);
    buildQuestion(layout);
    setFocusProxy(m_question);
    buildSides(layout);
    m_bar = new ProgressFooter(measurement, app::Measuring::Comparison, tr("Compare"), this);
    layout->addWidget(m_bar);
    connect(m_bar, &ProgressFooter::beginRequested, this, &ComparePage::begin);
    connect(&measurement, &app::MeasurementController::wrote, this, &ComparePage::write);
    connect(&measurement, &app::MeasurementController::compared, this, &ComparePage::showResult);
    connect(&themes, &ThemeSource::changed, this, &ComparePage::showAnswers);
}

void ComparePage::buildQuestion(QVBoxLayout* layout) {
    m_question = new QPlainTextEdit(this);
    m_question->setPlaceholderText(
        tr("The last question of the conversation. Type another one to ask it instead."));
    m_question->setTabChangesFocus(true);
    setRole(m_question, QStringLiteral("input"));
    setAccessible(m_question, tr("Question for both sides"), m_question->placeholderText());
    const int line = QFontMetrics(m_question->font()).lineSpacing();
    m_question->setFixedHeight(kQuestionLines * line + 16);
    layout->addWidget(m_question);
}

void ComparePage::buildSides(QVBoxLayout* layout) {
    auto* sides = new QWidget(this);
    auto* row = new QHBoxLayout(sides);
    row->setContentsMargins(0, 0, 0, Spacing::unit);  // distance to the handle of the splitter
    row->setSpacing(Spacing::wide);
    for (int side = 0; side < 2; ++side) row->addWidget(buildSide(side), 1);
    auto* below = new QWidget(this);
    QVBoxLayout* column = columnLayout(below, Spacing::half);
    column->setContentsMargins(0, Spacing::unit, 0, 0);
    m_sentence = wrappedLabel(below);
    m_sentence->setText(
        tr("Answers one question under A, then under B. Cost and loss appear here at the end."));
    column->addWidget(m_sentence);
    m_table = new ChartTablePage(below);
    m_table->setTitle(tr("Cost and loss"));
    column->addWidget(m_table, 1);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(sides);
    splitter->addWidget(below);
    splitter->setStretchFactor(0, 1);  // the number of figures is fixed
    splitter->setStretchFactor(1, 0);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({kAnswersHeight, kTableHeight});
    layout->addWidget(splitter, 1);
}

QWidget* ComparePage::buildSide(int side) {
    const auto at = static_cast<std::size_t>(side);
    auto* column = new QWidget(this);
    QVBoxLayout* layout = columnLayout(column, Spacing::half);
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
    QPushButton* use = pushButton(
        tr("Use %1's settings").arg(sideName(side)),
        tr("Apply the method, ratio, budget and cache type of this side to the conversations of "
           "the window."),
        column);
    connect(use, &QPushButton::clicked, this, [this, side] { Q_EMIT useRequested(side); });
    layout->addWidget(use, 0, Qt::AlignLeft);
    return column;
}

SideSettings& ComparePage::settings(int side) {
    return *m_settings.at(static_cast<std::size_t>(side));
}

QTextEdit& ComparePage::answer(int side) {
    return *m_answers.at(static_cast<std::size_t>(side));
}

QVector<std::pair<QString, QString>> ComparePage::values(int side) const {
    QVector<std::pair<QString, QString>> values;
    for (const QString& key : sideKeys())
        values.push_back({key, m_measurement.side(side).spec(key).requestedText()});
    return values;
}

void ComparePage::showMessage(const QString& sentence, bool problem) {
    m_bar->showMessage(sentence, problem);
}

QString ComparePage::sentence() const {
    return m_sentence->text();
}

void ComparePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!m_taken && m_measurement.view().what == app::Measuring::Nothing) {
        m_taken = true;
        m_measurement.resetSidesToSettings();
    }
}

void ComparePage::begin() {
    m_measurement.compare(m_question->toPlainText());
    if (m_measurement.view().what != app::Measuring::Comparison)
        return;  // the comparison was refused
    m_view = {};
    m_diverged = false;
    m_sentence->setText(tr("A answers first, then B. The results appear when both are done."));
    m_table->setTable({});
    for (QTextEdit* answer : m_answers) answer->setToolTip(QString());
    showAnswers();
}

void ComparePage::write(int side, const QString& text) {
    QString& own = m_view.sides.at(static_cast<std::size_t>(side)).text;
    own += text;
    if (side == 1 && !m_diverged && !m_view.sides[0].text.startsWith(own)) {
        m_diverged = true;
        showAnswers();
        return;
    }
    QTextEdit& shown = answer(side);
    QScrollBar& bar = *shown.verticalScrollBar();
    const bool follows = bar.value() == bar.maximum();
    QTextCursor end(shown.document());
    end.movePosition(QTextCursor::End);
    end.insertText(text, m_diverged ? divergedFormat() : QTextCharFormat());
    if (follows) bar.setValue(bar.maximum());
}

void ComparePage::showResult(const app::ComparisonView& view) {
    if (!view.problem.isEmpty()) {
        m_bar->showMessage(view.cancelled ? tr("Stopped.") : view.problem, !view.cancelled);
        return;
    }
    m_view = view;
    m_diverged = view.divergence.has_value();
    m_sentence->setText(divergenceSentence(view));
    m_table->setTable(comparisonTable(view));
    for (int side = 0; side < 2; ++side)
        answer(side).setToolTip(tipText(view.sides.at(static_cast<std::size_t>(side)).settings));
    showAnswers();
}

void ComparePage::showAnswers() {
    const QString& a = m_view.sides[0].text;
    const QString& b = m_view.sides[1].text;
    const qsizetype apart = commonLength(a, b);
    fill(answer(0), a, apart);
    fill(answer(1), b, apart);
}

/// Underlines everything after the first difference on a tinted background, after a symbol.
void ComparePage::fill(QTextEdit& answer, const QString& text, qsizetype apart) {
    if (!m_diverged) {
        answer.setPlainText(text);
        return;
    }
    answer.setPlainText(text.left(apart));
    QTextCursor end(answer.document());
    end.movePosition(QTextCursor::End);
    QTextCharFormat sign;
    sign.setForeground(m_themes.theme().pending);
    end.insertText(QString(QChar(0x25C6)), sign);
    end.insertText(text.mid(apart), divergedFormat());
}

QTextCharFormat ComparePage::divergedFormat() const {
    QTextCharFormat parted;
    parted.setBackground(m_themes.theme().pendingSurface);
    parted.setFontUnderline(true);
    return parted;
}

}  // namespace lacuna::ui

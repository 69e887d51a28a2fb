#include "ui/pages/format_page.h"

#include <QApplication>
#include <QClipboard>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

#include "app/state/figure_language.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/pages/progress_footer.h"
#include "ui/panels/cache_format_panel.h"
#include "ui/panels/rotation_panel.h"
#include "ui/style/page_kit.h"
#include "ui/style/row_table.h"

namespace lacuna::ui {

namespace {

using app::FormatRowView;
using app::QualityController;

constexpr int kMostBits = 8;
/// The step above 8 bits: unquantised 16-bit numbers.
constexpr int kPlainStep = kMostBits + 1;

QString real(const std::optional<double>& value, int decimals) {
    return value ? app::realText(*value, decimals) : dash();
}

QString klText(const std::optional<double>& kl) {
    constexpr double kSmallest = 1e-5;  // smaller values are printed with fewer digits instead of
                                        // an exponent
    if (!kl) return dash();
    if (*kl <= 0 || *kl >= 10 * kSmallest) return app::shortText(*kl, 2);
    if (*kl < kSmallest) return QStringLiteral("<") + app::realText(kSmallest, 5);
    return app::realText(*kl, 6);
}

QString remarkOf(const FormatRowView& row) {
    if (!row.refused.isEmpty()) return row.refused;
    QStringList remarks;
    if (row.passes) remarks << FormatPage::tr("passes");
    if (row.asked) remarks << FormatPage::tr("selected");
    if (row.open > 0 && row.texts > 0)
        remarks << FormatPage::tr("%1 of %2 texts so far").arg(row.texts).arg(row.texts + row.open);
    if (row.unsaved > 0)
        remarks << FormatPage::tr("nothing saved in %1 short texts").arg(row.unsaved);
    if (row.left > 0) remarks << FormatPage::tr("%1 texts excluded").arg(row.left);
    return app::listed(remarks);
}

QString tipOf(const FormatRowView& row) {
    QStringList lines{row.refused, row.help};
    lines.removeAll(QString());
    QStringList settings;
    for (const auto& [key, value] : row.settings) settings << key + QLatin1Char('=') + value;
    lines << settings.join(QLatin1Char(' '));
    if (row.allocatedPerToken)
        lines << FormatPage::tr("%1 bytes per token allocated.")
                     .arg(app::realText(*row.allocatedPerToken, 0));
    return lines.join(QLatin1Char('\n'));
}

using FormatRow = const FormatRowView&;
constexpr int kPresetColumn = 0;

std::vector<RowTable<FormatRowView>::Column> formatColumns() {
    using enum CellAlign;
    return {
        {FormatPage::tr("Preset"), FormatPage::tr("Presets first, then other measured formats."),
         Words, [](FormatRow row) { return row.preset ? row.name : dash(); }},
        {FormatPage::tr("Keys / values"),
         FormatPage::tr("t8 to t1: rotated codes of 8 to 1 bits. q8_0, q4_0: codes in groups."),
         Words,
         [](FormatRow row) {
             return row.evicts.isEmpty() ? row.format : app::listed({row.format, row.evicts});
         }},
        {FormatPage::tr("Bits per number"),
         FormatPage::tr("Live bits per stored number, scales and positions included."), Figures,
         [](FormatRow row) {
             return row.bitsPerNumber ? real(row.bitsPerNumber, 2) : FormatPage::tr("not measured");
         }},
        {FormatPage::tr("Bytes per token"),
         FormatPage::tr("Live bytes per token over all layers, mean over the texts."), Figures,
         [](FormatRow row) { return real(row.bytesPerToken, 0); }},
        {FormatPage::tr("Mean KL"),
         FormatPage::tr("Divergence of the next-token distribution from that of the 16-bit cache, "
                        "in nats, mean over running text."),
         Figures, [](FormatRow row) { return klText(row.klMean); }},
        {FormatPage::tr("KL p99"), FormatPage::tr("The same at the 99th percentile of positions."),
         Figures, [](FormatRow row) { return klText(row.klP99); }},
        {FormatPage::tr("Same top token"),
         FormatPage::tr("Share of positions with the same most likely token."), Figures,
         [](FormatRow row) -> QString {
             return row.top1 ? app::realText(*row.top1 * 100, 1) + QStringLiteral(" %") : dash();
         }},
        {FormatPage::tr("Recall"),
         FormatPage::tr("Of the dialogues answered correctly with 16 bits, how many are also "
                        "answered correctly with this format."),
         Figures,
         [](FormatRow row) {
             return row.answerable == 0
                        ? dash()
                        : FormatPage::tr("%1 of %2").arg(row.hits).arg(row.answerable);
         }},
        {FormatPage::tr("Tokens/s (vs. f16)"),
         FormatPage::tr("Decoding speed, median of rounds that alternate with 16 bits, and its "
                        "ratio to 16 bits."),
         Figures,
         [](FormatRow row) {
             return row.tokensPerSecond ? FormatPage::tr("%1 (%2x)")
                                              .arg(app::rateText(*row.tokensPerSecond),
                                                   app::realText(*row.ofFull, 2))
                                        : dash();
         }},
        {FormatPage::tr("Note"),
         FormatPage::tr("Why this model cannot use the format, or whether it is selected."), Words,
         remarkOf}};
}

/// Spin box for 1 to 8 bits, followed by 16.
class BitStepper final : public QSpinBox {
  public:
    explicit BitStepper(QWidget* parent) : QSpinBox(parent) {
        setRange(1, kPlainStep);
        setValue(kPlainStep);
    }
    [[nodiscard]] int bits() const {
        return value() == kPlainStep ? app::QualityController::kPlainBits : value();
    }
    void setBits(int bits) {
        setValue(bits == app::QualityController::kPlainBits ? kPlainStep : bits);
    }

  protected:
    [[nodiscard]] QString textFromValue(int value) const override {
        return QString::number(value == kPlainStep ? app::QualityController::kPlainBits : value);
    }
    [[nodiscard]] int valueFromText(const QString& text) const override {
        const int bits = text.toInt();
        return bits > kMostBits ? kPlainStep : bits;
    }
    QValidator::State validate(QString& text, int&) const override {
        if (text.isEmpty()) return QValidator::Intermediate;
        bool number = false;
        const int bits = text.toInt(&number);
        const bool known = number && ((bits >= 1 && bits <= kMostBits) ||
                                      bits == app::QualityController::kPlainBits);
        return known ? QValidator::Acceptable : QValidator::Invalid;
    }
};

int bitsIn(const QSpinBox& stepper) {
    return static_cast<const BitStepper&>(stepper).bits();
}

}  // namespace

class FormatModel final : public RowTable<FormatRowView> {
  public:
    explicit FormatModel(QObject* parent) : RowTable(formatColumns(), parent) {}

  protected:
    [[nodiscard]] QVariant cell(const FormatRowView& row, int column, int role) const override {
        if (role == Qt::ToolTipRole) return tipText(tipOf(row));
        if (role != Qt::FontRole) return {};
        // Set for every row, since a change of theme resets the font of the table.
        QFont font = Theme::font(FontRole::Small);
        font.setBold(row.preset && column == kPresetColumn);
        return font;
    }
};

FormatPage::FormatPage(QualityController& quality, app::CalibrationController& calibration,
                       app::ConfigController& config, app::SessionFeed& feed, QWidget* parent)
    : QWidget(parent),
      m_quality(quality),
      m_config(config),
      m_feed(feed),
      m_model(new FormatModel(this)) {
    setWindowTitle(tr("Cache formats of this model"));
    QVBoxLayout* layout = pageLayout(this);
    m_title = titleLabel(this);
    m_copy = pushButton(tr("Copy"), tr("Copy the table as Markdown."), this);
    connect(m_copy, &QPushButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_quality.markdown(QualityController::Formats));
        m_foot->showMessage(tr("Table copied."), false);
    });
    layout->addLayout(rowOf(m_title, {m_copy}));
    m_conditions = wrappedCaption(this);
    layout->addWidget(m_conditions);
    buildTable();
    layout->addWidget(m_table, 1);
    m_help = wrappedCaption(this);
    layout->addWidget(m_help);
    layout->addLayout(buildGate());
    layout->addWidget(buildBits());
    setFocusProxy(m_keys);  // the table would select a row
    m_recoding = new CacheFormatPanel(feed, config, this);
    layout->addWidget(m_recoding);
    m_rotations = new RotationPanel(calibration, this);
    layout->addWidget(m_rotations);
    m_foot = new MeasureFooter(
        quality, [] { return QualityController::Formats; }, this);
    layout->addWidget(m_foot);
    connect(&quality, &QualityController::changed, this, &FormatPage::refresh);
    connect(&config, &app::ConfigController::statusChanged, this, &FormatPage::refresh);
    connect(&feed, &app::SessionFeed::engineChanged, this, &FormatPage::showBits);
    refresh();
}

void FormatPage::buildTable() {
    m_table = new QTableView(this);
    m_table->setModel(m_model);
    styleTable(m_table, tr("Presets and formats of the cache"), TableDensity::Dense);
    m_table->horizontalHeader()->setStretchLastSection(true);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (const FormatRowView* row = m_model->row(current.row())) stepTo(row->format);
                showRow();
            });
}

QHBoxLayout* FormatPage::buildGate() {
    m_gate = wrappedLabel(this);
    m_usePassing = pushButton(tr("Use what passes"), {}, this);
    m_useRow = pushButton(tr("Use this"), {}, this);
    connect(m_usePassing, &QPushButton::clicked, this, [this] {
        const app::FormatsView view = m_quality.formats(m_config.asked());
        stepTo(view.passing);
        apply(view.passing, view.passingSettings);
    });
    connect(m_useRow, &QPushButton::clicked, this, [this] {
        if (const FormatRowView* chosen = m_model->row(m_table->currentIndex().row()))
            apply(chosen->name, chosen->settings);
    });
    return rowOf(m_gate, {m_usePassing, m_useRow});
}

QWidget* FormatPage::buildBits() {
    QFrame* frame = infoBox(this);
    QHBoxLayout* row = rowLayout(frame);
    row->setContentsMargins(Spacing::unit, Spacing::unit, Spacing::unit, Spacing::unit);
    const auto stepper = [&](const QString& name) {
        auto* made = new BitStepper(frame);
        explain(made, name, tr("1 to 8 bits as rotated codes, or 16 bits."));
        row->addWidget(buddyLabel(name, made));
        row->addWidget(made);
        connect(made, &QSpinBox::valueChanged, this, &FormatPage::showBits);
        return made;
    };
    m_keys = stepper(tr("Bits of keys"));
    m_values = stepper(tr("Bits of values"));
    QVBoxLayout* said = columnLayout(nullptr, Spacing::half);
    said->addWidget(m_bytes = wrappedLabel(frame));
    said->addWidget(m_predictedLoss = wrappedCaption(frame));
    row->addLayout(said, 1);
    m_useBits = pushButton(tr("Use these bits"), {}, frame);
    row->addWidget(m_useBits);
    connect(m_useBits, &QPushButton::clicked, this, [this] {
        const app::BitsView view = bits();
        apply(view.format, view.settings);
    });
    return frame;
}

void FormatPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    const app::FormatsView view = m_quality.formats(m_config.asked());
    for (int i = 0; i < view.rows.size(); ++i)
        if (view.rows[i].asked) m_table->selectRow(i);
    // Last, because the table selects a row if the focus returns to it.
    QTimer::singleShot(0, this, [this, asked = view.asked] { stepTo(asked); });
}

QString FormatPage::gate() const {
    return m_gate->text();
}

QString FormatPage::bytes() const {
    return m_bytes->text();
}

QString FormatPage::predictedLoss() const {
    return m_predictedLoss->text();
}

/// Tokens of the current conversation, or of a full context if it has none yet.
qint64 FormatPage::tokens() const {
    const app::EngineView& engine = m_feed.engine();
    return engine.contextTokens > 0 ? engine.contextTokens : engine.contextLimit;
}

app::BitsView FormatPage::bits() const {
    return m_quality.bits(bitsIn(*m_keys), bitsIn(*m_values), m_config.asked(), tokens());
}

void FormatPage::stepTo(const QString& format) {
    const auto found = QualityController::bitsOf(format);
    if (!found) return;
    static_cast<BitStepper*>(m_keys)->setBits(found->first);
    static_cast<BitStepper*>(m_values)->setBits(found->second);
}

void FormatPage::apply(QString name, app::SettingTexts settings) {
    if (settings.isEmpty()) return;
    m_config.editAll(settings);
    const app::ConfigStatus& status = m_config.status();
    if (status.state == app::ChangeState::Rejected)
        return m_foot->showMessage(status.sentence, true);
    m_foot->showMessage(
        tr("%1 was sent to the engine; existing caches are converted between steps.").arg(name),
        false);
}

void FormatPage::refresh() {
    const QString model = m_quality.modelName();
    m_title->setText(model.isEmpty() ? tr("No model loaded") : oneLine(model, kMaxTitleLength));
    const app::QualityTableView view = m_quality.table(QualityController::Formats);
    QStringList said{view.there ? view.conditions
                                : tr("Nothing has been measured for this model yet. "
                                     "Measure compares the formats while you go on.")};
    if (!view.there && !m_quality.problem().isEmpty()) said << m_quality.problem();
    m_conditions->setText(said.join(QLatin1Char(' ')));
    m_conditions->setVisible(!model.isEmpty());
    m_model->setRows(m_quality.formats(m_config.asked()).rows);
    m_copy->setEnabled(view.there);
    showGate();
    showRow();
    showBits();
}

void FormatPage::showGate() {
    const app::FormatsView view = m_quality.formats(m_config.asked());
    m_gate->setText(view.gate.isEmpty()
                        ? tr("The smallest format that passes is known after measuring.")
                        : view.gate);
    m_usePassing->setEnabled(!view.passing.isEmpty());
    const QString tip = view.passing.isEmpty()
                            ? tr("No format is known to pass.")
                            : tr("Store keys and values as %1 from now on.").arg(view.passing);
    explain(m_usePassing, tip);
}

void FormatPage::showRow() {
    const FormatRowView* row = m_model->row(m_table->currentIndex().row());
    QString why;
    if (row == nullptr)
        why = tr("Choose a row first.");
    else if (!row->refused.isEmpty())
        why = row->refused;
    else if (row->asked)
        why = tr("This format is already selected.");
    QString help = row != nullptr ? row->help : QString();
    if (row != nullptr && help.isEmpty()) help = tr("A custom format; every token is kept.");
    m_help->setText(help);
    m_useRow->setText(row != nullptr ? tr("Use %1").arg(row->name) : tr("Use this"));
    m_useRow->setEnabled(why.isEmpty());
    const QString tip = why.isEmpty() ? tr("Apply all settings of this preset.") : why;
    explain(m_useRow, tip);
}

void FormatPage::showBits() {
    if (m_useBits == nullptr) return;  // construction is in progress
    const app::BitsView view = bits();
    QString bytes;
    if (view.tokens > 0 && view.bytes > 0)
        bytes = tr("%1 for %2 tokens; with the selected format %3.")
                    .arg(app::bytesText(view.bytes), app::countText(view.tokens),
                         app::bytesText(view.requestedBytes));
    m_bytes->setText(view.refused.isEmpty() ? bytes : view.refused);
    m_predictedLoss->setText(view.refused.isEmpty() ? view.predictedLoss : QString());
    const bool usable = view.refused.isEmpty() && !view.settings.isEmpty() && !view.asked;
    m_useBits->setEnabled(usable);
    const QString tip = usable ? tr("Store keys and values as %1 from now on.").arg(view.format)
                        : view.asked ? tr("These bits are already selected.")
                                     : m_bytes->text();
    explain(m_useBits, tip);
}

}  // namespace lacuna::ui

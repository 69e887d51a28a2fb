#include "ui/panels/setting_row.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/state/figure_language.h"
#include "app/state/list_text.h"
#include "app/state/settings/config_controller.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr double kFieldLimit = 1e9;
constexpr int kCoarse = 10;
constexpr double kDigits = 1e10;  ///< finer than any step, coarser than a double

/// Minimum of slider and arrow keys; an optional number starts with "off", displayed for 0.
double leastOf(const app::SettingView& view) {
    return view.kind == SettingKind::OptionalInteger ? 0 : view.minimum;
}

/// True for a factor: each doubling takes the same distance on the slider.
bool isFactor(const app::SettingView& view) {
    return view.kind == SettingKind::Real && view.unit == QLatin1String("x");
}

int decimalsOf(const app::SettingView& view) {
    if (view.kind != SettingKind::Real) return 0;
    return view.step >= 0.1 ? 1 : view.step >= 0.01 ? 2 : 3;
}

}  // namespace

SettingNumberField::SettingNumberField(QWidget* parent) : QDoubleSpinBox(parent) {
    setKeyboardTracking(false);
    setAlignment(Qt::AlignRight);
    setRange(-kFieldLimit, kFieldLimit);
    setFocusPolicy(Qt::StrongFocus);
    setFixedWidth(96);
}

void SettingNumberField::configure(const app::SettingView& view) {
    m_minimum = leastOf(view);
    m_maximum = view.maximum;
    // One decimal more than a step needs, so a value between two steps can be typed and is shown as
    // typed.
    setDecimals(view.kind == SettingKind::Real ? decimalsOf(view) + 1 : 0);
    setSingleStep(view.step);
    if (view.kind == SettingKind::OptionalInteger) {
        setMinimum(0);
        setSpecialValueText(tr("off"));
    }
}

void SettingNumberField::stepBy(int steps) {
    const double wanted = std::clamp(value() + steps * singleStep(), m_minimum, m_maximum);
    setValue(wanted);
}

QString SettingNumberField::textFromValue(double value) const {
    QString text = QDoubleSpinBox::textFromValue(value);
    if (decimals() > 1 && text.endsWith(QLatin1Char('0'))) text.chop(1);
    return text;
}

void SettingNumberField::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

void SettingComboBox::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

SettingSlider::SettingSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
    setFocusPolicy(Qt::StrongFocus);
}

void SettingSlider::configure(const app::SettingView& view) {
    const QSignalBlocker quiet(this);
    m_minimum = leastOf(view);
    m_step = view.step > 0 ? view.step : 1;
    const double most = std::min(view.maximum, view.sliderMaximum);
    m_stops.clear();
    if (isFactor(view))
        for (double stop = view.minimum; stop < most; stop *= 2) m_stops.push_back(stop);
    if (!m_stops.isEmpty()) m_stops.push_back(most);
    setRange(0, std::max(1, static_cast<int>(std::lround(placeOf(most)))));
    setSingleStep(1);
    setPageStep(kCoarse);
}

double SettingSlider::valueAtPosition(double place) const {
    if (m_stops.isEmpty()) return m_minimum + m_step * place;
    const auto part =
        std::clamp<qsizetype>(static_cast<qsizetype>(place / kCoarse), 0, m_stops.size() - 2);
    const double within = place / kCoarse - static_cast<double>(part);
    return m_stops[part] + within * (m_stops[part + 1] - m_stops[part]);
}

double SettingSlider::placeOf(double value) const {
    if (m_stops.isEmpty()) return std::clamp((value - m_minimum) / m_step, 0.0, 1e9);
    const double inside = std::clamp(value, m_stops.front(), m_stops.back());
    qsizetype part = 0;
    while (part + 2 < m_stops.size() && m_stops[part + 1] <= inside) ++part;
    const double within = (inside - m_stops[part]) / (m_stops[part + 1] - m_stops[part]);
    return kCoarse * (static_cast<double>(part) + within);
}

double SettingSlider::settingValueFrom() const {
    return std::round(valueAtPosition(value()) * kDigits) / kDigits;
}

void SettingSlider::changeSettingValue(double value) {
    const QSignalBlocker quiet(this);
    setValue(static_cast<int>(std::lround(placeOf(value))));
}

/// A slider position next to a stop is about two pixels away from it, so a drag snaps to the stop.
void SettingSlider::mouseMoveEvent(QMouseEvent* event) {
    QSlider::mouseMoveEvent(event);
    if (m_stops.isEmpty() || !isSliderDown()) return;
    const int stop = (value() + kCoarse / 2) / kCoarse * kCoarse;
    if (std::abs(value() - stop) == 1) setValue(stop);
}

void SettingSlider::keyPressEvent(QKeyEvent* event) {
    const QString text = event->text();
    if (!text.isEmpty() && (text.at(0).isDigit() || text.at(0) == QLatin1Char('-'))) {
        Q_EMIT digitTyped(text);
        return;
    }
    QSlider::keyPressEvent(event);
}

void SettingSlider::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

namespace {

using app::ChangeState;

/// Larger whole numbers do not fit a number field exactly; they are edited as text.
constexpr double kFieldMaximum = 2e9;
constexpr int kDigitsShown = 10;

QString withUnit(const QString& value, const app::SettingView& view) {
    if (view.unit.isEmpty() || value == SettingNumberField::tr("off")) return value;
    return value + QChar(0x00A0) + view.unit;
}

/// Text of a text field for a value, and the reverse.
QString fieldText(const QString& value) {
    return value == QLatin1String("off") ? SettingNumberField::tr("off") : value;
}
QString valueIn(const QString& text) {
    const QString typed = text.trimmed();
    return typed.isEmpty() || typed == SettingNumberField::tr("off") ? QStringLiteral("off")
                                                                     : typed;
}

/// Display form of a value: a choice in words, a fraction in the format of the locale, everything
/// else unchanged.
QString inWords(const QString& value, const app::SettingView& view) {
    bool number = false;
    const double real = value.toDouble(&number);
    if (number && view.kind == SettingKind::Real) return app::shortText(real, kDigitsShown);
    if (view.kind != SettingKind::Choice && value == QLatin1String("off"))
        return SettingNumberField::tr("off");
    const qsizetype place = view.choices.indexOf(value);
    return place < 0 ? value : view.choiceWords.value(place, value);
}

/// Symbol and word of a state, so it does not depend on colour alone.
QString stateText(ChangeState state) {
    switch (state) {
        case ChangeState::Settled:
            return {};
        case ChangeState::Draft:
            return SettingRow::tr("draft");
        case ChangeState::Submitted:
            return SettingRow::tr("sent");
        case ChangeState::Pending:
            return QChar(0x25F7) + SettingRow::tr(" pending");
        case ChangeState::Applied:
            return QChar(0x2713) + SettingRow::tr(" applied");
        case ChangeState::Rejected:
            return QChar(0x2717) + SettingRow::tr(" rejected");
        case ChangeState::Superseded:
            return SettingRow::tr("superseded");
        case ChangeState::RolledBack:
            return QChar(0x21A9) + SettingRow::tr(" rolled back");
    }
    return {};
}

QString helpText(const app::SettingView& view) {
    QString text = view.help;
    if (!view.idleReason.isEmpty())
        text += QStringLiteral("\n") + SettingRow::tr("Now: %1.").arg(view.idleReason);
    if (!view.meaning.isEmpty())
        text += QStringLiteral("\n") + SettingRow::tr("Now: %1.").arg(view.meaning);
    text += QStringLiteral("\n") + SettingRow::tr("Key for --set: %1").arg(view.key);
    return text;
}

bool isNumber(const app::SettingView& view) {
    switch (view.kind) {
        case SettingKind::Real:
        case SettingKind::Integer:
        case SettingKind::OptionalInteger:
            return view.maximum <= kFieldMaximum;
        case SettingKind::Choice:
        case SettingKind::IntegerList:
            return false;
    }
    return false;
}

}  // namespace

SettingRow::SettingRow(const app::SettingView& view, QWidget* parent)
    : QWidget(parent), m_view(view) {
    QVBoxLayout* layout = columnLayout(this, Spacing::half);
    layout->setContentsMargins(0, Spacing::half, 0, Spacing::half);
    buildHead();
    QHBoxLayout* row = rowLayout();
    if (isNumber(view)) {
        buildNumber(row);
    } else if (view.kind == SettingKind::Choice) {
        buildChoice(row);
    } else {
        buildText(row);
    }
    layout->addLayout(row);
    buildProblem();
    show(view);
}

QWidget* SettingRow::input() const {
    if (m_slider != nullptr) return m_slider;
    return m_choice != nullptr ? static_cast<QWidget*>(m_choice) : m_text;
}

void SettingRow::buildHead() {
    QHBoxLayout* head = rowLayout();
    m_name = plainLabel(m_view.label, this);
    m_state = captionLabel({}, this);
    m_effective = shrinkingCaption(this);
    m_effective->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    head->addWidget(m_name);
    head->addStretch(1);
    head->addWidget(m_state);
    head->addWidget(m_effective);
    static_cast<QVBoxLayout*>(layout())->addLayout(head);
}

void SettingRow::buildNumber(QHBoxLayout* row) {
    m_slider = new SettingSlider(this);
    m_field = new SettingNumberField(this);
    m_name->setBuddy(m_field);
    setAccessible(m_slider, tr("%1 slider").arg(m_view.label), m_view.help);
    setAccessible(m_field, m_view.label, m_view.help);
    row->addWidget(m_slider, 1);
    row->addWidget(m_field);
    connect(m_slider, &QSlider::valueChanged, this, &SettingRow::sliderMoved);
    connect(m_slider, &QSlider::sliderReleased, this,
            [this] { Q_EMIT settled(m_view.key, m_view.valueOf(m_slider->settingValueFrom())); });
    connect(m_slider, &SettingSlider::digitTyped, this, [this](const QString& digit) {
        m_field->setFocus();
        if (auto* edit = m_field->findChild<QLineEdit*>()) edit->setText(digit);
    });
    connect(m_field, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        m_slider->changeSettingValue(value);
        Q_EMIT moved(m_view.key, m_view.valueOf(value));
    });
    connect(m_field, &QDoubleSpinBox::editingFinished, this, [this] {
        if (m_field->value() != m_view.number())
            Q_EMIT settled(m_view.key, m_view.valueOf(m_field->value()));
    });
}

void SettingRow::buildChoice(QHBoxLayout* row) {
    m_choice = new SettingComboBox(this);
    for (const QString& choice : m_view.choices) m_choice->addItem(inWords(choice, m_view), choice);
    // In a narrow panel a long choice is truncated instead of widening the panel.
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choice->setFocusPolicy(Qt::StrongFocus);
    m_name->setBuddy(m_choice);
    setAccessible(m_choice, m_view.label, m_view.help);
    row->addWidget(m_choice, 1);
    connect(m_choice, &QComboBox::activated, this, [this] {
        const QString text = m_choice->currentData().toString();
        const qsizetype place = m_view.choices.indexOf(text);
        if (place < 0)
            Q_EMIT entered(m_view.key, text);  // a number set from another place
        else
            Q_EMIT settled(m_view.key, SettingChoice{static_cast<std::size_t>(place)});
    });
}

void SettingRow::buildText(QHBoxLayout* row) {
    m_text = new QLineEdit(this);
    m_name->setBuddy(m_text);
    setAccessible(m_text, m_view.label, m_view.help);
    if (m_view.kind == SettingKind::IntegerList) m_text->setPlaceholderText(tr("none, or 0,1"));
    row->addWidget(m_text, 1);
    connect(m_text, &QLineEdit::editingFinished, this, [this] {
        const QString value = valueIn(m_text->text());
        if (value != m_view.requestedText()) Q_EMIT entered(m_view.key, value);
    });
}

void SettingRow::buildProblem() {
    auto* box = new QFrame(this);
    m_problem = box;
    setRole(box, QStringLiteral("notice"));
    QVBoxLayout* inner = columnLayout(box, Spacing::half);
    inner->setContentsMargins(Spacing::unit, Spacing::unit, Spacing::unit, Spacing::unit);
    m_sentence = plainLabel({}, box);
    m_sentence->setWordWrap(true);
    m_sentence->setFont(Theme::font(FontRole::Small));
    inner->addWidget(m_sentence);
    m_nearest = new QPushButton(box);
    setAccessible(m_nearest, tr("Use the nearest valid value of %1").arg(m_view.label));
    auto* keep = new QPushButton(tr("Keep the current value"), box);
    setRole(keep, QStringLiteral("quiet"));
    setAccessible(keep, tr("Keep the current value of %1").arg(m_view.label));
    // Stacked: side by side they would be wider than the panel.
    inner->addWidget(m_nearest, 0, Qt::AlignLeft);
    inner->addWidget(keep, 0, Qt::AlignLeft);
    box->hide();
    layout()->addWidget(box);
    connect(m_nearest, &QPushButton::clicked, this,
            [this] { Q_EMIT nearestRequested(m_view.key); });
    connect(keep, &QPushButton::clicked, this, [this] { Q_EMIT discardRequested(m_view.key); });
}

void SettingRow::show(const app::SettingView& view) {
    m_view = view;
    setToolTip(tipText(m_reason.isEmpty() ? helpText(view) : m_reason));
    showHead();
    showValue();
    showProblem();
}

void SettingRow::showHead() {
    const bool rejected = m_view.state == ChangeState::Rejected;
    m_state->setText(stateText(m_view.state));
    m_state->setVisible(m_view.state != ChangeState::Settled);
    m_state->setToolTip(tipText(m_view.sentence));
    setRole(m_state, changeRole(m_view.state));
    // A number with a special meaning is shown as that: "no limit", not "0 MiB".
    const bool differs = !m_view.typed.isEmpty() || m_view.requested != m_view.effective;
    const bool word = m_field != nullptr && !differs && !m_view.meaning.isEmpty();
    const QString now =
        word ? m_view.meaning : withUnit(inWords(m_view.effectiveText(), m_view), m_view);
    if (differs || rejected)
        m_effective->setForms({tr("effective %1").arg(now)});
    else if (m_view.idleReason.isEmpty())
        m_effective->setForms({word ? now : m_view.unit});
    else  // the tool tip has the full text
        m_effective->setForms({m_view.idleReason, m_view.idleBrief, QString()});
    m_effective->setToolTip(tipText(m_view.idleReason));
    setRole(m_name, m_view.idleReason.isEmpty() ? QString() : QStringLiteral("secondary"));
    setAccessibleDescription(tr("%1: requested %2, effective %3. %4")
                                 .arg(m_view.label, inWords(m_view.requestedText(), m_view), now,
                                      m_reason.isEmpty() ? m_view.sentence : m_reason));
}

void SettingRow::showValue() {
    if (m_field != nullptr) {
        m_slider->configure(m_view);
        const QSignalBlocker quiet(m_field);
        m_field->configure(m_view);
        const double number = m_view.number();
        if (m_field->value() != number) m_field->setValue(number);
        if (!m_slider->isSliderDown()) m_slider->changeSettingValue(number);
        return;
    }
    const QString requested = m_view.requestedText();
    if (m_choice != nullptr) {
        // A number set from another place stays a choice for the lifetime of the list.
        if (m_choice->findData(requested) < 0)
            m_choice->addItem(inWords(requested, m_view), requested);
        m_choice->setCurrentIndex(m_choice->findData(requested));
    } else if (m_text != nullptr && !m_text->hasFocus()) {
        m_text->setText(fieldText(requested));
    }
}

void SettingRow::setHeld(bool held) {
    m_held = held;
    if (!held) showProblem();
}

void SettingRow::showProblem() {
    if (m_held) return;
    const bool refused =
        m_view.state == ChangeState::Rejected || m_view.state == ChangeState::RolledBack;
    m_problem->setVisible(refused && !m_view.sentence.isEmpty());
    if (!refused) return;
    m_sentence->setText(m_view.sentence);
    m_sentence->setToolTip(tipText(m_view.rule));
    m_nearest->setVisible(!m_view.nearest.isEmpty());
    const bool other = !m_view.nearestKey.isEmpty() && m_view.nearestKey != m_view.key;
    const QString what = other ? tr("Use %1 %2").arg(m_view.nearestKey, m_view.nearest)
                               : tr("Use %1").arg(m_view.nearest);
    m_nearest->setText(what);
    setAccessible(m_nearest, tr("%1 for %2").arg(what, m_view.label));
}

void SettingRow::sliderMoved(int) {
    const double value = m_slider->settingValueFrom();
    const QSignalBlocker quiet(m_field);
    m_field->setValue(value);
    Q_EMIT moved(m_view.key, m_view.valueOf(value));
}

void SettingRow::setReason(const QString& reason) {
    m_reason = reason;
    setEnabled(reason.isEmpty());
    show(m_view);
}

SettingRow* settingRow(app::ConfigController& config, const QString& key, QWidget* parent) {
    using app::ConfigController;
    using app::EditPace;
    const app::SettingModel& setting = config.setting(key);
    auto* row = new SettingRow(setting.view(), parent);
    QObject::connect(&setting, &app::SettingModel::changed, row,
                     [row, &setting] { row->show(setting.view()); });
    QObject::connect(row, &SettingRow::moved, &config,
                     [&config](const QString& name, const SettingValue& value) {
                         config.edit(name, value, EditPace::Moving);
                     });
    QObject::connect(row, &SettingRow::settled, &config,
                     [&config](const QString& name, const SettingValue& value) {
                         config.edit(name, value, EditPace::Settled);
                     });
    QObject::connect(row, &SettingRow::entered, &config,
                     [&config](const QString& name, const QString& text) {
                         config.edit(name, text, EditPace::Settled);
                     });
    QObject::connect(row, &SettingRow::nearestRequested, &config, &ConfigController::useNearest);
    QObject::connect(row, &SettingRow::discardRequested, &config, &ConfigController::discard);
    return row;
}

}  // namespace lacuna::ui

#include "ui/window/time_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QStyleOptionSlider>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <utility>

#include "app/state/number_format.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kTickHeight = 5;  ///< px, above the groove
constexpr int kFrameMs = 50;
constexpr double kNsPerMs = 1e6;
constexpr double kIdleNs = 0.5e9;  ///< playback skips longer idle periods
constexpr std::array kSpeeds{1, 4, 16};
constexpr int kTitleSigns = 80;
constexpr int kLeastChoice = 96;  ///< px

using Kind = app::RecordedSession::Mark::Kind;

}  // namespace

MomentSlider::MomentSlider(const ThemeSource& themes, QWidget* parent)
    : QSlider(Qt::Horizontal, parent), m_themes(themes) {
    setFocusPolicy(Qt::StrongFocus);
    setSingleStep(1);
}

void MomentSlider::setTicks(QVector<Tick> ticks) {
    m_ticks = std::move(ticks);
    update();
}

QSize MomentSlider::sizeHint() const {
    return QSlider::sizeHint() + QSize(0, kTickHeight);
}

void MomentSlider::toTick(int direction) {
    const auto after = [this](const Tick& tick) { return tick.moment > value(); };
    const auto before = [this](const Tick& tick) { return tick.moment < value(); };
    if (direction > 0) {
        const auto next = std::find_if(m_ticks.begin(), m_ticks.end(), after);
        return setValue(next == m_ticks.end() ? maximum() : next->moment);
    }
    const auto last = std::find_if(m_ticks.rbegin(), m_ticks.rend(), before);
    setValue(last == m_ticks.rend() ? minimum() : last->moment);
}

int MomentSlider::placeOf(int moment) const {
    QStyleOptionSlider option;
    initStyleOption(&option);
    const int handle = style()->pixelMetric(QStyle::PM_SliderLength, &option, this);
    return handle / 2 +
           QStyle::sliderPositionFromValue(minimum(), maximum(), moment, width() - handle);
}

int MomentSlider::momentAt(int x) const {
    QStyleOptionSlider option;
    initStyleOption(&option);
    const int handle = style()->pixelMetric(QStyle::PM_SliderLength, &option, this);
    return QStyle::sliderValueFromPosition(minimum(), maximum(), x - handle / 2, width() - handle);
}

/// Questions are long lines in the accent colour, compactions short ones; shape and colour both
/// differ.
void MomentSlider::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    int drawn = -1;
    for (const Tick& tick : m_ticks) {
        const int x = placeOf(tick.moment);
        const bool question = tick.kind == Kind::Question;
        if (x == drawn && !question) continue;
        drawn = x;
        painter.fillRect(x, 0, question ? 2 : 1, question ? kTickHeight + 2 : kTickHeight - 1,
                         question ? m_themes.theme().accent : m_themes.theme().series.trigger);
    }
    painter.end();
    QSlider::paintEvent(event);
}

void MomentSlider::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Space:
            Q_EMIT playRequested();
            return event->accept();
        case Qt::Key_PageUp:
            return toTick(-1);
        case Qt::Key_PageDown:
            return toTick(1);
        default:
            QSlider::keyPressEvent(event);
    }
}

void MomentSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return QSlider::mousePressEvent(event);
    setSliderDown(true);
    setValue(momentAt(qRound(event->position().x())));
    event->accept();
}

void MomentSlider::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton)) return QSlider::mouseMoveEvent(event);
    setValue(momentAt(qRound(event->position().x())));
    event->accept();
}

void MomentSlider::mouseReleaseEvent(QMouseEvent* event) {
    setSliderDown(false);
    QSlider::mouseReleaseEvent(event);
}

/// Handles the wheel only if focused; otherwise the wheel scrolls the page.
void MomentSlider::wheelEvent(QWheelEvent* event) {
    if (hasFocus())
        QSlider::wheelEvent(event);
    else
        event->ignore();
}

namespace {

QToolButton* barButton(QWidget* parent, const QString& text, const QString& name,
                       const QString& tip) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tipText(tip));
    setRole(button, QStringLiteral("quiet"));
    setAccessible(button, name, tip);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

}  // namespace

TimeBar::TimeBar(const ThemeSource& themes, QWidget* parent)
    : QFrame(parent),
      m_slider(new MomentSlider(themes, this)),
      m_title(shrinkingLabel(this)),
      m_place(plainLabel({}, this)),
      m_outcome(shrinkingCaption(this)) {
    setRole(this, QStringLiteral("infoBar"));
    setAccessible(this, tr("Recorded session"));
    m_title->setFont(Theme::font(FontRole::Title));
    setAccessible(m_slider, tr("Position in the session"));
    m_slider->setToolTip(tipText(
        tr("Drag, or use the arrow keys for one step, Page Up and Page Down for the previous and "
           "next question or compaction, Home and End for the ends. Space plays.")));
    QHBoxLayout* head = rowLayout();
    head->addWidget(m_title, 1);
    m_conversations = new QComboBox(this);
    setAccessible(m_conversations, tr("Conversation of the recorded session"));
    m_conversations->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_conversations->setMinimumContentsLength(18);
    m_conversations->setMinimumWidth(kLeastChoice);  // it shrinks in a narrow window
    m_replay = new QPushButton(tr("Replay"), this);
    m_replay->setToolTip(
        tipText(tr("Run the session again with the same model and settings, and check that the "
                   "text is the same. The live session continues.")));
    auto* close = new QPushButton(tr("Close session"), this);
    close->setToolTip(tipText(tr("Return to the live session.")));
    head->addWidget(m_conversations);
    head->addWidget(m_replay);
    head->addWidget(close);
    QVBoxLayout* layout = columnLayout(this, Spacing::half);
    layout->setContentsMargins(Spacing::wide, Spacing::unit, Spacing::unit, Spacing::unit);
    layout->addLayout(head);
    layout->addWidget(buildControls());
    layout->addWidget(m_outcome);
    m_outcome->hide();
    connect(close, &QPushButton::clicked, this, &TimeBar::closeRequested);
    connect(m_replay, &QPushButton::clicked, this, [this] {
        if (m_replays)
            Q_EMIT cancelRequested();
        else
            Q_EMIT replayRequested();
    });
    connect(m_conversations, &QComboBox::activated, this, [this](int index) {
        m_follows = index == 0;
        moment();
    });
    connect(m_slider, &QSlider::valueChanged, this, [this] {
        if (m_slider->isSliderDown() || m_slider->hasFocus()) stop();
        moment();
    });
    connect(m_slider, &MomentSlider::playRequested, this, &TimeBar::togglePlay);
    m_timer.setInterval(kFrameMs);
    connect(&m_timer, &QTimer::timeout, this, &TimeBar::tick);
}

QWidget* TimeBar::buildControls() {
    auto* row = new QWidget(this);
    QHBoxLayout* layout = rowLayout(row, Spacing::half);
    auto* back = barButton(row, QStringLiteral("|<"), tr("Previous mark"),
                           tr("Go to the previous question or compaction (Page Up)"));
    m_play = barButton(row, tr("Play"), tr("Play"), tr("Play the session from here (Space)"));
    auto* on = barButton(row, QStringLiteral(">|"), tr("Next mark"),
                         tr("Go to the next question or compaction (Page Down)"));
    m_speed = new QComboBox(row);
    for (const int speed : kSpeeds) m_speed->addItem(QStringLiteral("%1x").arg(speed), speed);
    m_speed->setToolTip(tipText(tr("Playback speed; time without steps is skipped.")));
    setAccessible(m_speed, tr("Playback speed"));
    for (QWidget* widget :
         std::initializer_list<QWidget*>{back, m_play, on, m_speed, m_slider, m_place})
        layout->addWidget(widget, widget == m_slider ? 1 : 0);
    connect(back, &QToolButton::clicked, m_slider, [this] {
        stop();
        m_slider->toTick(-1);
    });
    connect(on, &QToolButton::clicked, m_slider, [this] {
        stop();
        m_slider->toTick(1);
    });
    connect(m_play, &QToolButton::clicked, this, &TimeBar::togglePlay);
    return row;
}

void TimeBar::setSession(const app::RecordedSession* session) {
    stop();
    m_session = session;
    if (session == nullptr) return;
    const QString models = session->models();
    const QString name = oneLine(session->name(), kTitleSigns);
    m_title->setText(models.isEmpty() ? tr("Recorded session %1").arg(name)
                                      : tr("Recorded session %1, with %2").arg(name, models));
    m_conversations->clear();
    m_conversations->addItem(tr("The most recently active"));
    for (const auto& conversation : session->conversations())
        m_conversations->addItem(oneLine(conversation.title, kTitleSigns));
    m_conversations->setVisible(session->conversations().size() > 1);
    m_follows = true;
    QVector<MomentSlider::Tick> ticks;
    const QVector<qint64>& moments = session->moments();
    for (const auto& mark : session->marks()) {
        const auto at = std::lower_bound(moments.begin(), moments.end(), mark.timeNs);
        ticks.push_back({static_cast<int>(at - moments.begin()), mark.kind});
    }
    const QSignalBlocker quiet(m_slider);
    m_slider->setTicks(std::move(ticks));
    m_slider->setRange(0, std::max(0, static_cast<int>(moments.size()) - 1));
    m_slider->setValue(m_slider->maximum());
    m_outcome->setText(session->missingNote());
    m_outcome->setVisible(!session->missingNote().isEmpty());
    moment();
}

qint64 TimeBar::timeNs() const {
    return m_session == nullptr ? 0 : m_session->moments().value(m_slider->value());
}

void TimeBar::goTo(qint64 timeNs) {
    if (m_session == nullptr) return;
    const QVector<qint64>& moments = m_session->moments();
    const auto after = std::upper_bound(moments.begin(), moments.end(), timeNs);
    stop();
    m_slider->setValue(std::max(0, static_cast<int>(after - moments.begin()) - 1));
}

void TimeBar::moment() {
    if (m_session == nullptr) return;
    const int chosen = m_conversations->currentIndex() - 1;
    m_conversation = m_follows ? m_session->conversationAt(timeNs())
                               : m_session->conversations().value(chosen).id;
    describe();
    Q_EMIT moved();
}

void TimeBar::describe() {
    const QVector<qint64>& moments = m_session->moments();
    if (moments.isEmpty()) return;
    // Same origin as the charts: the first step.
    const auto extent = m_session->metrics().extent(app::XAxis::Time);
    const double begin = extent ? extent->from : static_cast<double>(moments.front());
    const auto seconds = [begin](qint64 time) {
        return std::max(0.0, static_cast<double>(time) - begin) / (1e3 * kNsPerMs);
    };
    const QString now = app::durationText(seconds(timeNs()));
    const QString all = app::durationText(seconds(moments.back()));
    m_place->setText(tr("%1 of %2").arg(now, all));
    setAccessible(
        m_slider, tr("Position in the session"),
        tr("%1 of %2, step %3 of %4")
            .arg(now, all, app::countText(m_slider->value() + 1), app::countText(moments.size())));
}

void TimeBar::togglePlay() {
    if (m_session == nullptr) return;
    if (playing()) return stop();
    if (m_slider->value() == m_slider->maximum()) m_slider->setValue(0);
    m_playedNs = static_cast<double>(timeNs());
    m_since.start();
    m_timer.start();
    m_play->setText(tr("Pause"));
    setAccessible(m_play, tr("Pause"), tr("Pause the session at this moment (Space)"));
}

void TimeBar::stop() {
    if (!playing()) return;
    m_timer.stop();
    m_play->setText(tr("Play"));
    setAccessible(m_play, tr("Play"), tr("Play the session from here (Space)"));
}

/// Plays at the recorded pace times the speed; long idle periods are skipped.
void TimeBar::tick() {
    const QVector<qint64>& moments = m_session->moments();
    m_playedNs +=
        static_cast<double>(m_since.restart()) * kNsPerMs * m_speed->currentData().toDouble();
    int place = m_slider->value();
    const auto time = [&moments](int at) { return static_cast<double>(moments.at(at)); };
    while (place < m_slider->maximum() && time(place + 1) <= m_playedNs) ++place;
    if (place < m_slider->maximum() && time(place + 1) - m_playedNs > kIdleNs)
        m_playedNs = time(place + 1) - kIdleNs;
    if (place != m_slider->value()) {
        const QSignalBlocker quiet(m_slider);
        m_slider->setValue(place);
        moment();
    }
    if (place == m_slider->maximum()) stop();
}

void TimeBar::showReplay(const app::ReplayView& replay) {
    m_replays = replay.running;
    m_replay->setText(replay.running ? tr("Stop replay") : tr("Replay"));
    setAccessible(m_replay, m_replay->text());
    QString sentence;
    if (replay.running)
        sentence = replay.turns == 0
                       ? tr("Replaying: loading the model.")
                       : tr("Replaying: answer %1 of %2.")
                             .arg(app::countText(replay.turn + 1), app::countText(replay.turns));
    else
        sentence = replay.sentence;
    if (sentence.isEmpty() && m_session != nullptr) sentence = m_session->missingNote();
    m_outcome->setText(sentence);
    explain(m_outcome, tr("Replay"), sentence);
    m_outcome->setVisible(!sentence.isEmpty());
}

}  // namespace lacuna::ui

#include "ui/charts/pareto_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/state/experiments/measurement_controller.h"
#include "app/state/number_format.h"
#include "ui/charts/chart_painter.h"
#include "ui/charts/chart_shapes.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

constexpr double kPick = 10;
/// Zero loss has no position on a logarithmic axis; it is drawn at this value.
constexpr double kMinLoss = 1e-5;

struct Look {
    Ink ink;
    Marker marker;
};

/// Colour and shape of the n-th method; both vary, so neither is the only cue.
Look lookOf(qsizetype method) {
    using S = SeriesColours;
    static constexpr std::array kLooks{
        Look{&S::live, Marker::Circle},       Look{&S::allocated, Marker::Square},
        Look{&S::budget, Marker::Diamond},    Look{&S::rejected, Marker::Cross},
        Look{&S::failed, Marker::Circle},     Look{&S::logical, Marker::Square},
        Look{&S::firstToken, Marker::Diamond}};
    return kLooks.at(static_cast<std::size_t>(method) % kLooks.size());
}

QString shareText(double share) {
    return app::realText(share * 100, 1) + QChar(0x00A0) + QLatin1Char('%');
}

double clamped(double loss) {
    return std::max(loss, kMinLoss);
}

}  // namespace

QString lossName(SweepLoss loss) {
    switch (loss) {
        case SweepLoss::Kl:
            return ParetoPlot::tr("KL, nats (mean)");
        case SweepLoss::OtherToken:
            return ParetoPlot::tr("different top token, share");
        case SweepLoss::OutputError:
            return ParetoPlot::tr("attention output error");
    }
    return {};
}

std::optional<double> lossOf(const app::SweptSetting& setting, SweepLoss loss) {
    if (setting.answers == 0) return std::nullopt;
    switch (loss) {
        case SweepLoss::Kl:
            return setting.klMean;
        case SweepLoss::OtherToken:
            return 1 - setting.top1;
        case SweepLoss::OutputError:
            return setting.outputError;
    }
    return std::nullopt;
}

namespace {

/// The shortest available name: "KeyDiff" for "Unlike the others (KeyDiff)".
QString shortLabel(const QString& method) {
    const QString label = app::MeasurementController::methodLabel(method);
    const QString inside =
        label.section(QLatin1Char('('), 1).section(QLatin1Char(')'), 0, 0).trimmed();
    return inside.isEmpty() ? label : inside;
}

}  // namespace

QString sweptText(const app::SweptSetting& setting) {
    const QString name =
        app::MeasurementController::methodLabel(setting.method) + QLatin1Char(' ') + setting.asked;
    if (!setting.tried()) return ParetoPlot::tr("%1: not tried yet").arg(name);
    if (setting.answers == 0)
        return ParetoPlot::tr("%1: nothing was evicted, so nothing was measured").arg(name);
    QString text = ParetoPlot::tr("%1: %2 of the bytes, KL %3, %4 same top token")
                       .arg(name, shareText(setting.liveShare), app::realText(setting.klMean, 4),
                            shareText(setting.top1));
    if (setting.outputError)
        text += ParetoPlot::tr(", output error %1").arg(app::realText(*setting.outputError, 3));
    return text;
}

ParetoPlot::ParetoPlot(const ThemeSource& themes, QWidget* parent) : PlotWidget(themes, parent) {
    setAccessible(this, tr("Bytes and loss of every setting"));
    describe();
}

void ParetoPlot::setRows(const QVector<app::SweptSetting>& rows) {
    const auto same = [](const app::SweptSetting& a, const app::SweptSetting& b) {
        return a.method == b.method && a.asked == b.asked;
    };
    if (!std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(), same)) m_chosen = -1;
    m_rows = rows;
    m_methods.clear();
    for (const app::SweptSetting& row : rows)
        if (!m_methods.contains(row.method)) m_methods << row.method;
    fitAxes();
    describe();
    update();
}

void ParetoPlot::setLoss(SweepLoss loss) {
    m_loss = loss;
    fitAxes();
    describe();
    update();
}

void ParetoPlot::choose(int row) {
    if (row == m_chosen || row >= m_rows.size()) return;
    m_chosen = row;
    describe();
    update();
    Q_EMIT chosenChanged(row);
}

void ParetoPlot::describe() {
    QString said = tr("Each setting becomes a point once it has been tried.");
    if (!m_rows.isEmpty())
        said = tr("%1 settings; the arrow keys move between them in order of bytes.")
                   .arg(m_rows.size());
    if (m_chosen >= 0) said = sweptText(m_rows[m_chosen]);
    setAccessibleDescription(said);
}

void ParetoPlot::fitAxes() {
    double least = INFINITY, most = 0, bytes = 0;
    for (const int row : drawn()) {
        const double loss = clamped(*lossOf(m_rows[row], m_loss));
        least = std::min(least, loss);
        most = std::max(most, loss);
        bytes = std::max(bytes, m_rows[row].liveShare);
    }
    m_losses = most > 0 ? logRange({least, most}) : Range{0.01, 1};
    m_bytes = {0, bytes > 0 ? roundUp(bytes * 105, ValueUnit::Plain) : 100};
}

QVector<int> ParetoPlot::drawn() const {
    QVector<int> rows;
    for (int row = 0; row < m_rows.size(); ++row)
        if (lossOf(m_rows[row], m_loss)) rows << row;
    std::stable_sort(rows.begin(), rows.end(),
                     [this](int a, int b) { return m_rows[a].liveShare < m_rows[b].liveShare; });
    return rows;
}

ChartFrame ParetoPlot::frame() const {
    ChartFrame frame;
    frame.size = QSizeF(size());
    frame.x = m_bytes;
    frame.y = m_losses;
    frame.logY = true;
    frame.yTicks = logValueTicks(m_losses, ValueUnit::Plain);
    const QFontMetricsF letters = smallLetters();
    const double line = letters.height();
    double labels = 0;
    for (const Tick& tick : frame.yTicks.ticks)
        labels = std::max(labels, letters.horizontalAdvance(tick.label));
    const double left = kChartEdge + labels + 6;
    const double top = kChartEdge + line + 6 + line + 4;
    const double bottom = height() - kChartEdge - 2 * line - 4;
    frame.plot = {left, top, std::max(20.0, width() - kChartEdge - 4 - left),
                  std::max(20.0, bottom - top)};
    const int parts = std::max(2, static_cast<int>(frame.plot.width() / 60));
    frame.xTicks = valueTicks(m_bytes, ValueUnit::Plain, parts).ticks;
    return frame;
}

std::optional<QPointF> ParetoPlot::place(int row) const {
    if (row < 0 || row >= m_rows.size()) return std::nullopt;
    const auto loss = lossOf(m_rows[row], m_loss);
    if (!loss) return std::nullopt;
    const ChartFrame shown = frame();
    return QPointF(shown.pixelX(m_rows[row].liveShare * 100), shown.pixelY(clamped(*loss)));
}

int ParetoPlot::rowAt(QPointF at) const {
    double nearest = kPick;
    int found = -1;
    for (const int row : drawn()) {
        const QPointF apart = *place(row) - at;
        const double distance = std::hypot(apart.x(), apart.y());
        if (distance >= nearest) continue;
        nearest = distance;
        found = row;
    }
    return found;
}

QString ParetoPlot::emptyText() const {
    if (m_rows.isEmpty())
        return tr("Each setting becomes a point here: live bytes across, loss upward.");
    if (std::none_of(m_rows.begin(), m_rows.end(), [](const auto& row) { return row.tried(); }))
        return tr("The first setting is being tried.");
    return drawn().isEmpty() ? tr("This was not measured.") : QString();
}

void ParetoPlot::paintPlot(QPainter& painter) {
    painter.setRenderHint(QPainter::Antialiasing);
    const ChartFrame shown = frame();
    paintAxes(painter, theme(), shown);
    const double line = smallLetters().height();
    painter.drawText(
        QRectF(shown.plot.left(), shown.plot.bottom() + 4 + line, shown.plot.width(), line),
        Qt::AlignRight | Qt::AlignVCenter, tr("live bytes, % of an uncompressed cache"));
    painter.drawText(QRectF(kChartEdge, kChartEdge, width() - 2 * kChartEdge, line),
                     Qt::AlignLeft | Qt::AlignVCenter, lossName(m_loss));
    paintFront(painter);
    paintPoints(painter);
    paintNames(painter);
}

void ParetoPlot::paintFront(QPainter& painter) const {
    QPolygonF front;
    for (const int row : drawn())
        if (m_rows[row].onFront) front << *place(row);
    painter.setPen(QPen(this->theme().control, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(front);
}

void ParetoPlot::paintPoints(QPainter& painter) const {
    const Theme& theme = this->theme();
    const QFontMetricsF letters = smallLetters();
    painter.setFont(Theme::font(FontRole::Small));
    double right = -1;  // right end and position of the last name drawn
    QPointF named;
    for (const int row : drawn()) {
        const app::SweptSetting& setting = m_rows[row];
        const QPointF at = *place(row);
        const Look look = lookOf(m_methods.indexOf(setting.method));
        paintDot(painter, at, look.marker, theme.series.*look.ink);
        if (row == m_chosen) {
            painter.setPen(QPen(theme.text, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(at, 8, 8);
        }
        if (!setting.onFront && row != m_chosen) continue;
        painter.setPen(theme.text);
        // Names of points with equal results are drawn next to each other.
        const bool again = right >= 0 && std::abs(at.y() - named.y()) < letters.height() &&
                           at.x() >= named.x() - 1 && at.x() + 8 < right;
        const QString name = again ? QStringLiteral(", ") + setting.asked : setting.asked;
        const double wide = letters.horizontalAdvance(name);
        const double left = std::min(again ? right : at.x() + 8, width() - kChartEdge - wide);
        painter.drawText(QPointF(left, (again ? named.y() : at.y()) - 5), name);
        if (!again) named = at;
        right = left + wide;
    }
}

/// Legend of colours and shapes per method, with the short names if those of the table do not fit.
void ParetoPlot::paintNames(QPainter& painter) const {
    const Theme& theme = this->theme();
    const QFontMetricsF letters = smallLetters();
    double x = frame().plot.left();
    const double y = kChartEdge + letters.height() + 6 + letters.height() / 2;
    QStringList names;
    double all = x;
    for (const QString& method : m_methods) {
        names << app::MeasurementController::methodLabel(method);
        all += 12 + letters.horizontalAdvance(names.back()) + 14;
    }
    if (all > width())
        for (qsizetype i = 0; i < m_methods.size(); ++i) names[i] = shortLabel(m_methods[i]);
    for (qsizetype i = 0; i < m_methods.size(); ++i) {
        const double wide = letters.horizontalAdvance(names[i]);
        if (x + 14 + wide > width() - kChartEdge) break;
        paintDot(painter, {x + 4, y}, lookOf(i).marker, theme.series.*lookOf(i).ink);
        painter.setPen(theme.secondary);
        painter.drawText(QRectF(x + 12, y - letters.height() / 2, wide + 1, letters.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, names[i]);
        x += 12 + wide + 14;
    }
}

void ParetoPlot::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
    if (const int row = rowAt(event->position()); row >= 0) choose(row);
}

void ParetoPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const int row = rowAt(event->position()); row >= 0) Q_EMIT applyRequested(row);
}

void ParetoPlot::mouseMoveEvent(QMouseEvent* event) {
    const int row = rowAt(event->position());
    setCursor(row >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    readOut(event->position().toPoint(), row < 0 ? QString() : sweptText(m_rows[row]));
}

void ParetoPlot::step(int by) {
    const QVector<int> rows = drawn();
    if (rows.isEmpty()) return;
    const qsizetype at = rows.indexOf(m_chosen);
    const qsizetype first = by > 0 ? 0 : rows.size() - 1;
    choose(rows[at < 0 ? first : std::clamp<qsizetype>(at + by, 0, rows.size() - 1)]);
}

void ParetoPlot::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Up:
            return step(-1);
        case Qt::Key_Right:
        case Qt::Key_Down:
            return step(1);
        case Qt::Key_Home:
            choose(-1);
            return step(1);
        case Qt::Key_End:
            choose(-1);
            return step(-1);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (m_chosen >= 0) Q_EMIT applyRequested(m_chosen);
            return;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace lacuna::ui

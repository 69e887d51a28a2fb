#include "app/state/number_format.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <array>
#include <cmath>

#include "app/state/figure_language.h"

namespace lacuna::app {

namespace {

QLocale& figures() {
    static QLocale locale(QLocale::English, QLocale::UnitedStates);
    return locale;
}

struct FigureTexts {
    Q_DECLARE_TR_FUNCTIONS(Figures)
};

}  // namespace

void setFigureLocale(const QLocale& locale) {
    figures() = locale;
}

QString countText(qint64 value) {
    return figures().toString(value);
}

QString realText(double value, int decimals) {
    return figures().toString(value, 'f', decimals);
}

QString bytesText(qint64 bytes) {
    static constexpr std::array<const char*, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
    if (std::abs(bytes) < 1024) return countText(bytes) + QStringLiteral(" B");
    double value = static_cast<double>(bytes) / 1024.0;
    std::size_t unit = 0;
    while (std::abs(value) >= 1023.95 && unit + 1 < kUnits.size()) {
        value /= 1024.0;
        ++unit;
    }
    return realText(value, 1) + QLatin1Char(' ') + QLatin1String(kUnits[unit]);
}

QString durationText(double seconds) {
    if (seconds == 0) return realText(0, 0) + QStringLiteral(" ms");
    if (seconds > 0 && seconds < 5e-6)
        return QStringLiteral("< ") + realText(0.01, 2) + QStringLiteral(" ms");
    if (seconds < 0.01) return realText(seconds * 1e3, 2) + QStringLiteral(" ms");
    if (seconds < 1) return realText(seconds * 1e3, seconds < 0.1 ? 1 : 0) + QStringLiteral(" ms");
    if (seconds < 60) return realText(seconds, seconds < 10 ? 2 : 1) + QStringLiteral(" s");
    const auto whole = static_cast<qint64>(std::llround(seconds));
    return FigureTexts::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
}

QString rateText(double perSecond) {
    return realText(perSecond, perSecond < 100 ? 1 : 0);
}

QString ratioText(double ratio) {
    return realText(ratio, ratio < 10 ? 2 : 1) + QLatin1Char('x');
}

QString shortText(double value, int digits) {
    QLocale plain = figures();
    plain.setNumberOptions(QLocale::OmitGroupSeparator);
    return plain.toString(value, 'g', digits);
}

QString decimalPoint() {
    return figures().decimalPoint();
}

QString figureText(const QString& english) {
    static const QString one = QStringLiteral("(\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.(\\d+))?");
    static const QRegularExpression form(one);
    // A figure, optionally followed by bytes in parentheses.
    static const QRegularExpression whole(QRegularExpression::anchoredPattern(
        one + QStringLiteral("(?:e-\\d+)?(?: ?%|x| (?:[KMGT]iB|B|M|ms|s))?(?: \\(") + one +
        QStringLiteral(" (?:[KMGT]iB|B)\\))?")));
    if (!whole.match(english).hasMatch()) return english;
    QString shown;
    qsizetype from = 0;
    for (auto all = form.globalMatch(english); all.hasNext();) {
        const QRegularExpressionMatch found = all.next();
        QString figure = found.captured(1);
        figure.replace(QLatin1Char(','), figures().groupSeparator());
        if (!found.captured(2).isEmpty()) figure += figures().decimalPoint() + found.captured(2);
        shown += english.mid(from, found.capturedStart() - from) + figure;
        from = found.capturedEnd();
    }
    return shown + english.mid(from);
}

QString dateText(const QDate& day) {
    //: Day and month as QLocale::toString takes them
    return figures().toString(day, FigureTexts::tr("d MMM yyyy"));
}

QString dateTimeText(const QDateTime& when) {
    //: Day, month and time as QLocale::toString takes them
    return figures().toString(when, FigureTexts::tr("d MMM yyyy, HH:mm"));
}

QString percentText(double share) {
    return realText(share * 100, 0) + QStringLiteral(" %");
}

}  // namespace lacuna::app

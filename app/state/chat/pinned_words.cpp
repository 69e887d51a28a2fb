#include "app/state/chat/pinned_words.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "engine/session/command.h"

namespace lacuna::app {

namespace {

qsizetype bytesOf(QStringView text) {
    return text.toUtf8().size();
}

}  // namespace

QVector<PinnedWords> withPin(const QVector<PinnedWords>& pins, PinnedWords added) {
    QVector<PinnedWords> all;
    for (const PinnedWords& one : pins) {
        if (one.line != added.line || one.last < added.first || one.first > added.last) {
            all.push_back(one);
            continue;
        }
        added.first = std::min(added.first, one.first);
        added.last = std::max(added.last, one.last);
    }
    all.push_back(added);
    return all;
}

QVector<PinnedWords> withoutPin(const QVector<PinnedWords>& pins, const PinnedWords& removed) {
    QVector<PinnedWords> left;
    for (const PinnedWords& one : pins) {
        if (one.line != removed.line || one.last <= removed.first || one.first >= removed.last) {
            left.push_back(one);
            continue;
        }
        if (one.first < removed.first) left.push_back({one.line, one.first, removed.first});
        if (one.last > removed.last) left.push_back({one.line, removed.last, one.last});
    }
    return left;
}

QVector<PinRow> pinRows(const QVector<PinnedWords>& pins, const QVector<ChatLine>& lines) {
    QVector<PinRow> rows;
    for (int row = 0; !pins.isEmpty() && row < lines.size(); ++row) {
        QVector<PinnedWords> here;
        for (const PinnedWords& pin : pins)
            if (pin.line == lines[row].id) here.push_back(pin);
        std::sort(here.begin(), here.end(),
                  [](const PinnedWords& a, const PinnedWords& b) { return a.first < b.first; });
        const QString text = here.isEmpty() ? QString() : messageText(lines[row]);
        for (PinnedWords pin : here) {
            pin.last = std::min(pin.last, text.size());
            if (pin.first < 0 || pin.first >= pin.last) continue;
            rows.push_back({.words = pin,
                            .row = row,
                            .text = text.mid(pin.first, pin.last - pin.first),
                            .tokens = {},
                            .evicted = {}});
        }
    }
    return rows;
}

std::vector<TextPin> textPins(const QVector<PinRow>& rows, const QVector<ChatLine>& lines) {
    std::vector<TextPin> pins;
    qsizetype line = 0;
    std::int64_t message = 0;
    for (const PinRow& row : rows) {
        for (; line < row.row; ++line) message += messageText(lines[line]).isEmpty() ? 0 : 1;
        const QString text = messageText(lines[row.row]);
        const qsizetype first = bytesOf(QStringView(text).left(row.words.first));
        pins.push_back({.message = message, .first = first, .last = first + bytesOf(row.text)});
    }
    return pins;
}

QString pinsJson(const QVector<PinnedWords>& pins) {
    if (pins.isEmpty()) return {};
    QJsonArray list;
    for (const PinnedWords& pin : pins)
        list.push_back(QJsonObject{{QStringLiteral("line"), pin.line},
                                   {QStringLiteral("first"), qint64{pin.first}},
                                   {QStringLiteral("last"), qint64{pin.last}}});
    return QString::fromUtf8(QJsonDocument(list).toJson(QJsonDocument::Compact));
}

QVector<PinnedWords> pinsOf(const QString& json) {
    QVector<PinnedWords> pins;
    const QJsonArray list = QJsonDocument::fromJson(json.toUtf8()).array();
    for (const QJsonValue& one : list)
        pins.push_back({one[QLatin1String("line")].toInteger(),
                        static_cast<qsizetype>(one[QLatin1String("first")].toInteger()),
                        static_cast<qsizetype>(one[QLatin1String("last")].toInteger())});
    return pins;
}

}  // namespace lacuna::app

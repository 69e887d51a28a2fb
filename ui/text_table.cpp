#include "ui/text_table.h"

#include <algorithm>

namespace lacuna::ui {

namespace {

const QString& columnGap() {
    static const QString gap = QStringLiteral(" ") + QChar(0x2502) + QLatin1Char(' ');
    return gap;
}

/// East Asian wide and full-width blocks, and what lies beyond the basic plane: emoji mostly.
bool isWide(char32_t sign) {
    return (sign >= 0x1100 && sign <= 0x115F) || (sign >= 0x2E80 && sign <= 0xA4CF) ||
           (sign >= 0xAC00 && sign <= 0xD7A3) || (sign >= 0xF900 && sign <= 0xFAFF) ||
           (sign >= 0xFE30 && sign <= 0xFE6F) || (sign >= 0xFF00 && sign <= 0xFF60) ||
           sign >= 0x1F000;
}

QString padded(const QString& text, CellSide side, qsizetype width) {
    const qsizetype room = std::max<qsizetype>(width - columnsOf(text), 0);
    const qsizetype before = side == CellSide::Right    ? room
                             : side == CellSide::Centre ? room / 2
                                                        : 0;
    return QString(before, QLatin1Char(' ')) + text + QString(room - before, QLatin1Char(' '));
}

}  // namespace

qsizetype columnsOf(const QString& text) {
    qsizetype columns = 0;
    for (const uint sign : text.toUcs4()) columns += isWide(sign) ? 2 : 1;
    return columns;
}

QStringList TextTable::lines() const {
    QVector<qsizetype> widths;
    for (const QVector<Cell>& row : m_rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (qsizetype i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columnsOf(row[i].text.trimmed()));
    }
    QStringList lines;
    for (const QVector<Cell>& row : m_rows) {
        QStringList cells;
        for (qsizetype i = 0; i < widths.size(); ++i) {
            const Cell cell = i < row.size() ? row[i] : Cell{};
            cells << padded(cell.text.trimmed(), cell.side, widths[i]);
        }
        lines << cells.join(columnGap());
        if (lines.size() > 1) continue;
        QStringList rules;
        for (const qsizetype width : widths) rules << QString(width, QChar(0x2500));
        lines << rules.join(QChar(0x2500) + QString(QChar(0x253C)) + QChar(0x2500));
    }
    return lines;
}

}  // namespace lacuna::ui

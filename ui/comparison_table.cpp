#include "ui/comparison_table.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "app/state/number_format.h"

namespace lacuna::ui {

namespace {

using app::ComparedSide;
using Figure = std::optional<double>;

QString tableText(const char* text) {
    return QCoreApplication::translate("ComparisonTable", text);
}

const QString& dash() {
    static const QString text(QChar(0x2013));
    return text;
}

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

/// Why a side has no divergence, for both sides at once.
QString divergenceNote(const app::ComparisonView& view) {
    QStringList notes;
    for (std::size_t i = 0; i < view.sides.size(); ++i) {
        const ComparedSide& side = view.sides[i];
        const QString name = i == 0 ? tableText("A") : tableText("B");
        if (!side.klMean)
            notes << name + QStringLiteral(": ") + side.whyNoDivergence;
        else
            notes << tableText("%1: %2 tokens").arg(name, app::countText(side.positions));
    }
    return notes.join(QStringLiteral("; "));
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
    return {{tableText("Answer, tokens"), count(&ComparedSide::tokens), counts,
             tableText("ended: A %1, B %2").arg(view.sides[0].finish, view.sides[1].finish)},
            {tableText("Live bytes"), count(&ComparedSide::liveBytes), bytes},
            {tableText("Allocated bytes"), count(&ComparedSide::allocatedBytes), bytes},
            {tableText("Logical to live bytes"), real(&ComparedSide::ratio),
             [](double value) { return app::ratioText(value); }},
            {tableText("Compactions"), count(&ComparedSide::compactions), counts},
            {tableText("Time in compactions"),
             [](const ComparedSide& side) -> Figure { return side.compactionMs / 1e3; }, duration},
            {tableText("Time to read the prompt"), real(&ComparedSide::prefillSeconds), duration,
             tableText("%1 tokens").arg(app::countText(view.promptTokens))},
            {tableText("Answer, tokens per second"), real(&ComparedSide::decodeRate), decimals(1),
             tableText("measuring is not in it")},
            {tableText("KL to the whole cache, mean"), maybe(&ComparedSide::klMean), decimals(4),
             divergenceNote(view)},
            {tableText("KL, 99th percentile"), maybe(&ComparedSide::klP99), decimals(4),
             tableText("nats")},
            {tableText("Same likeliest token"), maybe(&ComparedSide::top1),
             [](double value) -> QString {
                 return app::realText(value * 100, 1) + QStringLiteral(" %");
             }}};
}

QString pieceText(const QString& piece) {
    return piece.isEmpty() ? tableText("the answer has ended")
                           : QChar(0x201C) + piece + QChar(0x201D);
}

}  // namespace

ChartTable comparisonTable(const app::ComparisonView& view) {
    ChartTable table;
    table.header = {tableText("Figure"), tableText("A"), tableText("B"), tableText("B \u2212 A"),
                    tableText("Note")};
    table.textColumns = {0, 4};
    for (const Row& row : rowsOf(view)) table.rows << cellsOf(row, view);
    return table;
}

QString partingSentence(const app::ComparisonView& view) {
    if (!view.parted) {
        const QString same =
            tableText("The same %1 tokens.").arg(app::countText(view.sides[0].tokens));
        const auto whole = [](const ComparedSide& side) {
            return side.evictions == 0 && side.liveBytes == side.logicalBytes;
        };
        if (!whole(view.sides[0]) || !whole(view.sides[1])) return same;
        return same + tableText(
                          " Neither cache was made smaller: ask about a longer text, or "
                          "compress more.");
    }
    return tableText("First difference at token %1 of the answer. A: %2. B: %3.")
        .arg(app::countText(view.parted->token + 1), pieceText(view.parted->pieces[0]),
             pieceText(view.parted->pieces[1]));
}

qsizetype commonLength(const QString& a, const QString& b) {
    const auto apart = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return apart.first - a.begin();
}

}  // namespace lacuna::ui

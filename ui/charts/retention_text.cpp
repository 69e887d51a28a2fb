#include "ui/charts/retention_text.h"

#include <QCoreApplication>
#include <QTextCursor>
#include <QTextDocument>
#include <QVector>
#include <algorithm>

#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "ui/style/long_lines.h"

namespace lacuna::ui {

namespace {

/// Shares above and below which a token counts as kept or evicted.
constexpr float kWhole = 0.995F, kGone = 1e-6F;
/// A slot that represents more than this many tokens has others merged into it.
constexpr float kAlone = 1.05F;

struct FateTexts {
    Q_DECLARE_TR_FUNCTIONS(RetentionState)
};

/// "1-3, 7" of ascending numbers counted from 0.
QString rangesText(const QVector<int>& layers) {
    QStringList parts;
    for (qsizetype i = 0; i < layers.size();) {
        qsizetype end = i;
        while (end + 1 < layers.size() && layers[end + 1] == layers[end] + 1) ++end;
        const QString first = app::countText(layers[i] + 1);
        parts << (end == i ? first : first + QChar(0x2013) + app::countText(layers[end] + 1));
        i = end + 1;
    }
    return app::listed(parts);
}

QString lostText(const app::RetentionView& view, qsizetype token) {
    const qint64 by = token < view.lostBy.size() ? view.lostBy[token] : 0;
    if (by > 0) return FateTexts::tr("evicted by compaction %1").arg(app::countText(by));
    if (by < 0)
        return FateTexts::tr("evicted by compaction %1 or earlier").arg(app::countText(-by));
    return {};
}

}  // namespace

RetentionState retentionStateOf(const app::RetentionView& view, qsizetype token) {
    const float share = view.share[token];
    if (share < kGone) return RetentionState::Evicted;
    if (token < view.sinks) return RetentionState::Sink;
    if (token >= view.tokens() - view.recent) return RetentionState::Recent;
    if (token < view.weight.size() && view.weight[token] > kAlone) return RetentionState::Merged;
    return share >= kWhole ? RetentionState::Kept : RetentionState::Thinned;
}

QString retentionStateText(RetentionState state) {
    switch (state) {
        case RetentionState::Sink:
            return FateTexts::tr("sink");
        case RetentionState::Recent:
            return FateTexts::tr("recent");
        case RetentionState::Kept:
            return FateTexts::tr("kept");
        case RetentionState::Merged:
            return FateTexts::tr("merged");
        case RetentionState::Thinned:
            return FateTexts::tr("kept in part");
        case RetentionState::Evicted:
            return FateTexts::tr("evicted");
    }
    return {};
}

QColor retentionStateColour(RetentionState state, const Theme& theme) {
    switch (state) {
        case RetentionState::Sink:
            return theme.series.rejected;
        case RetentionState::Recent:
            return theme.series.allocated;
        case RetentionState::Kept:
            return theme.series.live;
        case RetentionState::Merged:
            // The palette's second blue, because a merged token is kept as well.
            return theme.kind == ThemeKind::Light ? QColor(0x56, 0xB4, 0xE9)
                                                  : QColor(0x1C, 0x84, 0xC6);
        case RetentionState::Thinned:
            return theme.series.budget;
        case RetentionState::Evicted:
            return theme.series.failed;
    }
    return theme.text;
}

QString visiblePiece(const app::RetentionView& view, qsizetype token) {
    QString piece = view.piece(token);
    piece.replace(QLatin1Char('\n'), QChar(0x21B5));
    piece.replace(QLatin1Char('\t'), QChar(0x2192));
    return piece;
}

QString layersText(const app::RetentionView& view, qsizetype token) {
    QVector<int> all, none;
    int layers = 0;  // those with rows of their own
    for (int layer = 0; layer < view.layers; ++layer) {
        if (view.headsOf(layer) == 0) continue;
        ++layers;
        const quint16 holders = view.holders[layer * view.tokens() + token];
        if (holders == 0) none << layer;
        if (holders == view.headsOf(layer)) all << layer;
    }
    if (none.size() == layers || all.size() == layers) return {};
    QStringList parts;
    if (!all.isEmpty()) parts << FateTexts::tr("all heads of layers %1").arg(rangesText(all));
    if (all.size() + none.size() < layers) parts << FateTexts::tr("some heads of the other layers");
    if (!none.isEmpty()) parts << FateTexts::tr("no head of layers %1").arg(rangesText(none));
    return app::clauses(parts);
}

QString tokenDescription(const app::RetentionView& view, qsizetype token) {
    if (token < 0 || token >= view.tokens()) return {};
    const RetentionState state = retentionStateOf(view, token);
    QStringList parts{retentionStateText(state)};
    if (state == RetentionState::Evicted) {
        parts << lostText(view, token);
    } else {
        const QString layers = view.holders.isEmpty() ? QString() : layersText(view, token);
        const QString share = app::percentText(static_cast<double>(view.share[token]));
        parts << (layers.isEmpty()
                      ? FateTexts::tr("held by %1 of layers and heads").arg(share)
                      : FateTexts::tr("held by %1 of layers and heads (%2)").arg(share, layers));
        if (state == RetentionState::Merged)
            parts << FateTexts::tr("represents %1 tokens")
                         .arg(app::realText(static_cast<double>(view.weight[token]), 1));
        if (token < view.keyLength.size())
            parts << FateTexts::tr("key %1 x the mean length")
                         .arg(app::realText(static_cast<double>(view.keyLength[token]), 2));
    }
    if (view.inWeakestPassage(token))
        parts << FateTexts::tr("in the weakest passage, with %1 of its information kept")
                     .arg(app::percentText(view.weakestKept));
    parts.removeAll(QString());
    return FateTexts::tr("Token %1 of %2 \u201c%3\u201d: %4")
        .arg(app::countText(token + 1), app::countText(view.tokens()), visiblePiece(view, token),
             app::listed(parts));
}

QTextCharFormat tintFormat(const TintRun& run, const Theme& theme) {
    constexpr float kTint = 0.24F;
    QTextCharFormat format;
    const QColor colour = retentionStateColour(run.state, theme);
    QColor tint = colour;
    tint.setAlphaF(kTint);
    format.setBackground(tint);
    switch (run.state) {
        case RetentionState::Evicted:
            format.setForeground(theme.secondary);
            format.setFontStrikeOut(true);
            break;
        case RetentionState::Merged:
            format.setUnderlineStyle(QTextCharFormat::SingleUnderline);
            format.setUnderlineColor(colour);
            break;
        case RetentionState::Thinned:
            format.setUnderlineStyle(QTextCharFormat::DotLine);
            format.setUnderlineColor(colour);
            break;
        case RetentionState::Sink:
        case RetentionState::Recent:
        case RetentionState::Kept:
            break;
    }
    if (run.weakest) {
        format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        format.setUnderlineColor(theme.series.failed);
    }
    return format;
}

QVector<TintRun> runsOf(const MessageTint& tint) {
    QVector<TintRun> runs;
    for (const app::TokenSpan& span : tint.spans) {
        const RetentionState state = retentionStateOf(*tint.view, span.token);
        const bool weakest = tint.view->inWeakestPassage(span.token);
        const bool joins = !runs.isEmpty() && runs.back().state == state &&
                           runs.back().weakest == weakest &&
                           runs.back().start + runs.back().length == span.start;
        if (joins) {
            runs.back().length += span.length;
        } else {
            runs.push_back({span.start, span.length, state, weakest});
        }
    }
    return runs;
}

void writeTinted(QTextDocument& document, const QString& text, const QVector<TintRun>& runs,
                 const Theme& theme, qsizetype from, qsizetype to) {
    if (from == 0) document.clear();
    QTextCursor cursor(&document);
    cursor.movePosition(QTextCursor::End);
    cursor.beginEditBlock();
    if (from == 0) {
        QTextBlockFormat block;
        block.setLineHeight(145, QTextBlockFormat::ProportionalHeight);
        cursor.setBlockFormat(block);
    }
    QTextCharFormat plain;
    plain.setForeground(theme.text);
    qsizetype written = from;
    const auto write = [&](qsizetype end, const QTextCharFormat& format) {
        end = std::min(end, to);
        if (end <= written) return;
        insertInBlocks(cursor, text.mid(written, end - written), format);
        written = end;
    };
    auto run = std::upper_bound(runs.begin(), runs.end(), from,
                                [](qsizetype at, const TintRun& one) { return at < one.start; });
    if (run != runs.begin()) --run;  // the run that may contain `from`
    for (; run != runs.end() && run->start < to; ++run) {
        write(run->start, plain);
        QTextCharFormat tinted = plain;
        tinted.merge(tintFormat(*run, theme));
        write(run->start + run->length, tinted);
    }
    write(to, plain);
    cursor.endEditBlock();
}

QString descriptionAt(const MessageTint& tint, qsizetype place) {
    const auto after =
        std::upper_bound(tint.spans.begin(), tint.spans.end(), place,
                         [](qsizetype at, const app::TokenSpan& span) { return at < span.start; });
    if (after == tint.spans.begin()) return {};
    const app::TokenSpan& span = *std::prev(after);
    return place < span.start + span.length ? tokenDescription(*tint.view, span.token) : QString();
}

}  // namespace lacuna::ui
